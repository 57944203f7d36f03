#include "bench/peers/blitz.hpp"

#include "bench/burst/workload.hpp"

namespace bench {
namespace {

template <class P>
struct Blitz {
  template <unsigned Milliseconds>
  static void run(Burst<Milliseconds>& work, P& peer) {
    peer.pool.parallel_for(std::size_t{0}, work.kItems, [&work](std::size_t i) { work.add(i); });
  }
};

const RegisterBursts<Blitz<BlitzPeer>> registered("blitz");
const RegisterBursts<Blitz<BlitzAsyncPeer>> registered_async("blitz_async");

}  // namespace
}  // namespace bench
