#include "bench/peers/serial.hpp"

#include "bench/spawn/workload.hpp"

namespace bench {
namespace {

BENCH_NOINLINE void task(std::uint32_t& counter) { ++counter; }

void run(Spawn& work, SerialPeer&) {
  for (std::uint32_t& counter : work.counters) task(counter);
}

const Register<run> registered("serial");

}  // namespace
}  // namespace bench
