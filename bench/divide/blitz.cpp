#include "bench/peers/blitz.hpp"

#include "bench/divide/workloads.hpp"

namespace bench {
namespace {

struct Joins {
  template <class W>
  static void run(W& work, BlitzPeer& peer) {
    peer.pool.install([&work] { divide(work, [](const auto& a, const auto& b) { blitz::join(a, b); }); });
  }
};

const RegisterStyle<kDivide, Joins, BlitzPeer> joins("blitz");

}  // namespace
}  // namespace bench
