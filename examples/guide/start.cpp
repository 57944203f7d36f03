// The program of docs/start.md.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include <blitz/blitz.hpp>

int main() {
  std::vector<double> v(4'000'000);
  const auto start = std::chrono::steady_clock::now();

  blitz::parallel_for(0, v.size(), [&](std::size_t i) { v[i] = std::sin(static_cast<double>(i)); });

  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  std::fprintf(stderr, "threads: %zu, time: %.1f ms\n", blitz::current_num_threads(), time.count());

  const double energy = blitz::parallel_transform_reduce(v, 0.0, std::plus<>{}, [](double x) { return x * x; });
  std::printf("%.0f\n", energy);  // 2000000
}
