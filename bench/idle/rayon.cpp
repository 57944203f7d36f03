#include "bench/peers/rayon.hpp"

#include "bench/idle/workloads.hpp"

namespace bench {
namespace {

struct Inside {
  static void run(Wake& work, RayonPeer& peer) {
    peer.install([&work] { RayonPeer::join([&work] { work.piece(0); }, [&work] { work.piece(1); }); });
  }
};

struct Calls : Inside {
  using Inside::run;
  static void run(Burst& work, RayonPeer& peer) {
    peer.for_each_index(work.kItems, [&work](std::size_t i) { work.add(i); });
  }
};

const RegisterStyle<kIdle, Calls, RayonPeer> from_main("rayon");
const RegisterStyle<kIdle, Inside, RayonInsidePeer> inside("rayon_inside");

}  // namespace
}  // namespace bench
