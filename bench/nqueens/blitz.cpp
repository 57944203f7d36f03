#include "bench/peers/blitz.hpp"

#include "bench/nqueens/workload.hpp"

namespace bench {
namespace {

std::uint64_t place(Board board, unsigned open);

BENCH_NOINLINE std::uint64_t queens(Board board) {
  if (board.full()) return 1;
  const unsigned open = board.open();
  return open == 0 ? 0 : place(board, open);
}

std::uint64_t place(Board board, unsigned open) {
  const unsigned square = take_square(open);
  if (open == 0) return queens(board.with(square));
  const auto [a, b] = blitz::join([=] { return queens(board.with(square)); }, [=] { return place(board, open); });
  return a + b;
}

template <unsigned Count>
void run(NQueens<Count>& work, BlitzPeer& peer) {
  work.solutions += peer.pool.install([&work] { return queens(work.empty); });
}

const Register<run<12>> twelve("blitz");
const Register<run<13>> thirteen("blitz");
const Register<run<14>> fourteen("blitz");

}  // namespace
}  // namespace bench
