// A sum of floating-point numbers with the same bits on any number of threads.

#include <cstddef>
#include <cstdio>
#include <functional>
#include <vector>

#include <blitz/blitz.hpp>

int main() {
  std::vector<double> v(1'000'000);
  blitz::parallel_for(0, v.size(), [&](std::size_t i) { v[i] = 1.0 / static_cast<double>(i + 1); });

  bool same = true;
  const double sum = blitz::parallel_reduce({.deterministic = true}, v, 0.0, std::plus<>{});
  for (std::size_t threads = 1; threads <= 4; ++threads) {
    blitz::ThreadPool pool({.num_threads = threads});
    same = same && blitz::parallel_reduce({.deterministic = true, .pool = &pool}, v, 0.0, std::plus<>{}) == sum;
  }
  std::printf("%.6f %d\n", sum, same);  // 14.392727 1
}
