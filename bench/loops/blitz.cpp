#include "bench/peers/blitz.hpp"

#include <functional>

#include "bench/loops/workloads.hpp"

namespace bench {
namespace {

struct Loops {
  template <std::size_t Items, class P>
  static void run(Loop<Items>& work, P& peer) {
    blitz::parallel_for({.pool = &peer.pool}, std::size_t{0}, Items,
                        [visits = work.visits.data()](std::size_t i) { visits[i] += 1; });
  }
  template <class P>
  static void run(Grain& work, P& peer) {
    blitz::parallel_for({.pool = &peer.pool}, std::size_t{0}, work.kItems, [&work](std::size_t i) { work.add(i); });
  }
  template <class P>
  static void run(Nested& work, P& peer) {
    work.call_from_outside([&work, &pool = peer.pool](std::uint64_t* grid) {
      blitz::parallel_for({.pool = &pool}, std::size_t{0}, work.rows, [&work, grid](std::size_t row) {
        blitz::parallel_for(std::size_t{0}, work.columns,
                            [&work, grid, row](std::size_t column) { work.add_cell(grid, row, column); });
      });
    });
  }
  static void run(SkewedLoop& work, BlitzPeer& peer) {
    blitz::parallel_for({.pool = &peer.pool}, std::size_t{0}, work.size(), [&work](std::size_t i) { work.add(i); });
  }
  static void run(SkewedReduce& work, BlitzPeer& peer) {
    work.sum += blitz::parallel_transform_reduce({.pool = &peer.pool}, std::size_t{0}, work.size(), std::uint64_t{0},
                                                 std::plus<>(), [&work](std::size_t i) { return work.item(i); });
  }
  static void run(Mandelbrot& work, BlitzPeer& peer) {
    blitz::parallel_for({.pool = &peer.pool}, 0, static_cast<int>(work.side), [&work](int y) { work.add_row(y); });
  }
};

struct ByInt {
  static void run(Loop<1000>& work, BlitzPeer& peer) {
    blitz::parallel_for({.pool = &peer.pool}, 0, 1000, [visits = work.visits.data()](int i) { visits[i] += 1; });
  }
};

struct ByRange {
  static void run(Loop<1000>& work, BlitzPeer& peer) {
    blitz::parallel_for({.pool = &peer.pool}, work.visits, [](std::uint32_t& count) { count += 1; });
  }
};

struct Isolated {
  static void run(Grain& work, BlitzPeer& peer) {
    peer.pool.install([&] { blitz::isolate([&] { Loops::run(work, peer); }); });
  }
};

const RegisterStyle<kLoops, Loops, BlitzPeer> loops("blitz");
const RegisterStyle<kLoops, Loops, BlitzAsyncPeer> loops_async("blitz_async");
const RegisterStyle<kLoops, ByInt, BlitzPeer> by_int("blitz_int");
const RegisterStyle<kLoops, ByRange, BlitzPeer> by_range("blitz_range");
const RegisterStyle<kLoops, Isolated, BlitzPeer> isolated("blitz_isolated");

}  // namespace
}  // namespace bench
