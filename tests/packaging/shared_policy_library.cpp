#include "shared_policy.hpp"

long sum_in_library(SharedPool& pool, long n) {
  return blitz::parallel_reduce({.pool = &pool}, 0L, n, 0L, [](long a, long b) { return a + b; });
}
