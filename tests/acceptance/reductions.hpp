/// Helpers shared by the tests of parallel_reduce.
#pragma once

#include <array>
#include <cstddef>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "loops.hpp"
#include "support/policies.hpp"

namespace blitz_test {

using blitz::ReduceOptions;

/// Calls `test` with each pool, and each way to divide a reduction.
template <class Test>
void for_each_reduction(Test&& test) {
  const std::array<ReduceOptions, 3> ways{ReduceOptions{}, ReduceOptions{.schedule = Schedule::kFixed},
                                          ReduceOptions{.deterministic = true}};
  for_each_size([&](Pool& pool) {
    for (const ReduceOptions& options : ways) {
      CAPTURE(options.schedule == Schedule::kFixed);
      CAPTURE(options.deterministic);
      test(pool, options);
    }
  });
}

}  // namespace blitz_test
