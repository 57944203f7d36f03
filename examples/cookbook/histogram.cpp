// The number of items in each bin, without a lock: each worker counts in its own table.

#include <cstddef>
#include <cstdio>
#include <vector>

#include <blitz/algorithm.hpp>

int main() {
  std::vector<unsigned> values(1'000'000);
  blitz::iota(values, 0U);

  const std::vector<std::size_t> counts =
      blitz::histogram(values, 7, [](unsigned value) { return value % 1000 < 10 ? 6 : value % 6; });

  for (std::size_t count : counts) std::printf("%zu ", count);  // 165000 six times, 10000
}
