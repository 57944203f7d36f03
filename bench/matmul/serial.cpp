#include "bench/peers/serial.hpp"

#include "bench/matmul/workload.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) {
  a();
  b();
};

template <bool Large>
void run(SizedMatmul<Large>& work, SerialPeer&) {
  multiply(work, work.whole(), kFork);
}

const Register<run<false>> small("serial");
const Register<run<true>> large("serial");

}  // namespace
}  // namespace bench
