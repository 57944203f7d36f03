// An implementation that is wrong on purpose, and takes 32 MiB: the test of `compare` links it to see that both are found.
#include <cstddef>
#include <vector>

#include "bench/loop/workload.hpp"
#include "bench/peers/serial.hpp"

namespace bench {
namespace {

void run(Loop<2>& work, SerialPeer&) {
  const std::vector<std::byte> touched(32 << 20);
  auto* first = touched.data();
  keep(first);
  work.visits[0] += 2;
}

const Register<run> registered("wrong");

}  // namespace
}  // namespace bench
