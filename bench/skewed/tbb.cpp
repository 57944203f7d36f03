#include "bench/peers/tbb.hpp"

#include <functional>

#include <oneapi/tbb/parallel_reduce.h>

#include "bench/skewed/workload.hpp"

namespace bench {
namespace {

template <class Partitioner>
void run_loop(SkewedLoop& work, TbbPeer& peer) {
  peer.for_each_index<Partitioner>(work.size(), 1, [&work](std::size_t i) { work.add(i); });
}

template <class Partitioner>
void run_reduce(SkewedReduce& work, TbbPeer&) {
  work.sum += tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, work.size()), std::uint64_t{0},
      [&work](const tbb::blocked_range<std::size_t>& block, std::uint64_t sum) {
        for (std::size_t i = block.begin(); i != block.end(); ++i) sum += work.item(i);
        return sum;
      },
      std::plus<>(), Partitioner());
}

const Register<run_loop<tbb::auto_partitioner>> loop_auto("tbb_auto");
const Register<run_loop<tbb::static_partitioner>> loop_static("tbb_static");
const Register<run_loop<tbb::simple_partitioner>> loop_simple("tbb_simple");
const Register<run_reduce<tbb::auto_partitioner>> reduce_auto("tbb_auto");
const Register<run_reduce<tbb::static_partitioner>> reduce_static("tbb_static");

}  // namespace
}  // namespace bench
