#include "bench/peers/serial.hpp"

#include "bench/loop/workload.hpp"

namespace bench {
namespace {

template <std::size_t Items, class Index = std::size_t>
void run(Loop<Items>& work, SerialPeer&) {
  auto* const visits = work.visits.data();
  for (Index i = 0; i < Index{Items}; ++i) visits[i] += 1;
}

void run_by_range(Loop<1000>& work, SerialPeer&) {
  for (std::uint32_t& count : work.visits) count += 1;
}

const Register<run<2>> two("serial");
const Register<run<1000>> thousand("serial");
const Register<run<1000, int>> thousand_by_int("serial_int");
const Register<run_by_range> thousand_by_range("serial_range");

}  // namespace
}  // namespace bench
