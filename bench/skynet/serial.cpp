#include "bench/peers/serial.hpp"

#include "bench/skynet/workload.hpp"

namespace bench {
namespace {

template <bool Huge>
void run(Skynet<Huge>& work, SerialPeer&) {
  work.sum += serial_skynet(0, work.leaves);
}

const Register<run<false>> million("serial");
const Register<run<true>> huge("serial");

}  // namespace
}  // namespace bench
