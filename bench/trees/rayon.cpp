#include "bench/peers/rayon.hpp"

#include "bench/trees/workloads.hpp"

extern "C" {
std::uint64_t bench_rayon_fib(const bench::rayon::Pool*, std::uint32_t n);
std::uint64_t bench_rayon_nqueens(const bench::rayon::Pool*, std::uint32_t all);
std::uint64_t bench_rayon_skynet_by_join(const bench::rayon::Pool*, std::uint64_t leaves);
std::uint64_t bench_rayon_skynet_by_scope(const bench::rayon::Pool*, std::uint64_t leaves);
std::uint64_t bench_rayon_skynet_by_iterator(const bench::rayon::Pool*, std::uint64_t leaves);
std::uint64_t bench_rayon_tree_sum(const bench::rayon::Pool*, std::uint64_t root, std::uint32_t height);
std::uint64_t bench_rayon_tree_geometric(const bench::rayon::Pool*, std::uint64_t state, const std::uint64_t* chances,
                                         std::size_t depth);
std::uint64_t bench_rayon_tree_binomial(const bench::rayon::Pool*, std::uint64_t state, std::uint32_t root,
                                        std::uint32_t children, std::uint64_t inner);
double bench_rayon_integrate(const bench::rayon::Pool*, const bench::Interval& whole, double tolerance);
}

namespace bench {
namespace {

struct Joins {
  static void run(Fib& work, RayonPeer& peer) { work.add(bench_rayon_fib(peer.pool, work.n)); }
  static void run(Queens& work, RayonPeer& peer) { work.add(bench_rayon_nqueens(peer.pool, work.empty.all)); }
  static void run(Skynet& work, RayonPeer& peer) { work.add(bench_rayon_skynet_by_join(peer.pool, work.leaves)); }
  static void run(BinaryTree& work, RayonPeer& peer) {
    work.add(bench_rayon_tree_sum(peer.pool, BinaryTree::kRoot, work.height));
  }
  static void run(TreeSearch<GeometricTree>& work, RayonPeer& peer) {
    const auto& chances = work.tree.chances();
    work.add(bench_rayon_tree_geometric(peer.pool, work.root.state, chances.data(), chances.size()));
  }
  static void run(TreeSearch<BinomialTree>& work, RayonPeer& peer) {
    work.add(bench_rayon_tree_binomial(peer.pool, work.root.state, work.tree.children(work.root),
                                       BinomialTree::kChildren, BinomialTree::kInner));
  }
// Rust never fuses a multiplication with an addition. A C++ compiler may, if the processor can: then the last bits of the
// results differ, and cannot be compared.
#ifndef __FP_FAST_FMA
  static void run(Integrate& work, RayonPeer& peer) {
    work.add(bench_rayon_integrate(peer.pool, work.whole, work.tolerance));
  }
#endif
};

struct Scopes {
  static void run(Skynet& work, RayonPeer& peer) { work.add(bench_rayon_skynet_by_scope(peer.pool, work.leaves)); }
  static void run(SkynetHuge&, RayonPeer&) = delete;
};

struct Iterators {
  static void run(Skynet& work, RayonPeer& peer) { work.add(bench_rayon_skynet_by_iterator(peer.pool, work.leaves)); }
  static void run(SkynetHuge&, RayonPeer&) = delete;
};

const RegisterStyle<kTrees, Joins, RayonPeer> joins("rayon");
const RegisterStyle<kTrees, Scopes, RayonPeer> scopes("rayon_scope");
const RegisterStyle<kTrees, Iterators, RayonPeer> iterators("rayon_iterator");

}  // namespace
}  // namespace bench
