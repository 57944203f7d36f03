#include "bench/peers/openmp.hpp"

#include <array>
#include <numeric>

#include "bench/nqueens/workload.hpp"

namespace bench {
namespace {

// A task for each placement in the row but the last, which the caller makes.
BENCH_NOINLINE std::uint64_t queens(Board board) {
  if (board.full()) return 1;
  unsigned open = board.open();
  if (open == 0) return 0;
  std::array<std::uint64_t, kLargestBoard> solutions{};
  std::uint64_t* result = solutions.data();
  unsigned square = take_square(open);
  for (; open != 0; square = take_square(open)) {
#pragma omp task firstprivate(result, board, square)
    *result = queens(board.with(square));
    ++result;
  }
  *result = queens(board.with(square));
#pragma omp taskwait
  return std::accumulate(solutions.begin(), solutions.end(), std::uint64_t{0});
}

template <unsigned Count>
void run(NQueens<Count>& work, OpenMpPeer&) {
  std::uint64_t result = 0;
#pragma omp parallel
#pragma omp single
  result = queens(work.empty);
  work.solutions += result;
}

const Register<run<12>> twelve("openmp_tasks");
const Register<run<13>> thirteen("openmp_tasks");
const Register<run<14>> fourteen("openmp_tasks");

}  // namespace
}  // namespace bench
