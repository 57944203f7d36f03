// The results of a comparison: a row for each (workload, implementation, threads), and queries.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/measure.hpp"

namespace bench {

struct Row {
  Row(const Entry& entry, unsigned thread_count, std::vector<Repetition> measured);

  const Spec* spec;
  std::string peer;
  bool threaded;
  unsigned threads;
  std::vector<Repetition> repetitions;

  double median;  ///< of the figures, in the workload's metric
  double low;     ///< their quartiles
  double high;
  double p99;           ///< median over the repetitions; NaN where single calls are not timed
  double wall_seconds;  ///< medians, per unit of work
  double cpu_seconds;
  double cpu_after_seconds;  ///< per repetition

  /// Of one run (harness/memory.hpp); NaN if unknown. Not computed from the repetitions, like the next member.
  double peak_bytes = std::numeric_limits<double>::quiet_NaN();
  bool correct = true;  ///< in the warm-up too

  /// The distance between the quartiles, relative to the median.
  [[nodiscard]] double spread() const { return std::abs((high - low) / median); }
};

/// Returns how many times slower `row` is than `base`, for times and for rates. NaN if one is missing or not positive, as an
/// excess within the noise may be.
double times_slower(const Row* row, const Row* base);

struct Results {
  std::vector<unsigned> threads;
  unsigned repetitions;
  std::string scale;
  std::vector<Row> rows;  ///< by workload; within one by implementation, then threads

  /// The row, or nullptr if it was not measured. The serial form has the same row for every thread count.
  [[nodiscard]] const Row* find(std::string_view workload, std::string_view peer, unsigned threads) const;

  /// The best of the library's implementations: their names begin with `library`.
  [[nodiscard]] const Row* best(std::string_view workload, std::string_view library, unsigned threads) const;

  /// Returns how many times slower `row` is than blitz with as many threads (the serial form: than blitz with the fewest).
  [[nodiscard]] double times_slower_than_blitz(const Row& row) const;

  /// Returns how many times faster `row` is than the serial form. NaN if there is no serial row, and for figures without a
  /// speed-up: an excess over the ideal, a CPU time.
  [[nodiscard]] double speed_up(const Row& row) const;

  [[nodiscard]] bool all_correct() const;
};

/// "ns", "GB/s", ...
std::string_view unit_name(Metric metric);

/// Whether the figure is CPU time: it has no speed-up, and is left out of the geometric means.
inline bool is_cpu_time(const Spec& spec) { return spec.timing == Timing::bursts; }

/// "ns/join", "CPU us/call", "GB/s"
std::string figure_name(const Spec& spec);

/// Describes the machine and the compiler in the heading.
struct Machine {
  std::string processor;
  unsigned processors;
  std::string compiler;
};
Machine this_machine();

}  // namespace bench
