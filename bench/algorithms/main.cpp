// Measures cells of the table of algorithms; algorithms.py chooses them and prints the results.
//
//   algorithms THREADS PASSES SECONDS < cells
//
// Each input line is a cell: the name of a row and a number of items. A cell is measured in PASSES; each pass takes its peers
// in turn, and a repetition takes at least SECONDS. Each output line is a repetition: the number of the cell, the peer, and the
// seconds of a call. Without input it prints the names of the rows. Exit status: 0 all results right; 1 a wrong result; 2 bad
// arguments.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "bench/algorithms/workload.hpp"
#include "bench/harness/measure.hpp"

namespace bench {
namespace {

int run(unsigned threads, unsigned passes, double shortest_seconds) {
  Setup setup(Scale::full);
  Effort effort = Effort::of(Scale::full);
  effort.shortest_seconds = shortest_seconds;
  int status = 0;
  std::string name;
  std::size_t items = 0;
  for (std::size_t cell = 0; std::cin >> name >> items; ++cell) {
    std::vector<Bound> peers;
    for (const auto& entry : entries()) {
      if (entry.spec->name == name) peers.push_back(setup.bind(entry, threads));
    }
    if (peers.empty()) {
      std::cerr << "no row is called " << name << '\n';
      return 2;
    }
    Row& row = static_cast<Row&>(*peers.front().work);
    row.set(items);
    for (unsigned pass = 0; pass < passes; ++pass) {
      for (const Bound& bound : peers) {
        const Repetition found = measure(bound, effort);
        if (!found.correct) {
          std::cerr << "wrong result: " << name << ", " << items << " items, " << bound.entry->peer << '\n';
          status = 1;
        }
        std::printf("%zu %s %.9g\n", cell, bound.entry->peer.c_str(), found.wall_seconds);
      }
    }
    std::fflush(stdout);
    row.set(0);  // frees the memory
  }
  return status;
}

void list() {
  std::string last;
  for (const auto& entry : entries()) {
    if (entry.spec->name != last) std::printf("%s\n", (last = entry.spec->name).c_str());
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  if (argc == 1) {
    bench::list();
    return 0;
  }
  if (argc != 4) {
    std::cerr << "usage: algorithms THREADS PASSES SECONDS < cells; bench/algorithms.py calls it\n";
    return 2;
  }
  return bench::run(static_cast<unsigned>(std::atoi(argv[1])), static_cast<unsigned>(std::atoi(argv[2])),
                    std::atof(argv[3]));
}
