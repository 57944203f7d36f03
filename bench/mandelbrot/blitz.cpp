#include "bench/peers/blitz.hpp"

#include "bench/mandelbrot/workload.hpp"

namespace bench {
namespace {

void run(Mandelbrot& work, BlitzPeer& peer) {
  blitz::parallel_for({.pool = &peer.pool}, 0, static_cast<int>(work.side), [&work](int y) { work.add_row(y); });
}

const Register<run> registered("blitz");

}  // namespace
}  // namespace bench
