#include "bench/peers/rayon.hpp"

#include "bench/tree_sum/workload.hpp"

extern "C" std::uint64_t bench_rayon_tree_sum(const bench::rayon::Pool*, std::uint64_t root, std::uint32_t height);

namespace bench {
namespace {

template <class W>
void run(W& work, RayonPeer& peer) {
  work.sum += bench_rayon_tree_sum(peer.pool, W::kRoot, work.height);
}

const Register<run<TreeSum>> large("rayon");
const Register<run<TreeHuge>> huge("rayon");
const Register<run<TreeSmall>> small("rayon");

}  // namespace
}  // namespace bench
