// Stops a loop after some time. Blocks that have not started by then never start.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <thread>

#include <blitz/blitz.hpp>

// Calls f(token). After `time` a stop is requested of the token, unless `f` has returned.
template <class F>
void cancel_after(std::chrono::milliseconds time, F f) {
  blitz::scope([&](blitz::Scope& scope) {
    const std::jthread timer([&](std::stop_token returned) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any().wait_for(lock, returned, time, [] { return false; });
      scope.request_stop();
    });
    f(scope.stop_token());
  });
}

int main() {
  std::atomic<int> done = 0;
  cancel_after(std::chrono::milliseconds(20), [&](std::stop_token token) {
    blitz::parallel_for({.stop = token}, 0, 100'000, [&](int) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // in place of work
      ++done;
    });
  });
  std::printf("%d\n", done < 100'000);  // 1
}
