// join, parallel_for and install allocate nothing: counted in operator new, over all threads of the process.
#include <cstddef>
#include <functional>
#include <ranges>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/failing_new.hpp"
#include "support/fib.hpp"
#include "support/policies.hpp"

using blitz_test::fib;

namespace {

template <class F>
std::size_t allocations_of(F&& f) {
  const std::size_t before = blitz_test::allocations();
  f();
  return blitz_test::allocations() - before;
}

}  // namespace

// Calls the functions by name: a compiler may omit a new-expression if its memory is unused.
TEST_CASE("allocation: the counter counts each operator new") {
  CHECK(allocations_of([] { ::operator delete(::operator new(10)); }) == 1);
  CHECK(allocations_of([] { ::operator delete[](::operator new[](10)); }) == 1);
  CHECK(allocations_of([] {}) == 0);
}

// The queues of the reference policy may allocate. The library's queues may not, once they have grown.
TEST_CASE_TEMPLATE("allocation: joins and loops and reductions and installs allocate nothing", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  for (const std::size_t size : blitz_test::kPoolSizes) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    Pool other({.num_threads = 2});
    std::vector<int> items(10'000);
    const std::vector<void (*)()> callables(20, [] {});
    long sum = 0;
    const auto everything = [&] {
      for (int i = 0; i < 20; ++i) {
        sum += pool.join([] { return 1; }, [] { return 2; }).first;
        sum += std::get<2>(pool.join([] { return 1; }, [] { return 2; }, [] { return 3; }));
        pool.join_context([](blitz::JoinContext) {}, [](blitz::JoinContext) {});
        sum += pool.install([] { return fib(10); });
        blitz::parallel_for({.pool = &pool}, items, [](int& x) { ++x; });
        blitz::parallel_for({.schedule = blitz::Schedule::kFixed, .pool = &pool}, 0, 1000,
                            [&](int i) { items[static_cast<std::size_t>(i)] = i; });
        blitz::parallel_for_blocks({.pool = &pool}, items, [](auto block) {
          for (int& x : block) ++x;
        });
        sum += blitz::parallel_reduce({.pool = &pool}, items, 0L, std::plus<>());
        sum += blitz::parallel_reduce({.deterministic = true, .pool = &pool}, items, 0L, std::plus<>());
        pool.parallel_invoke([] {}, [] {}, [] {});
        pool.parallel_invoke([] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {},
                             [] {}, [] {}, [] {}, [] {}, [] {});
        pool.join_all(callables);
        pool.install([&] {
          blitz::parallel_for(std::views::iota(0, 10), [](int) { blitz::parallel_for(0, 10, [](int) {}); });
          sum += other.install([] { return fib(5); });
          sum += blitz::join([] { return fib(5); }, [] { return fib(6); }).second;
        });
      }
    };
    everything();  // performs all one-time allocations
    CHECK(allocations_of(everything) == 0);
    CHECK(sum > 0);
  }
}
