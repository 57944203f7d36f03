#include "bench/peers/blitz.hpp"

#include "bench/burst/workload.hpp"

namespace bench {
namespace {

template <class P>
struct Blitz {
  template <unsigned Milliseconds>
  static void run(Burst<Milliseconds>& work, P& peer) {
    blitz::parallel_for({.pool = &peer.pool}, 0, int{Burst<Milliseconds>::kItems}, [&work](int i) { work.add(i); });
  }
};

const RegisterBursts<Blitz<BlitzPeer>> registered("blitz");
const RegisterBursts<Blitz<BlitzAsyncPeer>> registered_async("blitz_async");

}  // namespace
}  // namespace bench
