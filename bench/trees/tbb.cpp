#include "bench/peers/tbb.hpp"

#include <array>
#include <numeric>

#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>

#include "bench/trees/workloads.hpp"

namespace bench {
namespace {

// Both call `a` and `b`, possibly in parallel, and return when both are done.
constexpr auto kInvoke = [](const auto& a, const auto& b) { tbb::parallel_invoke(a, b); };
constexpr auto kGroup = [](const auto& a, const auto& b) {
  tbb::task_group group;
  group.run(b);
  a();
  group.wait();
};

template <const auto& kFork>
BENCH_NOINLINE std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  kFork([&a, n] { a = fib<kFork>(n - 1); }, [&b, n] { b = fib<kFork>(n - 2); });
  return a + b;
}

std::uint64_t place(Board board, unsigned open);

BENCH_NOINLINE std::uint64_t queens_by_invoke(Board board) {
  if (board.full()) return 1;
  const unsigned open = board.open();
  return open == 0 ? 0 : place(board, open);
}

std::uint64_t place(Board board, unsigned open) {
  const unsigned square = take_square(open);
  if (open == 0) return queens_by_invoke(board.with(square));
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  tbb::parallel_invoke([&a, board, square] { a = queens_by_invoke(board.with(square)); },
                       [&b, board, open] { b = place(board, open); });
  return a + b;
}

// One group for the row; the caller makes the last placement.
BENCH_NOINLINE std::uint64_t queens_by_group(Board board) {
  if (board.full()) return 1;
  unsigned open = board.open();
  if (open == 0) return 0;
  std::array<std::uint64_t, kLargestBoard> solutions{};
  auto result = solutions.begin();
  tbb::task_group group;
  unsigned square = take_square(open);
  for (; open != 0; square = take_square(open)) {
    group.run([result, board, square] { *result = queens_by_group(board.with(square)); });
    ++result;
  }
  *result = queens_by_group(board.with(square));
  group.wait();
  return std::accumulate(solutions.begin(), solutions.end(), std::uint64_t{0});
}

// The caller runs the last child itself.
BENCH_NOINLINE std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  constexpr std::uint64_t kLast = kSkynetChildren - 1;
  const std::uint64_t each = leaves / kSkynetChildren;
  std::array<std::uint64_t, kSkynetChildren> sums{};
  tbb::task_group group;
  for (std::uint64_t child = 0; child < kLast; ++child) {
    group.run([&sum = sums[child], start = first + child * each, each] { sum = skynet(start, each); });
  }
  sums[kLast] = skynet(first + kLast * each, each);
  group.wait();
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

template <const auto& kFork>
BENCH_NOINLINE std::uint64_t tree_sum(std::uint64_t node, unsigned height) {
  if (height == 1) return node_value(node);
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  kFork([&a, node, height] { a = tree_sum<kFork>(2 * node, height - 1); },
        [&b, node, height] { b = tree_sum<kFork>(2 * node + 1, height - 1); });
  return node_value(node) + a + b;
}

/// The sum over `count` children of `node`. Halves the range until one child is left.
template <const auto& kFork, class Tree>
std::uint64_t children(const Tree& tree, TreeNode node, unsigned first, unsigned count);

template <const auto& kFork, class Tree>
BENCH_NOINLINE std::uint64_t visit(const Tree& tree, TreeNode node) {
  const unsigned count = tree.children(node);
  return count == 0 ? node.state : node.state + children<kFork>(tree, node, 0, count);
}

template <const auto& kFork, class Tree>
BENCH_NOINLINE std::uint64_t children(const Tree& tree, TreeNode node, unsigned first, unsigned count) {
  if (count == 1) return visit<kFork>(tree, node.child(first));
  const unsigned half = count / 2;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  kFork([&, node, first, half] { a = children<kFork>(tree, node, first, half); },
        [&, node, first, half, count] { b = children<kFork>(tree, node, first + half, count - half); });
  return a + b;
}

template <const auto& kFork>
BENCH_NOINLINE double integral(const Interval& whole, double tolerance) {
  const auto half = halves(whole);
  if (fine_enough(whole, half, tolerance)) return half[0].area + half[1].area;
  double a = 0;
  double b = 0;
  kFork([&a, &half, tolerance] { a = integral<kFork>(half[0], tolerance); },
        [&b, &half, tolerance] { b = integral<kFork>(half[1], tolerance); });
  return a + b;
}

/// The trees with one code for both forks.
template <const auto& kFork>
struct Forks {
  static void run(Fib& work, TbbPeer&) { work.add(fib<kFork>(work.n)); }
  static void run(TreeSum& work, TbbPeer&) { work.add(tree_sum<kFork>(TreeSum::kRoot, work.height)); }
  template <class Tree>
  static void run(TreeSearch<Tree>& work, TbbPeer&) {
    work.add(visit<kFork>(work.tree, work.root));
  }
  static void run(Integrate& work, TbbPeer&) { work.add(integral<kFork>(work.whole, work.tolerance)); }
};

struct Invoke : Forks<kInvoke> {
  using Forks<kInvoke>::run;
  static void run(Queens& work, TbbPeer&) { work.add(queens_by_invoke(work.empty)); }
  static void run(BinaryTree& work, TbbPeer&) { work.add(tree_sum<kInvoke>(BinaryTree::kRoot, work.height)); }
};

struct Group : Forks<kGroup> {
  using Forks<kGroup>::run;
  static void run(Queens& work, TbbPeer&) { work.add(queens_by_group(work.empty)); }
  static void run(Skynet& work, TbbPeer&) { work.add(skynet(0, work.leaves)); }
  static void run(TreeHuge&, TbbPeer&) = delete;
};

const RegisterStyle<kTrees, Invoke, TbbPeer> invoke("tbb_invoke");
const RegisterStyle<kTrees, Group, TbbPeer> group("tbb_group");

}  // namespace
}  // namespace bench
