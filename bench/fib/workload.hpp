// fib(n) by its recursive definition, without a cut-off: nothing but calls, so the cost of a join stands alone.
#pragma once

#include <cstdint>

#include "bench/harness/workload.hpp"

namespace bench {

/// The plain recursion: two calls that are made and not inlined, as the second half of a join cannot be.
BENCH_NOINLINE inline std::uint64_t serial_fib(unsigned n) {
  if (n < 2) return n;
  const std::uint64_t a = serial_fib(n - 1);
  std::uint64_t b = serial_fib(n - 2);
  keep(b);  // or the second call would be turned into a loop
  return a + b;
}

struct Fib : Workload {
  static constexpr Spec spec{.name = "fib",
                             .title = "fib without a cut-off, every addition a join",
                             .unit_of_work = "join",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::runs};

  explicit Fib(Scale scale)
      : n(pick(scale, 34u, 27u, 12u)), expected(serial_fib(n)), joins_(expected + serial_fib(n - 1) - 1) {}

  void reset() override { sum = 0; }
  bool check(std::size_t runs) const override { return sum == runs * expected; }
  double units() const override { return static_cast<double>(joins_); }

  const unsigned n;
  const std::uint64_t expected;
  std::uint64_t sum = 0;

 private:
  std::uint64_t joins_;  // one fewer than leaves, of which there are fib(n + 1)
};

}  // namespace bench
