// A call that does `length` seconds of work, repeatedly, with a serial phase or a sleep before each: the cadence of a program
// that calls a parallel library now and then. One cell of the table at a time; set() chooses it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "bench/harness/busy_work.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

struct Cell {
  std::size_t items;
  unsigned heavy;  ///< one item in eight does this many times the work of the others
  double length;   ///< of the serial call, in seconds
  double gap;      ///< in seconds
  bool asleep;     ///< in the gap; otherwise the caller works
};

class Cadence : public Workload {
 public:
  void set(const Cell& cell) {
    cell_ = cell;
    const auto heavy_items = static_cast<double>((cell.items + kEvery - 1) / kEvery);
    const double shares = static_cast<double>(cell.items) + heavy_items * (cell.heavy - 1);
    steps_ = busy_steps(cell.length / shares);
    gap_steps_ = busy_steps(cell.gap);
    results_.resize(cell.items);
    expected_.resize(cell.items);
    for (std::size_t i = 0; i < cell.items; ++i) expected_[i] = work(i);
  }

  void reset() override { results_.assign(cell_.items, 0); }
  bool check(std::size_t runs) const override {
    for (std::size_t i = 0; i < cell_.items; ++i) {
      if (results_[i] != runs * expected_[i]) return false;
    }
    return true;
  }
  void gap() override {
    if (cell_.gap == 0) return;
    if (cell_.asleep) {
      std::this_thread::sleep_for(std::chrono::duration<double>(cell_.gap));
    } else {
      auto state = busy_work(1, gap_steps_);
      keep(state);
    }
  }

  [[nodiscard]] std::size_t items() const { return cell_.items; }
  void add(std::size_t i) { results_[i] += work(i); }
  void add(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) add(i);
  }

 private:
  static constexpr std::size_t kEvery = 8;

  [[nodiscard]] std::uint64_t work(std::size_t i) const {
    return busy_work(i + 1, i % kEvery == 0 ? steps_ * cell_.heavy : steps_);
  }

  Cell cell_{};
  std::uint64_t steps_ = 0;
  std::uint64_t gap_steps_ = 0;
  std::vector<std::uint64_t> results_;
  std::vector<std::uint64_t> expected_;
};

constexpr Spec cadence_spec(const char* name, const char* title) {
  return {
      .name = name, .title = title, .unit_of_work = "call", .metric = Metric::microseconds, .timing = Timing::cadence};
}

/// A parallel loop over the items.
struct CadenceLoop : Cadence {
  static constexpr Spec spec = cadence_spec("loop", "a loop, called by the main thread with gaps between the calls");
  explicit CadenceLoop(Scale) {}
};

/// A join of the two halves of the items.
struct CadenceJoin : Cadence {
  static constexpr Spec spec =
      cadence_spec("join", "a join of two halves, called by the main thread with gaps between the calls");
  explicit CadenceJoin(Scale) {}

  void first_half() { add(0, items() / 2); }
  void second_half() { add(items() / 2, items()); }
};

/// Joins of halves, down to the single items.
struct CadenceTree : Cadence {
  static constexpr Spec spec =
      cadence_spec("tree", "a tree of joins, called by the main thread with gaps between the calls");
  explicit CadenceTree(Scale) {}

  /// `join(a, b)` calls both, possibly in parallel.
  template <class Join>
  void add_all(const Join& join) {
    add_tree(join, 0, items());
  }

 private:
  template <class Join>
  BENCH_NOINLINE void add_tree(const Join& join, std::size_t first, std::size_t last) {
    if (last - first < 2) return add(first, last);
    const std::size_t middle = first + (last - first) / 2;
    join([&, first, middle] { add_tree(join, first, middle); }, [&, middle, last] { add_tree(join, middle, last); });
  }
};

}  // namespace bench
