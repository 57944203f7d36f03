#include "bench/peers/blitz.hpp"

#include "bench/ping_pong/workload.hpp"

namespace bench {
namespace {

template <std::size_t Pairs, class P>
void run(PingPong<Pairs>& work, P& peer) {
  work.begin([&pool = peer.pool](const auto& stroke) { pool.spawn(stroke); });
  work.wait();
}

const Register<run<1, BlitzPeer>> one_pair("blitz");
const Register<run<8, BlitzPeer>> eight_pairs("blitz");
const Register<run<1, BlitzAsyncPeer>> one_pair_async("blitz_async");
const Register<run<8, BlitzAsyncPeer>> eight_pairs_async("blitz_async");

}  // namespace
}  // namespace bench
