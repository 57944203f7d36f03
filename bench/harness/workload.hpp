// A workload: its description, its input and result, and the check of the result against the serial one.
//
// The folder of a theme holds `workloads.hpp`, with the classes of its workloads and their list, and one file for each
// library, which registers its functions (registry.hpp). All timing is in measure.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>

#include "bench/harness/clock.hpp"

#if defined(__clang__)
#define BENCH_NOINLINE [[gnu::noinline]]
#else
#define BENCH_NOINLINE [[gnu::noinline, gnu::noclone]]
#endif

namespace bench {

/// The size of the inputs: for the full comparison, for a quick look, or only to test the program.
enum class Scale { full, quick, smoke };

template <class T>
constexpr T pick(Scale scale, T full, T quick, T smoke) {
  return scale == Scale::full ? full : scale == Scale::quick ? quick : smoke;
}

/// The unit of a figure. All but gigabytes_per_second are times, where less is better.
enum class Metric { nanoseconds, microseconds, milliseconds, gigabytes_per_second };

/// The unit that a repetition times.
enum class Timing {
  runs,          ///< whole runs, back to back; the figure is the time of one unit of work
  single_calls,  ///< every call by itself, hot; the figure is the typical call, reported with the 99th percentile
  wake,          ///< single calls after an idle gap; the figure is the median excess over Workload::ideal_seconds
  cadence,       ///< Workload::gap and a call in turn; the figure is the mean time of a call, without gaps
  bursts,        ///< a call every Workload::period; the figure is the CPU time of the process, gaps included
};

/// Whether `--quick` measures a workload that is not selected by name.
enum class Quick {
  no,
  yes,         ///< all libraries except clang's OpenMP: its threads spin for 200 ms, and each repetition waits for that
  with_clang,  ///< all libraries
};

struct Spec {
  std::string_view name;          ///< as given to `--only`, and in the JSON
  std::string_view title;         ///< one line for the reader of the table
  std::string_view unit_of_work;  ///< the unit of the figure's divisor: a join, a node, a call
  Metric metric;
  Timing timing;
  Quick quick = Quick::yes;
};

/// The input and the result of one workload, shared by all its implementations. A run *adds* to the result, so the check at the
/// end finds one wrong run among many.
class Workload {
 public:
  using Size = std::size_t;  ///< the type of the sizes in Case

  Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  virtual ~Workload() = default;

  /// Forgets the results of earlier runs.
  virtual void reset() = 0;

  /// Whether the result equals the result of `runs` serial runs since reset().
  [[nodiscard]] virtual bool check(std::size_t runs) const = 0;

  /// Units of work in one run.
  [[nodiscard]] virtual double units() const { return 1; }

  /// The lower bound of the time of a run, for Timing::wake.
  [[nodiscard]] virtual double ideal_seconds() const { return 0; }

  /// The caller's work before a call, for Timing::cadence.
  virtual void gap() {}

  /// The time from the start of one call to the start of the next, for Timing::bursts.
  [[nodiscard]] virtual Clock::duration period() const { return {}; }
};

/// A workload in the list of its theme. A class without a default constructor is made with one of three sizes.
template <class W>
struct Case {
  Spec spec;
  typename W::Size full{};
  typename W::Size quick = full;
  typename W::Size smoke = full;

  [[nodiscard]] std::unique_ptr<Workload> make(Scale scale) const {
    if constexpr (std::is_default_constructible_v<W>) {
      return std::make_unique<W>();
    } else {
      return std::make_unique<W>(pick(scale, full, quick, smoke));
    }
  }
};

/// Makes the compiler assume that `value` is used and changed here.
template <class T>
inline void keep(T& value) {
  asm volatile("" : "+r"(value));
}

}  // namespace bench
