#include "bench/peers/rayon.hpp"

#include "bench/wake/workload.hpp"

namespace bench {
namespace {

template <class P>
void run(Wake& work, P& peer) {
  peer.install([&work] { RayonPeer::join([&work] { work.piece(0); }, [&work] { work.piece(1); }); });
}

const Register<run<RayonPeer>> from_main("rayon");
const Register<run<RayonInsidePeer>> inside("rayon_inside");

}  // namespace
}  // namespace bench
