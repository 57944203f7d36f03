#include "bench/peers/serial.hpp"

#include "bench/triad/workload.hpp"

namespace bench {
namespace {

template <class Index>
void run(Triad& work, SerialPeer&) {
  const auto size = static_cast<Index>(work.a.size());
  const double* const b = work.b.data();
  const double* const c = work.c.data();
  double* const a = work.a.data();
  const double s = work.next_scalar();
  for (Index i = 0; i < size; ++i) a[i] = b[i] + s * c[i];
}

const Register<run<std::size_t>> registered("serial");
const Register<run<int>> by_int("serial_int");

}  // namespace
}  // namespace bench
