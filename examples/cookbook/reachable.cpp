// All vertices that are reachable from a start: the body feeds new vertices to the running loop.

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <ranges>
#include <vector>

#include <blitz/blitz.hpp>

int main() {
  const std::size_t n = 100'000;
  std::vector<std::vector<std::size_t>> next(n);
  for (std::size_t v = 0; v < n; ++v) next[v] = {2 * v % n, (v + 10) % n};

  std::vector<std::atomic<bool>> seen(n);
  std::atomic<std::size_t> count = 1;
  seen[0] = true;
  blitz::parallel_for_each(std::views::single(std::size_t{0}), [&](std::size_t v, blitz::Feeder<std::size_t>& feeder) {
    for (std::size_t w : next[v]) {
      if (seen[w].exchange(true, std::memory_order_relaxed)) continue;
      count.fetch_add(1, std::memory_order_relaxed);
      feeder.add(w);
    }
  });
  std::printf("%zu\n", count.load());  // 10000
}
