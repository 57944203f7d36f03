// join, parallel_for and install allocate nothing once the pool runs. Counts the allocations of every thread of the process
// over many calls, from the main thread and from inside, on one thread and on several.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include <blitz/fork_join.hpp>

#include "bench/harness/workload.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

void count_allocation() { allocations.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

// With glibc this file replaces the C functions, and so counts operator new as well. A sanitizer has its own C functions; with
// it only operator new can be replaced.
#if defined(__GLIBC__) && !defined(BLITZ_ADDRESS_SANITIZER) && !defined(BLITZ_THREAD_SANITIZER)

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept {
  count_allocation();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  count_allocation();
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  count_allocation();
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  count_allocation();
  return __libc_memalign(alignment, size);
}
}

#else

void* operator new(std::size_t size) {
  count_allocation();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  count_allocation();
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif

namespace {

constexpr int kCalls = 2000;

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = blitz::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

bool failed = false;

/// Returns the number of allocations in `kCalls` calls of `call`, after as many calls that may allocate.
template <class Call>
std::size_t count(const Call& call) {
  for (int i = 0; i < kCalls; ++i) call();
  const std::size_t before = allocations.load(std::memory_order_relaxed);
  for (int i = 0; i < kCalls; ++i) call();
  return allocations.load(std::memory_order_relaxed) - before;
}

void expect(const char* what, std::size_t threads, std::size_t found, std::size_t wanted) {
  if (found == wanted) return;
  std::fprintf(stderr, "%s, %zu threads: %zu allocations in %d calls, not %zu\n", what, threads, found, kCalls, wanted);
  failed = true;
}

void check_pool(std::size_t threads) {
  blitz::ThreadPool pool({.num_threads = threads});
  std::vector<std::uint32_t> data(1000);
  const auto touch = [visits = data.data()](std::size_t i) { visits[i] += 1; };
  const auto join_main = [&] { pool.join([] { fib(10); }, [] { fib(10); }); };
  const auto for_main = [&] { blitz::parallel_for({.pool = &pool}, std::size_t{0}, data.size(), touch); };
  const auto range_main = [&] { blitz::parallel_for({.pool = &pool}, data, [](std::uint32_t& x) { x += 1; }); };
  const auto install_main = [&] { pool.install([] { return fib(10); }); };
  const auto join_inside = [] { fib(10); };
  const auto for_inside = [&] { blitz::parallel_for(std::size_t{0}, data.size(), touch); };
  const auto blocks_inside = [&] {
    blitz::parallel_for_blocks(data, [](auto block) {
      for (auto& x : block) x += 1;
    });
  };

  expect("join from main", threads, count(join_main), 0);
  expect("parallel_for from main", threads, count(for_main), 0);
  expect("parallel_for over a range from main", threads, count(range_main), 0);
  expect("install from main", threads, count(install_main), 0);
  pool.install([&] {
    expect("join inside", threads, count(join_inside), 0);
    expect("parallel_for inside", threads, count(for_inside), 0);
    expect("parallel_for_blocks inside", threads, count(blocks_inside), 0);
    expect("install inside", threads, count(install_main), 0);
  });
}

}  // namespace

int main() {
  const auto one = [] {
    int* allocated = new int(1);
    bench::keep(allocated);
    delete allocated;
  };
  expect("the counter itself", 1, count(one), kCalls);
  for (const std::size_t threads : {1, 2, 4}) check_pool(threads);
  return failed ? 1 : 0;
}
