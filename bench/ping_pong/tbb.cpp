#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/task_group.h>

#include "bench/ping_pong/workload.hpp"

namespace bench {
namespace {

template <std::size_t Pairs>
void run_enqueue(PingPong<Pairs>& work, TbbEnqueuePeer& peer) {
  work.begin([&arena = peer.arena](const auto& stroke) { arena.enqueue(stroke); });
  work.wait();
}

template <std::size_t Pairs>
void run_group(PingPong<Pairs>& work, TbbPeer&) {
  tbb::task_group group;
  work.begin([&group](const auto& stroke) { group.run(stroke); });
  group.wait();
}

const Register<run_enqueue<1>> one_pair_enqueue("tbb_enqueue");
const Register<run_enqueue<8>> eight_pairs_enqueue("tbb_enqueue");
const Register<run_group<1>> one_pair_group("tbb_group");
const Register<run_group<8>> eight_pairs_group("tbb_group");

}  // namespace
}  // namespace bench
