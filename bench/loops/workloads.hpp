// Parallel loops with bodies that use little memory: cheap and costly items, alike and uneven, plain and nested.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "bench/harness/busy_work.hpp"
#include "bench/harness/hash.hpp"
#include "bench/harness/outside_threads.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

/// Whether each number is `runs` times the number after a single run.
template <class Numbers>
bool is_multiple(const Numbers& found, const Numbers& once, std::size_t runs) {
  return std::equal(found.begin(), found.end(), once.begin(), [runs](auto f, auto o) { return f == runs * o; });
}

// --- A few cheap items, in repeated calls by the main thread: the cost of a call that is hardly worth parallelizing, and the
// variation of its time ---

template <std::size_t Items>
struct Loop : Workload {
  Loop() : visits(Items) {}

  void reset() override { std::fill(visits.begin(), visits.end(), 0u); }
  bool check(std::size_t runs) const override {
    return std::all_of(visits.begin(), visits.end(), [runs](std::uint32_t v) { return v == runs; });
  }

  void run() {
    auto* const counts = visits.data();
    for (std::size_t i = 0; i < Items; ++i) counts[i] += 1;
  }

  static constexpr std::size_t size = Items;
  std::vector<std::uint32_t> visits;
};

// --- 32 items, called by the main thread, with bodies from a nanosecond to a millisecond: the minimum length at which
// parallelism pays, and the cost below it ---

struct Grain : Workload {
  using Size = double;  // the seconds of an item

  explicit Grain(double seconds) : steps(busy_steps(seconds)) {
    for (std::size_t i = 0; i < kItems; ++i) expected_[i] = busy_work(i + 1, steps);
  }

  void reset() override { results.fill(0); }
  bool check(std::size_t runs) const override { return is_multiple(results, expected_, runs); }
  double units() const override { return kItems; }

  void run() {
    for (std::size_t i = 0; i < kItems; ++i) add(i);
  }
  void add(std::size_t i) { results[i] += busy_work(i + 1, steps); }

  static constexpr std::size_t kItems = 32;
  std::array<std::uint64_t, kItems> results{};
  const std::uint64_t steps;

 private:
  std::array<std::uint64_t, kItems> expected_{};
};

// --- A loop over rows, each a loop over cells: called by one thread outside the pool, and by four at the same time, each
// with its own grid ---

struct NestedSize {
  unsigned threads = 1;
  std::size_t rows = 64;
  std::size_t columns = 1000;
};

struct Nested : Workload {
  using Size = NestedSize;

  explicit Nested(const Size& size)
      : rows(size.rows), columns(size.columns), grids_(size.threads * rows * columns), outside_(size.threads) {
    for (std::size_t i = 0; i < rows * columns; ++i) expected_.push_back(value(i));
  }

  void reset() override { std::fill(grids_.begin(), grids_.end(), 0u); }
  bool check(std::size_t runs) const override {
    for (std::size_t i = 0; i < grids_.size(); ++i) {
      if (grids_[i] != runs * expected_[i % expected_.size()]) return false;
    }
    return true;
  }
  double units() const override { return static_cast<double>(grids_.size()); }

  // Each outside thread makes its own plain loops, so with several of them this is not one thread's work.
  void run() {
    call_from_outside([this](std::uint64_t* grid) {
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) add_cell(grid, row, column);
      }
    });
  }

  /// Calls `loops` from every outside thread with the grid of that thread.
  template <class Loops>
  void call_from_outside(const Loops& loops) {
    outside_.run([&](unsigned thread) { loops(grids_.data() + thread * rows * columns); });
  }

  /// Some ten nanoseconds of work.
  void add_cell(std::uint64_t* grid, std::size_t row, std::size_t column) const {
    const std::size_t i = row * columns + column;
    grid[i] += value(i);
  }

  const std::size_t rows;
  const std::size_t columns;

 private:
  static std::uint64_t value(std::size_t i) { return busy_work(i + 1, 5); }

  std::vector<std::uint64_t> grids_;
  std::vector<std::uint64_t> expected_;
  OutsideThreads outside_;
};

struct NestedInFour : Nested {
  using Nested::Nested;
};

// --- Items with costs of a Pareto distribution: most are cheap, a few take a thousand times as long, and no implementation
// knows them. A block of items can cost anything. ---

struct Skewed : Workload {
  explicit Skewed(std::size_t items) : steps_(items) {
    constexpr double kLeast = 50;
    constexpr double kMost = 50'000;
    constexpr double kShape = 1.1;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const double uniform = static_cast<double>(random_at(3, i) >> 11) * 0x1p-53;
      steps_[i] = static_cast<std::uint64_t>(std::min(kMost, kLeast * std::pow(1 - uniform, -1 / kShape)));
    }
  }

  [[nodiscard]] std::size_t size() const { return steps_.size(); }

  /// A few hundred nanoseconds to a hundred microseconds of work.
  [[nodiscard]] std::uint64_t item(std::size_t i) const { return busy_work(i + 1, steps_[i]); }

 private:
  std::vector<std::uint64_t> steps_;
};

struct SkewedLoop : Skewed {
  explicit SkewedLoop(std::size_t items) : Skewed(items), results_(size()), expected_(size()) {
    for (std::size_t i = 0; i < size(); ++i) expected_[i] = item(i);
  }

  void reset() override { std::fill(results_.begin(), results_.end(), 0u); }
  bool check(std::size_t runs) const override { return is_multiple(results_, expected_, runs); }

  void run() {
    for (std::size_t i = 0; i < size(); ++i) add(i);
  }
  void add(std::size_t i) { results_[i] += item(i); }

 private:
  std::vector<std::uint64_t> results_;
  std::vector<std::uint64_t> expected_;
};

struct SkewedReduce : Skewed {
  explicit SkewedReduce(std::size_t items) : Skewed(items) {
    for (std::size_t i = 0; i < size(); ++i) expected_ += item(i);
  }

  void reset() override { sum = 0; }
  bool check(std::size_t runs) const override { return sum == runs * expected_; }

  void run() {
    for (std::size_t i = 0; i < size(); ++i) sum += item(i);
  }

  std::uint64_t sum = 0;

 private:
  std::uint64_t expected_ = 0;
};

// --- The rows of the Mandelbrot set: heavy iterations with costs that differ by a factor of a hundred ---

struct Mandelbrot : Workload {
  explicit Mandelbrot(std::size_t size) : side(size), image_(side * side), expected_(side * side) {
    run();
    expected_.swap(image_);
  }

  void reset() override { std::fill(image_.begin(), image_.end(), 0u); }
  bool check(std::size_t runs) const override { return is_multiple(image_, expected_, runs); }

  void run() {
    for (std::size_t y = 0; y < side; ++y) add_row(y);
  }

  /// Adds the escape times of row `y` to the image. One copy of the code serves all implementations.
  BENCH_NOINLINE void add_row(std::size_t y) {
    const double scale = 2.6 / static_cast<double>(side);
    const double im = static_cast<double>(y) * scale - 1.3;
    std::uint32_t* const row = image_.data() + y * side;
    for (std::size_t x = 0; x < side; ++x) row[x] += escape_time(static_cast<double>(x) * scale - 2.0, im);
  }

  const std::size_t side;

 private:
  static std::uint32_t escape_time(double re, double im) {
    constexpr std::uint32_t kLimit = 300;
    double a = 0;
    double b = 0;
    std::uint32_t n = 0;
    for (; n < kLimit && a * a + b * b <= 4; ++n) {
      const double next = a * a - b * b + re;
      b = 2 * a * b + im;
      a = next;
    }
    return n;
  }

  std::vector<std::uint32_t> image_;
  std::vector<std::uint32_t> expected_;
};

constexpr Spec per_call(std::string_view name, std::string_view title, Quick quick = Quick::yes) {
  return {name, title, "call", Metric::nanoseconds, Timing::single_calls, quick};
}

constexpr Spec per_item(std::string_view name, std::string_view title, Quick quick = Quick::yes) {
  return {name, title, "item", Metric::nanoseconds, Timing::runs, quick};
}

constexpr Spec per_milliseconds(std::string_view name, std::string_view title, std::string_view unit) {
  return {name, title, unit, Metric::milliseconds, Timing::runs};
}

/// The names of the grains sort by length.
inline constexpr std::tuple kLoops{
    Case<Loop<2>>{per_call("loop_2", "a loop of 2 cheap items, hot, called from main")},
    Case<Loop<1000>>{per_call("loop_1000", "a loop of 1000 cheap items, hot, called from main", Quick::with_clang)},
    Case<Grain>{per_item("grain_1e0", "a loop of 32 items of 1 ns each, called from main"), 1e-9, 1e-9, 1e-11},
    Case<Grain>{per_item("grain_1e1", "a loop of 32 items of 10 ns each, called from main"), 1e-8, 1e-8, 1e-10},
    Case<Grain>{per_item("grain_1e2", "a loop of 32 items of 100 ns each, called from main"), 1e-7, 1e-7, 1e-9},
    Case<Grain>{per_item("grain_1e3", "a loop of 32 items of 1 us each, called from main"), 1e-6, 1e-6, 1e-8},
    Case<Grain>{per_item("grain_1e4", "a loop of 32 items of 10 us each, called from main"), 1e-5, 1e-5, 1e-7},
    Case<Grain>{per_item("grain_1e5", "a loop of 32 items of 100 us each, called from main"), 1e-4, 1e-4, 1e-6},
    Case<Grain>{per_item("grain_1e6", "a loop of 32 items of 1 ms each, called from main", Quick::no), 1e-3, 1e-3,
                1e-5},
    Case<Nested>{{"nested_1", "a loop within a loop, called from main", "cell", Metric::nanoseconds, Timing::runs},
                 {.threads = 1},
                 {.threads = 1},
                 {.threads = 1, .rows = 8, .columns = 100}},
    Case<NestedInFour>{
        {"nested_4", "a loop within a loop, called by four threads at once", "cell", Metric::nanoseconds, Timing::runs},
        {.threads = 4},
        {.threads = 4},
        {.threads = 4, .rows = 8, .columns = 100}},
    Case<SkewedLoop>{
        per_milliseconds("skewed_loop", "a loop whose items' costs follow a Pareto distribution, called from main",
                         "call"),
        20'000, 10'000, 200},
    Case<SkewedReduce>{
        per_milliseconds("skewed_reduce", "a sum over items whose costs follow a Pareto distribution, called from main",
                         "call"),
        20'000, 10'000, 200},
    Case<Mandelbrot>{per_milliseconds("mandelbrot", "the Mandelbrot set by rows", "image"), 1000, 200, 24},
};

}  // namespace bench
