#include "blitz/policy.hpp"

#include <cstddef>

#include <doctest/doctest.h>

#include "blitz/detail/async/async_policy.hpp"
#include "blitz/detail/fork_join/fork_join_policy.hpp"
#include "support/reference_policy.hpp"

using blitz::AsyncPolicy;
using blitz::ForkJoinPolicy;
using blitz::Policy;
using blitz::policy::CountingFinder;
using blitz::policy::CountingIdle;
using blitz::policy::CountingQueue;
using blitz::policy::Job;
using blitz::policy::SummoningIdle;
using blitz::policy::ThriftyIdle;
using blitz_test::ReferencePolicy;

namespace {

struct Nothing {};

struct NoInjector : ReferencePolicy {
  using Injector = Nothing;
};
struct NoQueue : ReferencePolicy {
  using LocalQueue = Nothing;
};
struct NoIdle : ReferencePolicy {
  using Idle = Nothing;
};
struct NoFinder : ReferencePolicy {
  using Finder = Nothing;
};
struct MissingPart {
  using Injector = ReferencePolicy::Injector;
  using LocalQueue = ReferencePolicy::LocalQueue;
  using Idle = ReferencePolicy::Idle;
};

/// A join must be able to take back its newest job, which this queue does not allow.
struct FifoQueue {
  struct Place {};
  template <class Injector>
  Place push(Job*, Injector&);
  bool take_if_newest(Place) noexcept;
  bool empty() const noexcept;
};
struct TakesOldestOnly : ReferencePolicy {
  using LocalQueue = FifoQueue;
};

struct ThrowingInjector {
  void push(Job*);
  bool empty() const noexcept;
};
struct InjectorMayThrow : ReferencePolicy {
  using Injector = ThrowingInjector;
};

/// A finder with a template function serves several queues.
struct LazyFinder {
  explicit LazyFinder(std::uint64_t seed) noexcept;
  template <class Queue, class Injector>
  Job* find_work(blitz::policy::Sources<Queue, Injector>& sources) noexcept {
    return sources.own.take_newest();
  }
};
/// Components of different policies may be combined.
struct BorrowedParts {
  using Injector = ForkJoinPolicy::Injector;
  using LocalQueue = ReferencePolicy::LocalQueue;
  using Idle = ForkJoinPolicy::Idle;
  using Finder = LazyFinder;
};

/// The finder of one policy does not search the queues of another.
struct ForeignFinder : ReferencePolicy {
  using Finder = ForkJoinPolicy::Finder;
};

}  // namespace

static_assert(Policy<ForkJoinPolicy>);
static_assert(Policy<ReferencePolicy>);
static_assert(Policy<BorrowedParts>);
static_assert(!Policy<Nothing>);
static_assert(!Policy<int>);
static_assert(!Policy<MissingPart>);
static_assert(!Policy<NoInjector>);
static_assert(!Policy<NoQueue>);
static_assert(!Policy<NoIdle>);
static_assert(!Policy<NoFinder>);
static_assert(!Policy<TakesOldestOnly>);
static_assert(!Policy<InjectorMayThrow>);
static_assert(!Policy<ForeignFinder>);

// The statistics are optional; the library's own policies keep all of them.
template <class P>
constexpr bool kCountsAll =
    CountingQueue<typename P::LocalQueue> && CountingIdle<typename P::Idle> && CountingFinder<typename P::Finder>;
static_assert(kCountsAll<ForkJoinPolicy>);
static_assert(kCountsAll<AsyncPolicy>);
static_assert(!CountingQueue<ReferencePolicy::LocalQueue>);
static_assert(CountingIdle<ReferencePolicy::Idle>);
static_assert(!CountingFinder<ReferencePolicy::Finder>);

// The price of a wake-up is optional, too; both library policies know it.
static_assert(ThriftyIdle<ForkJoinPolicy::Idle>);
static_assert(ThriftyIdle<AsyncPolicy::Idle>);
static_assert(!ThriftyIdle<ReferencePolicy::Idle>);
static_assert(SummoningIdle<ForkJoinPolicy::Idle>);
static_assert(SummoningIdle<AsyncPolicy::Idle>);
static_assert(!SummoningIdle<blitz_test::UnhelpedPolicy::Idle>);

TEST_CASE("reference queue: returns the newest to its owner and the oldest to thieves") {
  struct NoJob : Job {
    NoJob() : Job([](Job*, blitz::detail::WorkerBase&) noexcept {}) {}
  } first, second, third;
  blitz_test::ReferenceQueue queue;
  for (Job* job : {static_cast<Job*>(&first), static_cast<Job*>(&second), static_cast<Job*>(&third)}) queue.push(job);
  CHECK(queue.take() == &first);
  CHECK(queue.take_newest() == &third);
  CHECK_FALSE(queue.empty());
  CHECK(queue.take_newest() == &second);
  CHECK(queue.take_newest() == nullptr);
  CHECK(queue.take() == nullptr);
  CHECK(queue.empty());
}
