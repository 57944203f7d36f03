// Measures every implementation of every workload beside the others, and reports. The method is in bench/README.md.
#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "bench/compare/options.hpp"
#include "bench/compare/progress.hpp"
#include "bench/compare/report.hpp"
#include "bench/harness/clock.hpp"

namespace bench {
namespace {

std::string describe(const Bound& bound) {
  std::string text = std::string(bound.entry->spec->name) + " " + bound.entry->peer;
  return bound.entry->threaded ? text + " x" + std::to_string(bound.threads) : text;
}

std::vector<Bound> bind_all(Setup& setup, const Options& options) {
  std::vector<Bound> plan;
  for (const auto& entry : entries()) {
    const bool wanted = options.only.empty() ||
                        std::find(options.only.begin(), options.only.end(), entry.spec->name) != options.only.end();
    if (!wanted) continue;
    const auto threads = entry.threaded ? options.threads : std::vector{1u};
    for (const unsigned n : threads) plan.push_back(setup.bind(entry, n));
  }
  return plan;
}

/// The steps of pass `pass`: workload by workload, and within one beginning with another entry each time, so that
/// nobody always follows the same neighbour.
std::vector<std::size_t> order(const std::vector<Bound>& plan, std::size_t pass) {
  std::vector<std::size_t> steps(plan.size());
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = i;
  for (auto first = steps.begin(); first != steps.end();) {
    const Spec* spec = plan[*first].entry->spec;
    const auto last = std::find_if(first, steps.end(), [&](std::size_t i) { return plan[i].entry->spec != spec; });
    std::rotate(first, first + static_cast<std::ptrdiff_t>(pass) % (last - first), last);
    first = last;
  }
  return steps;
}

/// Pass 0 warms up; its figures are dropped, its results are checked like the others.
Results measure_all(const std::vector<Bound>& plan, const Options& options) {
  const Effort effort = Effort::of(options.scale);
  std::vector<std::vector<Repetition>> measured(plan.size());
  std::set<std::size_t> wrong;
  std::set<std::string> restless;
  const std::size_t passes = options.repetitions + 1;
  Progress progress(passes, plan.size());
  for (std::size_t pass = 0; pass < passes; ++pass) {
    const auto steps = order(plan, pass);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Bound& bound = plan[steps[i]];
      const Stopwatch watch;
      progress.begin(pass, i, describe(bound));
      const Repetition repetition = measure(bound, effort);
      progress.end(i, watch.wall());
      if (pass != 0) measured[steps[i]].push_back(repetition);
      if (!repetition.correct) wrong.insert(steps[i]);
      if (!repetition.quiet) restless.insert(describe(bound));
    }
  }
  progress.finish();

  Results results{options.threads, options.repetitions, pick(options.scale, "full", "quick", "smoke"), {}};
  for (std::size_t i = 0; i < plan.size(); ++i) {
    results.rows.emplace_back(*plan[i].entry, plan[i].threads, std::move(measured[i]));
    if (wrong.contains(i)) {
      results.rows.back().correct = false;
      std::cerr << "wrong result: " << describe(plan[i]) << '\n';
    }
  }
  for (const auto& name : restless) std::cerr << "still busy a second after its last run: " << name << '\n';
  return results;
}

void list_entries() {
  std::string_view shown;
  for (const auto& entry : entries()) {
    if (entry.spec->name != shown) std::cout << (shown.empty() ? "" : "\n") << entry.spec->name << ":";
    shown = entry.spec->name;
    std::cout << ' ' << entry.peer;
  }
  std::cout << '\n';
}

/// Opened before anything is measured, so that a bad name costs no run.
std::ofstream open(const std::string& name) {
  std::ofstream file;
  if (name.empty()) return file;
  file.open(name);
  if (!file) throw BadOptions("cannot write '" + name + "'");
  return file;
}

int compare(Options options) {
  if (options.help) return std::cout << kHelp, 0;
  if (options.list) return list_entries(), 0;
  if (options.threads.empty()) options.threads = default_thread_counts();
  if (options.repetitions == 0) options.repetitions = pick(options.scale, 15u, 9u, 2u);
  auto json = open(options.json);
  auto svg = open(options.svg);

  Setup setup(options.scale);
  const Results results = measure_all(bind_all(setup, options), options);
  const auto aims = targets(results);
  write_table(std::cout, results, aims);
  if (json.is_open()) write_json(json, results, aims);
  if (svg.is_open()) write_svg(svg, results);
  if (!json.flush() || !svg.flush()) throw BadOptions("a result file could not be written to its end");
  return results.all_correct() ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::compare(bench::parse_options({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::cerr << "compare: " << error.what() << '\n';
    return 2;
  }
}
