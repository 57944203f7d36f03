#include "bench/peers/blitz.hpp"

#include "bench/tree_search/workload.hpp"

namespace bench {
namespace {

template <class Tree>
std::uint64_t children(const Tree& tree, TreeNode node, unsigned first, unsigned count);

template <class Tree>
BENCH_NOINLINE std::uint64_t visit(const Tree& tree, TreeNode node) {
  const unsigned count = tree.children(node);
  return count == 0 ? node.state : node.state + children(tree, node, 0, count);
}

/// So many of the children of `node`, halved until one is left.
template <class Tree>
BENCH_NOINLINE std::uint64_t children(const Tree& tree, TreeNode node, unsigned first, unsigned count) {
  if (count == 1) return visit(tree, node.child(first));
  const unsigned half = count / 2;
  const auto [a, b] =
      blitz::join([&tree, node, first, half] { return children(tree, node, first, half); },
                  [&tree, node, first, half, count] { return children(tree, node, first + half, count - half); });
  return a + b;
}

template <class Tree>
void run(TreeSearch<Tree>& work, BlitzPeer& peer) {
  work.sum += peer.pool.install([&work] { return visit(work.tree, work.root); });
}

const Register<run<GeometricTree>> geometric("blitz");
const Register<run<BinomialTree>> binomial("blitz");

}  // namespace
}  // namespace bench
