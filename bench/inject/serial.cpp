#include "bench/peers/serial.hpp"

#include "bench/inject/workload.hpp"

namespace bench {
namespace {

BENCH_NOINLINE void job(std::uint32_t& counter) { ++counter; }

template <unsigned Threads>
void run(Inject<Threads>& work, SerialPeer&) {
  for (std::uint32_t& counter : work.counters) job(counter);
}

const Register<run<1>> from_one("serial");
const Register<run<2>> from_two("serial");
const Register<run<4>> from_four("serial");

}  // namespace
}  // namespace bench
