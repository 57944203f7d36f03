#include "bench/peers/blitz.hpp"

#include <array>
#include <numeric>

#include "bench/trees/workloads.hpp"

namespace bench {
namespace {

BENCH_NOINLINE std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = blitz::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

std::uint64_t place(Board board, unsigned open);

BENCH_NOINLINE std::uint64_t queens(Board board) {
  if (board.full()) return 1;
  const unsigned open = board.open();
  return open == 0 ? 0 : place(board, open);
}

std::uint64_t place(Board board, unsigned open) {
  const unsigned square = take_square(open);
  if (open == 0) return queens(board.with(square));
  const auto [a, b] = blitz::join([=] { return queens(board.with(square)); }, [=] { return place(board, open); });
  return a + b;
}

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves);

/// `count` subtrees of `each` leaves, halved until one is left.
BENCH_NOINLINE std::uint64_t subtrees(std::uint64_t first, std::uint64_t each, std::uint64_t count) {
  if (count == 1) return skynet(first, each);
  const std::uint64_t half = count / 2;
  const auto [a, b] = blitz::join([=] { return subtrees(first, each, half); },
                                  [=] { return subtrees(first + half * each, each, count - half); });
  return a + b;
}

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  return leaves == 1 ? first : subtrees(first, leaves / kSkynetChildren, kSkynetChildren);
}

// The caller runs the last child itself.
BENCH_NOINLINE std::uint64_t skynet_by_scope(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t each = leaves / kSkynetChildren;
  std::array<std::uint64_t, kSkynetChildren> sums{};
  blitz::scope([&sums, first, each](blitz::Scope& scope) {
    constexpr std::uint64_t kLast = kSkynetChildren - 1;
    for (std::uint64_t child = 0; child < kLast; ++child) {
      scope.spawn([&sum = sums[child], start = first + child * each, each] { sum = skynet_by_scope(start, each); });
    }
    sums[kLast] = skynet_by_scope(first + kLast * each, each);
  });
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

BENCH_NOINLINE std::uint64_t tree_sum(std::uint64_t node, unsigned height) {
  if (height == 1) return node_value(node);
  const auto [a, b] =
      blitz::join([=] { return tree_sum(2 * node, height - 1); }, [=] { return tree_sum(2 * node + 1, height - 1); });
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
  const auto [a, b] =
      blitz::join([&tree, node, first, half] { return children(tree, node, first, half); },
                  [&tree, node, first, half, count] { return children(tree, node, first + half, count - half); });
  return a + b;
}

BENCH_NOINLINE double integral(const Interval& whole, double tolerance) {
  const auto half = halves(whole);
  if (fine_enough(whole, half, tolerance)) return half[0].area + half[1].area;
  const auto [a, b] = blitz::join([&half, tolerance] { return integral(half[0], tolerance); },
                                  [&half, tolerance] { return integral(half[1], tolerance); });
  return a + b;
}

struct Joins {
  template <class P>
  static void run(Fib& work, P& peer) {
    work.add(peer.pool.install([&work] { return fib(work.n); }));
  }
  static void run(Queens& work, BlitzPeer& peer) {
    work.add(peer.pool.install([&work] { return queens(work.empty); }));
  }
  static void run(Skynet& work, BlitzPeer& peer) {
    work.add(peer.pool.install([&work] { return skynet(0, work.leaves); }));
  }
  template <class P>
  static void run(BinaryTree& work, P& peer) {
    work.add(peer.pool.install([&work] { return tree_sum(BinaryTree::kRoot, work.height); }));
  }
  static void run(TreeHuge&, BlitzAsyncPeer&) = delete;
  template <class Tree>
  static void run(TreeSearch<Tree>& work, BlitzPeer& peer) {
    work.add(peer.pool.install([&work] { return visit(work.tree, work.root); }));
  }
  static void run(Integrate& work, BlitzPeer& peer) {
    work.add(peer.pool.install([&work] { return integral(work.whole, work.tolerance); }));
  }
};

struct Scopes {
  static void run(Skynet& work, BlitzPeer& peer) {
    work.add(peer.pool.install([&work] { return skynet_by_scope(0, work.leaves); }));
  }
  static void run(SkynetHuge&, BlitzPeer&) = delete;
};

const RegisterStyle<kTrees, Joins, BlitzPeer> joins("blitz");
const RegisterStyle<kTrees, Joins, BlitzAsyncPeer> joins_async("blitz_async");
const RegisterStyle<kTrees, Scopes, BlitzPeer> scopes("blitz_scope");

}  // namespace
}  // namespace bench
