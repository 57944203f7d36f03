#include "bench/peers/tbb.hpp"

#include "bench/mandelbrot/workload.hpp"

namespace bench {
namespace {

template <class Partitioner>
void run(Mandelbrot& work, TbbPeer& peer) {
  peer.for_each_index<Partitioner>(work.side, 1, [&work](std::size_t y) { work.add_row(y); });
}

const Register<run<tbb::auto_partitioner>> by_auto("tbb_auto");
const Register<run<tbb::static_partitioner>> by_static("tbb_static");
const Register<run<tbb::simple_partitioner>> by_simple("tbb_simple");

}  // namespace
}  // namespace bench
