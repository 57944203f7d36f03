#include "bench/peers/openmp.hpp"

#include "bench/nested/workload.hpp"

namespace bench {
namespace {

// From main alone: other threads would each make a team of their own.
void run(Nested<1>& work, OpenMpPeer&) {
  work.call_from_outside([&work](std::uint64_t* grid) {
    const std::size_t rows = work.rows;
    const std::size_t columns = work.columns;
#pragma omp parallel for collapse(2) schedule(static)
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) work.add_cell(grid, row, column);
    }
  });
}

const Register<run> registered("openmp_collapse");

}  // namespace
}  // namespace bench
