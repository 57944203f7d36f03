// The prices of single operations (prices/) and the entries of `compare` as Google Benchmarks:
// `micro --benchmark_filter=fib/ --benchmark_repetitions=9`. Entries run one after another. To compare peers use `compare`,
// which interleaves them.
#include <string>
#include <thread>

#include <benchmark/benchmark.h>

#include "bench/clang_openmp/load.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/measure.hpp"
#include "bench/prices/prices.hpp"

namespace bench {
namespace {

constexpr Scale kScale = Scale::quick;

/// The idle time before a run.
Clock::duration gap_before(const Bound& bound) {
  const Timing timing = bound.entry->spec->timing;
  if (timing == Timing::wake) return Effort::of(kScale).idle;
  return timing == Timing::bursts ? bound.work->period() : Clock::duration::zero();
}

/// Each iteration is a run, after an untimed idle gap if the workload has one.
void iterate(benchmark::State& state, const Bound& bound) {
  const auto gap = gap_before(bound);
  for ([[maybe_unused]] auto _ : state) {
    if (gap == Clock::duration::zero()) {
      bound.run();
      continue;
    }
    std::this_thread::sleep_for(gap);
    const auto start = Clock::now();
    bound.run();
    state.SetIterationTime(seconds(Clock::now() - start));
  }
}

void run_entry(benchmark::State& state, Setup& setup, const Entry& entry, unsigned threads) {
  const Bound bound = setup.bind(entry, threads);
  wait_until_quiet();
  bound.work->reset();
  bound.peer->session([&] { iterate(state, bound); });
  const auto runs = static_cast<std::size_t>(state.iterations());
  if (!bound.work->check(runs)) state.SkipWithError("wrong result");
  using benchmark::Counter;
  state.counters["per " + std::string(entry.spec->unit_of_work)] =
      Counter(static_cast<double>(runs) * bound.work->units(), Counter::kIsRate | Counter::kInvert);
}

void add(Setup& setup, const Entry& entry, unsigned threads) {
  auto name = std::string(entry.spec->name) + "/" + entry.peer;
  if (entry.threaded) name += "/threads:" + std::to_string(threads);
  auto* registered = benchmark::RegisterBenchmark(
      name.c_str(), [&setup, &entry, threads](benchmark::State& state) { run_entry(state, setup, entry, threads); });
  registered->MeasureProcessCPUTime();
  if (entry.spec->timing == Timing::wake || entry.spec->timing == Timing::bursts) {
    registered->UseManualTime();
  } else {
    registered->UseRealTime();
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::add_prices();
  bench::add_clang_openmp_entries();
  bench::Setup setup(bench::kScale);
  for (const auto& entry : bench::entries()) {
    const auto threads = entry.threaded ? bench::default_thread_counts() : std::vector{1u};
    for (const unsigned n : threads) bench::add(setup, entry, n);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
