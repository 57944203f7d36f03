#include "bench/peers/serial.hpp"

#include "bench/loop/workload.hpp"

namespace bench {
namespace {

template <std::size_t Items>
void run(Loop<Items>& work, SerialPeer&) {
  auto* const visits = work.visits.data();
  for (std::size_t i = 0; i < work.size; ++i) visits[i] += 1;
}

const Register<run<2>> two("serial");
const Register<run<1000>> thousand("serial");

}  // namespace
}  // namespace bench
