// For thread_sanitizer_test.py: a program without data races, or with one if it has an argument.
#include <atomic>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/blitz.hpp>

int main(int arguments, char**) {
  std::vector<int> v(100'000, 1);
  for (int round = 0; round < 20; ++round) {
    blitz::parallel_for(v, [](int& x) { x = x * 7 % 1'000'003 + 1; });
    blitz::join([&] { std::iota(v.begin(), v.begin() + 1000, 0); }, [&] { std::iota(v.end() - 1000, v.end(), 0); });
    blitz::sort(v);
    blitz::async([&] { v[0] += 1; }).get();
    blitz::scope([&](blitz::Scope& scope) {
      for (std::size_t i = 0; i < 8; ++i) scope.spawn([&v, i] { v[i] += 1; });
    });
  }

  blitz::ThreadPool pool({.num_threads = 2});
  std::atomic<int> arrived = 0;
  int shared = 0;
  pool.broadcast([&](blitz::BroadcastContext) {
    // Both workers are here together, and relaxed operations do not synchronise.
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
    if (arguments > 1) ++shared;
  });
  std::printf("%d %d\n", v[99'999] > 0, arrived.load());
}
