/// The simulated programs. They use the library as real programs do, from a thread outside the pool.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/simulation/costs.hpp"
#include "bench/simulation/machine.hpp"
#include "blitz/stats.hpp"

namespace simulation {

enum class Backend : unsigned char { kForkJoin, kAsync };

/// The amount of work.
enum class Size : unsigned char { kTiny, kFull };

struct Setup {
  Backend backend = Backend::kForkJoin;
  unsigned threads = 1;
  Costs costs;
  std::uint64_t seed = 1;
  Size size = Size::kFull;
  std::string free_line;  // the name of lines that cost no time; empty: none
};

/// The results of one run, between begin() and end() of its session.
struct Outcome {
  Time time = 0;
  Time work = 0;            // time of the program's bodies, by design, on a processor of full speed
  double speed = 1;         // the sum of the speeds of the workers: they need at least work / speed
  std::uint64_t units = 0;  // joins, items, jobs: see Scenario::unit
  bool correct = false;     // each body has run once, with the result of a serial run
  Counts counts;
  blitz::WorkerStats stats;
  /// Figures of this scenario only, by the name of their column, with the number of decimals to print.
  struct Figure {
    std::string name;
    double value;
    int decimals = 1;
  };
  std::vector<Figure> more = {};
};

struct Scenario {
  std::string_view name;
  std::string_view unit;
  std::string_view what;
  Outcome (*run)(const Setup& setup);
};

/// All scenarios, in the order of the report.
[[nodiscard]] const std::vector<Scenario>& scenarios();

// One group per file in scenarios/.
Outcome run_tree(const Setup& setup);
Outcome run_fine_tree(const Setup& setup);
Outcome run_loop_of_1000(const Setup& setup);
Outcome run_loop_of_100000(const Setup& setup);
Outcome run_repeated_loop(const Setup& setup);
Outcome run_wake(const Setup& setup);
Outcome run_busy(const Setup& setup);
Outcome run_spawn_1(const Setup& setup);
Outcome run_spawn_4(const Setup& setup);
Outcome run_spawn_16(const Setup& setup);
Outcome run_join_alone(const Setup& setup);
Outcome run_loop_32_of_1us(const Setup& setup);
Outcome run_loop_32_of_10us(const Setup& setup);
Outcome run_wake_pair(const Setup& setup);

}  // namespace simulation
