#include "bench/peers/blitz.hpp"

#include "bench/spawn/workload.hpp"

namespace bench {
namespace {

void run(Spawn& work, BlitzPeer& peer) {
  peer.pool.scope([&work](blitz::Scope& scope) {
    for (std::uint32_t& counter : work.counters) scope.spawn([&counter] { ++counter; });
  });
}

const Register<run> registered("blitz");

}  // namespace
}  // namespace bench
