#include "bench/peers/serial.hpp"

#include "bench/fan_out/workload.hpp"

namespace bench {
namespace {

template <bool Cold>
void run(FanOut<Cold>& work, SerialPeer&) {
  for (std::uint32_t& count : work.visits) work.body(count);
}

const Register<run<false>> hot("serial");
const Register<run<true>> cold("serial");

}  // namespace
}  // namespace bench
