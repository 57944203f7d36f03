#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/parallel_invoke.h>

#include "bench/matmul/workload.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) { tbb::parallel_invoke(a, b); };

template <bool Large>
void run(SizedMatmul<Large>& work, TbbPeer&) {
  multiply(work, work.whole(), kFork);
}

const Register<run<false>> small("tbb_invoke");
const Register<run<true>> large("tbb_invoke");

}  // namespace
}  // namespace bench
