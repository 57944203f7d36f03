#include "bench/peers/openmp.hpp"

#include <array>
#include <numeric>

#include "bench/skynet/workload.hpp"

namespace bench {
namespace {

// A task for each child but the last, which the caller does.
BENCH_NOINLINE std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  constexpr std::uint64_t kLast = kSkynetChildren - 1;
  const std::uint64_t each = leaves / kSkynetChildren;
  std::array<std::uint64_t, kSkynetChildren> sums{};
  for (std::uint64_t child = 0; child < kLast; ++child) {
    std::uint64_t* const sum = &sums[child];
    const std::uint64_t start = first + child * each;
#pragma omp task firstprivate(sum, start, each)
    *sum = skynet(start, each);
  }
  sums[kLast] = skynet(first + kLast * each, each);
#pragma omp taskwait
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

void run(Skynet<false>& work, OpenMpPeer&) {
  std::uint64_t result = 0;
#pragma omp parallel
#pragma omp single
  result = skynet(0, work.leaves);
  work.sum += result;
}

const Register<run> registered("openmp_tasks");

}  // namespace
}  // namespace bench
