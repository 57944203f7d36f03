// From Rayon and Taskflow: the blitz versions of the pieces in docs/migrating.md.

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/blitz.hpp>
#include <blitz/pipeline.hpp>

// Rayon.
double energy(const std::vector<double>& v) {
  return blitz::par(v).filter([](double x) { return x > 0; }).map([](double x) { return x * x; }).sum();
}

void quicksort(int* first, int* last) {
  if (last - first < 2) return;
  int* const middle = first + (last - first) / 2;
  blitz::nth_element(first, middle, last);
  blitz::join([=] { quicksort(first, middle); }, [=] { quicksort(middle + 1, last); });
}

// Taskflow.
int run_graph() {
  int a = 0, b = 0, c = 0, d = 0;
  a = 1;
  blitz::parallel_invoke([&] { b = a + 1; }, [&] { c = a + 2; });
  d = b * c;
  return d;
}

int run_subflow() {
  int x = 0, y = 0;
  blitz::scope([&](blitz::Scope& s) {
    s.spawn([&](blitz::Scope& inner) {
      x = 1;
      inner.spawn([&] { y = x + 1; });
    });
  });
  return x + y;
}

int main() {
  const std::vector<double> v{-1, 2, 3};
  std::vector<int> numbers{3, 1, 4, 1, 5, 9, 2, 6};
  quicksort(numbers.data(), numbers.data() + numbers.size());
  std::printf("%g %d%d %d %d\n", energy(v), numbers.front(), numbers.back(), run_graph(), run_subflow());
}
