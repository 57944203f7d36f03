#include "bench/peers/serial.hpp"

#include "bench/saxpy/workload.hpp"

namespace bench {
namespace {

void run(Saxpy& work, SerialPeer&) {
  const float* const x = work.x.data();
  float* const y = work.y.data();
  for (std::size_t i = 0; i < work.x.size(); ++i) y[i] += Saxpy::kA * x[i];
}

const Register<run> registered("serial");

}  // namespace
}  // namespace bench
