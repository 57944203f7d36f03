#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/parallel_invoke.h>

#include "bench/cadence/workload.hpp"

namespace bench {
namespace {

template <class Partitioner>
void run_loop(CadenceLoop& work, TbbPeer& peer) {
  peer.for_each_index<Partitioner>(work.items(), 1, [&work](std::size_t i) { work.add(i); });
}

void run_join(CadenceJoin& work, TbbPeer&) {
  tbb::parallel_invoke([&work] { work.first_half(); }, [&work] { work.second_half(); });
}

void run_tree(CadenceTree& work, TbbPeer&) {
  work.add_all([](auto&& a, auto&& b) { tbb::parallel_invoke(a, b); });
}

const Register<run_loop<tbb::auto_partitioner>> by_auto("tbb_auto");
const Register<run_loop<tbb::static_partitioner>> by_static("tbb_static");
const Register<run_join> join("tbb_invoke");
const Register<run_tree> tree("tbb_invoke");

}  // namespace
}  // namespace bench
