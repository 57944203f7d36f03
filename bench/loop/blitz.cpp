#include "bench/peers/blitz.hpp"

#include "bench/loop/workload.hpp"

namespace bench {
namespace {

template <std::size_t Items, class P>
void run(Loop<Items>& work, P& peer) {
  peer.pool.parallel_for(std::size_t{0}, work.size, [visits = work.visits.data()](std::size_t i) { visits[i] += 1; });
}

const Register<run<2, BlitzPeer>> two("blitz");
const Register<run<2, BlitzAsyncPeer>> two_async("blitz_async");
const Register<run<1000, BlitzPeer>> thousand("blitz");
const Register<run<1000, BlitzAsyncPeer>> thousand_async("blitz_async");

}  // namespace
}  // namespace bench
