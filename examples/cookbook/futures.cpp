// Thousands of futures. get() runs waiting jobs until its result is ready, so it may also be called in a job.

#include <algorithm>
#include <cstdio>
#include <vector>

#include <blitz/blitz.hpp>

long collatz_steps(long n) {
  long steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

int main() {
  std::vector<blitz::AsyncHandle<long>> handles;
  for (long n = 1; n <= 10'000; ++n) {
    handles.push_back(blitz::async([n] { return collatz_steps(n); }));
  }
  long most = 0;
  for (auto& handle : handles) most = std::max(most, handle.get());
  std::printf("%ld\n", most);  // 261
}
