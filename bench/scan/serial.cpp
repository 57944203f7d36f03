#include "bench/peers/serial.hpp"

#include "bench/scan/workload.hpp"

namespace bench {
namespace {

void run(Scan& work, SerialPeer&) {
  const std::uint64_t* const in = work.values.data();
  std::uint64_t* const out = work.sums.data();
  std::uint64_t sum = work.next_start();
  for (std::size_t i = 0; i < work.values.size(); ++i) out[i] = sum += in[i];
}

const Register<run> registered("serial");

}  // namespace
}  // namespace bench
