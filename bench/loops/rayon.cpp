#include "bench/peers/rayon.hpp"

#include "bench/loops/workloads.hpp"

extern "C" {
void bench_rayon_loop(const bench::rayon::Pool*, std::uint32_t* visits, std::size_t count);
void bench_rayon_grain(const bench::rayon::Pool*, std::uint64_t* results, std::size_t count, std::uint64_t steps);
void bench_rayon_nested(const bench::rayon::Pool*, std::uint64_t* grid, std::size_t rows, std::size_t columns);
}

namespace bench {
namespace {

struct ShortLoops {
  template <std::size_t Items>
  static void run(Loop<Items>& work, RayonPeer& peer) {
    bench_rayon_loop(peer.pool, work.visits.data(), Items);
  }
  static void run(Grain& work, RayonPeer& peer) {
    bench_rayon_grain(peer.pool, work.results.data(), work.kItems, work.steps);
  }
};

struct Loops : ShortLoops {
  using ShortLoops::run;
  static void run(Nested& work, RayonPeer& peer) {
    work.call_from_outside(
        [&work, &peer](std::uint64_t* grid) { bench_rayon_nested(peer.pool, grid, work.rows, work.columns); });
  }
  static void run(SkewedLoop& work, RayonPeer& peer) {
    peer.for_each_index(work.size(), [&work](std::size_t i) { work.add(i); });
  }
  static void run(SkewedReduce& work, RayonPeer& peer) {
    work.sum += peer.sum_over_indices(work.size(), [&work](std::size_t i) { return work.item(i); });
  }
  static void run(Mandelbrot& work, RayonPeer& peer) {
    peer.for_each_index(work.side, [&work](std::size_t y) { work.add_row(y); });
  }
};

const RegisterStyle<kLoops, Loops, RayonPeer> from_main("rayon");
const RegisterStyle<kLoops, ShortLoops, RayonInsidePeer> inside("rayon_inside");

}  // namespace
}  // namespace bench
