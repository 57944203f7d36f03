#include "bench/compare/measure_all.hpp"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "bench/compare/progress.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/memory.hpp"

namespace bench {
namespace {

/// An entry on a number of threads, and its results.
struct Step {
  const Entry* entry;
  unsigned threads;
  double peak_bytes = std::numeric_limits<double>::quiet_NaN();
  std::vector<Repetition> repetitions{};
  bool correct = true;
  bool quiet = true;

  [[nodiscard]] std::string name() const {
    const std::string text = std::string(entry->spec->name) + " " + entry->peer;
    return entry->threaded ? text + " x" + std::to_string(threads) : text;
  }
};

std::vector<Step> plan(const Options& options) {
  std::vector<Step> steps;
  for (const auto& entry : entries()) {
    if (!is_wanted(entry, options)) continue;
    const auto threads = entry.threaded ? options.threads : std::vector{1u};
    for (const unsigned n : threads) steps.push_back({&entry, n});
  }
  return steps;
}

/// The order of pass `pass`: by workload. Within a workload each pass begins with another entry, so that the predecessor of an
/// entry varies.
std::vector<std::size_t> order(const std::vector<Step>& steps, std::size_t pass) {
  std::vector<std::size_t> indices(steps.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  for (auto first = indices.begin(); first != indices.end();) {
    const Spec* spec = steps[*first].entry->spec;
    const auto last = std::find_if(first, indices.end(), [&](std::size_t i) { return steps[i].entry->spec != spec; });
    std::rotate(first, first + static_cast<std::ptrdiff_t>(pass) % (last - first), last);
    first = last;
  }
  return indices;
}

std::vector<std::string> pass_names(bool with_memory, unsigned repetitions) {
  std::vector<std::string> names;
  if (with_memory) names.emplace_back("memory");
  names.emplace_back("warm-up");
  for (unsigned i = 1; i <= repetitions; ++i) {
    names.push_back("repetition " + std::to_string(i) + "/" + std::to_string(repetitions));
  }
  return names;
}

/// Calls `visit(step)` for all steps, as pass `pass` of `progress`.
void make_pass(std::vector<Step>& steps, Progress& progress, std::size_t pass, const auto& visit) {
  const auto indices = order(steps, pass);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    Step& step = steps[indices[i]];
    const Stopwatch watch;
    progress.begin(pass, i, step.name());
    visit(step);
    progress.end(i, watch.wall());
  }
}

Results results(const Options& options, std::vector<Step> steps) {
  Results results{options.threads, options.repetitions, scale_name(options.scale), {}};
  for (auto& step : steps) {
    results.rows.emplace_back(*step.entry, step.threads, std::move(step.repetitions));
    results.rows.back().peak_bytes = step.peak_bytes;
    results.rows.back().correct = step.correct;
    if (!step.correct) std::cerr << "wrong result: " << step.name() << '\n';
    if (!step.quiet) std::cerr << "still busy a second after its last run: " << step.name() << '\n';
  }
  return results;
}

}  // namespace

std::string scale_name(Scale scale) { return pick(scale, "full", "quick", "smoke"); }

bool is_wanted(const Entry& entry, const Options& options) {
  if (options.only.empty()) return entry.in_quick || options.scale != Scale::quick;
  return std::find(options.only.begin(), options.only.end(), entry.spec->name) != options.only.end();
}

// Memory comes first: it is measured in forked processes, while this one has no other threads. The figures of the warm-up are
// discarded; its results are checked.
Results measure_all(const Options& options) {
  auto steps = plan(options);
  const bool with_memory = peak_memory_is_known();
  const auto names = pass_names(with_memory, options.repetitions);
  Progress progress(names, steps.size());
  std::size_t pass = 0;
  if (with_memory) {
    make_pass(steps, progress, pass++,
              [&](Step& step) { step.peak_bytes = peak_bytes(*step.entry, step.threads, options.scale); });
  }

  Setup setup(options.scale);
  for (const auto& step : steps) setup.bind(*step.entry, step.threads);
  const Effort effort = Effort::of(options.scale);
  for (const std::size_t warm_up = pass; pass < names.size(); ++pass) {
    make_pass(steps, progress, pass, [&](Step& step) {
      const Repetition repetition = measure(setup.bind(*step.entry, step.threads), effort);
      if (pass != warm_up) step.repetitions.push_back(repetition);
      step.correct = step.correct && repetition.correct;
      step.quiet = step.quiet && repetition.quiet;
    });
  }
  progress.finish();
  return results(options, std::move(steps));
}

}  // namespace bench
