#include "bench/peers/openmp.hpp"

#include "bench/loops/workloads.hpp"

namespace bench {
namespace {

struct Static {
  template <std::size_t Items>
  static void run(Loop<Items>& work, OpenMpPeer&) {
    auto* const visits = work.visits.data();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < Items; ++i) visits[i] += 1;
  }
  static void run(Grain& work, OpenMpPeer&) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < Grain::kItems; ++i) work.add(i);
  }
  static void run(SkewedLoop& work, OpenMpPeer&) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < work.size(); ++i) work.add(i);
  }
  static void run(SkewedReduce& work, OpenMpPeer&) {
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::size_t i = 0; i < work.size(); ++i) sum += work.item(i);
    work.sum += sum;
  }
  static void run(Mandelbrot& work, OpenMpPeer&) {
#pragma omp parallel for schedule(static)
    for (std::size_t y = 0; y < work.side; ++y) work.add_row(y);
  }
};

struct Dynamic {
  static void run(SkewedLoop& work, OpenMpPeer&) {
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < work.size(); ++i) work.add(i);
  }
  static void run(SkewedReduce& work, OpenMpPeer&) {
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (std::size_t i = 0; i < work.size(); ++i) sum += work.item(i);
    work.sum += sum;
  }
  static void run(Mandelbrot& work, OpenMpPeer&) {
#pragma omp parallel for schedule(dynamic)
    for (std::size_t y = 0; y < work.side; ++y) work.add_row(y);
  }
};

// Called only by the main thread, because each other thread would make its own team.
struct Collapse {
  static void run(Nested& work, OpenMpPeer&) {
    work.call_from_outside([&work](std::uint64_t* grid) {
      const std::size_t rows = work.rows;
      const std::size_t columns = work.columns;
#pragma omp parallel for collapse(2) schedule(static)
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) work.add_cell(grid, row, column);
      }
    });
  }
  static void run(NestedInFour&, OpenMpPeer&) = delete;
};

const RegisterStyle<kLoops, Static, OpenMpPeer> by_static("openmp_static");
const RegisterStyle<kLoops, Dynamic, OpenMpPeer> by_dynamic("openmp_dynamic");
const RegisterStyle<kLoops, Collapse, OpenMpPeer> collapse("openmp_collapse");

}  // namespace
}  // namespace bench
