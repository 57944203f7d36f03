// A tree of ten children a node whose leaves return their number, summed up without a cut-off: the `skynet` test by
// which runtimes of light threads are compared (github.com/atemerev/skynet). Nodes do nothing, and have many children.
#pragma once

#include <cstdint>

#include "bench/harness/workload.hpp"

namespace bench {

inline constexpr std::uint64_t kSkynetChildren = 10;

/// The sum over the `leaves` leaves that begin with number `first`.
BENCH_NOINLINE inline std::uint64_t serial_skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t each = leaves / kSkynetChildren;
  std::uint64_t sum = 0;
  for (std::uint64_t child = 0; child < kSkynetChildren; ++child) sum += serial_skynet(first + child * each, each);
  return sum;
}

template <bool Huge>
struct Skynet : Workload {
  static constexpr Spec spec{.name = Huge ? "skynet_huge" : "skynet",
                             .title = Huge ? "a tree of ten children a node, a hundred million leaves"
                                           : "a tree of ten children a node, a million leaves",
                             .unit_of_work = "node",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::runs,
                             .in_quick = !Huge};

  explicit Skynet(Scale scale)
      : leaves(pick<std::uint64_t>(scale, Huge ? 100'000'000 : 1'000'000, Huge ? 1'000'000 : 100'000, 1'000)),
        expected_(serial_skynet(0, leaves)) {}

  void reset() override { sum = 0; }
  bool check(std::size_t runs) const override { return sum == runs * expected_; }
  double units() const override { return static_cast<double>((leaves * kSkynetChildren - 1) / (kSkynetChildren - 1)); }

  const std::uint64_t leaves;
  std::uint64_t sum = 0;

 private:
  std::uint64_t expected_;
};

}  // namespace bench
