#include "bench/peers/serial.hpp"

#include "bench/triad/workload.hpp"

namespace bench {
namespace {

void run(Triad& work, SerialPeer&) {
  const double* const b = work.b.data();
  const double* const c = work.c.data();
  double* const a = work.a.data();
  const double s = work.next_scalar();
  for (std::size_t i = 0; i < work.a.size(); ++i) a[i] = b[i] + s * c[i];
}

const Register<run> registered("serial");

}  // namespace
}  // namespace bench
