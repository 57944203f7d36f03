#include "bench/peers/rayon.hpp"

#include "bench/burst/workload.hpp"

namespace bench {
namespace {

struct Rayon {
  template <unsigned Milliseconds>
  static void run(Burst<Milliseconds>& work, RayonPeer& peer) {
    peer.for_each_index(work.kItems, [&work](std::size_t i) { work.add(i); });
  }
};

const RegisterBursts<Rayon> registered("rayon");

}  // namespace
}  // namespace bench
