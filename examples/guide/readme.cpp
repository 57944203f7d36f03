// The program at the top of README.md.

#include <cmath>
#include <cstdio>
#include <vector>

#include <blitz/blitz.hpp>

long fibonacci(int n) {
  if (n < 2) return n;
  auto [a, b] = blitz::join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
  return a + b;
}

int main() {
  std::vector<double> v(1'000'000, 2.0);
  blitz::parallel_for(v, [](double& x) { x = std::sqrt(x); });
  blitz::sort(v);
  const double squares = blitz::par(v).map([](double x) { return x * x; }).sum();
  std::printf("%.3f %ld\n", squares, fibonacci(30));
}
