/// Runs the library on a simulated machine with many processors. See README.md.
#include <algorithm>
#include <exception>
#include <iostream>

#include "bench/simulation/options.hpp"
#include "bench/simulation/report.hpp"
#include "bench/simulation/scenario.hpp"

namespace {

using namespace simulation;

/// Returns whether all results were right.
bool run(const Scenario& scenario, Backend backend, const Options& options) {
  const auto on = [&](unsigned threads) {
    return scenario.run({backend, threads, options.costs, options.seed, options.size, options.free_line});
  };
  const Time alone = on(1).time;
  std::vector<Row> rows;
  bool correct = true;
  for (const unsigned threads : options.threads) {
    rows.push_back({threads, on(threads)});
    correct &= rows.back().outcome.correct;
  }
  print_scenario(std::cout, scenario, alone, rows);
  if (options.details) print_details(std::cout, scenario, rows);
  std::cout.flush();
  return correct;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const auto options = parse(count, arguments);
    if (!options) return 0;
    bool correct = true;
    for (const Backend backend : options->backends) {
      std::cout << (backend == Backend::kAsync ? "async" : "fork_join") << ", profile " << options->profile << ", seed "
                << options->seed << "\n\n";
      for (const Scenario& scenario : scenarios()) {
        const auto& only = options->only;
        if (!only.empty() && std::find(only.begin(), only.end(), scenario.name) == only.end()) continue;
        correct &= run(scenario, backend, *options);
      }
    }
    return correct ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "simulate: " << error.what() << '\n';
    return 2;
  }
}
