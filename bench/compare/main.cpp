// Measures every implementation of every workload, interleaved, and reports. The method is in bench/README.md.
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "bench/clang_openmp/load.hpp"
#include "bench/compare/baseline.hpp"
#include "bench/compare/measure_all.hpp"
#include "bench/compare/options.hpp"
#include "bench/compare/report.hpp"

namespace bench {
namespace {

void list_entries(const Options& options) {
  std::string_view shown;
  for (const auto& entry : entries()) {
    if (!is_wanted(entry, options)) continue;
    if (entry.spec->name != shown) std::cout << (shown.empty() ? "" : "\n") << entry.spec->name << ":";
    shown = entry.spec->name;
    std::cout << ' ' << entry.peer;
  }
  std::cout << '\n';
}

/// Called before all measurements, so that a bad name costs no run.
std::ofstream open(const std::string& name) {
  std::ofstream file;
  if (name.empty()) return file;
  file.open(name);
  if (!file) throw BadOptions("cannot write '" + name + "'");
  return file;
}

void write(std::ofstream& file, const std::string& text) {
  if (!(file << text).flush()) throw BadOptions("a result file could not be written to its end");
}

void warn_of_shared_processors(const std::vector<unsigned>& threads) {
  const unsigned processors = default_thread_counts().back();
  if (threads.back() <= processors) return;
  std::cerr << "more threads than the " << processors
            << " processors: those figures show how a library bears that, not how it scales\n";
}

int compare(Options options) {
  if (options.help) return std::cout << kHelp, 0;
  if (options.list) return list_entries(options), 0;
  if (options.threads.empty()) options.threads = default_thread_counts();
  if (options.repetitions == 0) options.repetitions = pick(options.scale, 15u, 7u, 2u);
  warn_of_shared_processors(options.threads);
  if (!options.baseline.empty()) check_baseline(options.baseline, scale_name(options.scale));
  auto json = open(options.json);

  const Results results = measure_all(options);
  const auto aims = targets(results);
  write_table(std::cout, results);
  if (options.aims) write_targets(std::cout, aims);
  std::ostringstream text;
  write_json(text, results, aims);
  if (json.is_open()) write(json, text.str());
  if (!options.baseline.empty()) write_changes(options.baseline, text.str());
  return results.all_correct() ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    bench::add_clang_openmp_entries();
    return bench::compare(bench::parse_options({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::cerr << "compare: " << error.what() << '\n';
    return 2;
  }
}
