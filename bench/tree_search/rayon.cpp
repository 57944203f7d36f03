#include "bench/peers/rayon.hpp"

#include "bench/tree_search/workload.hpp"

extern "C" {
std::uint64_t bench_rayon_tree_geometric(const bench::rayon::Pool*, std::uint64_t state, const std::uint64_t* chances,
                                         std::size_t depth);
std::uint64_t bench_rayon_tree_binomial(const bench::rayon::Pool*, std::uint64_t state, std::uint32_t root,
                                        std::uint32_t children, std::uint64_t inner);
}

namespace bench {
namespace {

void run_geometric(TreeSearch<GeometricTree>& work, RayonPeer& peer) {
  const auto& chances = work.tree.chances();
  work.sum += bench_rayon_tree_geometric(peer.pool, work.root.state, chances.data(), chances.size());
}

void run_binomial(TreeSearch<BinomialTree>& work, RayonPeer& peer) {
  work.sum += bench_rayon_tree_binomial(peer.pool, work.root.state, work.tree.children(work.root),
                                        BinomialTree::kChildren, BinomialTree::kInner);
}

const Register<run_geometric> geometric("rayon");
const Register<run_binomial> binomial("rayon");

}  // namespace
}  // namespace bench
