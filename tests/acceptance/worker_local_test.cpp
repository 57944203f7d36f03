// WorkerLocal: which values the jobs get.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <latch>
#include <memory>
#include <mutex>
#include <ranges>
#include <set>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/counted.hpp"
#include "support/policies.hpp"

using blitz::WorkerLocal;
using namespace blitz_test;

namespace {

/// A value that detects concurrent use.
struct Exclusive {
  std::atomic<bool> held{false};
  long sum = 0;
};

class Holding {
 public:
  Holding(Exclusive& value, std::atomic<int>& clashes) : value_(value) {
    if (value_.held.exchange(true)) ++clashes;
  }
  ~Holding() { value_.held = false; }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  Exclusive& value_;
};

}  // namespace

POOL_TEST_CASE("worker_local: makes one value for each worker at its first use") {
  for_each_size([](Pool& pool) {
    std::atomic<int> made{0};
    WorkerLocal<int> local(pool, [&] { return made++; });
    CHECK(made == 0);
    CHECK(local.size() == 0);
    const auto addresses = pool.broadcast([&](blitz::BroadcastContext) { return &*local.local(); });
    CHECK(made == static_cast<int>(pool.num_threads()));
    CHECK(std::set<int*>(addresses.begin(), addresses.end()).size() == pool.num_threads());
    for (int round = 0; round < 3; ++round) {
      CHECK(pool.broadcast([&](blitz::BroadcastContext) { return &*local.local(); }) == addresses);
    }
    CHECK(local.size() == pool.num_threads());
    std::set<int> values;
    local.for_each([&](int value) { values.insert(value); });
    CHECK(values.size() == pool.num_threads());
  });
}

POOL_TEST_CASE("worker_local: makes no value for a worker that never uses it") {
  for_each_size([](Pool& pool) {
    WorkerLocal<int> local(pool);
    pool.install([&] { ++*local.local(); });
    pool.install([&] { ++*local.local(); });
    CHECK(local.size() == 1);
    CHECK(local.combine(0, std::plus<>()) == 2);
  });
}

POOL_TEST_CASE("worker_local: uses the pool of its creator") {
  Pool pool({.num_threads = 3});
  pool.install([&] {
    WorkerLocal<std::vector<int>> with_default;
    WorkerLocal<int> with_maker([] { return 5; });
    blitz::broadcast([&](blitz::BroadcastContext c) {
      with_default.local()->push_back(static_cast<int>(c.index()));
      ++*with_maker.local();
    });
    CHECK(with_default.size() == 3);
    with_default.for_each([](const std::vector<int>& values) { CHECK(values.size() == 1); });
    CHECK(with_maker.combine(0, std::plus<>()) == 18);
  });
}

TEST_CASE("worker_local: uses the global pool outside every pool") {
  WorkerLocal<long> local;
  blitz::parallel_for(0, 1000, [&](int i) { *local.local() += i; });
  CHECK(local.combine(0L, std::plus<>()) == 499500);
  CHECK(local.size() <= blitz::current_num_threads());
}

POOL_TEST_CASE("worker_local: a borrowed value is lent to no one else until it is returned") {
  for_each_size([](Pool& pool) {
    WorkerLocal<int> local(pool, [] { return 0; });
    const auto test = [&] {
      int* first = nullptr;
      {
        const auto a = local.local();
        const auto b = local.local();
        CHECK(&*a != &*b);
        first = &*a;
      }
      {
        auto a = local.local();
        const auto moved = std::move(a);
        const auto b = local.local();
        CHECK(&*moved != &*b);
      }
      CHECK(local.size() == 2);
      CHECK(&*local.local() == first);  // the last that was given back
    };
    test();
    local.clear();
    CHECK(local.size() == 0);
    pool.install(test);
  });
}

POOL_TEST_CASE("worker_local: a job that runs while another waits with a value gets another value") {
  Pool pool({.num_threads = 1});
  WorkerLocal<int> local(pool, [] { return 0; });
  pool.install([&] {
    const auto mine = local.local();
    *mine = 1;
    blitz::scope([&](blitz::Scope& scope) {
      for (int i = 0; i < 10; ++i) {
        scope.spawn([&] {
          const auto other = local.local();
          CHECK(&*other != &*mine);
          ++*other;
        });
      }
    });
    CHECK(*mine == 1);
    CHECK(local.size() == 2);
  });
  CHECK(local.combine(0, std::plus<>()) == 11);
}

POOL_TEST_CASE("worker_local: no value has two holders and no addition is lost") {
  for_each_size([](Pool& pool) {
    WorkerLocal<Exclusive> local(pool);
    std::atomic<int> clashes{0};
    constexpr int kOuter = 60;
    constexpr int kInner = 20;
    std::vector<std::thread> callers;
    for (int c = 0; c < 3; ++c) {
      callers.emplace_back([&] {
        blitz::parallel_for({.pool = &pool}, 0, kOuter, [&](int) {
          const auto outer = local.local();
          const Holding holding(*outer, clashes);
          ++outer->sum;
          blitz::parallel_for(0, kInner, [&](int) {
            const auto inner = local.local();
            const Holding nested(*inner, clashes);
            ++inner->sum;
            std::this_thread::yield();
          });
          ++outer->sum;
        });
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(clashes == 0);
    const long sum = local.combine(0L, [](long so_far, const Exclusive& value) { return so_far + value.sum; });
    CHECK(sum == 3L * kOuter * (kInner + 2));
  });
}

POOL_TEST_CASE("worker_local: threads outside the pool borrow values exclusively") {
  for_each_size([](Pool& pool) {
    WorkerLocal<Exclusive> local(pool);
    Pool other({.num_threads = 2});
    std::atomic<int> clashes{0};
    constexpr int kTimes = 300;
    const auto use = [&] {
      for (int i = 0; i < kTimes; ++i) {
        const auto value = local.local();
        const Holding holding(*value, clashes);
        ++value->sum;
      }
    };
    constexpr int kThreads = 4;
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        start.arrive_and_wait();
        if (t % 2 == 0) {
          use();
        } else {
          other.install(use);
        }
      });
    }
    pool.install(use);
    for (std::thread& thread : threads) thread.join();
    CHECK(clashes == 0);
    CHECK(local.size() <= kThreads + 1);
    CHECK(local.combine(0L, [](long sum, const Exclusive& value) { return sum + value.sum; }) ==
          (kThreads + 1L) * kTimes);
  });
}

POOL_TEST_CASE("worker_local: rethrows an exception of the maker and the next use calls it again") {
  for_each_size([](Pool& pool) {
    Lives lives;
    std::atomic<int> tries{0};
    WorkerLocal<Counted> local(pool, [&] {
      if (tries++ % 2 == 0) throw std::runtime_error("not yet");
      return Counted(lives, 1);
    });
    const auto test = [&] {
      CHECK_THROWS_WITH_AS(static_cast<void>(local.local()), "not yet", std::runtime_error);
      CHECK(local.size() == 0);
      CHECK(local.local()->value == 1);
      CHECK(local.local()->value == 1);
      CHECK(local.size() == 1);
      CHECK(tries == 2);
      CHECK(lives.alive == 1);
      local.clear();
      CHECK(lives.alive == 0);
      tries = 0;
    };
    test();
    pool.install(test);
    CHECK_THROWS_AS(blitz::parallel_for({.pool = &pool}, 0, 10, [&](int) { static_cast<void>(local.local()); }),
                    std::runtime_error);
  });
}

POOL_TEST_CASE("worker_local: the maker of a value may wait") {
  for_each_size([](Pool& pool) {
    std::atomic<int> depth{0};
    WorkerLocal<int>* self = nullptr;
    WorkerLocal<int> local(pool, [&] {
      if (depth++ >= 3) return 1;
      const auto [a, b] = blitz::join([&] { return *self->local(); }, [] { return 1; });
      return a + b;
    });
    self = &local;
    CHECK(pool.install([&] { return *local.local(); }) == 4);
    CHECK(local.size() == 4);
    CHECK(pool.install([&] { return *local.local(); }) >= 1);
  });
}

POOL_TEST_CASE("worker_local: accepts types that cannot be copied or moved") {
  for_each_size([](Pool& pool) {
    WorkerLocal<std::unique_ptr<int>> pointers(pool, [] { return std::make_unique<int>(3); });
    WorkerLocal<std::mutex> mutexes(pool);
    WorkerLocal<std::atomic<int>> counters(pool, [] { return std::atomic<int>(1); });
    blitz::parallel_for({.pool = &pool}, 0, 100, [&](int) {
      ++**pointers.local();
      const std::lock_guard lock(*mutexes.local());
      ++*counters.local();
    });
    int sum = 0;
    pointers.for_each([&](std::unique_ptr<int>& pointer) { sum += *pointer - 3; });
    CHECK(sum == 100);
    sum = counters.combine(0, [](int so_far, const std::atomic<int>& value) { return so_far + value - 1; });
    CHECK(sum == 100);
    const auto collected = pointers.combine(std::make_unique<int>(0), [](auto so_far, const auto& pointer) {
      *so_far += *pointer;
      return so_far;
    });
    CHECK(*collected == 100 + 3 * static_cast<int>(pointers.size()));
  });
}

POOL_TEST_CASE("worker_local: outlives its pool") {
  auto pool = std::make_unique<Pool>(blitz::ThreadPoolOptions{.num_threads = 2});
  blitz::WorkerLocal<int> sums(*pool);
  const auto add_one = [&](int) { ++*sums.local(); };
  blitz::parallel_for({.pool = &*pool}, 0, 1000, add_one);
  pool.reset();
  CHECK(sums.combine(0, [](int sum, int value) { return sum + value; }) == 1000);
  // For the workers of a larger pool, which might have the address of the old one, the values belong to another pool.
  for (int i = 0; i < 20; ++i) {
    pool = std::make_unique<Pool>(blitz::ThreadPoolOptions{.num_threads = 4});
    blitz::parallel_for({.min_grain = 1, .pool = &*pool}, 0, 100, add_one);
    pool.reset();
  }
  CHECK(sums.combine(0, [](int sum, int value) { return sum + value; }) == 3000);
}

POOL_TEST_CASE("worker_local: destroys each value once") {
  for_each_size([](Pool& pool) {
    Lives lives;
    {
      WorkerLocal<Counted> local(pool, [&] { return Counted(lives, 0); });
      pool.broadcast([&](blitz::BroadcastContext) {
        const auto a = local.local();
        const auto b = local.local();
      });
      CHECK(lives.alive == 2 * static_cast<int>(pool.num_threads()));
    }
    CHECK(lives.alive == 0);
  });
}

// A lease is given back while another thread is the worker that borrowed it. Only the race detector sees that the two must not
// share a list.
POOL_TEST_CASE("worker_local: a lease taken in install may end after it or on another thread") {
  for_each_size([](Pool& pool) {
    WorkerLocal<Exclusive> local(pool);
    using Lease = WorkerLocal<Exclusive>::Lease;
    std::atomic<int> clashes{0};
    constexpr int kThreads = 3;
    constexpr int kRounds = 300;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int round = 0; round < kRounds; ++round) {
          Lease lease = pool.install([&] { return local.local(); });
          {
            const Holding holding(*lease, clashes);
            ++lease->sum;
          }
          if (round % 10 == 0) std::thread([mine = std::move(lease)] { static_cast<void>(mine); }).join();
        }
      });
    }
    for (int round = 0; round < kRounds; ++round) {
      pool.install([&] {
        const Lease lease = local.local();
        const Holding holding(*lease, clashes);
        ++lease->sum;
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(clashes == 0);
    CHECK(local.combine(0L, [](long sum, const Exclusive& value) { return sum + value.sum; }) ==
          (kThreads + 1L) * kRounds);
    CHECK(local.size() <= (kThreads + 1) * (pool.num_threads() + kThreads));
  });
}

POOL_TEST_CASE("worker_local: a value returned elsewhere is lent again") {
  Pool pool({.num_threads = 1});
  WorkerLocal<int> local(pool);
  std::set<int*> lent;
  for (int round = 0; round < 20; ++round) {
    const auto first = pool.install([&] { return local.local(); });
    const auto second = pool.install([&] { return local.local(); });
    lent.insert({&*first, &*second});
    CHECK(&*first != &*second);
  }
  CHECK(lent.size() == 2);
  CHECK(local.size() == 2);
}

// --- here ---

POOL_TEST_CASE("worker_local: here is one value for all jobs of a worker and is never lent") {
  for_each_size([](Pool& pool) {
    std::atomic<int> made{0};
    WorkerLocal<int> local(pool, [&] { return 0 * made++; });
    static_assert(std::is_same_v<decltype(local.here()), int&>);
    const auto own = pool.broadcast([&](blitz::BroadcastContext) { return &local.here(); });
    CHECK(std::set<int*>(own.begin(), own.end()).size() == pool.num_threads());
    CHECK(made == static_cast<int>(pool.num_threads()));
    const auto lent = pool.broadcast([&](blitz::BroadcastContext c) {
      const auto lease = local.local();
      CHECK(&local.here() == own[c.index()]);
      return &*lease;
    });
    for (int* const value : lent) CHECK(std::find(own.begin(), own.end(), value) == own.end());
    CHECK(local.size() == 2 * pool.num_threads());

    constexpr int kItems = 10'000;
    blitz::parallel_for({.pool = &pool}, 0, kItems, [&](int) { ++local.here(); });
    CHECK(local.combine(0, std::plus<>()) == kItems);
    CHECK(local.size() <= 2 * pool.num_threads() + 1);  // The caller may have no worker's slot.

    local.clear();
    pool.install([&] { local.here() = 1; });
    CHECK(local.size() == 1);
    CHECK(local.combine(0, std::plus<>()) == 1);
  });
}

POOL_TEST_CASE("worker_local: here keeps the changes of jobs that ran during a wait") {
  Pool pool({.num_threads = 1});
  WorkerLocal<int> local(pool);
  pool.install([&] {
    int& mine = local.here();
    mine = 1;
    blitz::scope([&](blitz::Scope& scope) {
      for (int i = 0; i < 10; ++i) {
        scope.spawn([&] {
          CHECK(&local.here() == &mine);
          ++local.here();
        });
      }
    });
    CHECK(mine == 11);
  });
  CHECK(local.size() == 1);
}

POOL_TEST_CASE("worker_local: here throws outside the workers of its pool") {
  Pool pool({.num_threads = 2});
  Pool other({.num_threads = 1});
  WorkerLocal<int> local(pool);
  CHECK_THROWS_WITH_AS(static_cast<void>(local.here()), doctest::Contains("no worker of its pool"), std::logic_error);
  CHECK_THROWS_AS(other.install([&] { static_cast<void>(local.here()); }), std::logic_error);
  CHECK(local.size() == 0);
  pool.install([&] { CHECK(local.here() == 0); });
  pool.install([&] { blitz::isolate([&] { CHECK(local.here() == 0); }); });
}

POOL_TEST_CASE("worker_local: the maker of the value of here may throw or wait") {
  for_each_size([](Pool& pool) {
    std::atomic<int> tries{0};
    WorkerLocal<int> throwing(pool, [&] {
      if (tries++ == 0) throw std::runtime_error("not yet");
      return 5;
    });
    pool.install([&] {
      CHECK_THROWS_WITH_AS(static_cast<void>(throwing.here()), "not yet", std::runtime_error);
      CHECK(throwing.size() == 0);
      CHECK(throwing.here() == 5);
    });

    int depth = 0;
    WorkerLocal<int>* self = nullptr;
    WorkerLocal<int> waiting(pool, [&] {
      // The worker asks again while it makes the first.
      if (depth++ == 0) {
        int& inner = self->here();
        inner = 7;
      }
      return 1;
    });
    self = &waiting;
    pool.install([&] {
      CHECK(waiting.here() == 7);
      CHECK(&waiting.here() == &waiting.here());
      CHECK(waiting.size() == 2);
      CHECK(*waiting.local() == 1);  // The other value can be borrowed.
      CHECK(waiting.size() == 2);
    });
  });
}

// --- iteration ---

static_assert(std::ranges::forward_range<WorkerLocal<int>>);
static_assert(std::ranges::forward_range<const WorkerLocal<int>>);
static_assert(std::ranges::common_range<WorkerLocal<std::mutex>>);
static_assert(std::forward_iterator<WorkerLocal<int>::iterator>);
static_assert(std::is_same_v<std::ranges::range_reference_t<WorkerLocal<int>>, int&>);
static_assert(std::is_same_v<std::ranges::range_reference_t<const WorkerLocal<int>>, const int&>);
static_assert(std::is_convertible_v<WorkerLocal<int>::iterator, WorkerLocal<int>::const_iterator>);
static_assert(!std::is_convertible_v<WorkerLocal<int>::const_iterator, WorkerLocal<int>::iterator>);

POOL_TEST_CASE("worker_local: iteration visits every value once in the order of the workers") {
  for_each_size([](Pool& pool) {
    WorkerLocal<std::vector<int>> local(pool);
    CHECK(local.begin() == local.end());
    CHECK(std::as_const(local).begin() == local.end());
    {
      const auto outside = local.local();  // the last
      outside->push_back(-1);
    }
    pool.broadcast([&](blitz::BroadcastContext c) {
      if (c.index() % 2 == 1) return;  // These have none.
      local.here().push_back(static_cast<int>(c.index()));
      const auto lease = local.local();
      lease->push_back(static_cast<int>(c.index()));
    });
    std::vector<int> expected;
    for (std::size_t i = 0; i < pool.num_threads(); i += 2) expected.insert(expected.end(), 2, static_cast<int>(i));
    expected.push_back(-1);

    std::vector<int> seen;
    for (std::vector<int>& part : local) seen.insert(seen.end(), part.begin(), part.end());
    CHECK(seen == expected);
    seen.clear();
    for (auto it = std::as_const(local).begin(); it != std::as_const(local).end(); it++) seen.push_back(it->front());
    CHECK(seen == expected);
    CHECK(std::ranges::distance(local) == static_cast<std::ptrdiff_t>(local.size()));
    for (std::vector<int>& part : local) part.assign(1, 3);
    CHECK(std::ranges::all_of(local, [](const std::vector<int>& part) { return part.front() == 3; }));
    local.clear();
    CHECK(local.begin() == local.end());
  });
}
