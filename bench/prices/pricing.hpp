// Measures a price, with or without a rival.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/harness/clock.hpp"
#include "bench/harness/processors.hpp"
#include "bench/harness/statistics.hpp"

namespace bench::prices {

/// Takes the place of a job: nothing is run here.
struct Item {
  Item* next = nullptr;
};

/// The item that all queues of pointers hold, once for each push.
inline Item item;

constexpr std::size_t kBatch = 128;  // operations between two readings of the clock
constexpr std::size_t kStock = 240;  // items in a queue before some are taken; a ring has room for 256
constexpr int kTurns = 64;           // actions of a rival between two checks whether to stop

/// A second thread, on another processor, which sleeps until it gets work.
class Neighbour {
 public:
  explicit Neighbour(std::optional<int> processor) : thread_([this, processor] { live(processor); }) {}
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour() {
    rest();
    work_ = nullptr;
    begin_.release();
  }

  /// The thread calls `work` repeatedly, until rest(). Returns after the first call.
  void begin(std::function<void()> work) { begin(std::move(work), false); }
  void rest() {
    if (!busy_) return;
    over_.store(true, std::memory_order_relaxed);
    done_.acquire();
    busy_ = false;
  }
  void once(std::function<void()> work) {
    begin(std::move(work), true);
    rest();
  }

 private:
  void begin(std::function<void()> work, bool once) {
    work_ = std::move(work);
    over_.store(once, std::memory_order_relaxed);
    begin_.release();
    done_.acquire();
    busy_ = true;
  }
  void live(std::optional<int> processor) {
    const Pin pin(processor);
    for (;;) {
      begin_.acquire();
      if (!work_) return;
      work_();
      done_.release();
      while (!over_.load(std::memory_order_relaxed)) work_();
      done_.release();
    }
  }

  bool busy_ = false;
  std::function<void()> work_;
  std::atomic<bool> over_{false};
  std::binary_semaphore begin_{0};
  std::counting_semaphore<2> done_{0};
  std::jthread thread_;
};

/// One measurement. There always is a second thread, which sleeps if the price is without contention, because membarriers would
/// cost nothing in a process with one thread.
class Pricing {
 public:
  Pricing(benchmark::State& state, bool contended)
      : contended(contended), cpus(processors()), neighbour(cpu(1)), state_(state) {}

  /// The `i`th of the processors. The first is for the measuring thread.
  [[nodiscard]] std::optional<int> cpu(std::size_t i) const {
    return i < cpus.size() ? std::optional(cpus[i]) : std::nullopt;
  }

  /// With contention: another processor calls `act` repeatedly while operations are timed. Otherwise does nothing.
  template <class Act>
  void beside(Act act) {
    if (!contended) return;
    neighbour.begin([act]() mutable {
      for (int i = 0; i < kTurns; ++i) act();
    });
  }

  /// Calls `sample` as often as needed. Each call returns the time of `count` operations plus one reading of the clock. The
  /// price is the mean of the samples between the quartiles.
  template <class Sample>
  void measure(std::size_t count, const Sample& sample) {
    std::vector<double> samples;
    while (state_.KeepRunningBatch(static_cast<benchmark::IterationCount>(count))) samples.push_back(seconds(sample()));
    neighbour.rest();
    const double net = std::max(0.0, middle_mean(samples) - clock_cost());
    state_.SetIterationTime(static_cast<double>(samples.size()) * net);
  }

  /// Times `operate`, `count` calls at a time. It returns whether it succeeded; without contention it must. `prepare` is called
  /// before, untimed.
  template <class Prepare, class Operate>
  void time(std::size_t count, const Prepare& prepare, const Operate& operate) {
    const Pin pin(cpu(0));
    measure(count, [&] {
      prepare();
      bool done = true;
      const auto start = Clock::now();
      for (std::size_t i = 0; i < count; ++i) done &= operate();
      const auto duration = Clock::now() - start;
      if (!done && !contended) state_.SkipWithError("an operation failed");
      return duration;
    });
  }

  const bool contended;
  const std::vector<int> cpus;
  Neighbour neighbour;

 private:
  benchmark::State& state_;
};

constexpr auto kNothing = [] {};

}  // namespace bench::prices
