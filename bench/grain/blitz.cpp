#include "bench/peers/blitz.hpp"

#include "bench/grain/workload.hpp"

namespace bench {
namespace {

template <class P>
struct Blitz {
  template <std::uint64_t Nanoseconds>
  static void run(Grain<Nanoseconds>& work, P& peer) {
    blitz::parallel_for({.pool = &peer.pool}, std::size_t{0}, work.kItems, [&work](std::size_t i) { work.add(i); });
  }
};

struct Isolated {
  template <std::uint64_t Nanoseconds>
  static void run(Grain<Nanoseconds>& work, BlitzPeer& peer) {
    peer.pool.install([&] { blitz::isolate([&] { Blitz<BlitzPeer>::run(work, peer); }); });
  }
};

const RegisterGrains<Blitz<BlitzPeer>> registered("blitz");
const RegisterGrains<Isolated> registered_isolated("blitz_isolated");
const RegisterGrains<Blitz<BlitzAsyncPeer>> registered_async("blitz_async");

}  // namespace
}  // namespace bench
