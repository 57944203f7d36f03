// join, parallel_for and install allocate nothing: counted in operator new, over all threads of the process.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <ranges>
#include <vector>

#include <blitz/blitz.hpp>
#include <doctest/doctest.h>

#include "support/policies.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

void* allocate(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, whole > 0 ? whole : alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr std::size_t kUsual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

// Not inlined: a compiler that saw free() at work on what operator new returned would take it for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) { return allocate(size, kUsual); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return allocate(size, kUsual); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t a) {
  return allocate(size, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t a) {
  return allocate(size, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

template <class F>
std::size_t allocations_of(F&& f) {
  const std::size_t before = allocations.load();
  f();
  return allocations.load() - before;
}

long fib(int n) {
  if (n < 2) return n;
  const auto [x, y] = blitz::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return x + y;
}

}  // namespace

TEST_CASE("allocation: the count works") {
  CHECK(allocations_of([] { delete new std::vector<int>(10); }) == 2);
  CHECK(allocations_of([] {}) == 0);
}

// The queues of the reference policy may allocate; the library's may not, once they have grown.
TEST_CASE("allocation: none in join, loops, reductions and install") {
  for (const std::size_t size : blitz_test::kPoolSizes) {
    CAPTURE(size);
    blitz::ThreadPool pool({.num_threads = size});
    blitz::ThreadPool other({.num_threads = 2});
    std::vector<int> items(10'000);
    long sum = 0;
    const auto everything = [&] {
      for (int i = 0; i < 20; ++i) {
        sum += pool.join([] { return 1; }, [] { return 2; }).first;
        sum += std::get<2>(pool.join([] { return 1; }, [] { return 2; }, [] { return 3; }));
        pool.join_context([](blitz::JoinContext) {}, [](blitz::JoinContext) {});
        sum += pool.install([] { return fib(10); });
        pool.parallel_for(items, [](int& x) { ++x; });
        pool.parallel_for(0, 1000, [&](int i) { items[static_cast<std::size_t>(i)] = i; },
                          {.schedule = blitz::Schedule::fixed});
        pool.parallel_for_blocks(items, [](auto block) {
          for (int& x : block) ++x;
        });
        sum += pool.parallel_reduce(items, 0L, std::plus<>());
        sum += pool.parallel_reduce(items, 0L, std::plus<>(), {.deterministic = true});
        pool.parallel_invoke([] {}, [] {}, [] {});
        pool.install([&] {
          blitz::parallel_for(std::views::iota(0, 10), [](int) { blitz::parallel_for(0, 10, [](int) {}); });
          sum += other.install([] { return fib(5); });
          sum += blitz::join([] { return fib(5); }, [] { return fib(6); }).second;
        });
      }
    };
    everything();  // whatever is made once
    CHECK(allocations_of(everything) == 0);
    CHECK(sum > 0);
  }
}
