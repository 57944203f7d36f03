#include <cstdio>

#include "shared_policy.hpp"

int main() {
  SharedPool pool({.num_threads = 2});
  const long from_outside = sum_in_library(pool, 100);
  const long on_worker = pool.install([&] { return sum_in_library(pool, 100); });
  std::printf("%ld %ld\n", from_outside, on_worker);
}
