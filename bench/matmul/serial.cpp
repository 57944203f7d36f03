#include "bench/peers/serial.hpp"

#include "bench/matmul/workload.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) {
  a();
  b();
};

void run(Matmul& work, SerialPeer&) { multiply(work, work.whole(), kFork); }

const Register<run> registered("serial");

}  // namespace
}  // namespace bench
