/// A tree of joins, the work of many tests.
#pragma once

#include <blitz/join.hpp>

namespace blitz_test {

/// The Fibonacci number `n`.
inline long fib(int n) {
  if (n < 2) return n;
  const auto [x, y] = blitz::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return x + y;
}

}  // namespace blitz_test
