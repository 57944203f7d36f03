#include "bench/peers/blitz.hpp"

#include "bench/inject/workload.hpp"

namespace bench {
namespace {

template <unsigned Threads, class P>
void run(Inject<Threads>& work, P& peer) {
  work.submit_all([&pool = peer.pool](const auto& job) { pool.spawn(job); });
}

const Register<run<1, BlitzPeer>> from_one("blitz");
const Register<run<2, BlitzPeer>> from_two("blitz");
const Register<run<4, BlitzPeer>> from_four("blitz");
const Register<run<1, BlitzAsyncPeer>> from_one_async("blitz_async");
const Register<run<2, BlitzAsyncPeer>> from_two_async("blitz_async");
const Register<run<4, BlitzAsyncPeer>> from_four_async("blitz_async");

}  // namespace
}  // namespace bench
