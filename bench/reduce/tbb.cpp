#include "bench/peers/tbb.hpp"

#include <functional>

#include <oneapi/tbb/parallel_reduce.h>

#include "bench/reduce/workload.hpp"

namespace bench {
namespace {

double sum_of(const tbb::blocked_range<const double*>& block, double sum) {
  for (const double x : block) sum += x;
  return sum;
}

template <class Partitioner>
void run(Reduce& work, TbbPeer&) {
  constexpr std::size_t kGrain = 1024;
  const double* const first = work.values.data();
  work.sum += tbb::parallel_reduce(tbb::blocked_range<const double*>(first, first + work.values.size(), kGrain), 0.0,
                                   sum_of, std::plus<>(), Partitioner());
}

void run_deterministic(Reduce& work, TbbPeer&) {
  constexpr std::size_t kGrain = 16'384;
  const double* const first = work.values.data();
  work.sum += tbb::parallel_deterministic_reduce(
      tbb::blocked_range<const double*>(first, first + work.values.size(), kGrain), 0.0, sum_of, std::plus<>());
}

const Register<run<tbb::auto_partitioner>> by_auto("tbb_auto");
const Register<run<tbb::static_partitioner>> by_static("tbb_static");
const Register<run_deterministic> deterministic("tbb_deterministic");

}  // namespace
}  // namespace bench
