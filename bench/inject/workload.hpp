// Many small independent jobs, handed to the library one by one by threads that are not its own: what it costs to
// bring a job in and to get it run, and how much the threads that bring them stand in each other's way.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "bench/harness/countdown.hpp"
#include "bench/harness/outside_threads.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

template <unsigned Threads>
struct Inject : Workload {
  static constexpr Spec spec{.name = Threads == 1   ? "inject_1"
                                     : Threads == 2 ? "inject_2"
                                                    : "inject_4",
                             .title = "small jobs brought by so many outside threads, until all are done",
                             .unit_of_work = "job",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::runs};
  static_assert(Threads == 1 || Threads == 2 || Threads == 4);

  explicit Inject(Scale scale) : counters(pick<std::size_t>(scale, 200'000, 100'000, 2'000)), outside_(Threads) {}

  void reset() override { counters.assign(counters.size(), 0); }
  bool check(std::size_t runs) const override {
    return std::all_of(counters.begin(), counters.end(), [runs](std::uint32_t c) { return c == runs; });
  }
  double units() const override { return static_cast<double>(counters.size()); }

  /// Every outside thread passes its share of the jobs to `submit`, one by one, and waits until they have run.
  template <class Submit>
  void submit_all(const Submit& submit) {
    const std::size_t share = counters.size() / Threads;
    outside_.run([&](unsigned thread) {
      Countdown& running = running_[thread];
      running.start(share);
      for (std::size_t i = thread * share; i < (thread + 1) * share; ++i) {
        submit([&running, &counter = counters[i]] {
          ++counter;
          running.finish_one();
        });
      }
      running.wait();
    });
  }

  std::vector<std::uint32_t> counters;

 private:
  std::array<Countdown, Threads> running_;
  OutsideThreads outside_;
};

}  // namespace bench
