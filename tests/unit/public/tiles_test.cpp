// The tiles of grids with more positions than 64 bits can count.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include <doctest/doctest.h>

#include "blitz/parallel_for_tiles.hpp"

using blitz::Extents;
using blitz::Tile;
using blitz::detail::count_tiles;
using blitz::detail::LoopIndex;
using blitz::detail::TileItems;

namespace {

constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();

/// Tile number `index`.
Tile<2> tile_at(const Extents<2>& grid, const Extents<2>& size, LoopIndex index) {
  Tile<2> found({}, {});
  TileItems<2>(grid, size).for_each(index, index + 1, [&found](const Tile<2>& tile) {
    found = tile;
    return false;
  });
  return found;
}

}  // namespace

TEST_CASE("tiles: the first and the last tile of any grid have the right corners") {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{1000}, kMost / 2 + 1, kMost - 1, kMost}) {
    for (const std::size_t cols : {std::size_t{1}, std::size_t{3}, kMost}) {
      for (const std::size_t tile_rows : {kMost / 1000, kMost / 2, kMost / 2 + 1, kMost}) {
        for (const std::size_t tile_cols : {kMost / 1000, kMost}) {
          CAPTURE(rows);
          CAPTURE(cols);
          CAPTURE(tile_rows);
          CAPTURE(tile_cols);
          const Extents<2> grid(rows, cols);
          const Extents<2> size(tile_rows, tile_cols);
          const LoopIndex count = count_tiles(grid, size);
          REQUIRE(count > 0);
          const Tile<2> first = tile_at(grid, size, 0);
          CHECK(*first.rows().begin() == 0);
          CHECK(*first.cols().begin() == 0);
          CHECK(*first.rows().end() == std::min(rows, tile_rows));
          CHECK(*first.cols().end() == std::min(cols, tile_cols));
          const Tile<2> last = tile_at(grid, size, count - 1);
          CHECK(*last.rows().end() == rows);
          CHECK(*last.cols().end() == cols);
          CHECK(*last.rows().begin() == (rows - 1) / tile_rows * tile_rows);
          CHECK(*last.cols().begin() == (cols - 1) / tile_cols * tile_cols);
        }
      }
    }
  }
}

TEST_CASE("tiles: a count above 64 bits throws length_error") {
  CHECK(count_tiles(Extents<2>(std::uint64_t{1} << 31, std::uint64_t{1} << 31), Extents<2>(1, 1)) == LoopIndex{1}
                                                                                                         << 62);
  if constexpr (sizeof(std::size_t) == sizeof(LoopIndex)) {
    CHECK(count_tiles(Extents<2>(kMost, 1), Extents<2>(1, 1)) == kMost);
    CHECK_THROWS_AS(static_cast<void>(count_tiles(Extents<2>(kMost, 2), Extents<2>(1, 1))), std::length_error);
    CHECK_THROWS_AS(static_cast<void>(count_tiles(Extents<2>(kMost / 2 + 1, 2), Extents<2>(1, 1))), std::length_error);
    CHECK_THROWS_AS(static_cast<void>(default_tile(Extents<3>(kMost, kMost, kMost))), std::length_error);
  }
}
