// A custom scheduling policy: first come, first served. A worker takes the oldest job in its queue, then the oldest in another
// worker's queue, then a job from outside the pool. See docs/custom_policy.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include <blitz/custom_policy.hpp>

namespace example {

// The jobs of one worker, oldest first.
class FirstComeQueue {
 public:
  // A place lets take_if_newest find its job without a search. This queue has no use for it: a join then calls take_newest.
  struct Place {};

  // Throws std::bad_alloc.
  template <class Injector>
  Place push(blitz::policy::Job* job, Injector& /*overflow*/) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
    return {};
  }

  // The owner's way back to the job that it pushed last: the second half of its join.
  blitz::policy::Job* take_newest() noexcept {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty()) return nullptr;
    blitz::policy::Job* const job = jobs_.back();
    jobs_.pop_back();
    return job;
  }
  bool take_if_newest(Place /*place*/) noexcept { return false; }

  bool empty() const noexcept {
    const std::lock_guard lock(mutex_);
    return jobs_.empty();
  }

  // For the finder, of any worker.
  blitz::policy::Job* take_oldest() noexcept {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty()) return nullptr;
    blitz::policy::Job* const job = jobs_.front();
    jobs_.pop_front();
    return job;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<blitz::policy::Job*> jobs_;
};

class FirstComeFinder {
 public:
  using Sources = blitz::policy::Sources<FirstComeQueue, blitz::ForkJoinPolicy::Injector>;

  // The number is for finders that choose at random.
  explicit FirstComeFinder(std::uint64_t /*seed*/) noexcept {}

  blitz::policy::Job* find_work(Sources& sources) noexcept {
    for (std::size_t i = 0; i < sources.count; ++i) {
      const std::size_t slot = (sources.slot + i) % sources.count;  // The worker's own comes first.
      if (blitz::policy::Job* const job = sources.queue(slot).take_oldest()) return job;
    }
    return sources.injector.take();
  }
};

struct FirstComePolicy {
  using Injector = blitz::ForkJoinPolicy::Injector;
  using LocalQueue = FirstComeQueue;
  using Idle = blitz::ForkJoinPolicy::Idle;
  using Finder = FirstComeFinder;
};

static_assert(blitz::Policy<FirstComePolicy>);

}  // namespace example
