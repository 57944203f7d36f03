// Visits every node of a tree that nobody can foresee: how many children a node has is drawn from a hash of its path,
// as in the Unbalanced Tree Search benchmark (S. Olivier et al., "UTS: an unbalanced tree search benchmark", LCPC 2006),
// with a cheaper hash. Without a cut-off.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/harness/hash.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

struct TreeNode {
  std::uint64_t state;
  unsigned depth = 0;

  [[nodiscard]] TreeNode child(unsigned i) const { return {random_at(state, i), depth + 1}; }
};

/// Geometric: the number of children is geometrically distributed around a mean that falls from four at the root to
/// none at a certain depth. A tree that is wide and flat, and whose subtrees are of all sizes.
struct GeometricTree {
  static constexpr Spec spec{.name = "tree_geometric",
                             .title = "unbalanced tree search: a geometric tree without a cut-off",
                             .unit_of_work = "node",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::runs};
  static constexpr std::uint64_t kSeed = 19;

  explicit GeometricTree(Scale scale) {
    const int depth = pick(scale, 20, 17, 9);
    for (int d = 0; d < depth; ++d) {
      const double mean = 4.0 * (depth - d) / depth;
      one_more_.push_back(below_with(mean / (1 + mean)));
    }
  }

  [[nodiscard]] unsigned children(TreeNode node) const {
    if (node.depth >= one_more_.size()) return 0;
    unsigned count = 0;
    for (std::uint64_t draw = mix(node.state); draw < one_more_[node.depth]; draw = mix(draw)) ++count;
    return count;
  }

  /// For each depth, the chance of one more child: a draw below it.
  [[nodiscard]] const std::vector<std::uint64_t>& chances() const { return one_more_; }

 private:
  std::vector<std::uint64_t> one_more_;
};

/// Binomial: below a root of many children a node has eight or, most often, none; slightly fewer than one on average, so
/// that the tree ends. The subtrees of all nodes are alike: mostly tiny, and now and then huge and deep.
struct BinomialTree {
  static constexpr Spec spec{.name = "tree_binomial",
                             .title = "unbalanced tree search: a binomial tree without a cut-off",
                             .unit_of_work = "node",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::runs};
  static constexpr std::uint64_t kSeed = 42;

  explicit BinomialTree(Scale scale) : root_(pick(scale, 10'000u, 4'000u, 50u)) {}

  [[nodiscard]] unsigned children(TreeNode node) const {
    if (node.depth == 0) return root_;
    return mix(node.state) < kInner ? kChildren : 0;
  }

  static constexpr unsigned kChildren = 8;
  static constexpr std::uint64_t kInner = below_with(0.124);  // from 1 / kChildren on, the tree might not end

 private:
  unsigned root_;
};

/// The sum over the states of all nodes of a subtree.
template <class Tree>
BENCH_NOINLINE std::uint64_t serial_tree_search(const Tree& tree, TreeNode node) {
  std::uint64_t sum = node.state;
  const unsigned children = tree.children(node);
  for (unsigned i = 0; i < children; ++i) sum += serial_tree_search(tree, node.child(i));
  return sum;
}

template <class Tree>
struct TreeSearch : Workload {
  static constexpr Spec spec = Tree::spec;

  explicit TreeSearch(Scale scale) : tree(scale), expected_(serial_tree_search(tree, root)), nodes_(count(root)) {}

  void reset() override { sum = 0; }
  bool check(std::size_t runs) const override { return sum == runs * expected_; }
  double units() const override { return static_cast<double>(nodes_); }

  static constexpr TreeNode root{mix(Tree::kSeed)};
  const Tree tree;
  std::uint64_t sum = 0;

 private:
  [[nodiscard]] std::uint64_t count(TreeNode node) const {
    std::uint64_t nodes = 1;
    const unsigned children = tree.children(node);
    for (unsigned i = 0; i < children; ++i) nodes += count(node.child(i));
    return nodes;
  }

  std::uint64_t expected_;
  std::uint64_t nodes_;
};

}  // namespace bench
