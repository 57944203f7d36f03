// A loop over a grid, by tiles: each tile of both matrices fits in a cache.

#include <cstddef>
#include <cstdio>
#include <vector>

#include <blitz/blitz.hpp>

int main() {
  const std::size_t rows = 1000, cols = 700;
  std::vector<int> in(rows * cols), out(rows * cols);
  blitz::parallel_for(0, in.size(), [&](std::size_t i) { in[i] = static_cast<int>(i); });

  blitz::parallel_for_tiles({rows, cols}, [&](const blitz::Tile<2>& tile) {
    for (std::size_t row : tile.rows()) {
      for (std::size_t col : tile.cols()) out[col * rows + row] = in[row * cols + col];
    }
  });

  std::printf("%d %d %d\n", out[0], out[1], out[rows]);  // 0 700 1
}
