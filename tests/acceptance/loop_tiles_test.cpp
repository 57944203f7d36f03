// parallel_for_tiles: every place of a grid once, in tiles of the requested size; and the loop with a step.
#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <type_traits>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "loops.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

namespace {

using blitz::Extents;
using blitz::Tile;

constexpr std::array<std::size_t, 9> kSides{0, 1, 2, 7, 8, 63, 64, 65, 200};

/// Visits every place of a tile with sides of at most `most`.
void visit(const Tile<2>& tile, const Extents<2>& most, std::size_t cols, Visits& visits) {
  CHECK_UNARY(tile.rows().size() - 1 < most[0] && tile.cols().size() - 1 < most[1]);
  for (const std::size_t row : tile.rows()) {
    for (const std::size_t col : tile.cols()) visits(row * cols + col);
  }
}

POOL_TEST_CASE("parallel_for_tiles: visits every place of a 2D grid once") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    for (const std::size_t rows : kSides) {
      for (const std::size_t cols : kSides) {
        CAPTURE(rows);
        CAPTURE(cols);
        Visits by_default(rows * cols);
        const Extents<2> size = blitz::default_tile(Extents<2>(rows, cols));
        blitz::parallel_for_tiles(in(pool, options), {rows, cols},
                                  [&](const Tile<2>& tile) { visit(tile, size, cols, by_default); });
        CHECK(by_default.each_once());
        Visits by_size(rows * cols);
        blitz::parallel_for_tiles(in(pool, options), {rows, cols}, {5, 9}, [&](const Tile<2>& tile) {
          visit(tile, {5, 9}, cols, by_size);
        });
        CHECK(by_size.each_once());
      }
    }
  });
}

POOL_TEST_CASE("parallel_for_tiles: visits every place of a 3D grid once") {
  for_each_size([](Pool& pool) {
    for (const std::size_t pages : {0u, 1u, 5u, 20u}) {
      for (const std::size_t rows : {1u, 8u, 33u}) {
        for (const std::size_t cols : {0u, 1u, 100u}) {
          Visits by_default(pages * rows * cols);
          Visits by_size(pages * rows * cols);
          const auto visit_into = [&](Visits& visits) {
            return [&visits, rows, cols](const Tile<3>& tile) {
              for (const std::size_t page : tile.pages()) {
                for (const std::size_t row : tile.rows()) {
                  for (const std::size_t col : tile.cols()) visits((page * rows + row) * cols + col);
                }
              }
            };
          };
          pool.install([&] {
            blitz::parallel_for_tiles({pages, rows, cols}, visit_into(by_default));
            blitz::parallel_for_tiles({.min_grain = 3}, {pages, rows, cols}, {2, 3, 7}, visit_into(by_size));
          });
          CHECK(by_default.each_once());
          CHECK(by_size.each_once());
        }
      }
    }
  });
}

TEST_CASE("parallel_for_tiles: accepts extents of every type and an extent below 1 is an empty grid") {
  std::atomic<int> tiles{0};
  const auto count = [&](const Tile<2>& tile) {
    CHECK(tile.rows().front() % 4 == 0);
    ++tiles;
  };
  blitz::parallel_for_tiles({10, std::uint8_t{10}}, {short{4}, 4L}, count);
  CHECK(tiles == 9);
  blitz::parallel_for_tiles({-1, 10}, count);
  blitz::parallel_for_tiles({10, 0u}, count);
  CHECK(tiles == 9);
  // One tile, larger than the grid; and a grid that no memory holds.
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  blitz::parallel_for_tiles({3, kMost}, {kMost, kMost}, count);
  CHECK(tiles == 10);
  blitz::parallel_for_tiles({kMost, kMost}, {kMost / 3, kMost / 2}, [&](const Tile<2>& tile) {
    CHECK(tile.rows().size() <= kMost / 3);
    ++tiles;
  });
  CHECK(tiles == 10 + 3 * 3);
}

TEST_CASE("parallel_for_tiles: throws for a tile side of 0 and for too many tiles") {
  const auto never = [](const auto&) { FAIL("called"); };
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  CHECK_THROWS_AS(blitz::parallel_for_tiles({5, 5}, {0, 1}, never), std::invalid_argument);
  CHECK_THROWS_AS(blitz::parallel_for_tiles({kMost, kMost, kMost}, {1, 1, 1}, never), std::length_error);
  CHECK_THROWS_AS(blitz::parallel_for_tiles({kMost, kMost, kMost}, never), std::length_error);
}

TEST_CASE("parallel_for_tiles: default_tile picks the documented sides") {
  const auto sides = []<std::size_t N>(const Extents<N>& grid) {
    const Extents<N> tile = blitz::default_tile(grid);
    std::array<std::size_t, N> all{};
    for (std::size_t d = 0; d < N; ++d) all[d] = tile[d];
    return all;
  };
  CHECK(sides(Extents<2>(10'000, 10'000)) == std::array<std::size_t, 2>{64, 64});
  CHECK(sides(Extents<3>(100, 100, 1000)) == std::array<std::size_t, 3>{8, 8, 64});
  CHECK(sides(Extents<2>(100, 100)) == std::array<std::size_t, 2>{8, 16});
  CHECK(sides(Extents<2>(3, 3)) == std::array<std::size_t, 2>{8, 8});
  CHECK(sides(Extents<3>(0, 1, 1)) == std::array<std::size_t, 3>{4, 4, 4});
}

POOL_TEST_CASE("parallel_for_tiles: an exception and Flow::kStop and a stop request end the loop") {
  for_each_size([](Pool& pool) {
    for (int at = 0; at < 9; ++at) {
      std::atomic<int> calls{0};
      CHECK_THROWS_AS(blitz::parallel_for_tiles({.pool = &pool}, {9, 9}, {3, 3},
                                                [&](const Tile<2>&) {
                                                  if (calls++ == at) throw std::runtime_error("a tile");
                                                }),
                      std::runtime_error);
      CHECK(calls <= 9);
      calls = 0;
      blitz::parallel_for_tiles({.pool = &pool}, {9, 9}, {3, 3}, [&](const Tile<2>&) {
        return calls++ == at ? blitz::Flow::kStop : blitz::Flow::kContinue;
      });
      CHECK(calls > at);
    }
    std::stop_source source;
    std::atomic<std::size_t> calls{0};
    blitz::parallel_for_tiles({.stop = source.get_token(), .pool = &pool}, {1000, 1000}, {1, 1}, [&](const Tile<2>&) {
      ++calls;
      source.request_stop();
    });
    CHECK(calls < 1000 * 1000);
  });
}

// --- steps ---

/// The integers of a loop with a step, computed in more than 64 bits: the mantissa of long double suffices.
template <class First, class Last, class Step>
std::vector<std::common_type_t<First, Last>> stepped(First first, Last last, Step step) {
  const auto end = static_cast<long double>(last);
  std::vector<std::common_type_t<First, Last>> all;
  for (auto i = static_cast<long double>(first); step > 0 ? i < end : i > end; i += static_cast<long double>(step))
    all.push_back(static_cast<std::common_type_t<First, Last>>(i));
  return all;
}

template <class First, class Last, class Step>
void check_steps(First first, Last last, Step step) {
  CAPTURE(+first);
  CAPTURE(+last);
  CAPTURE(+step);
  using I = std::common_type_t<First, Last>;
  static blitz::ThreadPool pool({.num_threads = 3});
  std::mutex mutex;
  std::vector<I> found;
  blitz::parallel_for({.pool = &pool}, first, last, step, [&](I i) {
    const std::lock_guard lock(mutex);
    found.push_back(i);
  });
  std::vector<I> expected = stepped(first, last, step);
  std::ranges::sort(found);
  std::ranges::sort(expected);
  CHECK(found == expected);
}

template <class I>
void check_steps_of() {
  constexpr I kLeast = std::numeric_limits<I>::min();
  constexpr I kMost = std::numeric_limits<I>::max();
  const auto check_bounds = [](I first, I last, std::initializer_list<I> steps) {
    for (const I step : steps) check_steps(first, last, step);
  };
  for (I length = 0; length <= 20; ++length) {
    for (I step = 1; step <= 6; ++step) {
      const I high = static_cast<I>(kLeast + length);
      const I low = static_cast<I>(kMost - length);
      check_steps(kLeast, high, step);
      check_steps(low, kMost, step);
      check_steps(high, kLeast, step);  // empty
      if constexpr (std::signed_integral<I>) {
        check_steps(high, kLeast, static_cast<I>(-step));
        check_steps(kMost, low, static_cast<I>(-step));
        check_steps(low, kMost, static_cast<I>(-step));  // empty
      } else {
        check_steps(high, kLeast, -static_cast<int>(step));
        check_steps(kMost, low, -static_cast<int>(step));
      }
    }
  }
  check_bounds(kLeast, kMost, {kMost, kMost / 2, kMost / 3});
  check_bounds(kMost, kLeast, {kMost});
  if constexpr (std::signed_integral<I>) check_bounds(kMost, kLeast, {kLeast, static_cast<I>(kLeast + 1), kLeast / 2});
}

TEST_CASE("parallel_for with a step: reaches the limits of every type") {
  check_steps_of<std::int8_t>();
  check_steps_of<std::uint8_t>();
  check_steps_of<short>();
  check_steps_of<int>();
  check_steps_of<unsigned>();
  check_steps_of<std::int64_t>();
  check_steps_of<std::uint64_t>();
  check_steps_of<char>();
}

TEST_CASE("parallel_for with a step: accepts bounds and steps of different types") {
  check_steps(0, std::size_t{10}, 3u);
  check_steps(std::uint8_t{3}, 1000, short{7});
  check_steps(10L, short{-10}, std::int8_t{-3});
  check_steps(std::numeric_limits<std::uint64_t>::max(), 0, std::numeric_limits<std::int64_t>::min());
  check_steps(0, std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("parallel_for with a step: a step of 0 throws invalid_argument") {
  CHECK_THROWS_AS(blitz::parallel_for(0, 10, 0, [](int) {}), std::invalid_argument);
  CHECK_THROWS_AS(blitz::parallel_for(0, 0, 0u, [](int) {}), std::invalid_argument);
}

POOL_TEST_CASE("parallel_for with a step: an exception and Flow::kStop and a stop request end the loop") {
  for_each_schedule([](Pool& pool, ForOptions options) {
    for (int at = 0; at < 10; ++at) {
      const auto throws = [&](int i) {
        if (i == 3 * at) throw std::runtime_error("a step");
      };
      CHECK_THROWS_AS(blitz::parallel_for(in(pool, options), 0, 30, 3, throws), std::runtime_error);
    }
    Visits visits(4000);
    options.min_grain = 13;
    pool.install([&] {
      blitz::parallel_for(options, 3999, -1, -2, [&](int i) { visits(static_cast<std::size_t>(i)); });
      blitz::parallel_for(options, 0, 4000, 2, [&](int i) { visits(static_cast<std::size_t>(i)); });
    });
    CHECK(visits.each_once());
    std::atomic<std::size_t> calls{0};
    blitz::parallel_for(in(pool, options), std::uint64_t{0}, kHuge, 2, [&](std::uint64_t) {
      ++calls;
      return blitz::Flow::kStop;
    });
    CHECK(calls <= pool.num_threads() * 13);
    if (options.schedule == Schedule::kFixed) return;  // all its blocks have begun
    std::stop_source source;
    options.stop = source.get_token();
    blitz::parallel_for(in(pool, options), std::uint64_t{0}, kHuge, 2, [&](std::uint64_t) { source.request_stop(); });
  });
}

}  // namespace
