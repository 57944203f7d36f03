#include "bench/peers/serial.hpp"

#include "bench/reduce/workload.hpp"

namespace bench {
namespace {

void run(Reduce& work, SerialPeer&) {
  double sum = 0;
  for (const double x : work.values) sum += x;
  work.sum += sum;
}

const Register<run> registered("serial");

}  // namespace
}  // namespace bench
