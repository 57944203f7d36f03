#include "bench/peers/rayon.hpp"

#include "bench/divide/workloads.hpp"

namespace bench {
namespace {

struct Joins {
  template <class W>
  static void run(W& work, RayonPeer& peer) {
    peer.install([&work] { divide(work, [](const auto& a, const auto& b) { RayonPeer::join(a, b); }); });
  }
};

const RegisterStyle<kDivide, Joins, RayonPeer> joins("rayon");

}  // namespace
}  // namespace bench
