#include "bench/peers/tbb.hpp"

#include <functional>

#include <oneapi/tbb/parallel_reduce.h>

#include "bench/loops/workloads.hpp"

namespace bench {
namespace {

template <class Partitioner>
struct Loops {
  template <std::size_t Items>
  static void run(Loop<Items>& work, TbbPeer& peer) {
    peer.for_each_index<Partitioner>(Items, 1, [visits = work.visits.data()](std::size_t i) { visits[i] += 1; });
  }
  static void run(SkewedLoop& work, TbbPeer& peer) {
    peer.for_each_index<Partitioner>(work.size(), 1, [&work](std::size_t i) { work.add(i); });
  }
  static void run(Mandelbrot& work, TbbPeer& peer) {
    peer.for_each_index<Partitioner>(work.side, 1, [&work](std::size_t y) { work.add_row(y); });
  }
};

/// With a partitioner that chooses the size of the blocks.
template <class Partitioner>
struct MoreLoops : Loops<Partitioner> {
  using Loops<Partitioner>::run;
  static void run(Grain& work, TbbPeer& peer) {
    peer.for_each_index<Partitioner>(work.kItems, 1, [&work](std::size_t i) { work.add(i); });
  }
  static void run(Nested& work, TbbPeer& peer) {
    work.call_from_outside([&work, &peer](std::uint64_t* grid) {
      peer.execute([&work, &peer, grid] {
        peer.for_each_index<Partitioner>(work.rows, 1, [&work, &peer, grid](std::size_t row) {
          peer.for_each_index<Partitioner>(
              work.columns, 1, [&work, grid, row](std::size_t column) { work.add_cell(grid, row, column); });
        });
      });
    });
  }
  static void run(SkewedReduce& work, TbbPeer&) {
    work.sum += tbb::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, work.size()), std::uint64_t{0},
        [&work](const tbb::blocked_range<std::size_t>& block, std::uint64_t sum) {
          for (std::size_t i = block.begin(); i != block.end(); ++i) sum += work.item(i);
          return sum;
        },
        std::plus<>(), Partitioner());
  }
};

const RegisterStyle<kLoops, MoreLoops<tbb::auto_partitioner>, TbbPeer> by_auto("tbb_auto");
const RegisterStyle<kLoops, MoreLoops<tbb::static_partitioner>, TbbPeer> by_static("tbb_static");
const RegisterStyle<kLoops, Loops<tbb::simple_partitioner>, TbbPeer> by_simple("tbb_simple");

}  // namespace
}  // namespace bench
