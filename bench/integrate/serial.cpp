#include "bench/peers/serial.hpp"

#include "bench/integrate/workload.hpp"

namespace bench {
namespace {

void run(Integrate& work, SerialPeer&) { work.add(serial_integral(work.whole, work.tolerance)); }

const Register<run> registered("serial");

}  // namespace
}  // namespace bench
