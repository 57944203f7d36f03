/// A user's program: it uses only blitz's public headers and package.
#include <atomic>
#include <cstdio>

#include <blitz/blitz.hpp>
#include <blitz/version.hpp>

int main() {
  const auto [x, y] = blitz::join([] { return 40; }, [] { return 2; });
  std::atomic<int> sum{0};
  blitz::parallel_for(0, 100, [&sum](int i) { sum.fetch_add(i, std::memory_order_relaxed); });
  std::printf("blitz %s: %d %d\n", BLITZ_VERSION_STRING, x + y, sum.load());
}
