// A parallel loop over rows, each a parallel loop over cells: called by one thread outside the pool, and by four at once,
// each with a grid of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/harness/busy_work.hpp"
#include "bench/harness/outside_threads.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

template <unsigned Threads>
struct Nested : Workload {
  static constexpr Spec spec{.name = Threads == 1 ? "nested_1" : "nested_4",
                             .title = Threads == 1 ? "a loop within a loop, called from main"
                                                   : "a loop within a loop, called by four threads at once",
                             .unit_of_work = "cell",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::runs};
  static_assert(Threads == 1 || Threads == 4);

  explicit Nested(Scale scale)
      : rows(pick<std::size_t>(scale, 64, 64, 8)),
        columns(pick<std::size_t>(scale, 1000, 1000, 100)),
        grids_(Threads * rows * columns),
        outside_(Threads) {
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

}  // namespace bench
