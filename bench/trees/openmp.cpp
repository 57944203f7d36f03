#include "bench/peers/openmp.hpp"

#include <array>
#include <numeric>

#include "bench/trees/workloads.hpp"

namespace bench {
namespace {

BENCH_NOINLINE std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  std::uint64_t b = 0;
#pragma omp task shared(b) firstprivate(n)
  b = fib(n - 2);
  const std::uint64_t a = fib(n - 1);
#pragma omp taskwait
  return a + b;
}

// A task for each placement in the row except the last, which the caller makes.
BENCH_NOINLINE std::uint64_t queens(Board board) {
  if (board.full()) return 1;
  unsigned open = board.open();
  if (open == 0) return 0;
  std::array<std::uint64_t, kLargestBoard> solutions{};
  std::uint64_t* result = solutions.data();
  unsigned square = take_square(open);
  for (; open != 0; square = take_square(open)) {
#pragma omp task firstprivate(result, board, square)
    *result = queens(board.with(square));
    ++result;
  }
  *result = queens(board.with(square));
#pragma omp taskwait
  return std::accumulate(solutions.begin(), solutions.end(), std::uint64_t{0});
}

// A task for each child except the last, which the caller runs.
BENCH_NOINLINE std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  constexpr std::uint64_t kLast = kSkynetChildren - 1;
  const std::uint64_t each = leaves / kSkynetChildren;
  std::array<std::uint64_t, kSkynetChildren> sums{};
  for (std::uint64_t child = 0; child < kLast; ++child) {
    std::uint64_t* const sum = &sums[child];
    const std::uint64_t start = first + child * each;
#pragma omp task firstprivate(sum, start, each)
    *sum = skynet(start, each);
  }
  sums[kLast] = skynet(first + kLast * each, each);
#pragma omp taskwait
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

BENCH_NOINLINE std::uint64_t tree_sum(std::uint64_t node, unsigned height) {
  if (height == 1) return node_value(node);
  std::uint64_t b = 0;
#pragma omp task shared(b) firstprivate(node, height)
  b = tree_sum(2 * node + 1, height - 1);
  const std::uint64_t a = tree_sum(2 * node, height - 1);
#pragma omp taskwait
  return node_value(node) + a + b;
}

template <class Tree>
std::uint64_t children(const Tree& tree, TreeNode node, unsigned first, unsigned count);

template <class Tree>
BENCH_NOINLINE std::uint64_t visit(const Tree& tree, TreeNode node) {
  const unsigned count = tree.children(node);
  return count == 0 ? node.state : node.state + children(tree, node, 0, count);
}

/// The sum over `count` children of `node`. Halves the range until one child is left.
template <class Tree>
BENCH_NOINLINE std::uint64_t children(const Tree& tree, TreeNode node, unsigned first, unsigned count) {
  if (count == 1) return visit(tree, node.child(first));
  const unsigned half = count / 2;
  std::uint64_t b = 0;
#pragma omp task shared(b, tree) firstprivate(node, first, half, count)
  b = children(tree, node, first + half, count - half);
  const std::uint64_t a = children(tree, node, first, half);
#pragma omp taskwait
  return a + b;
}

BENCH_NOINLINE double integral(const Interval& whole, double tolerance) {
  const auto half = halves(whole);
  if (fine_enough(whole, half, tolerance)) return half[0].area + half[1].area;
  double b = 0;
#pragma omp task shared(b, half) firstprivate(tolerance)
  b = integral(half[1], tolerance);
  const double a = integral(half[0], tolerance);
#pragma omp taskwait
  return a + b;
}

struct Tasks {
  static void run(Fib& work, OpenMpPeer& peer) {
    peer.single([&work] { work.add(fib(work.n)); });
  }
  static void run(Queens& work, OpenMpPeer& peer) {
    peer.single([&work] { work.add(queens(work.empty)); });
  }
  static void run(Skynet& work, OpenMpPeer& peer) {
    peer.single([&work] { work.add(skynet(0, work.leaves)); });
  }
  static void run(SkynetHuge&, OpenMpPeer&) = delete;
  static void run(BinaryTree& work, OpenMpPeer& peer) {
    peer.single([&work] { work.add(tree_sum(BinaryTree::kRoot, work.height)); });
  }
  static void run(TreeHuge&, OpenMpPeer&) = delete;
  template <class Tree>
  static void run(TreeSearch<Tree>& work, OpenMpPeer& peer) {
    peer.single([&work] { work.add(visit(work.tree, work.root)); });
  }
  static void run(Integrate& work, OpenMpPeer& peer) {
    peer.single([&work] { work.add(integral(work.whole, work.tolerance)); });
  }
};

const RegisterStyle<kTrees, Tasks, OpenMpPeer> tasks("openmp_tasks");

}  // namespace
}  // namespace bench
