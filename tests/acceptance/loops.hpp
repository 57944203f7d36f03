/// Helpers shared by the tests of parallel_for.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <ranges>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/in_pool.hpp"
#include "support/policies.hpp"

namespace blitz_test {

using blitz::ForOptions;
using blitz::Schedule;

inline constexpr std::array<Schedule, 2> kSchedules{Schedule::kAdaptive, Schedule::kFixed};
inline constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;
inline constexpr std::array<std::size_t, 12> kCounts{0, 1, 2, 3, 7, 15, 16, 17, 64, 1000, 4097, 50'000};

/// Calls `test` with each pool and each schedule.
template <class Test>
void for_each_schedule(Test&& test) {
  for_each_size([&](Pool& pool) {
    for (const Schedule schedule : kSchedules) {
      CAPTURE(schedule == Schedule::kFixed);
      test(pool, ForOptions{.schedule = schedule});
    }
  });
}

/// How often each item has been seen.
class Visits {
 public:
  explicit Visits(std::size_t count) : times_(count) {}
  void operator()(std::size_t i) { times_[i].fetch_add(1, std::memory_order_relaxed); }
  bool each_once() const {
    return std::ranges::all_of(times_, [](const auto& times) { return times.load() == 1; });
  }

 private:
  std::vector<std::atomic<int>> times_;
};

/// The blocks of a loop over the integers from 0, as [first, last).
class Blocks {
 public:
  using Block = std::pair<std::uint64_t, std::uint64_t>;

  template <class Range>
  void add(const Range& block) {
    const Block b(*block.begin(), *block.begin() + static_cast<std::uint64_t>(std::ranges::ssize(block)));
    const std::lock_guard lock(mutex_);
    blocks_.push_back(b);
  }
  /// Sorted; checks that the blocks are not empty, do not overlap, and have no gaps.
  const std::vector<Block>& checked(std::uint64_t count) {
    std::ranges::sort(blocks_);
    std::uint64_t next = 0;
    for (const auto& [first, last] : blocks_) {
      REQUIRE(first == next);
      REQUIRE(last > first);
      next = last;
    }
    CHECK(next == count);
    return blocks_;
  }

 private:
  std::mutex mutex_;
  std::vector<Block> blocks_;
};

}  // namespace blitz_test
