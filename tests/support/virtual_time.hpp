/// Items that take virtual time: tests whether a schedule is greedy, on a machine of any speed with any number of processors.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace blitz_test {

/// A schedule is *greedy* if no worker is idle while an item waits to begin. R. L. Graham, "Bounds for certain multiprocessing
/// anomalies", 1966: it takes at most W/p + (1 - 1/p) m on p workers, where W is the time of all items and m the time of the
/// longest.
///
/// No item ends before all workers run an item, or all remaining items run. So a schedule that is not greedy hangs. After two
/// thousand times `real` the items end nevertheless, and is_greedy() is false.
class VirtualTime {
 public:
  /// Each item also takes the real time `real`, because a scheduler may not share short items.
  VirtualTime(std::size_t workers, std::vector<double> times, std::chrono::milliseconds real)
      : workers_(workers),
        real_(real),
        left_(times.size()),
        times_(std::move(times)),
        runs_(times_.size()),
        ended_(times_.size()) {}

  /// The work of an item. Any thread.
  void run(std::size_t item) {
    std::this_thread::sleep_for(real_);
    std::unique_lock lock(mutex_);
    ++runs_[item];
    running_.emplace(now_ + times_[item], item);
    end_first();
    if (!changed_.wait_for(lock, 2000 * real_, [&] { return ended_[item] || !greedy_; })) {
      greedy_ = false;
      changed_.notify_all();
    }
  }

  /// Call these after all items have ended:
  [[nodiscard]] bool each_once() const {
    return std::all_of(runs_.begin(), runs_.end(), [](int runs) { return runs == 1; });
  }
  [[nodiscard]] bool is_greedy() const { return greedy_; }
  /// The virtual time of all items.
  [[nodiscard]] double taken() const { return now_; }

 private:
  /// Ends the items with the earliest ends, if as many items run as possible.
  void end_first() {
    while (!running_.empty() && running_.size() == std::min(workers_, left_)) {
      const auto [time, item] = *running_.begin();
      running_.erase(running_.begin());
      now_ = time;
      ended_[item] = true;
      --left_;
      changed_.notify_all();
    }
  }

  const std::size_t workers_;
  const std::chrono::milliseconds real_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::size_t left_;  // items that have not ended
  std::vector<double> times_;
  std::vector<int> runs_;
  std::vector<bool> ended_;
  std::set<std::pair<double, std::size_t>> running_;  // ordered by their ends
  double now_ = 0;
  bool greedy_ = true;
};

}  // namespace blitz_test
