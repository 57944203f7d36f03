#include "bench/peers/blitz.hpp"

#include "bench/spawn/workload.hpp"

namespace bench {
namespace {

template <class P>
void run(Spawn& work, P& peer) {
  peer.pool.scope([&work](blitz::Scope& scope) {
    for (std::uint32_t& counter : work.counters) scope.spawn([&counter] { ++counter; });
  });
}

const Register<run<BlitzPeer>> registered("blitz");
const Register<run<BlitzAsyncPeer>> registered_async("blitz_async");

}  // namespace
}  // namespace bench
