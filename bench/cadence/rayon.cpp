#include "bench/peers/rayon.hpp"

#include "bench/cadence/workload.hpp"

namespace bench {
namespace {

void run_loop(CadenceLoop& work, RayonInsidePeer& peer) {
  peer.for_each_index(work.items(), [&work](std::size_t i) { work.add(i); });
}

void run_join(CadenceJoin& work, RayonInsidePeer&) {
  RayonPeer::join([&work] { work.first_half(); }, [&work] { work.second_half(); });
}

void run_tree(CadenceTree& work, RayonInsidePeer&) {
  work.add_all([](auto&& a, auto&& b) { RayonPeer::join(a, b); });
}

const Register<run_loop> loop("rayon_inside");
const Register<run_join> join("rayon_inside");
const Register<run_tree> tree("rayon_inside");

}  // namespace
}  // namespace bench
