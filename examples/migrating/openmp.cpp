// From OpenMP: the pieces of code in docs/migrating.md, which must give the same on both sides.

#include <cstddef>
#include <cstdio>
#include <vector>

#include <blitz/blitz.hpp>
#include <blitz/pipeline.hpp>

// Takes longer for some n than for others.
int collatz_steps(long n) {
  int steps = 0;
  for (; n > 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

namespace before {

std::vector<int> all_steps(int n) {
  std::vector<int> steps(static_cast<std::size_t>(n));
#pragma omp parallel for schedule(dynamic, 64)
  for (int i = 0; i < n; ++i) steps[static_cast<std::size_t>(i)] = collatz_steps(i);
  return steps;
}

long sum(const std::vector<int>& v) {
  const auto n = static_cast<std::ptrdiff_t>(v.size());
  long total = 0;
#pragma omp parallel for reduction(+ : total)
  for (std::ptrdiff_t i = 0; i < n; ++i) total += v[static_cast<std::size_t>(i)];
  return total;
}

long fib_task(int n) {
  if (n < 2) return n;
  long x = 0;
#pragma omp task shared(x) if (n > 12)
  x = fib_task(n - 1);
  const long y = fib_task(n - 2);
#pragma omp taskwait
  return x + y;
}

long fib(int n) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib_task(n);
  return result;
}

}  // namespace before

namespace after {

std::vector<int> all_steps(int n) {
  std::vector<int> steps(static_cast<std::size_t>(n));
  blitz::parallel_for(0, n, [&](int i) { steps[static_cast<std::size_t>(i)] = collatz_steps(i); });
  return steps;
}

long sum(const std::vector<int>& v) {
  return blitz::par(v).map([](int x) { return long{x}; }).sum();
}

long fib(int n) {
  if (n < 2) return n;
  const auto [x, y] = blitz::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return x + y;
}

}  // namespace after

int main() {
  const std::vector<int> steps = after::all_steps(20'000);
  std::printf("%d %d %d %ld\n", before::all_steps(20'000) == steps, before::sum(steps) == after::sum(steps),
              before::fib(20) == after::fib(20), after::sum(steps));
}
