// Two jobs that wake each other in turn: each spawns the other and ends, so that one of the two exists at any time. With
// several pairs at once there is always other work, and the question is whether the pairs get in each other's way.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "bench/harness/countdown.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

/// The state of a pair. Nothing in it is atomic: spawning hands it over.
struct alignas(128) Rally {
  std::array<std::uint64_t, 2> hits{};
  std::uint64_t left = 0;

  /// Side `side` plays; false: it was the last stroke of the run.
  BENCH_NOINLINE bool hit(unsigned side) {
    ++hits[side];
    return --left != 0;
  }
};

template <std::size_t Pairs>
struct PingPong : Workload {
  static constexpr Spec spec{.name = Pairs == 1 ? "ping_pong_1" : "ping_pong_8",
                             .title = Pairs == 1 ? "two jobs that spawn each other in turn"
                                                 : "eight pairs of jobs that spawn each other in turn, at once",
                             .unit_of_work = "job",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::runs};
  static_assert(Pairs == 1 || Pairs == 8);

  explicit PingPong(Scale scale) : rallies(Pairs), rounds_(pick<std::size_t>(scale, 200'000, 100'000, 800) / Pairs) {}

  void reset() override { std::fill(rallies.begin(), rallies.end(), Rally{}); }
  bool check(std::size_t runs) const override {
    const std::uint64_t expected = runs * rounds_;
    return std::all_of(rallies.begin(), rallies.end(), [expected](const Rally& rally) {
      return rally.hits[0] == expected && rally.hits[1] == expected;
    });
  }
  double units() const override { return 2.0 * static_cast<double>(rounds_ * Pairs); }

  /// Sets every pair going with `spawn`, a small copyable function that takes a job and does not run it at once.
  template <class Spawn>
  void begin(const Spawn& spawn) {
    for (Rally& rally : rallies) rally.left = 2 * rounds_;
    playing_.start(Pairs);
    for (Rally& rally : rallies) spawn(Stroke<Spawn>{this, &rally, spawn, 0});
  }

  /// Blocks until all pairs have played to the end.
  void wait() const { playing_.wait(); }

  std::vector<Rally> rallies;

 private:
  template <class Spawn>
  struct Stroke {
    void operator()() const {
      if (rally->hit(side)) {
        spawn(Stroke{work, rally, spawn, 1 - side});
      } else {
        work->playing_.finish_one();
      }
    }

    PingPong* work;
    Rally* rally;
    Spawn spawn;
    unsigned side;
  };

  std::size_t rounds_;
  Countdown playing_;
};

}  // namespace bench
