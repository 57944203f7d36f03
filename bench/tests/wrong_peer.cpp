// A peer with wrong results that takes 32 MiB. The test of `compare` links it to check that `compare` reports both.
#include <cstddef>
#include <vector>

#include "bench/loops/workloads.hpp"
#include "bench/peers/serial.hpp"

namespace bench {
namespace {

struct Wrong {
  static void run(Loop<2>& work, SerialPeer&) {
    const std::vector<std::byte> touched(32 << 20);
    auto* first = touched.data();
    keep(first);
    work.visits[0] += 2;
  }
};

const RegisterStyle<kLoops, Wrong, SerialPeer> registered("wrong");

}  // namespace
}  // namespace bench
