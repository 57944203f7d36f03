// A long job in a program with a user interface. The thread of the interface asks whether the job is ready, and never waits.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <stop_token>
#include <string>
#include <thread>

#include <blitz/blitz.hpp>

bool is_prime(long n) {
  for (long d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n >= 2;
}

std::string count_primes(long end, bool user_cancels) {
  std::stop_source cancel;
  std::atomic<long> done = 0;
  auto result = blitz::async([end, &done, token = cancel.get_token()] {
    return blitz::par(0L, end)
        .filter([&done](long n) {
          done.fetch_add(1, std::memory_order_relaxed);
          return is_prime(n);
        })
        .with({.stop = token})
        .count();
  });

  while (!result.ready()) {  // the loop of the interface
    std::fprintf(stderr, "%ld of %ld\n", done.load(), end);
    if (user_cancels && done > 1000) cancel.request_stop();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // events of the user
  }
  try {
    return std::to_string(result.get());
  } catch (const blitz::Stopped&) {
    return "cancelled";
  }
}

int main() {
  const std::string all = count_primes(20'000, false), some = count_primes(1'000'000'000'000, true);
  std::printf("%s, %s\n", all.c_str(), some.c_str());  // 2262, cancelled
  return all == "2262" && some == "cancelled" ? 0 : 1;
}
