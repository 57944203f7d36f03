#include "bench/peers/serial.hpp"

#include "bench/mandelbrot/workload.hpp"

namespace bench {
namespace {

void run(Mandelbrot& work, SerialPeer&) {
  for (std::size_t y = 0; y < work.side; ++y) work.add_row(y);
}

const Register<run> registered("serial");

}  // namespace
}  // namespace bench
