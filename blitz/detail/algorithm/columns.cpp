#include "blitz/detail/algorithm/columns.hpp"

#include <array>
#include <utility>

#include "blitz/detail/algorithm/blocks.hpp"

namespace blitz::detail {

void add_up_columns(const AlgorithmOptions& options, std::size_t rows, std::size_t columns, std::size_t* counts,
                    std::size_t* begins) {
  const auto for_columns = [&](const auto& f) { for_blocks({.pool = options.pool}, columns, column_grain(rows), f); };
  for_columns([&](LoopIndex first, LoopIndex last) {
    std::fill(begins + first, begins + last, std::size_t{0});
    for (std::size_t row = 0; row != rows; ++row) {
      const std::size_t* const of_row = counts + row * columns;
      for (LoopIndex column = first; column != last; ++column) begins[column] += of_row[column];
    }
  });
  std::size_t sum = 0;
  for (std::size_t column = 0; column != columns; ++column) sum += std::exchange(begins[column], sum);
  begins[columns] = sum;
  for_columns([&](LoopIndex first, LoopIndex last) {
    // A few columns at a time, so that their running sums stay in the L1 cache.
    std::array<std::size_t, 64> next;
    while (first != last) {
      const LoopIndex size = std::min<LoopIndex>(last - first, next.size());
      std::copy_n(begins + first, size, next.begin());
      for (std::size_t row = 0; row != rows; ++row) {
        std::size_t* const of_row = counts + row * columns + first;
        for (LoopIndex i = 0; i != size; ++i) next[i] += std::exchange(of_row[i], next[i]);
      }
      first += size;
    }
  });
}

}  // namespace blitz::detail
