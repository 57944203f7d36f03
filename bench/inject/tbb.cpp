#include "bench/peers/tbb.hpp"

#include "bench/inject/workload.hpp"

namespace bench {
namespace {

template <unsigned Threads>
void run(Inject<Threads>& work, TbbEnqueuePeer& peer) {
  work.submit_all([&arena = peer.arena](const auto& job) { arena.enqueue(job); });
}

const Register<run<1>> from_one("tbb_enqueue");
const Register<run<2>> from_two("tbb_enqueue");
const Register<run<4>> from_four("tbb_enqueue");

}  // namespace
}  // namespace bench
