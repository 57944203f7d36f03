#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <random>
#include <vector>

#include <blitz/thread_pool.hpp>
#include <doctest/doctest.h>

#include "blitz/algorithm/sort.hpp"
#include "support/fail_each.hpp"
#include "support/failing_new.hpp"

using namespace blitz_test;

TEST_CASE("sort: sorts the keys if a radix sort gets no memory") {
  if (!allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  blitz::ThreadPool pool({.num_threads = 2});
  std::mt19937_64 bits(7);
  std::vector<std::uint64_t> numbers(40'000);
  for (std::uint64_t& number : numbers) number = bits();
  std::vector<std::uint64_t> expected = numbers;
  std::ranges::sort(expected);
  std::vector<std::uint64_t> keys = numbers;
  const std::size_t failures = fail_each([&](std::size_t nth) {
    std::ranges::copy(numbers, keys.begin());
    fail_allocation_after(nth);
    blitz::sort({.pool = &pool}, keys);
    const bool failed = stop_failing();
    CHECK(keys == expected);
    return failed;
  });
  CHECK(failures == 3);  // the second array, the buckets, and their counts
}

TEST_CASE("sort: throws bad_alloc and leaves a deque unchanged without memory") {
  if (!allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  std::deque<int> numbers{3, 1, 2, 5, 4};
  const std::deque<int> before = numbers;
  fail_allocation_after(0);
  bool thrown = false;
  try {
    blitz::sort(numbers);
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  CHECK(stop_failing());
  CHECK(thrown);
  CHECK(numbers == before);
}
