#include "bench/peers/blitz.hpp"

#include "bench/sort/algorithms.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) { blitz::join(a, b); };

void run_quicksort(Quicksort& work, BlitzPeer& peer) {
  peer.pool.install([&work] { quicksort(work, kFork); });
}
void run_mergesort(Mergesort& work, BlitzPeer& peer) {
  peer.pool.install([&work] { mergesort(work, kFork); });
}

const Register<run_quicksort> quick("blitz");
const Register<run_mergesort> merge("blitz");

}  // namespace
}  // namespace bench
