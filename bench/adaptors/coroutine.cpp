// Coroutines, compared with blitz::async and blitz::join on the same tree: nanoseconds per node, the minimum of several rounds.
//
//   g++ -std=c++20 -O3 bench/adaptors/coroutine.cpp $(pkg-config --cflags --libs blitz-coroutine) -o coroutine && ./coroutine
#include "blitz/adaptor/coroutine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "blitz/blitz.hpp"

namespace {

using Clock = std::chrono::steady_clock;

blitz::Task<long> by_tasks(int n) {
  if (n < 2) co_return n;
  auto [x, y] = co_await blitz::when_all(by_tasks(n - 1), by_tasks(n - 2));
  co_return x + y;
}

blitz::Task<long> in_turn(int n) {
  if (n < 2) co_return n;
  const long x = co_await in_turn(n - 1);
  co_return x + co_await in_turn(n - 2);
}

long by_async(int n) {
  if (n < 2) return n;
  auto x = blitz::async([n] { return by_async(n - 1); });
  const long y = by_async(n - 2);
  return std::move(x).get() + y;
}

long by_join(int n) {
  if (n < 2) return n;
  const auto [x, y] = blitz::join([n] { return by_join(n - 1); }, [n] { return by_join(n - 2); });
  return x + y;
}

blitz::Task<long> hops(blitz::ThreadPool& pool, long count) {
  for (long i = 0; i < count; ++i) co_await pool.schedule();
  co_return count;
}

template <class F>
void measure(blitz::ThreadPool& pool, const char* name, long nodes, const F& f) {
  double least = 1e300;
  for (int round = 0; round < 10; ++round) {
    const auto start = Clock::now();
    pool.install(f);
    least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  std::printf("%-30s %6.1f ns\n", name, least / static_cast<double>(nodes));
}

}  // namespace

int main() {
  constexpr int kDepth = 25;
  constexpr long kNodes = 242785;  // the number of calls of fib(25)
  for (const std::size_t threads : {1, 2}) {
    blitz::ThreadPool pool({.num_threads = threads});
    std::printf("%zu threads\n", threads);
    measure(pool, "tree by when_all", kNodes, [] { return blitz::sync_wait(by_tasks(kDepth)); });
    measure(pool, "tree by async, get", kNodes, [] { return by_async(kDepth); });
    measure(pool, "tree by join", kNodes, [] { return by_join(kDepth); });
    measure(pool, "task that is awaited at once", kNodes, [] { return blitz::sync_wait(in_turn(kDepth)); });
    measure(pool, "co_await pool.schedule()", 1000000, [&] { return blitz::sync_wait(hops(pool, 1000000)); });
  }
}
