// The program at the top of README.md.

#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include <blitz/blitz.hpp>

double sum(const double* first, const double* last) {
  if (last - first < 1000) return std::accumulate(first, last, 0.0);
  const double* middle = first + (last - first) / 2;
  auto [left, right] = blitz::join([&] { return sum(first, middle); }, [&] { return sum(middle, last); });
  return left + right;
}

int main() {
  std::vector<double> v(1'000'000, 2.0);
  blitz::parallel_for(v, [](double& x) { x = std::sqrt(x); });
  blitz::sort(v);
  const double squares = blitz::par(v).map([](double x) { return x * x; }).sum();
  std::printf("%.3f %.3f\n", sum(v.data(), v.data() + v.size()), squares);
}
