#include "bench/peers/tbb.hpp"

#include "bench/saxpy/workload.hpp"

namespace bench {
namespace {

template <class Partitioner>
void run(Saxpy& work, TbbPeer& peer) {
  constexpr std::size_t kGrain = 1024;
  peer.for_each_index<Partitioner>(work.x.size(), kGrain,
                                   [x = work.x.data(), y = work.y.data()](std::size_t i) { y[i] += Saxpy::kA * x[i]; });
}

const Register<run<tbb::auto_partitioner>> by_auto("tbb_auto");
const Register<run<tbb::static_partitioner>> by_static("tbb_static");
const Register<run<tbb::simple_partitioner>> by_simple("tbb_simple");

}  // namespace
}  // namespace bench
