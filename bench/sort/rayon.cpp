#include "bench/peers/rayon.hpp"

#include "bench/sort/algorithms.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) { RayonPeer::join(a, b); };

void run_quicksort(Quicksort& work, RayonPeer& peer) {
  peer.install([&work] { quicksort(work, kFork); });
}
void run_mergesort(Mergesort& work, RayonPeer& peer) {
  peer.install([&work] { mergesort(work, kFork); });
}

const Register<run_quicksort> quick("rayon");
const Register<run_mergesort> merge("rayon");

}  // namespace
}  // namespace bench
