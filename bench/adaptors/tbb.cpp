// oneTBB's interface on blitz and on oneTBB itself, two threads each: microseconds per call, the minimum of several rounds. The
// names are equal, so each side is a program.
//
//   c="g++ -std=c++20 -O2 bench/adaptors/tbb.cpp"
//   $c -ltbb -o on_tbb && $c $(pkg-config --cflags --libs blitz-tbb) -o on_blitz
//   taskset -c 0,1 ./on_tbb && taskset -c 0,1 ./on_blitz
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include <tbb/tbb.h>

namespace {

using Clock = std::chrono::steady_clock;
using Items = std::vector<std::uint64_t>;
using Range = tbb::blocked_range<std::size_t>;

/// `refresh` makes the input of a round, untimed.
template <class F, class Refresh>
void measure(const char* name, int calls, const F& f, const Refresh& refresh) {
  double least = 1e18;
  for (int round = 0; round < 12; ++round) {
    refresh();
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) f();
    least = std::min(least, std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls);
  }
  std::printf("%-40s %12.2f us\n", name, least);
}
template <class F>
void measure(const char* name, int calls, const F& f) {
  measure(name, calls, f, [] {});
}

std::uint64_t sum_of(const Items& items) {
  return tbb::parallel_reduce(
      Range(0, items.size()), std::uint64_t{0},
      [&](const Range& range, std::uint64_t sum) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) sum += items[i];
        return sum;
      },
      std::plus<>());
}

std::uint64_t scan_of(const Items& items, Items& sums) {
  return tbb::parallel_scan(
      Range(0, items.size()), std::uint64_t{0},
      [&](const Range& range, std::uint64_t sum, bool is_final) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          sum += items[i];
          if (is_final) sums[i] = sum;
        }
        return sum;
      },
      std::plus<>());
}

long by_invoke(int n) {
  if (n < 2) return n;
  long x = 0;
  long y = 0;
  tbb::parallel_invoke([&] { x = by_invoke(n - 1); }, [&] { y = by_invoke(n - 2); });
  return x + y;
}

long by_group(int n) {
  if (n < 2) return n;
  long x = 0;
  tbb::task_group group;
  group.run([&] { x = by_group(n - 1); });
  const long y = by_group(n - 2);
  group.wait();
  return x + y;
}

}  // namespace

int main() {
  constexpr std::size_t kMany = 1'000'000;
  constexpr std::size_t kSide = 1000;
  volatile std::uint64_t sink = 0;
  Items few(1000, 1);
  Items many(kMany);
  Items out(kMany);
  std::mt19937_64 random(1);
  for (auto& x : many) x = random();

  const auto add = [](Items& items) {
    tbb::parallel_for(Range(0, items.size()), [&](const Range& range) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) ++items[i];
    });
  };
  measure("parallel_for of 1000", 500, [&] { add(few); });
  measure("parallel_reduce of 1000", 500, [&] { sink = sum_of(few); });
  measure("parallel_for of 1,000,000", 5, [&] { add(many); });
  measure("parallel_reduce of 1,000,000", 5, [&] { sink = sum_of(many); });
  measure("parallel_for over 1000 x 1000", 5, [&] {
    using Grid = tbb::blocked_range2d<std::size_t>;
    tbb::parallel_for(Grid(0, kSide, 0, kSide), [&](const Grid& grid) {
      for (std::size_t y = grid.rows().begin(); y != grid.rows().end(); ++y) {
        for (std::size_t x = grid.cols().begin(); x != grid.cols().end(); ++x) ++many[y * kSide + x];
      }
    });
  });
  measure("parallel_scan of 1,000,000", 5, [&] { sink = scan_of(many, out); });
  measure(
      "parallel_sort of 1,000,000", 1, [&] { tbb::parallel_sort(out.begin(), out.end()); }, [&] { out = many; });
  measure("parallel_invoke, fib(20)", 1, [&] { sink = static_cast<std::uint64_t>(by_invoke(20)); });
  measure("task_group, fib(20)", 1, [&] { sink = static_cast<std::uint64_t>(by_group(20)); });
  tbb::enumerable_thread_specific<std::uint64_t> own;
  measure("enumerable_thread_specific::local()", 1000, [&] { ++own.local(); });
}
