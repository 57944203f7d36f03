#include "bench/peers/tbb.hpp"

#include <functional>

#include <oneapi/tbb/parallel_scan.h>

#include "bench/scan/workload.hpp"

namespace bench {
namespace {

template <class Partitioner>
void run(Scan& work, TbbPeer& peer) {
  work.run_in_two_passes([&peer](std::size_t count, const auto& f) { peer.for_each_index<Partitioner>(count, 1, f); });
}

void run_scan(Scan& work, TbbPeer&) {
  constexpr std::size_t kGrain = 1024;
  tbb::parallel_scan(
      tbb::blocked_range<std::size_t>(0, work.values.size(), kGrain), std::uint64_t{0},
      [in = work.values.data(), out = work.sums.data(), start = work.next_start()](
          const tbb::blocked_range<std::size_t>& block, std::uint64_t sum, bool is_final) {
        if (is_final) {
          for (std::size_t i = block.begin(); i != block.end(); ++i) out[i] = start + (sum += in[i]);
        } else {
          for (std::size_t i = block.begin(); i != block.end(); ++i) sum += in[i];
        }
        return sum;
      },
      std::plus<>());
}

const Register<run<tbb::auto_partitioner>> by_auto("tbb_auto");
const Register<run<tbb::static_partitioner>> by_static("tbb_static");
const Register<run_scan> own("tbb_scan");

}  // namespace
}  // namespace bench
