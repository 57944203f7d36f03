#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>

#include "bench/tree_search/workload.hpp"

namespace bench {
namespace {

/// So many of the children of `node`, halved by `fork` until one is left.
template <class Tree, class Fork>
std::uint64_t children(const Tree& tree, TreeNode node, unsigned first, unsigned count, const Fork& fork);

template <class Tree, class Fork>
BENCH_NOINLINE std::uint64_t visit(const Tree& tree, TreeNode node, const Fork& fork) {
  const unsigned count = tree.children(node);
  return count == 0 ? node.state : node.state + children(tree, node, 0, count, fork);
}

template <class Tree, class Fork>
BENCH_NOINLINE std::uint64_t children(const Tree& tree, TreeNode node, unsigned first, unsigned count,
                                      const Fork& fork) {
  if (count == 1) return visit(tree, node.child(first), fork);
  const unsigned half = count / 2;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  fork([&, node, first, half] { a = children(tree, node, first, half, fork); },
       [&, node, first, half, count] { b = children(tree, node, first + half, count - half, fork); });
  return a + b;
}

constexpr auto kInvoke = [](const auto& a, const auto& b) { tbb::parallel_invoke(a, b); };
constexpr auto kGroup = [](const auto& a, const auto& b) {
  tbb::task_group group;
  group.run(b);
  a();
  group.wait();
};

template <class Tree, const auto& Fork>
void run(TreeSearch<Tree>& work, TbbPeer&) {
  work.sum += visit(work.tree, work.root, Fork);
}

const Register<run<GeometricTree, kInvoke>> geometric_invoke("tbb_invoke");
const Register<run<GeometricTree, kGroup>> geometric_group("tbb_group");
const Register<run<BinomialTree, kInvoke>> binomial_invoke("tbb_invoke");
const Register<run<BinomialTree, kGroup>> binomial_group("tbb_group");

}  // namespace
}  // namespace bench
