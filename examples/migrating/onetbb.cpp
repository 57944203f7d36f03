// From oneTBB: the pieces of code in docs/migrating.md, which must give the same on both sides.

#include <cstddef>
#include <cstdio>
#include <functional>
#include <vector>

#include <blitz/blitz.hpp>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

namespace before {

void scale(std::vector<float>& v) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, v.size(), 1024), [&](const tbb::blocked_range<std::size_t>& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) v[i] *= 2;
  });
}

double sum(const std::vector<float>& v) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, v.size()), 0.0,
      [&](const tbb::blocked_range<std::size_t>& r, double part) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) part += v[i];
        return part;
      },
      std::plus<>{});
}

long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  tbb::task_group group;
  group.run([&] { x = fib(n - 1); });
  const long y = fib(n - 2);
  group.wait();
  return x + y;
}

std::size_t count_large(const std::vector<float>& v) {
  tbb::enumerable_thread_specific<std::size_t> counts(0);
  tbb::parallel_for(std::size_t{0}, v.size(), [&](std::size_t i) {
    if (v[i] > 1000) ++counts.local();
  });
  return counts.combine(std::plus<>{});
}

}  // namespace before

namespace after {

void scale(std::vector<float>& v) {
  blitz::parallel_for(v, [](float& x) { x *= 2; });
}

double sum(const std::vector<float>& v) {
  return blitz::parallel_reduce(
      v, 0.0, [](double part, float x) { return part + x; }, std::plus<>{});
}

long fib(int n) {
  if (n < 2) return n;
  const auto [x, y] = blitz::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return x + y;
}

std::size_t count_large(const std::vector<float>& v) {
  blitz::WorkerLocal<std::size_t> counts;
  blitz::parallel_for(0, v.size(), [&](std::size_t i) {
    if (v[i] > 1000) ++counts.here();
  });
  return counts.combine(std::size_t{0}, std::plus<>{});
}

}  // namespace after

int main() {
  std::vector<float> v(100'000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 1000);
  std::vector<float> w = v;
  before::scale(v);
  after::scale(w);
  std::printf("%d %d %d %d %.0f\n", v == w, before::sum(v) == after::sum(v), before::fib(18) == after::fib(18),
              before::count_large(v) == after::count_large(v), after::sum(v));
}
