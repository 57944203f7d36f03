#include "bench/peers/blitz.hpp"

#include "bench/nested/workload.hpp"

namespace bench {
namespace {

template <unsigned Threads, class P>
void run(Nested<Threads>& work, P& peer) {
  work.call_from_outside([&work, &pool = peer.pool](std::uint64_t* grid) {
    blitz::parallel_for({.pool = &pool}, std::size_t{0}, work.rows, [&work, grid](std::size_t row) {
      blitz::parallel_for(std::size_t{0}, work.columns,
                          [&work, grid, row](std::size_t column) { work.add_cell(grid, row, column); });
    });
  });
}

const Register<run<1, BlitzPeer>> from_one("blitz");
const Register<run<4, BlitzPeer>> from_four("blitz");
const Register<run<1, BlitzAsyncPeer>> from_one_async("blitz_async");
const Register<run<4, BlitzAsyncPeer>> from_four_async("blitz_async");

}  // namespace
}  // namespace bench
