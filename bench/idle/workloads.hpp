// Work after an idle gap, when all workers sleep: the time until it is done, and the price of being ready for it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <tuple>

#include "bench/harness/busy_work.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

// --- Two equal pieces of busy work, called by the main thread: the time that the second piece waits for a processor. On two
// processors the minimum is the time of one piece. ---

struct Wake : Workload {
  using Size = double;  // the seconds of a piece

  explicit Wake(double seconds) : steps_(busy_steps(seconds)), ideal_(busy_seconds(steps_)) {
    for (std::size_t i = 0; i < kPieces; ++i) expected_[i] = busy_work(i + 1, steps_);
  }

  void reset() override {
    for (auto& p : done_) p.value.store(0, std::memory_order_relaxed);
  }
  bool check(std::size_t runs) const override {
    return std::all_of(done_.begin(), done_.end(),
                       [runs](const Done& d) { return d.value.load(std::memory_order_relaxed) == runs; });
  }
  double ideal_seconds() const override { return ideal_; }

  void run() {
    piece(0);
    piece(1);
  }

  /// Runs piece `i`, once per run.
  void piece(std::size_t i) {
    if (busy_work(i + 1, steps_) == expected_[i]) done_[i].value.fetch_add(1, std::memory_order_relaxed);
  }

  static constexpr std::size_t kPieces = 2;

 private:
  struct alignas(128) Done {
    std::atomic<std::size_t> value{0};
  };

  std::uint64_t steps_;
  double ideal_;
  std::array<std::uint64_t, kPieces> expected_;
  std::array<Done, kPieces> done_;
};

// --- A server's rhythm: every 1, 10 or 100 ms there is a burst of work, a loop called by the main thread, and then nothing
// until the next is due. The question is less the speed of a burst than the cost of being ready for it: threads that spin
// through the gap answer immediately, and burn a processor for it. ---

struct BurstSize {
  std::chrono::microseconds period;
  double seconds = 2e-6;  // of an item
};

struct Burst : Workload {
  using Size = BurstSize;

  explicit Burst(const Size& size) : steps_(busy_steps(size.seconds)), period_(size.period) {
    for (std::size_t i = 0; i < kItems; ++i) expected_[i] = busy_work(i + 1, steps_);
  }

  void reset() override { results_.fill(0); }
  bool check(std::size_t runs) const override {
    return std::equal(results_.begin(), results_.end(), expected_.begin(),
                      [runs](std::uint64_t found, std::uint64_t once) { return found == runs * once; });
  }
  Clock::duration period() const override { return period_; }

  void run() {
    for (std::size_t i = 0; i < kItems; ++i) add(i);
  }
  void add(std::size_t i) { results_[i] += busy_work(i + 1, steps_); }

  static constexpr std::size_t kItems = 64;

 private:
  std::uint64_t steps_;
  Clock::duration period_;
  std::array<std::uint64_t, kItems> results_{};
  std::array<std::uint64_t, kItems> expected_{};
};

constexpr Spec burst(std::string_view name, std::string_view title, Quick quick) {
  return {name, title, "call", Metric::microseconds, Timing::bursts, quick};
}

inline constexpr std::tuple kIdle{
    Case<Wake>{{"wake", "2 x 200 us of work from main after 20 ms idle: time over that of one piece", "call",
                Metric::microseconds, Timing::wake, Quick::with_clang},
               200e-6,
               200e-6,
               5e-6},
    Case<Burst>{burst("burst_1ms",
                      "64 x 2 us of work from main every 1 ms: CPU time of the process; wall and p99 are of the call",
                      Quick::no),
                {std::chrono::milliseconds(1)},
                {std::chrono::milliseconds(1)},
                {std::chrono::microseconds(50), 2e-7}},
    Case<Burst>{burst("burst_10ms",
                      "64 x 2 us of work from main every 10 ms: CPU time of the process; wall and p99 are of the call",
                      Quick::with_clang),
                {std::chrono::milliseconds(10)},
                {std::chrono::milliseconds(10)},
                {std::chrono::microseconds(500), 2e-7}},
    Case<Burst>{burst("burst_100ms",
                      "64 x 2 us of work from main every 100 ms: CPU time of the process; wall and p99 are of the call",
                      Quick::no),
                {std::chrono::milliseconds(100)},
                {std::chrono::milliseconds(100)},
                {std::chrono::milliseconds(5), 2e-7}},
};

}  // namespace bench
