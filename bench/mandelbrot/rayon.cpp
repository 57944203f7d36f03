#include "bench/peers/rayon.hpp"

#include "bench/mandelbrot/workload.hpp"

namespace bench {
namespace {

void run(Mandelbrot& work, RayonPeer& peer) {
  peer.for_each_index(work.side, [&work](std::size_t y) { work.add_row(y); });
}

const Register<run> registered("rayon");

}  // namespace
}  // namespace bench
