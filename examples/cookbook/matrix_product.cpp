// A product of matrices, by tiles of the result: the inputs of a tile stay in the cache while it is computed.

#include <cstddef>
#include <cstdio>
#include <vector>

#include <blitz/blitz.hpp>

int main() {
  const std::size_t n = 300;
  std::vector<double> a(n * n), b(n * n), c(n * n);
  blitz::parallel_for(0, n * n, [&](std::size_t i) {
    a[i] = static_cast<double>(i / n);
    b[i] = static_cast<double>(i % n);
  });

  blitz::parallel_for_tiles({n, n}, [&](const blitz::Tile<2>& tile) {
    for (std::size_t row : tile.rows()) {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t col : tile.cols()) c[row * n + col] += a[row * n + k] * b[k * n + col];
      }
    }
  });

  std::printf("%.0f %.0f\n", c[n + 1], c.back());  // 300 26820300
}
