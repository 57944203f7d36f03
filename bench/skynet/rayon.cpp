#include "bench/peers/rayon.hpp"

#include "bench/skynet/workload.hpp"

extern "C" {
std::uint64_t bench_rayon_skynet_by_join(const bench::rayon::Pool*, std::uint64_t leaves);
std::uint64_t bench_rayon_skynet_by_scope(const bench::rayon::Pool*, std::uint64_t leaves);
std::uint64_t bench_rayon_skynet_by_iterator(const bench::rayon::Pool*, std::uint64_t leaves);
}

namespace bench {
namespace {

template <bool Huge>
void run_join(Skynet<Huge>& work, RayonPeer& peer) {
  work.sum += bench_rayon_skynet_by_join(peer.pool, work.leaves);
}

void run_scope(Skynet<false>& work, RayonPeer& peer) {
  work.sum += bench_rayon_skynet_by_scope(peer.pool, work.leaves);
}

void run_iterator(Skynet<false>& work, RayonPeer& peer) {
  work.sum += bench_rayon_skynet_by_iterator(peer.pool, work.leaves);
}

const Register<run_join<false>> million("rayon");
const Register<run_join<true>> huge("rayon");
const Register<run_scope> scope("rayon_scope");
const Register<run_iterator> iterator("rayon_iterator");

}  // namespace
}  // namespace bench
