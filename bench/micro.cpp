// The same entries behind Google Benchmark's own interface: `micro --benchmark_filter=fib/ --benchmark_repetitions=9`.
// Entries run one after another here; for a comparison of peers use `compare`, which interleaves them.
#include <string>
#include <thread>

#include <benchmark/benchmark.h>

#include "bench/harness/clock.hpp"
#include "bench/harness/measure.hpp"

namespace bench {
namespace {

constexpr Scale kScale = Scale::quick;

/// One iteration: a run, or for Timing::wake an idle gap, not timed, and a run.
void iterate(benchmark::State& state, const Bound& bound) {
  const bool wake = bound.entry->spec->timing == Timing::wake;
  for ([[maybe_unused]] auto _ : state) {
    if (!wake) {
      bound.run();
      continue;
    }
    std::this_thread::sleep_for(Effort::of(kScale).idle);
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
  if (entry.spec->timing == Timing::wake) {
    registered->UseManualTime();
  } else {
    registered->UseRealTime();
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
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
