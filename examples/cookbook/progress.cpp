// Reports the progress of a loop. It counts blocks, not items, because a shared counter for cheap items would be slow.

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include <blitz/blitz.hpp>

int main() {
  std::vector<double> v(1'000'000, 2);
  std::atomic<std::ptrdiff_t> done = 0;
  {
    const std::jthread reporter([&](std::stop_token finished) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any clock;
      while (!clock.wait_for(lock, finished, std::chrono::milliseconds(100), [&] { return finished.stop_requested(); }))
        std::fprintf(stderr, "%td of %td\n", done.load(), std::ssize(v));
    });
    blitz::parallel_for_blocks(v, [&](auto block) {
      for (double& x : block) x = std::sqrt(x);
      done.fetch_add(std::ssize(block), std::memory_order_relaxed);
    });
  }
  std::printf("%td\n", done.load());  // 1000000
}
