#include "bench/peers/tbb.hpp"

#include "bench/nested/workload.hpp"

namespace bench {
namespace {

template <unsigned Threads, class Partitioner>
void run(Nested<Threads>& work, TbbPeer& peer) {
  work.call_from_outside([&work, &peer](std::uint64_t* grid) {
    peer.execute([&work, &peer, grid] {
      peer.for_each_index<Partitioner>(work.rows, 1, [&work, &peer, grid](std::size_t row) {
        peer.for_each_index<Partitioner>(work.columns, 1,
                                         [&work, grid, row](std::size_t column) { work.add_cell(grid, row, column); });
      });
    });
  });
}

const Register<run<1, tbb::auto_partitioner>> from_one_auto("tbb_auto");
const Register<run<1, tbb::static_partitioner>> from_one_static("tbb_static");
const Register<run<4, tbb::auto_partitioner>> from_four_auto("tbb_auto");
const Register<run<4, tbb::static_partitioner>> from_four_static("tbb_static");

}  // namespace
}  // namespace bench
