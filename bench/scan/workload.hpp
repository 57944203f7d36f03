// The inclusive prefix sums of an array larger than most caches. A loop in parallel cannot carry a sum along, so it takes
// two passes: the sums of the blocks, then, with those summed up one after the other, the prefix sums of each block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/harness/hash.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

/// A run overwrites what the one before it left: the sums start at the number of the run, and no result of an earlier one
/// passes for the last.
struct Scan : Workload {
  static constexpr Spec spec{.name = "scan",
                             .title = "the inclusive prefix sums of an array of 64-bit numbers, called from main",
                             .unit_of_work = "call",
                             .metric = Metric::milliseconds,
                             .timing = Timing::runs};

  explicit Scan(Scale scale)
      : values(pick<std::size_t>(scale, 10'000'000, 4'000'000, 5'000)),
        sums(values.size()),
        block_size_(pick<std::size_t>(scale, 16'384, 16'384, 64)),
        offsets_((values.size() + block_size_ - 1) / block_size_) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = random_at(5, i);
  }

  void reset() override {
    std::fill(sums.begin(), sums.end(), 0u);
    runs_ = 0;
  }
  bool check(std::size_t runs) const override {
    std::uint64_t sum = runs;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sum += values[i];
      if (sums[i] != sum) return false;
    }
    return true;
  }

  /// What the sums of the run that begins start at.
  std::uint64_t next_start() { return ++runs_; }

  /// One run by two passes. `for_each(count, f)` calls `f` with every index below `count`, in parallel.
  template <class ForEach>
  void run_in_two_passes(const ForEach& for_each) {
    for_each(offsets_.size(), [this](std::size_t block) { offsets_[block] = sum_of(block); });
    std::uint64_t sum = next_start();
    for (std::uint64_t& offset : offsets_) {
      const std::uint64_t of_block = offset;
      offset = sum;
      sum += of_block;
    }
    for_each(offsets_.size(), [this](std::size_t block) { scan(block); });
  }

  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> sums;

 private:
  [[nodiscard]] std::size_t begin_of(std::size_t block) const { return block * block_size_; }
  [[nodiscard]] std::size_t end_of(std::size_t block) const { return std::min(values.size(), begin_of(block + 1)); }

  [[nodiscard]] std::uint64_t sum_of(std::size_t block) const {
    const std::uint64_t* const in = values.data();
    std::uint64_t sum = 0;
    for (std::size_t i = begin_of(block), end = end_of(block); i < end; ++i) sum += in[i];
    return sum;
  }

  void scan(std::size_t block) {
    const std::uint64_t* const in = values.data();
    std::uint64_t* const out = sums.data();
    std::uint64_t sum = offsets_[block];
    for (std::size_t i = begin_of(block), end = end_of(block); i < end; ++i) out[i] = sum += in[i];
  }

  const std::size_t block_size_;
  std::vector<std::uint64_t> offsets_;  // of each block: its own sum, then that of all before it
  std::size_t runs_ = 0;
};

}  // namespace bench
