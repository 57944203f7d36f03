// Two equal pieces of busy work, called by the main thread after an idle gap, when all workers sleep: how long the
// second piece waits for a processor. On two processors nobody can be faster than one piece takes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "bench/harness/busy_work.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

struct Wake : Workload {
  static constexpr Spec spec{.name = "wake",
                             .title = "2 x 200 us of work from main after 20 ms idle: time over that of one piece",
                             .unit_of_work = "call",
                             .metric = Metric::microseconds,
                             .timing = Timing::wake};

  explicit Wake(Scale scale) {
    steps_ = busy_steps(pick(scale, 200e-6, 200e-6, 5e-6));
    ideal_ = busy_seconds(steps_);
    for (std::size_t i = 0; i < kPieces; ++i) expected_[i] = busy_work(i + 1, steps_);
  }

  void reset() override {
    for (auto& p : done_) p.value.store(0, std::memory_order_relaxed);
  }
  bool check(std::size_t runs) const override {
    return std::all_of(done_.begin(), done_.end(),
                       [runs](const Done& d) { return d.value.load(std::memory_order_relaxed) == runs; });
  }
  double ideal_seconds() const override { return ideal_; }

  /// Does piece `i`, once in every run.
  void piece(std::size_t i) {
    if (busy_work(i + 1, steps_) == expected_[i]) done_[i].value.fetch_add(1, std::memory_order_relaxed);
  }

  static constexpr std::size_t kPieces = 2;

 private:
  struct alignas(128) Done {
    std::atomic<std::size_t> value{0};
  };

  std::uint64_t steps_;
  double ideal_;
  std::array<std::uint64_t, kPieces> expected_;
  std::array<Done, kPieces> done_;
};

}  // namespace bench
