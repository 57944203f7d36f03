// An implementation that is wrong on purpose: the test of `compare` links it to see that a wrong result is found.
#include "bench/loop/workload.hpp"
#include "bench/peers/serial.hpp"

namespace bench {
namespace {

void run(Loop<2>& work, SerialPeer&) { work.visits[0] += 2; }

const Register<run> registered("wrong");

}  // namespace
}  // namespace bench
