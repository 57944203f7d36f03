/// @file
/// parallel_for_tiles: a loop over the rectangles of a grid of two or three dimensions.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <ranges>
#include <stdexcept>
#include <type_traits>

#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/loop/loop.hpp"
#include "blitz/detail/loop/mistake.hpp"
#include "blitz/parallel_for.hpp"

namespace blitz {

/// The size of a grid, or of its tiles: {rows, columns} or {pages, rows, columns}, of any integer types. A negative size counts
/// as 0. Each member is O(1).
/// @code
///   const blitz::Extents<2> grid{image.rows(), image.cols()};
/// @endcode
///
/// Thread-safety: as for an int.
template <std::size_t N>
class Extents {
 public:
  /// `sizes`: one for each dimension.
  template <LoopInteger... Size>
    requires(sizeof...(Size) == N)
  constexpr Extents(Size... sizes) noexcept : sizes_{not_negative(sizes)...} {}

  /// The size in a dimension, which must be below N.
  [[nodiscard]] constexpr std::size_t operator[](std::size_t dimension) const noexcept { return sizes_[dimension]; }
  /// The modifiable size in a dimension, which must be below N.
  [[nodiscard]] constexpr std::size_t& operator[](std::size_t dimension) noexcept { return sizes_[dimension]; }

 private:
  template <class Size>
  static constexpr std::size_t not_negative(Size size) noexcept {
    if constexpr (std::signed_integral<Size>) return size < 0 ? 0 : static_cast<std::size_t>(size);
    return static_cast<std::size_t>(size);
  }

  std::array<std::size_t, N> sizes_;
};

/// A rectangle or box of a grid: the argument of a body of parallel_for_tiles. Never empty. Each member is O(1).
/// @code
///   blitz::parallel_for_tiles({rows, cols}, [&](const blitz::Tile<2>& tile) {
///     for (const std::size_t i : tile.rows())
///       for (const std::size_t j : tile.cols()) out(j, i) = in(i, j);
///   });
/// @endcode
///
/// Thread-safety: as for an int.
template <std::size_t N>
class Tile {
 public:
  /// A range of indices, for a `for` statement.
  using Indices = std::ranges::iota_view<std::size_t, std::size_t>;

  /// The tile from `first` to `last`, exclusive, in each dimension.
  constexpr Tile(const std::array<std::size_t, N>& first, const std::array<std::size_t, N>& last) noexcept
      : first_(first), last_(last) {}

  /// The tile's pages.
  [[nodiscard]] constexpr Indices pages() const noexcept
    requires(N == 3)
  {
    return indices(0);
  }
  /// The tile's rows.
  [[nodiscard]] constexpr Indices rows() const noexcept { return indices(N - 2); }
  /// The tile's columns.
  [[nodiscard]] constexpr Indices cols() const noexcept { return indices(N - 1); }

 private:
  [[nodiscard]] constexpr Indices indices(std::size_t dimension) const noexcept {
    return Indices(first_[dimension], last_[dimension]);
  }

  std::array<std::size_t, N> first_;
  std::array<std::size_t, N> last_;
};

namespace detail {

/// How many tiles of one dimension the grid has.
template <std::size_t N>
[[nodiscard]] constexpr LoopIndex tiles_along(const Extents<N>& grid, const Extents<N>& tile, std::size_t d) noexcept {
  return ceil_div(grid[d], tile[d]);
}

/// How many tiles a grid has. Throws std::length_error if 64 bits cannot hold the number.
template <std::size_t N>
[[nodiscard]] constexpr LoopIndex count_tiles(const Extents<N>& grid, const Extents<N>& tile) {
  LoopIndex tiles = 1;
  for (std::size_t d = 0; d < N; ++d) {
    const LoopIndex along = tiles_along(grid, tile, d);
    if (along == 0) return 0;
    if (tiles > std::numeric_limits<LoopIndex>::max() / along)
      throw std::length_error("blitz: a grid has more than 2^64 - 1 tiles; use larger ones");
    tiles *= along;
  }
  return tiles;
}

}  // namespace detail

/// The default size of the tiles of parallel_for_tiles: 64 x 64, or 8 x 8 x 64.
///
/// That is 4096 items, 32 kB of doubles, so that the tiles of several arrays fit together in a second-level cache. A row is
/// long enough for vector instructions and for the prefetcher. If the grid has fewer than 64 such tiles, they are halved across
/// the longer side until there are 64 tiles or a tile has 64 items.
/// @code
///   const auto tile = blitz::default_tile(blitz::Extents<2>{rows, cols});
/// @endcode
/// @param grid  The size of the grid.
/// @return The size of its tiles.
/// @throws std::length_error for 2^64 tiles or more.
/// Complexity: O(log n) for n items. Thread-safety: any thread.
template <std::size_t N>
  requires(N == 2 || N == 3)
[[nodiscard]] constexpr Extents<N> default_tile(const Extents<N>& grid) {
  constexpr detail::LoopIndex kFewestTiles = 64;
  Extents<N> tile = [] {
    if constexpr (N == 2)
      return Extents<2>(64, 64);
    else
      return Extents<3>(8, 8, 64);
  }();
  for (std::size_t items = 4096; items > 64 && detail::count_tiles(grid, tile) < kFewestTiles; items /= 2) {
    std::size_t longest = 0;
    for (std::size_t d = 1; d < N; ++d) {
      if (tile[d] > tile[longest]) longest = d;
    }
    tile[longest] /= 2;
  }
  return tile;
}

namespace detail {

/// The tiles of a grid, as the items of a loop, in the order of rows. (An order with compact runs of tiles is no faster,
/// because neighbouring tiles share little data compared with the reuse within one tile.)
template <std::size_t N>
class TileItems {
 public:
  using Item = Tile<N>;

  static constexpr bool kIndexed = false;

  TileItems(const Extents<N>& grid, const Extents<N>& tile) : grid_(grid), tile_(tile) {
    for (std::size_t d = 0; d < N; ++d) {
      if (tile[d] == 0) throw std::invalid_argument("blitz: a side of a tile is 0; use at least 1 in each dimension");
    }
  }

  template <class F>
  bool for_each(LoopIndex first, LoopIndex last, const F f) const {
    Place place{};
    LoopIndex rest = first;
    for (std::size_t d = N; d > 0;) {
      --d;
      const LoopIndex along = tiles_along(grid_, tile_, d);
      place[d] = rest % along * tile_[d];
      rest /= along;
    }
    for (; first != last; ++first) {
      if (f(tile_at(place))) return true;
      for (std::size_t d = N; d > 0;) {
        --d;
        if (grid_[d] - place[d] > tile_[d]) {
          place[d] += tile_[d];
          break;
        }
        place[d] = 0;
      }
    }
    return false;
  }

 private:
  using Place = std::array<std::size_t, N>;

  [[nodiscard]] Tile<N> tile_at(const Place& place) const noexcept {
    Place end = place;
    for (std::size_t d = 0; d < N; ++d) end[d] = grid_[d] - place[d] > tile_[d] ? place[d] + tile_[d] : grid_[d];
    return Tile<N>(place, end);
  }

  Extents<N> grid_;
  Extents<N> tile_;
};

template <std::size_t N, class F>
void run_tiles(const ForOptions& options, const Extents<N>& grid, const Extents<N>& tile, const F& f) {
  const TileItems<N> items(grid, tile);  // checks the tile
  run_loop(options, LoopSpace{count_tiles(grid, tile), items}, f);
}

}  // namespace detail

/// @brief Calls `f(tile)` for rectangles that cover a grid of two dimensions, each position once, in any order, possibly in
/// parallel.
///
/// For loops that read the neighbours of each position, or its row and column: the data of one rectangle fits in a cache, while
/// the data of a whole row may not. Examples are transpositions, stencils, products of matrices, all pairs of two sets.
/// @code
///   blitz::parallel_for_tiles({rows, cols}, [&](const blitz::Tile<2>& tile) {
///     for (std::size_t row : tile.rows())
///       for (std::size_t col : tile.cols()) out[col * rows + row] = in[row * cols + col];
///   });
/// @endcode
///
/// Without the argument `tile`, the tiles have the size default_tile(grid); at the edges they are smaller. parallel_for()
/// distributes the tiles: on demand, in runs of neighbouring tiles. If rows are a power of two apart and an array is accessed
/// by columns, as `out` above may be, only few sets of a cache are used: then pass smaller tiles, such as {16, 16}.
///
/// @param grid  {rows, columns}.
/// @param f     The body, called through a reference by several threads concurrently. May return Flow.
/// @throws std::invalid_argument for a tile without rows or columns, std::length_error for 2^64 tiles or more, the first
///         exception of `f`, and the exceptions of parallel_for().
/// Complexity: one call for each tile. No allocation. Thread-safety: any thread.
template <LoopFunction<Tile<2>> F>
void parallel_for_tiles(const Extents<2>& grid, F&& f) {
  detail::run_tiles(ForOptions{}, grid, default_tile(grid), f);
}
/// @copydoc blitz::parallel_for_tiles(const Extents<2>&, F&&)
/// @param options  See ForOptions; `min_grain` is a number of tiles.
template <LoopFunction<Tile<2>> F>
void parallel_for_tiles(const ForOptions& options, const Extents<2>& grid, F&& f) {
  detail::run_tiles(options, grid, default_tile(grid), f);
}
/// @brief Like the first form, with tiles of the size `tile`.
/// @param grid  {rows, columns}.
/// @param tile  The maximum size of a tile, in the same order.
/// @param f     Called with one tile after the other, by several threads concurrently; may return Flow.
/// @throws The exceptions of the first form. Complexity and thread-safety: see the first form.
template <LoopFunction<Tile<2>> F>
void parallel_for_tiles(const Extents<2>& grid, const Extents<2>& tile, F&& f) {
  detail::run_tiles(ForOptions{}, grid, tile, f);
}
/// @copydoc blitz::parallel_for_tiles(const Extents<2>&, const Extents<2>&, F&&)
/// @param options  See ForOptions; `min_grain` is a number of tiles.
template <LoopFunction<Tile<2>> F>
void parallel_for_tiles(const ForOptions& options, const Extents<2>& grid, const Extents<2>& tile, F&& f) {
  detail::run_tiles(options, grid, tile, f);
}

/// @brief Like the first form, in three dimensions: {pages, rows, columns}. Tile<3> has pages(), rows() and cols().
/// @param grid  {pages, rows, columns}.
/// @param f     Called with one tile after the other, by several threads concurrently; may return Flow.
/// @throws The exceptions of the first form. Complexity and thread-safety: see the first form.
template <LoopFunction<Tile<3>> F>
void parallel_for_tiles(const Extents<3>& grid, F&& f) {
  detail::run_tiles(ForOptions{}, grid, default_tile(grid), f);
}
/// @copydoc blitz::parallel_for_tiles(const Extents<3>&, F&&)
/// @param options  See ForOptions; `min_grain` is a number of tiles.
template <LoopFunction<Tile<3>> F>
void parallel_for_tiles(const ForOptions& options, const Extents<3>& grid, F&& f) {
  detail::run_tiles(options, grid, default_tile(grid), f);
}
/// @brief Like the first form, in three dimensions, with tiles of the size `tile`: {pages, rows, columns}.
/// @param grid  {pages, rows, columns}.
/// @param tile  The maximum size of a tile, in the same order.
/// @param f     Called with one tile after the other, by several threads concurrently; may return Flow.
/// @throws The exceptions of the first form. Complexity and thread-safety: see the first form.
template <LoopFunction<Tile<3>> F>
void parallel_for_tiles(const Extents<3>& grid, const Extents<3>& tile, F&& f) {
  detail::run_tiles(ForOptions{}, grid, tile, f);
}
/// @copydoc blitz::parallel_for_tiles(const Extents<3>&, const Extents<3>&, F&&)
/// @param options  See ForOptions; `min_grain` is a number of tiles.
template <LoopFunction<Tile<3>> F>
void parallel_for_tiles(const ForOptions& options, const Extents<3>& grid, const Extents<3>& tile, F&& f) {
  detail::run_tiles(options, grid, tile, f);
}

/// @cond
template <detail::MutableBody<Tile<2>> F>
BLITZ_REFUSE(BLITZ_MUTABLE_BODY)
parallel_for_tiles(const Extents<2>& grid, F&& f) BLITZ_REFUSED;
template <detail::MutableBody<Tile<2>> F>
BLITZ_REFUSE(BLITZ_MUTABLE_BODY)
parallel_for_tiles(const Extents<2>& grid, const Extents<2>& tile, F&& f) BLITZ_REFUSED;
template <detail::MutableBody<Tile<3>> F>
BLITZ_REFUSE(BLITZ_MUTABLE_BODY)
parallel_for_tiles(const Extents<3>& grid, F&& f) BLITZ_REFUSED;
template <detail::MutableBody<Tile<3>> F>
BLITZ_REFUSE(BLITZ_MUTABLE_BODY)
parallel_for_tiles(const Extents<3>& grid, const Extents<3>& tile, F&& f) BLITZ_REFUSED;
template <class F>
BLITZ_REFUSE("the extents of a grid are not in braces; use blitz::parallel_for_tiles({rows, cols}, f)")
parallel_for_tiles(std::size_t rows, std::size_t cols, F&& f) BLITZ_REFUSED;
template <class F>
BLITZ_REFUSE("the options come first: blitz::parallel_for_tiles({.stop = token}, {rows, cols}, f)")
parallel_for_tiles(const Extents<2>& grid, F&& f, const ForOptions& options) BLITZ_REFUSED;
template <class F>
BLITZ_REFUSE("the options come first: blitz::parallel_for_tiles({.stop = token}, {pages, rows, cols}, f)")
parallel_for_tiles(const Extents<3>& grid, F&& f, const ForOptions& options) BLITZ_REFUSED;
template <class F>
BLITZ_REFUSE("the options come first: blitz::parallel_for_tiles({.stop = token}, {rows, cols}, tile, f)")
parallel_for_tiles(const Extents<2>& grid, const Extents<2>& tile, F&& f, const ForOptions& options) BLITZ_REFUSED;
template <class F>
BLITZ_REFUSE("the options come first: blitz::parallel_for_tiles({.stop = token}, {pages, rows, cols}, tile, f)")
parallel_for_tiles(const Extents<3>& grid, const Extents<3>& tile, F&& f, const ForOptions& options) BLITZ_REFUSED;
/// @endcond

}  // namespace blitz
