#include "bench/peers/openmp.hpp"

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
  std::uint64_t b = 0;
#pragma omp task shared(b, tree) firstprivate(node, first, half, count)
  b = children(tree, node, first + half, count - half);
  const std::uint64_t a = children(tree, node, first, half);
#pragma omp taskwait
  return a + b;
}

template <class Tree>
void run(TreeSearch<Tree>& work, OpenMpPeer&) {
  std::uint64_t result = 0;
#pragma omp parallel
#pragma omp single
  result = visit(work.tree, work.root);
  work.sum += result;
}

const Register<run<GeometricTree>> geometric("openmp_tasks");
const Register<run<BinomialTree>> binomial("openmp_tasks");

}  // namespace
}  // namespace bench
