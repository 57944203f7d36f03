#include "bench/peers/rayon.hpp"

#include "bench/skewed/workload.hpp"

namespace bench {
namespace {

void run_loop(SkewedLoop& work, RayonPeer& peer) {
  peer.for_each_index(work.size(), [&work](std::size_t i) { work.add(i); });
}

void run_reduce(SkewedReduce& work, RayonPeer& peer) {
  work.sum += peer.sum_over_indices(work.size(), [&work](std::size_t i) { return work.item(i); });
}

const Register<run_loop> loop("rayon");
const Register<run_reduce> reduce("rayon");

}  // namespace
}  // namespace bench
