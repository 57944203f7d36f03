#include "bench/peers/serial.hpp"

#include "bench/reduce/workload.hpp"

namespace bench {
namespace {

void run(Reduce& work, SerialPeer&) {
  double sum = 0;
  for (const double x : work.values) sum += x;
  work.sum += sum;
}

void run_by_int(Reduce& work, SerialPeer&) {
  const double* const values = work.values.data();
  const int size = static_cast<int>(work.values.size());
  double sum = 0;
  for (int i = 0; i < size; ++i) sum += values[i];
  work.sum += sum;
}

const Register<run> registered("serial");
const Register<run_by_int> by_int("serial_int");

}  // namespace
}  // namespace bench
