#include "bench/peers/tbb.hpp"

#include <array>
#include <numeric>

#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>

#include "bench/nqueens/workload.hpp"

namespace bench {
namespace {

std::uint64_t place(Board board, unsigned open);

BENCH_NOINLINE std::uint64_t queens_by_invoke(Board board) {
  if (board.full()) return 1;
  const unsigned open = board.open();
  return open == 0 ? 0 : place(board, open);
}

std::uint64_t place(Board board, unsigned open) {
  const unsigned square = take_square(open);
  if (open == 0) return queens_by_invoke(board.with(square));
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  tbb::parallel_invoke([&a, board, square] { a = queens_by_invoke(board.with(square)); },
                       [&b, board, open] { b = place(board, open); });
  return a + b;
}

// One group for the row; the caller makes the last placement.
BENCH_NOINLINE std::uint64_t queens_by_group(Board board) {
  if (board.full()) return 1;
  unsigned open = board.open();
  if (open == 0) return 0;
  std::array<std::uint64_t, kLargestBoard> solutions{};
  auto result = solutions.begin();
  tbb::task_group group;
  unsigned square = take_square(open);
  for (; open != 0; square = take_square(open)) {
    group.run([result, board, square] { *result = queens_by_group(board.with(square)); });
    ++result;
  }
  *result = queens_by_group(board.with(square));
  group.wait();
  return std::accumulate(solutions.begin(), solutions.end(), std::uint64_t{0});
}

template <unsigned Count>
void run_invoke(NQueens<Count>& work, TbbPeer&) {
  work.solutions += queens_by_invoke(work.empty);
}

template <unsigned Count>
void run_group(NQueens<Count>& work, TbbPeer&) {
  work.solutions += queens_by_group(work.empty);
}

const Register<run_invoke<12>> twelve_by_invoke("tbb_invoke");
const Register<run_invoke<13>> thirteen_by_invoke("tbb_invoke");
const Register<run_invoke<14>> fourteen_by_invoke("tbb_invoke");
const Register<run_group<12>> twelve_by_group("tbb_group");
const Register<run_group<13>> thirteen_by_group("tbb_group");
const Register<run_group<14>> fourteen_by_group("tbb_group");

}  // namespace
}  // namespace bench
