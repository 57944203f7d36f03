#include "bench/peers/tbb.hpp"

#include <array>
#include <numeric>

#include <oneapi/tbb/task_group.h>

#include "bench/skynet/workload.hpp"

namespace bench {
namespace {

// The caller does the last child itself.
BENCH_NOINLINE std::uint64_t by_group(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  constexpr std::uint64_t kLast = kSkynetChildren - 1;
  const std::uint64_t each = leaves / kSkynetChildren;
  std::array<std::uint64_t, kSkynetChildren> sums{};
  tbb::task_group group;
  for (std::uint64_t child = 0; child < kLast; ++child) {
    group.run([&sum = sums[child], start = first + child * each, each] { sum = by_group(start, each); });
  }
  sums[kLast] = by_group(first + kLast * each, each);
  group.wait();
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

template <bool Huge>
void run(Skynet<Huge>& work, TbbPeer&) {
  work.sum += by_group(0, work.leaves);
}

const Register<run<false>> million("tbb_group");
const Register<run<true>> huge("tbb_group");

}  // namespace
}  // namespace bench
