// Small independent tasks: spawned into a scope, started together, submitted by outside threads, or spawned by each other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "bench/harness/countdown.hpp"
#include "bench/harness/outside_threads.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

/// Counters, one for each task.
template <class Counters>
struct CountingTasks : Workload {
  void reset() override { std::fill(counters.begin(), counters.end(), 0u); }
  bool check(std::size_t runs) const override {
    return std::all_of(counters.begin(), counters.end(), [runs](std::uint32_t c) { return c == runs; });
  }

  void run() {
    for (std::uint32_t& counter : counters) task(counter);
  }

  /// Empty except for a count. Not inlined, because many of them must not become a few vector instructions.
  BENCH_NOINLINE static void task(std::uint32_t& counter) { ++counter; }

  Counters counters{};
};

// --- A million tasks, spawned one after the other by one thread into a group with one wait: the cost of making a task,
// queueing it, running it and freeing it ---

struct Spawn : CountingTasks<std::vector<std::uint32_t>> {
  explicit Spawn(std::size_t tasks) { counters.resize(tasks); }

  double units() const override { return static_cast<double>(counters.size()); }
};

// --- A few empty bodies, started together by the main thread and waited for: the cost of a fork and a join, while the threads
// are busy with it all the time, and after an idle gap, when they sleep and the caller pays for waking them ---

struct FanOut : CountingTasks<std::array<std::uint32_t, 64>> {};

struct FanOutCold : FanOut {};

// --- Many small jobs, submitted to the library one by one by threads outside it: the cost of submitting a job and running it,
// and the interference of the submitting threads with each other ---

struct InjectSize {
  std::size_t threads = 1;
  std::size_t jobs = 200'000;
};

struct Inject : CountingTasks<std::vector<std::uint32_t>> {
  using Size = InjectSize;

  explicit Inject(const Size& size) : running_(size.threads), outside_(static_cast<unsigned>(size.threads)) {
    counters.resize(size.jobs);
  }

  double units() const override { return static_cast<double>(counters.size()); }

  /// Every outside thread passes its share of the jobs to `submit`, one by one, and waits until they have run.
  template <class Submit>
  void submit_all(const Submit& submit) {
    const std::size_t share = counters.size() / running_.size();
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

 private:
  std::vector<Countdown> running_;
  OutsideThreads outside_;
};

// --- Two jobs that wake each other in turn: each spawns the other and ends, so that one of the two exists at any time. With
// several pairs there is always other work, and the question is whether the pairs interfere with each other. ---

/// The state of a pair. Nothing in it is atomic: spawning hands it over.
struct alignas(128) Rally {
  std::array<std::uint64_t, 2> hits{};
  std::uint64_t left = 0;

  /// Side `side` plays. Returns false after the last stroke of the run.
  BENCH_NOINLINE bool hit(unsigned side) {
    ++hits[side];
    return --left != 0;
  }
};

struct PingPongSize {
  std::size_t pairs = 1;
  std::size_t rounds = 200'000;
};

struct PingPong : Workload {
  using Size = PingPongSize;

  explicit PingPong(const Size& size) : rallies_(size.pairs), rounds_(size.rounds) {}

  void reset() override { std::fill(rallies_.begin(), rallies_.end(), Rally{}); }
  bool check(std::size_t runs) const override {
    const std::uint64_t expected = runs * rounds_;
    return std::all_of(rallies_.begin(), rallies_.end(), [expected](const Rally& rally) {
      return rally.hits[0] == expected && rally.hits[1] == expected;
    });
  }
  double units() const override { return 2.0 * static_cast<double>(rounds_ * rallies_.size()); }

  void run() {
    for (Rally& rally : rallies_) {
      rally.left = 2 * rounds_;
      for (unsigned side = 0; rally.hit(side); side = 1 - side) {
      }
    }
  }

  /// Sets every pair going with `spawn`, a small copyable function that takes a job and does not run it immediately.
  template <class Spawn>
  void begin(const Spawn& spawn) {
    for (Rally& rally : rallies_) rally.left = 2 * rounds_;
    playing_.start(rallies_.size());
    for (Rally& rally : rallies_) spawn(Stroke<Spawn>{this, &rally, spawn, 0});
  }

  /// Blocks until all pairs have played to the end.
  void wait() const { playing_.wait(); }

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

  std::vector<Rally> rallies_;
  std::size_t rounds_;
  Countdown playing_;
};

constexpr Spec per_task(std::string_view name, std::string_view title, std::string_view unit,
                        Quick quick = Quick::yes) {
  return {name, title, unit, Metric::nanoseconds, Timing::runs, quick};
}

inline constexpr std::string_view kInjectTitle = "small jobs brought by so many outside threads, until all are done";

inline constexpr std::tuple kTasks{
    Case<Spawn>{per_task("spawn", "many tasks spawned into one scope, each adds one to a counter of its own", "task",
                         Quick::with_clang),
                1'000'000, 250'000, 2'000},
    Case<FanOut>{
        {"fan_out", "64 empty bodies, hot, called from main", "call", Metric::nanoseconds, Timing::single_calls}},
    Case<FanOutCold>{{"fan_out_cold", "64 empty bodies, called from main after 20 ms idle", "call",
                      Metric::microseconds, Timing::wake}},
    Case<Inject>{per_task("inject_1", kInjectTitle, "job"), {1, 200'000}, {1, 100'000}, {1, 2'000}},
    Case<Inject>{per_task("inject_2", kInjectTitle, "job"), {2, 200'000}, {2, 100'000}, {2, 2'000}},
    Case<Inject>{per_task("inject_4", kInjectTitle, "job"), {4, 200'000}, {4, 100'000}, {4, 2'000}},
    Case<PingPong>{
        per_task("ping_pong_1", "two jobs that spawn each other in turn", "job"), {1, 200'000}, {1, 100'000}, {1, 800}},
    Case<PingPong>{per_task("ping_pong_8", "eight pairs of jobs that spawn each other in turn, at once", "job"),
                   {8, 25'000},
                   {8, 12'500},
                   {8, 100}},
};

}  // namespace bench
