// Distances in a graph, level by level: a loop over the vertices of one level. Each worker collects vertices of the next one.

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <blitz/blitz.hpp>

int main() {
  const std::size_t n = 100'000;
  std::vector<std::vector<std::size_t>> next(n);
  for (std::size_t v = 0; v < n; ++v) next[v] = {2 * v % n, (v + 1) % n};

  std::vector<std::atomic<int>> distance(n);
  blitz::parallel_for(distance, [](std::atomic<int>& d) { d.store(-1, std::memory_order_relaxed); });
  distance[0] = 0;
  std::vector<std::size_t> level{0};
  blitz::WorkerLocal<std::vector<std::size_t>> found;
  for (int d = 1; !level.empty(); ++d) {
    blitz::parallel_for(level, [&](std::size_t v) {
      for (std::size_t w : next[v]) {
        int unknown = -1;
        if (distance[w].compare_exchange_strong(unknown, d, std::memory_order_relaxed)) found.here().push_back(w);
      }
    });
    level.clear();
    for (auto& part : found) level.insert(level.end(), part.begin(), part.end());
    found.clear();
  }
  std::printf("%d %d\n", distance[1023].load(), distance[99'999].load());  // 19 26
}
