// g++'s OpenMP and clang's can be used in one process. Each runs its entries on its own threads, as many as requested.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "bench/clang_openmp/load.hpp"
#include "bench/harness/setup.hpp"

namespace bench {
namespace {

int failures = 0;

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

std::size_t threads_of_this_process() {
  using Iterator = std::filesystem::directory_iterator;
  return static_cast<std::size_t>(std::distance(Iterator("/proc/self/task"), Iterator()));
}

bool is_mapped(std::string_view library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(library) != std::string::npos) return true;
  }
  return false;
}

const Entry& entry(std::string_view workload, std::string_view peer) {
  return *std::find_if(entries().begin(), entries().end(),
                       [&](const Entry& e) { return e.spec->name == workload && e.peer == peer; });
}

/// Runs the entry once, and returns the number of threads that this added to the process.
std::size_t new_threads(Setup& setup, const Entry& entry, unsigned threads) {
  const std::size_t before = threads_of_this_process();
  const Bound bound = setup.bind(entry, threads);
  bound.work->reset();
  bound.peer->session([&] { bound.run(); });
  expect(bound.work->check(1), "the result is right");
  return threads_of_this_process() - before;
}

int test() {
  add_clang_openmp_entries();
  expect(is_mapped("/libgomp"), "g++'s runtime is there");
  expect(is_mapped("/libomp"), "clang's runtime is there");

  // More than either uses by default.
  const unsigned threads = default_thread_counts().back() + 1;
  const Entry& own = entry("burst_1ms", "openmp_static");
  const Entry& foreign = entry("burst_1ms", "clang_static");
  expect(own.spec == foreign.spec, "both have the same description");
  Setup setup(Scale::smoke);
  expect(new_threads(setup, own, threads) == threads - 1, "g++'s runtime starts its threads");
  expect(new_threads(setup, foreign, threads) == threads - 1, "clang's runtime starts threads of its own");
  expect(new_threads(setup, own, threads) == 0, "g++'s runtime has kept its threads");
  expect(new_threads(setup, foreign, threads) == 0, "clang's runtime has kept its threads");
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main() { return bench::test(); }
