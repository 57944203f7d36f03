// oneTBB's names on blitz when memory runs out: each allocation of a call fails in turn. The call throws std::bad_alloc or is
// right without that memory; it destroys all closures, and the next call works.
#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <oneapi/tbb.h>

#include "support/fail_each.hpp"

using namespace blitz_test;

namespace {

using Range = tbb::blocked_range<int>;
/// Counts the living copies of the closures that capture it.
using Life = std::shared_ptr<const int>;

/// `call(life)` returns whether its result is right.
template <class Call>
void check(const std::string& name, const Call& call) {
  CAPTURE(name);
  const Life life = std::make_shared<const int>(1);
  REQUIRE(call(life));
  fail_each([&](std::size_t nth) {
    bool right = false;
    bool thrown = false;
    fail_allocation_after(nth);
    try {
      right = call(life);
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    const bool failed = stop_failing();
    CHECK((right || thrown));
    if (thrown) CHECK(failed);
    CHECK(life.use_count() == 1);
    return failed;
  });
  CHECK(call(life));
}

/// A body of parallel_scan and parallel_reduce.
struct Sum {
  explicit Sum(Life its_life) : life(std::move(its_life)) {}
  Sum(Sum& other, tbb::split /*tag*/) : life(other.life) {}
  void operator()(const Range& r) { value += r.size() * static_cast<std::size_t>(*life); }
  template <class Tag>
  void operator()(const Range& r, Tag /*tag*/) {
    (*this)(r);
  }
  void join(const Sum& right) { value += right.value; }
  void reverse_join(const Sum& left) { value += left.value; }
  void assign(const Sum& other) { value = other.value; }

  Life life;
  std::size_t value = 0;
};

}  // namespace

TEST_CASE("oneTBB's names: calls throw bad_alloc or are correct when each allocation fails") {
  if (!allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  constexpr int kCount = 1000;
  std::vector<int> items(kCount);
  std::iota(items.begin(), items.end(), 0);

  check("parallel_for", [](const Life& life) {
    std::atomic<int> calls = 0;
    tbb::parallel_for(0, kCount, [&calls, life](int) { calls += *life; });
    tbb::parallel_for(
        Range(0, kCount, 10), [&calls, life](const Range& r) { calls += static_cast<int>(r.size()); },
        tbb::simple_partitioner());
    return calls == 2 * kCount;
  });
  check("parallel_for, affinity_partitioner", [](const Life& life) {
    std::atomic<int> calls = 0;
    tbb::affinity_partitioner partitioner;
    for (int i = 0; i < 2; ++i)
      tbb::parallel_for(
          0, kCount, [&calls, life](int) { calls += *life; }, partitioner);
    return calls == 2 * kCount;
  });
  check("parallel_reduce", [](const Life& life) {
    Sum sum(life);
    tbb::parallel_reduce(Range(0, kCount), sum);
    const int other = tbb::parallel_deterministic_reduce(
        Range(0, kCount, 10), 0, [life](const Range& r, int x) { return x + static_cast<int>(r.size()); },
        std::plus<>());
    return sum.value == kCount && other == kCount;
  });
  check("parallel_scan", [](const Life& life) {
    Sum sum(life);
    tbb::parallel_scan(Range(0, kCount), sum);
    const int other = tbb::parallel_scan(
        Range(0, kCount), 0, [life](const Range& r, int x, bool) { return x + static_cast<int>(r.size()); },
        std::plus<>());
    return sum.value == kCount && other == kCount;
  });
  check("parallel_sort", [&](const Life& life) {
    std::vector<int> mine(items.rbegin(), items.rend());
    tbb::parallel_sort(mine, [life](int a, int b) { return a < b; });
    return mine == items;
  });
  check("parallel_invoke", [](const Life& life) {
    std::atomic<int> calls = 0;
    const auto call = [&calls, life] { ++calls; };
    tbb::parallel_invoke(call, call, call, call, call);
    return calls == 5;
  });
  check("parallel_for_each", [&](const Life& life) {
    std::atomic<int> calls = 0;
    const std::list<int> list(items.begin(), items.begin() + 100);
    tbb::parallel_for_each(list, [&calls, life](int, tbb::feeder<int>& feeder) {
      if (++calls <= 100) feeder.add(1);
    });
    return calls == 200;
  });
  check("task_group", [](const Life& life) {
    std::atomic<int> calls = 0;
    tbb::task_group group;
    try {
      for (int i = 0; i < 100; ++i) group.run([&calls, life] { ++calls; });
      group.run(group.defer([&calls, life] { ++calls; }));
    } catch (const std::bad_alloc&) {
      group.wait();
      throw;
    }
    group.run_and_wait([&calls, life] { ++calls; });
    return calls == 102;
  });
  check("task_arena", [](const Life& life) {
    std::atomic<int> calls = 0;
    tbb::task_arena arena(2);
    arena.enqueue([&calls, life] { ++calls; });
    arena.execute([&calls, life] { ++calls; });
    arena.terminate();
    tbb::this_task_arena::isolate([&calls, life] { ++calls; });
    return calls == 3;
  });
  check("enumerable_thread_specific", [](const Life& life) {
    tbb::enumerable_thread_specific<Life> values(life);
    tbb::parallel_for(0, 100, [&](int) { static_cast<void>(values.local()); });
    const auto copy = values;
    auto moved = tbb::enumerable_thread_specific<Life>(std::move(values));
    tbb::enumerable_thread_specific<Life, std::allocator<Life>> other(copy);
    return copy.size() == moved.size() && other.size() == moved.size() && *moved.local() == 1;
  });
  check("combinable", [](const Life& life) {
    tbb::combinable<int> sums([life] { return *life - 1; });
    tbb::parallel_for(0, kCount, [&](int) { ++sums.local(); });
    return sums.combine(std::plus<>()) == kCount;
  });
  check("task_group_context", [](const Life& life) {
    tbb::task_group_context context;
    std::atomic<int> calls = 0;
    tbb::parallel_for(
        0, kCount, [&calls, life](int) { ++calls; }, context);
    return calls == kCount;
  });
}

TEST_CASE("enumerable_thread_specific: a copy that fails leaks no memory") {
  if (!allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  using Values = tbb::enumerable_thread_specific<int>;
  using Others = tbb::enumerable_thread_specific<int, std::allocator<int>>;
  Values values(1);
  Others others(1);
  const auto use = [&] { return values.local() + others.local(); };
  CHECK(use() == 2);
  std::thread(use).join();
  const auto check_copy = [](auto copy) {
    const std::size_t failures = fail_each([&](std::size_t nth) {
      const std::size_t before = allocations_in_use();
      fail_allocation_after(nth);
      try {
        copy();
      } catch (const std::bad_alloc&) {
        // Allowed.
      }
      const bool failed = stop_failing();
      CHECK(allocations_in_use() == before);
      return failed;
    });
    CHECK(failures > 0);
  };
  check_copy([&] { const Values copy(values); });
  check_copy([&] { const Others copy(values); });
  check_copy([&] { const Values copy(std::move(others)); });
}
