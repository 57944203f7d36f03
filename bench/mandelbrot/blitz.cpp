#include "bench/peers/blitz.hpp"

#include "bench/mandelbrot/workload.hpp"

namespace bench {
namespace {

void run(Mandelbrot& work, BlitzPeer& peer) {
  peer.pool.parallel_for(std::size_t{0}, work.side, [&work](std::size_t y) { work.add_row(y); });
}

const Register<run> registered("blitz");

}  // namespace
}  // namespace bench
