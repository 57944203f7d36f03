#include "bench/peers/blitz.hpp"

#include "bench/wake/workload.hpp"

namespace bench {
namespace {

template <class P>
void run_join(Wake& work, P& peer) {
  peer.pool.join([&work] { work.piece(0); }, [&work] { work.piece(1); });
}

void run_for(Wake& work, BlitzPeer& peer) {
  blitz::parallel_for({.pool = &peer.pool}, 0, int{Wake::kPieces}, [&work](int i) { work.piece(i); });
}

const Register<run_join<BlitzPeer>> join("blitz");
const Register<run_join<BlitzAsyncPeer>> join_async("blitz_async");
const Register<run_for> loop("blitz_for");

}  // namespace
}  // namespace bench
