// Measures cells of the cadence table; cadence.py chooses them and prints the results. Every pass visits every cell, and takes
// the peers of a cell in turn.
//
//   cadence THREADS PASSES SECONDS PATTERN... < cells
//
// A repetition takes at least SECONDS. The peers are the serial form and the peers with names that match a PATTERN. Each input
// line is a cell: `loop` or `join`, then the members of Cell. Each output line is a repetition: the number of the cell, the
// peer, the wall and the CPU seconds of a call. Exit status: 0 all results right; 1 a wrong result; 2 bad arguments.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fnmatch.h>

#include "bench/cadence/workload.hpp"
#include "bench/compare/progress.hpp"
#include "bench/harness/measure.hpp"

namespace bench {
namespace {

struct Step {
  std::size_t cell;
  Bound bound;
};

bool is_wanted(const Entry& entry, std::span<const char* const> patterns) {
  if (!entry.threaded) return true;
  for (const char* pattern : patterns) {
    if (fnmatch(pattern, entry.peer.c_str(), 0) == 0) return true;
  }
  return false;
}

int run(unsigned threads, unsigned passes, double shortest_seconds, std::span<const char* const> patterns) {
  Setup setup(Scale::full);
  std::vector<Cell> cells;
  std::vector<Step> steps;
  Cell cell{};
  for (std::string name; std::cin >> name >> cell.items >> cell.heavy >> cell.length >> cell.gap >> cell.asleep;) {
    for (const auto& entry : entries()) {
      if (entry.spec->name == name && is_wanted(entry, patterns)) {
        steps.push_back({cells.size(), setup.bind(entry, threads)});
      }
    }
    cells.push_back(cell);
  }

  Effort effort = Effort::of(Scale::full);
  effort.shortest_seconds = shortest_seconds;
  std::vector<std::string> names;
  for (unsigned pass = 1; pass <= passes; ++pass) names.push_back("pass " + std::to_string(pass));
  Progress progress(std::move(names), steps.size());
  int status = 0;
  for (unsigned pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto& [number, bound] = steps[i];
      const Stopwatch watch;
      progress.begin(pass, i, bound.entry->peer);
      if (i == 0 || steps[i - 1].cell != number) static_cast<Cadence&>(*bound.work).set(cells[number]);
      const Repetition found = measure(bound, effort);
      if (!found.correct) {
        std::cerr << "wrong result: " << bound.entry->peer << '\n';
        status = 1;
      }
      if (!found.quiet) std::cerr << "still busy a second after its last run: " << bound.entry->peer << '\n';
      std::printf("%zu %s %.9g %.9g\n", number, bound.entry->peer.c_str(), found.wall_seconds, found.cpu_seconds);
      progress.end(i, watch.wall());
    }
  }
  progress.finish();
  return status;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  if (argc < 5) {
    std::cerr << "usage: cadence THREADS PASSES SECONDS PATTERN... < cells; bench/cadence.py calls it\n";
    return 2;
  }
  return bench::run(static_cast<unsigned>(std::atoi(argv[1])), static_cast<unsigned>(std::atoi(argv[2])),
                    std::atof(argv[3]), {argv + 4, argv + argc});
}
