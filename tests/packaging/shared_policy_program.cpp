#include <cstdio>

#include "shared_policy.hpp"

int main() {
  SharedPool pool({.num_threads = 2});
  const long from_outside = sum_in_library(pool, 100);
  const auto [on_worker, same_place] =
      pool.join([&] { return sum_in_library(pool, 100); }, [] { return place_in_library() == place_here(); });
  std::printf("%ld %ld %s\n", from_outside, on_worker, same_place ? "one" : "two");
}
