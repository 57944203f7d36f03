#include "blitz/policy.hpp"

#include <cstddef>

#include <doctest/doctest.h>

#include "blitz/fork_join/policy.hpp"
#include "support/reference_policy.hpp"

using blitz::ForkJoinPolicy;
using blitz::Policy;
using blitz::detail::Job;
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

/// A join must take back its newest job.
struct FifoQueue {
  struct Place {};
  template <class Injector>
  Place push(Job*, Injector&);
  bool take_back(Place) noexcept;
  bool empty() const noexcept;
  std::size_t size() const noexcept;
  std::uint64_t pushed() const noexcept;
  std::uint64_t taken() const noexcept;
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

/// The finder of one policy does not look into the queues of another.
struct ForeignFinder : ReferencePolicy {
  using Finder = ForkJoinPolicy::Finder;
};

}  // namespace

static_assert(Policy<ForkJoinPolicy>);
static_assert(Policy<ReferencePolicy>);
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

TEST_CASE("reference queue: newest for its owner, oldest for thieves") {
  struct NoJob : Job {
    NoJob() : Job([](Job*, blitz::detail::WorkerBase&) noexcept {}) {}
  } first, second, third;
  blitz_test::ReferenceQueue queue;
  for (Job* job : {static_cast<Job*>(&first), static_cast<Job*>(&second), static_cast<Job*>(&third)}) queue.push(job);
  CHECK(queue.size() == 3);
  CHECK(queue.take_oldest() == &first);
  CHECK(queue.take_newest() == &third);
  CHECK(queue.take_newest() == &second);
  CHECK(queue.take_newest() == nullptr);
  CHECK(queue.take_oldest() == nullptr);
  CHECK(queue.empty());
  CHECK(queue.pushed() == 3);
  CHECK(queue.taken() == 1);
}
