#include "bench/peers/tbb.hpp"

#include "bench/loop/workload.hpp"

namespace bench {
namespace {

template <std::size_t Items, class Partitioner>
void run(Loop<Items>& work, TbbPeer& peer) {
  peer.for_each_index<Partitioner>(work.size, 1, [visits = work.visits.data()](std::size_t i) { visits[i] += 1; });
}

const Register<run<2, tbb::auto_partitioner>> two_auto("tbb_auto");
const Register<run<2, tbb::static_partitioner>> two_static("tbb_static");
const Register<run<2, tbb::simple_partitioner>> two_simple("tbb_simple");
const Register<run<1000, tbb::auto_partitioner>> thousand_auto("tbb_auto");
const Register<run<1000, tbb::static_partitioner>> thousand_static("tbb_static");
const Register<run<1000, tbb::simple_partitioner>> thousand_simple("tbb_simple");

}  // namespace
}  // namespace bench
