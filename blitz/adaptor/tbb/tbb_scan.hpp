/// @file
/// The algorithm of tbb::parallel_scan.
///
/// The range is cut into parts. The *front* is the first part that no thread has passed. The body that holds the sum of all
/// parts to its left goes over it and writes its results; then the next part is the front. So one thread reads each item once.
///
/// A thread without work reads a part beyond the front into a new body, and writes no results: the part is *taken in*. When the
/// front arrives there, that body continues as the front's after a reverse_join with the previous one. The previous one is kept
/// for the results of the part, which are now *owed*: any thread may write them. Owed results come before taking in, because
/// only taking in causes a second reading. Two parts are never taken in: the one next to the front, because the front arrives
/// there soon, and the last one, because no part needs its sum.
///
/// No thread waits for another one. If another thread is still taking in the front, that thread continues as the front's when
/// it has finished. So all parts are done when no thread has work left. The mutex guards the assignment of parts to threads;
/// the program's body is never called under it.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "blitz/adaptor/tbb/context.hpp"
#include "blitz/adaptor/tbb/ranges.hpp"
#include "blitz/current_pool.hpp"
#include "blitz/join.hpp"

namespace tbb {

struct pre_scan_tag {
  static constexpr bool is_final_scan() noexcept { return false; }
  constexpr operator bool() const noexcept { return false; }
};
struct final_scan_tag {
  static constexpr bool is_final_scan() noexcept { return true; }
  constexpr operator bool() const noexcept { return true; }
};

namespace detail {

template <class Range, class Body>
class ScanRun {
 public:
  /// Must be called on a worker.
  ScanRun(const Range& range, Body& body, const CallContext& context) : context_(context), body_(body), sum_(&body) {
    const std::size_t threads = blitz::current_num_threads();
    cut(Range(range), threads > 1 ? kPartsOfThread * threads : 1);
    // New bodies are split from `unused_`, because a thread may be using `body`.
    if (parts_.size() > kFirstBeyond) unused_.emplace(body, split());
  }

  void run() {
    work();
    if (front_ == parts_.size() && sum_ != &body_) body_.assign(*sum_);
  }

 private:
  enum class State : unsigned char { kUnread, kBeingTakenIn, kTakenIn };
  struct Part {
    explicit Part(Range&& its_range) : range(std::move(its_range)) {}
    Range range;
    State state = State::kUnread;
    std::optional<Body> sum;  // of a part that is taken in
    Body* before = nullptr;   // the sum of all parts to its left, if its results are owed
  };
  /// A piece of work: the front, owed results, or taking in.
  enum class Kind : unsigned char { kNothing, kFront, kOwed, kTakeIn };

  static constexpr std::size_t kPartsOfThread = 8;
  static constexpr std::size_t kFirstBeyond = 2;  // the first part after the front that may be taken in

  void cut(Range range, std::size_t count) {
    if (count <= 1 || !range.is_divisible()) {
      parts_.emplace_back(std::move(range));
      return;
    }
    split tag;
    Range right(range, tag);
    cut(std::move(range), count - count / 2);
    cut(std::move(right), count / 2);
  }

  /// Processes parts until no work is left. While there is more work, offers a job to other workers.
  void work() {
    for (std::unique_lock lock(mutex_);;) {
      const auto [kind, part] = claim();
      if (kind == Kind::kNothing) return;
      if (offered_ || !has_more()) {
        lock.unlock();
        go_over(kind, *part);
        lock.lock();
        finish(kind, *part);
        continue;
      }
      offered_ = true;
      lock.unlock();
      blitz::join_context(
          [&](blitz::JoinContext) {
            go_over(kind, *part);
            {
              const std::lock_guard again(mutex_);
              finish(kind, *part);
            }
            work();
          },
          [&](blitz::JoinContext c) {
            {
              const std::lock_guard again(mutex_);
              offered_ = false;
            }
            if (c.migrated()) work();
          });
      return;
    }
  }

  // Called with the mutex locked:

  [[nodiscard]] std::pair<Kind, Part*> claim() {
    if (stopped_ || context_.is_cancelled()) return {Kind::kNothing, nullptr};
    if (!front_claimed_ && front_ != parts_.size() && parts_[front_].state != State::kBeingTakenIn) {
      front_claimed_ = true;
      return {Kind::kFront, &parts_[front_]};
    }
    if (!owed_.empty()) {
      Part* const part = owed_.back();
      owed_.pop_back();
      return {Kind::kOwed, part};
    }
    if (!can_take_in()) return {Kind::kNothing, nullptr};
    Part& part = parts_[next_++];
    part.state = State::kBeingTakenIn;
    return {Kind::kTakeIn, &part};
  }
  [[nodiscard]] bool can_take_in() {
    next_ = std::max(next_, front_ + kFirstBeyond);
    return next_ + 1 < parts_.size();
  }
  [[nodiscard]] bool has_more() { return !owed_.empty() || can_take_in(); }

  void finish(Kind kind, Part& part) {
    if (kind == Kind::kTakeIn) {
      part.state = State::kTakenIn;
    } else if (kind == Kind::kFront) {
      if (part.before != nullptr) owed_.push_back(&part);
      ++front_;
      front_claimed_ = false;
    }
  }

  // Called without the mutex:

  void go_over(Kind kind, Part& part) {
    struct Failure {
      ~Failure() {
        if (run == nullptr) return;
        const std::lock_guard lock(run->mutex_);
        run->stopped_ = true;
      }
      ScanRun* run;
    } failure{this};
    context_.run([&] {
      if (kind == Kind::kTakeIn) {
        part.sum.emplace(*unused_, split());
        (*part.sum)(part.range, pre_scan_tag());
      } else if (kind == Kind::kOwed) {
        (*part.before)(part.range, final_scan_tag());
      } else if (part.state == State::kTakenIn) {
        part.sum->reverse_join(*sum_);
        part.before = std::exchange(sum_, &*part.sum);
      } else {
        (*sum_)(part.range, final_scan_tag());
      }
      failure.run = nullptr;
    });
  }

  const CallContext& context_;
  Body& body_;
  std::optional<Body> unused_;  // the others are split from it
  Body* sum_;                   // the body of the front, used by the thread that has claimed it

  std::mutex mutex_;         // guards the rest
  std::deque<Part> parts_;   // only its thread uses a claimed part, except the state
  std::vector<Part*> owed_;  // the newest is still in the cache of the thread that took it in
  std::size_t front_ = 0;
  bool front_claimed_ = false;
  std::size_t next_ = 0;  // all parts before it are taken in, or left to the front
  bool offered_ = false;  // a job that no worker has started
  bool stopped_ = false;  // a part threw, or was skipped
};

}  // namespace detail
}  // namespace tbb
