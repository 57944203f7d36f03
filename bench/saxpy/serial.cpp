#include "bench/peers/serial.hpp"

#include "bench/saxpy/workload.hpp"

namespace bench {
namespace {

template <class Index>
void run(Saxpy& work, SerialPeer&) {
  const auto size = static_cast<Index>(work.x.size());
  const float* const x = work.x.data();
  float* const y = work.y.data();
  for (Index i = 0; i < size; ++i) y[i] += Saxpy::kA * x[i];
}

const Register<run<std::size_t>> registered("serial");
const Register<run<int>> by_int("serial_int");

}  // namespace
}  // namespace bench
