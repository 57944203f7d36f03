#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/task_group.h>

#include "bench/fan_out/workload.hpp"

namespace bench {
namespace {

template <bool Cold, class Partitioner>
void run_for(FanOut<Cold>& work, TbbPeer& peer) {
  peer.for_each_index<Partitioner>(work.visits.size(), 1, [&work](std::size_t i) { work.body(work.visits[i]); });
}

void run_group(FanOut<false>& work, TbbPeer&) {
  tbb::task_group group;
  for (std::uint32_t& count : work.visits) group.run([&count] { FanOut<false>::body(count); });
  group.wait();
}

const Register<run_for<false, tbb::auto_partitioner>> hot_auto("tbb_auto");
const Register<run_for<false, tbb::static_partitioner>> hot_static("tbb_static");
const Register<run_group> hot_group("tbb_group");
const Register<run_for<true, tbb::auto_partitioner>> cold_auto("tbb_auto");

}  // namespace
}  // namespace bench
