// Trees without a cut-off: little or no work in a node, so that the cost of a join or of a task shows.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "bench/harness/hash.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

/// A tree with a whole number as its result.
struct CountedTree : Workload {
  void reset() override { sum_ = 0; }
  bool check(std::size_t runs) const override { return sum_ == runs * expected_; }
  double units() const override { return units_; }

  /// The result of a run.
  void add(std::uint64_t result) { sum_ += result; }

 protected:
  void expect(std::uint64_t result, std::uint64_t units) {
    expected_ = result;
    units_ = static_cast<double>(units);
  }

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t expected_ = 0;
  double units_ = 1;
};

// --- fib(n) by its recursive definition: nothing but calls ---

/// The plain recursion: two calls without inlining, because the second half of a join cannot be inlined either.
BENCH_NOINLINE inline std::uint64_t serial_fib(unsigned n) {
  if (n < 2) return n;
  const std::uint64_t a = serial_fib(n - 1);
  std::uint64_t b = serial_fib(n - 2);
  keep(b);  // otherwise the second call would be turned into a loop
  return a + b;
}

struct Fib : CountedTree {
  using Size = unsigned;

  // There is one join fewer than there are leaves, which are fib(n + 1).
  explicit Fib(unsigned size) : n(size) { expect(serial_fib(n), serial_fib(n + 1) - 1); }

  void run() { add(serial_fib(n)); }

  const unsigned n;
};

// --- The number of ways to place n queens on an n x n board, row by row: small uneven nodes ---

inline constexpr unsigned kLargestBoard = 16;

/// The squares of the next row that the queens above attack, a bit for each column.
struct Board {
  unsigned all = 0;  // the columns there are
  unsigned columns = 0;
  unsigned left = 0;
  unsigned right = 0;

  [[nodiscard]] bool full() const { return columns == all; }
  [[nodiscard]] unsigned open() const { return all & ~(columns | left | right); }
  [[nodiscard]] Board with(unsigned square) const {
    return {all, columns | square, ((left | square) << 1) & all, (right | square) >> 1};
  }
};

/// Takes one open square off `open`.
inline unsigned take_square(unsigned& open) {
  const unsigned square = open & (0u - open);
  open ^= square;
  return square;
}

BENCH_NOINLINE inline std::uint64_t serial_queens(Board board) {
  if (board.full()) return 1;
  std::uint64_t solutions = 0;
  for (unsigned open = board.open(); open != 0;) solutions += serial_queens(board.with(take_square(open)));
  return solutions;
}

struct Queens : CountedTree {
  using Size = unsigned;

  explicit Queens(unsigned queens) : empty{.all = (1u << queens) - 1} { expect(serial_queens(empty), count(empty)); }

  void run() { add(serial_queens(empty)); }

  const Board empty;

 private:
  static std::uint64_t count(Board board) {
    std::uint64_t nodes = 1;
    for (unsigned open = board.open(); open != 0;) nodes += count(board.with(take_square(open)));
    return nodes;
  }
};

// --- A tree with ten children per node and leaves that return their number: the `skynet` test, which compares runtimes of
// light threads (github.com/atemerev/skynet). Nodes do nothing, and have many children. ---

inline constexpr std::uint64_t kSkynetChildren = 10;

/// The sum over the `leaves` leaves that begin with number `first`.
BENCH_NOINLINE inline std::uint64_t serial_skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t each = leaves / kSkynetChildren;
  std::uint64_t sum = 0;
  for (std::uint64_t child = 0; child < kSkynetChildren; ++child) sum += serial_skynet(first + child * each, each);
  return sum;
}

struct Skynet : CountedTree {
  explicit Skynet(std::uint64_t size) : leaves(size) {
    expect(serial_skynet(0, leaves), (leaves * kSkynetChildren - 1) / (kSkynetChildren - 1));
  }

  void run() { add(serial_skynet(0, leaves)); }

  const std::uint64_t leaves;
};

struct SkynetHuge : Skynet {
  using Skynet::Skynet;
};

// --- The sum of a value over every node of a perfect binary tree. The tree is implicit: node k has the children 2k and
// 2k + 1, and its value is a hash of k, so that no memory is read and a node takes some ten nanoseconds. ---

/// Mixes the bits of `node` repeatedly, like a multiplicative hash: a node's own work is little, but not nothing.
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
  keep(b);  // otherwise the second call would be turned into a loop
  return node_value(node) + a + b;
}

/// Its unit of work is a call.
struct BinaryTree : CountedTree {
  using Size = unsigned;

  explicit BinaryTree(unsigned levels) : height(levels) { expect(serial_tree_sum(kRoot, height), 1); }

  void run() { add(serial_tree_sum(kRoot, height)); }

  static constexpr std::uint64_t kRoot = 1;
  const unsigned height;
};

/// Its unit of work is a node.
struct TreeSum : BinaryTree {
  using BinaryTree::BinaryTree;
  double units() const override { return static_cast<double>((std::uint64_t{1} << height) - 1); }
};

struct TreeHuge : TreeSum {
  using TreeSum::TreeSum;
};

// --- Every node of an unpredictable tree: the number of children of a node is drawn from a hash of its path, as in the
// Unbalanced Tree Search benchmark (S. Olivier et al., "UTS: an unbalanced tree search benchmark", LCPC 2006), with a cheaper
// hash. ---

struct TreeNode {
  std::uint64_t state;
  unsigned depth = 0;

  [[nodiscard]] TreeNode child(unsigned i) const { return {random_at(state, i), depth + 1}; }
};

/// Geometric: the number of children is geometrically distributed around a mean that falls from four at the root to
/// none at a certain depth. A tree that is wide and flat, with subtrees of all sizes.
struct GeometricTree {
  static constexpr std::uint64_t kSeed = 19;

  explicit GeometricTree(unsigned depth) {
    for (unsigned d = 0; d < depth; ++d) {
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
  static constexpr std::uint64_t kSeed = 42;

  explicit BinomialTree(unsigned root) : root_(root) {}

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
struct TreeSearch : CountedTree {
  using Size = unsigned;

  explicit TreeSearch(unsigned size) : tree(size) { expect(serial_tree_search(tree, root), count(root)); }

  void run() { add(serial_tree_search(tree, root)); }

  static constexpr TreeNode root{mix(Tree::kSeed)};
  const Tree tree;

 private:
  [[nodiscard]] std::uint64_t count(TreeNode node) const {
    std::uint64_t nodes = 1;
    const unsigned children = tree.children(node);
    for (unsigned i = 0; i < children; ++i) nodes += count(node.child(i));
    return nodes;
  }
};

// --- Adaptive quadrature: an interval is halved until its trapezoid is as large as the two of its halves. A few
// multiplications per node, and a tree that is deeper where the curve bends more. ---

/// A piece under the curve, and its area by the trapezoidal rule.
struct Interval {
  double left;
  double right;
  double left_height;
  double right_height;
  double area;
};

inline double curve(double x) { return (x * x + 1.0) * x; }

/// The halves of `whole`. One copy of the code, so that all implementations compute identical bits.
BENCH_NOINLINE inline std::array<Interval, 2> halves(const Interval& whole) {
  const double width = (whole.right - whole.left) * 0.5;
  const double middle = whole.left + width;
  const double height = curve(middle);
  return {{{whole.left, middle, whole.left_height, height, (whole.left_height + height) * width * 0.5},
           {middle, whole.right, height, whole.right_height, (height + whole.right_height) * width * 0.5}}};
}

/// Whether halving has changed the area of `whole` so little that it may end.
inline bool fine_enough(const Interval& whole, const std::array<Interval, 2>& half, double tolerance) {
  return std::abs(half[0].area + half[1].area - whole.area) <= tolerance;
}

BENCH_NOINLINE inline double serial_integral(const Interval& whole, double tolerance) {
  const auto half = halves(whole);
  if (fine_enough(whole, half, tolerance)) return half[0].area + half[1].area;
  const double a = serial_integral(half[0], tolerance);
  return a + serial_integral(half[1], tolerance);
}

struct Integrate : Workload {
  using Size = double;

  explicit Integrate(double limit)
      : tolerance(limit), expected_(serial_integral(whole, tolerance)), nodes_(count(whole)) {}

  void reset() override { right_ = 0; }
  bool check(std::size_t runs) const override { return right_ == runs; }
  double units() const override { return static_cast<double>(nodes_); }

  void run() { add(serial_integral(whole, tolerance)); }

  /// Takes the result of a run. All runs add in one order, so it must be exact.
  void add(double integral) { right_ += integral == expected_ ? 1 : 0; }

  static constexpr double kWidth = 1000;
  static constexpr Interval whole{0, kWidth, 0, (kWidth * kWidth + 1) * kWidth,
                                  (kWidth * kWidth + 1) * kWidth* kWidth * 0.5};
  const double tolerance;

 private:
  [[nodiscard]] std::uint64_t count(const Interval& interval) const {
    const auto half = halves(interval);
    return fine_enough(interval, half, tolerance) ? 1 : 1 + count(half[0]) + count(half[1]);
  }

  double expected_;
  std::uint64_t nodes_;
  std::size_t right_ = 0;
};

constexpr Spec per_node(std::string_view name, std::string_view title, Quick quick = Quick::yes) {
  return {name, title, "node", Metric::nanoseconds, Timing::runs, quick};
}

inline constexpr std::tuple kTrees{
    Case<Fib>{
        {"fib", "fib without a cut-off, every addition a join", "join", Metric::nanoseconds, Timing::runs}, 34, 27, 12},
    Case<Queens>{per_node("nqueens", "12 queens without a cut-off, every choice a join"), 12, 11, 6},
    Case<Queens>{per_node("nqueens_13", "13 queens without a cut-off, every choice a join", Quick::no), 13, 12, 7},
    Case<Queens>{per_node("nqueens_14", "14 queens without a cut-off, every choice a join", Quick::no), 14, 13, 8},
    Case<Skynet>{per_node("skynet", "a tree of ten children a node, a million leaves"), 1'000'000, 100'000, 1'000},
    Case<SkynetHuge>{per_node("skynet_huge", "a tree of ten children a node, a hundred million leaves", Quick::no),
                     100'000'000, 1'000'000, 1'000},
    Case<TreeSum>{per_node("tree_sum", "sum over a perfect binary tree without a cut-off"), 22, 18, 8},
    Case<TreeHuge>{
        per_node("tree_huge", "sum over a perfect binary tree of 134 million nodes without a cut-off", Quick::no), 27,
        20, 10},
    Case<BinaryTree>{{"tree_small", "sum over a binary tree of 1023 nodes without a cut-off, hot, called from main",
                      "call", Metric::nanoseconds, Timing::single_calls},
                     10},
    Case<TreeSearch<GeometricTree>>{
        per_node("tree_geometric", "unbalanced tree search: a geometric tree without a cut-off"), 20, 17, 9},
    Case<TreeSearch<BinomialTree>>{
        per_node("tree_binomial", "unbalanced tree search: a binomial tree without a cut-off"), 10'000, 4'000, 50},
    Case<Integrate>{per_node("integrate", "adaptive quadrature without a cut-off, every halving a join", Quick::no),
                    1e-8, 1e-5, 1e2},
};

}  // namespace bench
