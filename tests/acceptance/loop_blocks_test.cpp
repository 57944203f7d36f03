// parallel_for_blocks, grains and schedules: how a loop is divided.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <thread>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "loops.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

POOL_TEST_CASE("parallel_for_blocks: passes contiguous non-empty blocks that cover the range") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    for (const std::size_t count : kCounts) {
      CAPTURE(count);
      Blocks blocks;
      blitz::parallel_for_blocks(in(pool, options), std::views::iota(std::size_t{0}, count),
                                 [&](auto block) { blocks.add(block); });
      blocks.checked(count);
    }
  });
}

POOL_TEST_CASE("parallel_for_blocks: passes a block as a contiguous range of the elements") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    std::vector<int> items(10'000, 1);
    pool.install([&] {
      blitz::parallel_for_blocks(options, items, [](auto block) {
        static_assert(std::ranges::contiguous_range<decltype(block)>);
        for (int& x : block) ++x;
      });
    });
    CHECK(items == std::vector<int>(10'000, 2));
  });
}

POOL_TEST_CASE("parallel_for_blocks: covers 2^40 items") {
  for_each_size([](Pool& pool) {
    constexpr std::size_t kGrain = std::size_t{1} << 31;  // fits 32 bits, too
    for (const ForOptions& options : {ForOptions{.schedule = Schedule::kFixed}, ForOptions{.min_grain = kGrain}}) {
      Blocks blocks;
      blitz::parallel_for_blocks(in(pool, options), std::views::iota(std::uint64_t{0}, kHuge),
                                 [&](auto block) { blocks.add(block); });
      CHECK(blocks.checked(kHuge).size() <= kHuge / kGrain);
    }
  });
}

POOL_TEST_CASE("parallel_for: a fixed loop has one block of nearly equal size per worker or item") {
  for_each_size([](Pool& pool) {
    for (const std::size_t count : {1, 2, 5, 15, 16, 17, 31, 33, 1000, 65'537}) {
      CAPTURE(count);
      Blocks blocks;
      blitz::parallel_for_blocks({.schedule = Schedule::kFixed, .pool = &pool}, std::views::iota(std::size_t{0}, count),
                                 [&](auto block) { blocks.add(block); });
      const auto& all = blocks.checked(count);
      CHECK(all.size() == std::min(pool.num_threads(), count));
      const auto [least, most] = std::ranges::minmax(
          all | std::views::transform([](const Blocks::Block& block) { return block.second - block.first; }));
      CHECK(most - least <= 1);
    }
  });
}

POOL_TEST_CASE("parallel_for: no block is smaller than min_grain unless the loop is") {
  for_each_schedule([](Pool& pool, ForOptions options) {
    for (const std::size_t grain : {0, 1, 3, 64, 1000}) {
      for (const std::size_t count : {1, 2, 64, 65, 100, 127, 129, 1001, 1999, 20'000}) {
        CAPTURE(grain);
        CAPTURE(count);
        options.min_grain = grain;
        Blocks blocks;
        blitz::parallel_for_blocks(in(pool, options), std::views::iota(std::size_t{0}, count),
                                   [&](auto block) { blocks.add(block); });
        for (const auto& [first, last] : blocks.checked(count)) CHECK(last - first >= std::min(grain, count));
      }
    }
  });
}

POOL_TEST_CASE("parallel_for: a grain of at least the length makes one block") {
  for_each_schedule([](Pool& pool, ForOptions options) {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    for (const std::size_t grain : {kMost, kMost / 2 + 1, std::size_t{1000}}) {
      CAPTURE(grain);
      options.min_grain = grain;
      Blocks blocks;
      blitz::parallel_for_blocks(in(pool, options), std::views::iota(std::size_t{0}, std::size_t{1000}),
                                 [&](auto block) { blocks.add(block); });
      CHECK(blocks.checked(1000).size() == 1);
    }
  });
}

POOL_TEST_CASE("parallel_for: visits the items of a block in order") {
  for_each_schedule([](Pool& pool, ForOptions options) {
    options.min_grain = 100;
    std::vector<std::pair<std::thread::id, unsigned>> seen(10'000);
    std::atomic<unsigned> clock{0};
    blitz::parallel_for(in(pool, options), std::size_t{0}, seen.size(), [&](std::size_t i) {
      seen[i] = {std::this_thread::get_id(), clock.fetch_add(1)};
    });
    // Neighbours that the same thread has run in the other order were in different blocks, of at least 100 items.
    std::size_t run = 1;
    for (std::size_t i = 1; i < seen.size(); ++i) {
      if (seen[i].first == seen[i - 1].first && seen[i].second > seen[i - 1].second) {
        ++run;
      } else {
        REQUIRE(run >= 100);
        run = 1;
      }
    }
  });
}
