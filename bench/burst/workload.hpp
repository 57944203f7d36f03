// A server's rhythm: every 1, 10 or 100 ms a burst of work comes, a loop called by the main thread, and then nothing
// until the next is due. What is asked for is less how fast a burst is done than what it costs to be ready for it:
// threads that spin through the gap answer at once, and burn a processor for it.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "bench/harness/busy_work.hpp"
#include "bench/harness/registry.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

constexpr Spec burst_spec(unsigned milliseconds) {
  Spec spec{.name = "burst_1ms",
            .title = "64 x 2 us of work from main every 1 ms: CPU time of the process; wall and p99 are of the call",
            .unit_of_work = "call",
            .metric = Metric::microseconds,
            .timing = Timing::bursts,
            .quick = milliseconds == 10 ? Quick::yes : Quick::no};
  if (milliseconds == 10) {
    spec.name = "burst_10ms";
    spec.title = "64 x 2 us of work from main every 10 ms: CPU time of the process; wall and p99 are of the call";
  }
  if (milliseconds == 100) {
    spec.name = "burst_100ms";
    spec.title = "64 x 2 us of work from main every 100 ms: CPU time of the process; wall and p99 are of the call";
  }
  return spec;
}

template <unsigned Milliseconds>
struct Burst : Workload {
  static constexpr Spec spec = burst_spec(Milliseconds);
  static_assert(Milliseconds == 1 || Milliseconds == 10 || Milliseconds == 100);

  explicit Burst(Scale scale)
      : steps_(busy_steps(pick(scale, 2e-6, 2e-6, 2e-7))),
        period_(Clock::duration(std::chrono::milliseconds(Milliseconds)) / pick(scale, 1, 1, 20)) {
    for (std::size_t i = 0; i < kItems; ++i) expected_[i] = busy_work(i + 1, steps_);
  }

  void reset() override { results_.fill(0); }
  bool check(std::size_t runs) const override {
    return std::equal(results_.begin(), results_.end(), expected_.begin(),
                      [runs](std::uint64_t found, std::uint64_t once) { return found == runs * once; });
  }
  Clock::duration period() const override { return period_; }

  void add(std::size_t i) { results_[i] += busy_work(i + 1, steps_); }

  static constexpr std::size_t kItems = 64;

 private:
  std::uint64_t steps_;
  Clock::duration period_;
  std::array<std::uint64_t, kItems> results_{};
  std::array<std::uint64_t, kItems> expected_{};
};

/// Registers `Form::run` for every rhythm.
template <class Form>
struct RegisterBursts {
  explicit RegisterBursts(std::string_view peer) {
    static_cast<void>(Register<Form::template run<1>>(peer));
    static_cast<void>(Register<Form::template run<10>>(peer));
    static_cast<void>(Register<Form::template run<100>>(peer));
  }
};

}  // namespace bench
