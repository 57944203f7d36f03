// Sums a value over every node of a perfect binary tree, without a cut-off. The tree is implicit: node k has the
// children 2k and 2k + 1, and its value is a hash of k, so that no memory is read and a node takes some ten
// nanoseconds.
#pragma once

#include <cstdint>

#include "bench/harness/workload.hpp"

namespace bench {

/// Mixes the bits of `node` as a multiplicative hash does, many times over: a node's own work is little, not nothing.
inline std::uint64_t node_value(std::uint64_t node) {
  constexpr int kRounds = 16;
  for (int i = 0; i < kRounds; ++i) {
    node ^= node >> 31;
    node *= 0x9e3779b97f4a7c15u;
  }
  return node;
}

/// The sum over the tree below `node`, which is `height` levels high.
BENCH_NOINLINE inline std::uint64_t serial_tree_sum(std::uint64_t node, unsigned height) {
  if (height == 1) return node_value(node);
  const std::uint64_t a = serial_tree_sum(2 * node, height - 1);
  std::uint64_t b = serial_tree_sum(2 * node + 1, height - 1);
  keep(b);  // or the second call would be turned into a loop
  return node_value(node) + a + b;
}

struct Tree : Workload {
  explicit Tree(unsigned levels) : height(levels), expected(serial_tree_sum(kRoot, height)) {}

  void reset() override { sum = 0; }
  bool check(std::size_t runs) const override { return sum == runs * expected; }

  static constexpr std::uint64_t kRoot = 1;
  const unsigned height;
  const std::uint64_t expected;
  std::uint64_t sum = 0;
};

/// One large tree: of four million nodes with full inputs, or of more than a hundred million.
template <bool Huge>
struct LargeTree : Tree {
  static constexpr Spec spec{.name = Huge ? "tree_huge" : "tree_sum",
                             .title = Huge ? "sum over a perfect binary tree of 134 million nodes without a cut-off"
                                           : "sum over a perfect binary tree without a cut-off",
                             .unit_of_work = "node",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::runs,
                             .in_quick = !Huge};

  explicit LargeTree(Scale scale) : Tree(Huge ? pick(scale, 27u, 20u, 10u) : pick(scale, 22u, 18u, 8u)) {}

  double units() const override { return static_cast<double>((std::uint64_t{1} << height) - 1); }
};
using TreeSum = LargeTree<false>;
using TreeHuge = LargeTree<true>;

/// A tree of ten microseconds, over and over: how soon the other threads take part, and what it costs to end.
struct TreeSmall : Tree {
  static constexpr Spec spec{.name = "tree_small",
                             .title = "sum over a binary tree of 1023 nodes without a cut-off, hot, called from main",
                             .unit_of_work = "call",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::single_calls};

  explicit TreeSmall(Scale) : Tree(10) {}
};

}  // namespace bench
