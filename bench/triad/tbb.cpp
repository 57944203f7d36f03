#include "bench/peers/tbb.hpp"

#include "bench/triad/workload.hpp"

namespace bench {
namespace {

template <class Partitioner>
void run(Triad& work, TbbPeer& peer) {
  constexpr std::size_t kGrain = 1024;
  peer.for_each_index<Partitioner>(work.a.size(), kGrain,
                                   [a = work.a.data(), b = work.b.data(), c = work.c.data(),
                                    s = work.next_scalar()](std::size_t i) { a[i] = b[i] + s * c[i]; });
}

const Register<run<tbb::auto_partitioner>> by_auto("tbb_auto");
const Register<run<tbb::static_partitioner>> by_static("tbb_static");

}  // namespace
}  // namespace bench
