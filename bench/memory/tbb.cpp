#include "bench/peers/tbb.hpp"

#include <functional>

#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>

#include "bench/memory/workloads.hpp"

namespace bench {
namespace {

constexpr std::size_t kGrain = 1024;

double sum_of(const tbb::blocked_range<const double*>& block, double sum) {
  for (const double x : block) sum += x;
  return sum;
}

tbb::blocked_range<const double*> all_of(const std::vector<double>& values, std::size_t grain) {
  return {values.data(), values.data() + values.size(), grain};
}

template <class Partitioner>
struct Loops {
  static void run(Saxpy& work, TbbPeer& peer) {
    peer.for_each_index<Partitioner>(
        work.x.size(), kGrain, [x = work.x.data(), y = work.y.data()](std::size_t i) { y[i] += Saxpy::kA * x[i]; });
  }
};

/// With a partitioner that chooses the size of the blocks.
template <class Partitioner>
struct MoreLoops : Loops<Partitioner> {
  using Loops<Partitioner>::run;
  static void run(Triad& work, TbbPeer& peer) {
    peer.for_each_index<Partitioner>(work.a.size(), kGrain,
                                     [a = work.a.data(), b = work.b.data(), c = work.c.data(),
                                      s = work.next_scalar()](std::size_t i) { a[i] = b[i] + s * c[i]; });
  }
  static void run(Reduce& work, TbbPeer&) {
    work.sum += tbb::parallel_reduce(all_of(work.values, kGrain), 0.0, sum_of, std::plus<>(), Partitioner());
  }
  static void run(Scan& work, TbbPeer& peer) {
    work.run_in_two_passes(
        [&peer](std::size_t count, const auto& f) { peer.for_each_index<Partitioner>(count, 1, f); });
  }
};

struct Deterministic {
  static void run(Reduce& work, TbbPeer&) {
    work.sum += tbb::parallel_deterministic_reduce(all_of(work.values, 16'384), 0.0, sum_of, std::plus<>());
  }
};

struct ParallelScan {
  static void run(Scan& work, TbbPeer&) {
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
};

const RegisterStyle<kMemory, MoreLoops<tbb::auto_partitioner>, TbbPeer> by_auto("tbb_auto");
const RegisterStyle<kMemory, MoreLoops<tbb::static_partitioner>, TbbPeer> by_static("tbb_static");
const RegisterStyle<kMemory, Loops<tbb::simple_partitioner>, TbbPeer> by_simple("tbb_simple");
const RegisterStyle<kMemory, Deterministic, TbbPeer> deterministic("tbb_deterministic");
const RegisterStyle<kMemory, ParallelScan, TbbPeer> parallel_scan("tbb_scan");

}  // namespace
}  // namespace bench
