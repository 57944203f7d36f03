// Sorting distinct random numbers by recursion, down to pieces that std::sort does: two coarse, nearly even halves
// after a part that one thread does (quicksort), and two even halves before a part that can be cut again (mergesort).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "bench/harness/hash.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

using Numbers = std::vector<std::uint64_t>;

/// The input, which stays as it is, and a place for the sorted numbers.
struct Sort : Workload {
  explicit Sort(Scale scale) : input(pick<std::size_t>(scale, 2'000'000, 250'000, 10'000)), sorted(input.size()) {
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = mix(i + 1);
    sorted = input;
    std::sort(sorted.begin(), sorted.end());
    record(sorted.data(), sorted.data() + sorted.size());
    expected_ = digest_.load(std::memory_order_relaxed);
  }

  void reset() override { digest_.store(0, std::memory_order_relaxed); }
  bool check(std::size_t runs) const override { return digest_.load(std::memory_order_relaxed) == runs * expected_; }

  /// Called once in every run for each number of `sorted` that is at its final place. Adds up the numbers, weighted by
  /// their places: another order has another sum.
  void record(const std::uint64_t* first, const std::uint64_t* last) {
    std::uint64_t sum = 0;
    for (; first != last; ++first) sum += *first * static_cast<std::uint64_t>(first - sorted.data() + 1);
    digest_.fetch_add(sum, std::memory_order_relaxed);
  }

  static constexpr std::ptrdiff_t kCutOff = 2048;

  Numbers input;
  Numbers sorted;

 private:
  std::atomic<std::uint64_t> digest_{0};
  std::uint64_t expected_;
};

struct Quicksort : Sort {
  static constexpr Spec spec{.name = "quicksort",
                             .title = "quicksort of random numbers, the two sides of a pivot a join",
                             .unit_of_work = "sort",
                             .metric = Metric::milliseconds,
                             .timing = Timing::runs};
  using Sort::Sort;
};

struct Mergesort : Sort {
  static constexpr Spec spec{.name = "mergesort",
                             .title = "mergesort of random numbers, halves and merges joins",
                             .unit_of_work = "sort",
                             .metric = Metric::milliseconds,
                             .timing = Timing::runs};
  explicit Mergesort(Scale scale) : Sort(scale), other(sorted.size()) {}

  Numbers other;  ///< every second level of the recursion sorts into this
};

}  // namespace bench
