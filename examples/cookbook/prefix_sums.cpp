// The rows of a sparse matrix, stored one after another: the prefix sums of their sizes are their start positions.

#include <cstddef>
#include <cstdio>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/blitz.hpp>

int main() {
  const std::size_t rows = 10'000;
  std::vector<std::size_t> sizes(rows);
  blitz::parallel_for(0, rows, [&](std::size_t row) { sizes[row] = row % 5; });

  std::vector<std::size_t> begins(rows), ends(rows);
  blitz::exclusive_scan(sizes, begins, std::size_t{0});
  blitz::inclusive_scan(sizes, ends);

  std::vector<std::size_t> columns(ends.back());
  blitz::parallel_for(0, rows, [&](std::size_t row) {
    for (std::size_t i = begins[row]; i < ends[row]; ++i) columns[i] = row + i - begins[row];
  });
  std::printf("%zu %zu %zu\n", begins[5], columns.size(), columns.back());  // 10 20000 10002
}
