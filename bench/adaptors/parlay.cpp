// parlaylib on blitz, or on its own scheduler, with the same number of threads: microseconds per call, the minimum of several
// rounds. A program can have only one scheduler of parlaylib, so each side is a program.
//
//   git clone https://github.com/cmuparlay/parlaylib
//   c="g++ -std=c++20 -O3 -march=native bench/adaptors/parlay.cpp -Iparlaylib/include"
//   $c -pthread -o own && $c -include blitz/adaptor/parlay.hpp $(pkg-config --cflags --libs blitz) -o on_blitz && ./own && ./on_blitz
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <parlay/parallel.h>
#include <parlay/primitives.h>
#include <parlay/random.h>
#include <parlay/sequence.h>

namespace {

using Clock = std::chrono::steady_clock;

template <class F>
void measure(const char* name, int calls, const F& f) {
  double least = 1e18;
  for (int round = 0; round < 12; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) f();
    least = std::min(least, std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls);
  }
  std::printf("%-40s %12.2f us\n", name, least);
}

long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  long y = 0;
  parlay::par_do([&] { x = fib(n - 1); }, [&] { y = fib(n - 2); });
  return x + y;
}

}  // namespace

int main() {
  volatile long sink = 0;
  measure("par_do, fib(25)", 1, [&] { sink = fib(25); });
  double small[1000] = {};
  measure("parallel_for of 1000", 500, [&] { parlay::parallel_for(0, 1000, [&](std::size_t i) { small[i] += 1; }); });
  constexpr std::size_t kItems = 2'000'000;
  const parlay::random random(1);
  const auto items = parlay::tabulate(kItems, [&](std::size_t i) { return random.ith_rand(i) % kItems; });
  measure("sort of 2,000,000", 1, [&] { sink = static_cast<long>(parlay::sort(items)[7]); });
  measure("integer_sort", 1, [&] { sink = static_cast<long>(parlay::integer_sort(items)[7]); });
  measure("reduce", 5, [&] { sink = static_cast<long>(parlay::reduce(items)); });
  measure("scan", 5, [&] { sink = static_cast<long>(parlay::scan(items).second); });
  measure("filter", 5,
          [&] { sink = static_cast<long>(parlay::filter(items, [](auto x) { return x % 2 == 0; }).size()); });
  measure("histogram_by_index", 3, [&] { sink = static_cast<long>(parlay::histogram_by_index(items, kItems)[7]); });
}
