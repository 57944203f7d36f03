// Counts the ways to put n queens on an n x n board, row by row, without a cut-off: small uneven nodes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "bench/harness/workload.hpp"

namespace bench {

inline constexpr unsigned kLargestBoard = 16;

/// The squares of the next row that the queens above attack, a bit for each column.
struct Board {
  unsigned all = 0;  // the columns there are
  unsigned columns = 0;
  unsigned left = 0;
  unsigned right = 0;

  [[nodiscard]] bool full() const { return columns == all; }
  [[nodiscard]] unsigned open() const { return all & ~(columns | left | right); }
  [[nodiscard]] Board with(unsigned square) const {
    return {all, columns | square, ((left | square) << 1) & all, (right | square) >> 1};
  }
};

/// Takes one open square off `open`.
inline unsigned take_square(unsigned& open) {
  const unsigned square = open & (0u - open);
  open ^= square;
  return square;
}

BENCH_NOINLINE inline std::uint64_t serial_queens(Board board) {
  if (board.full()) return 1;
  std::uint64_t solutions = 0;
  for (unsigned open = board.open(); open != 0;) solutions += serial_queens(board.with(take_square(open)));
  return solutions;
}

struct Queens : Workload {
  explicit Queens(unsigned queens)
      : empty{.all = (1u << queens) - 1}, expected(serial_queens(empty)), nodes_(count(empty)) {}

  void reset() override { solutions = 0; }
  bool check(std::size_t runs) const override { return solutions == runs * expected; }
  double units() const override { return static_cast<double>(nodes_); }

  const Board empty;
  const std::uint64_t expected;
  std::uint64_t solutions = 0;

 private:
  static std::uint64_t count(Board board) {
    std::uint64_t nodes = 1;
    for (unsigned open = board.open(); open != 0;) nodes += count(board.with(take_square(open)));
    return nodes;
  }

  std::uint64_t nodes_;
};

/// `Count` queens, from 12 to 14, with full inputs.
template <unsigned Count>
struct NQueens : Queens {
  static constexpr unsigned kFirst = 12;
  static constexpr std::array<std::string_view, 3> kNames{"nqueens", "nqueens_13", "nqueens_14"};
  static constexpr std::array<std::string_view, 3> kTitles{"12 queens without a cut-off, every choice a join",
                                                           "13 queens without a cut-off, every choice a join",
                                                           "14 queens without a cut-off, every choice a join"};
  static constexpr Spec spec{.name = kNames[Count - kFirst],
                             .title = kTitles[Count - kFirst],
                             .unit_of_work = "node",
                             .metric = Metric::nanoseconds,
                             .timing = Timing::runs,
                             .in_quick = Count == kFirst};

  explicit NQueens(Scale scale) : Queens(pick(scale, Count, Count - 1, Count - 6)) {}
};

}  // namespace bench
