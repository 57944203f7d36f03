// parallel_reduce with .deterministic: equal bits on any number of threads, with any policy.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "loops.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

namespace {

constexpr std::array<std::size_t, 5> kThreads{1, 2, 3, 5, 16};
constexpr std::array<std::size_t, 10> kLengths{1, 2, 3, 255, 511, 512, 513, 4097, 50'000, 1'100'003};

/// Numbers of such different magnitudes that nearly every change of order changes the sum.
template <class T>
std::vector<T> sensitive_numbers(std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<T> all(count);
  for (T& x : all)
    x = static_cast<T>(std::ldexp(static_cast<double>(random()) - 9e18, -static_cast<int>(random() % 40)));
  return all;
}

template <class T>
auto bits(T x) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(x);
}

/// Calls `sum` with pools of all sizes, and checks that the bits always equal the first result. Returns that result.
template <class Sum>
auto same_bits(Sum&& sum) {
  blitz::ThreadPool alone({.num_threads = 1});
  const auto expected = bits(sum(alone));
  for (const std::size_t size : kThreads) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    for (int round = 0; round < 3; ++round) CHECK(bits(sum(pool)) == expected);
    pool.install([&] { CHECK(bits(sum(pool)) == expected); });
  }
  return expected;
}

}  // namespace

POOL_TEST_CASE("deterministic: sums and products have the same bits on every number of threads") {
  for (const std::size_t length : kLengths) {
    CAPTURE(length);
    const auto doubles = sensitive_numbers<double>(length);
    const auto floats = sensitive_numbers<float>(length);
    same_bits([&](auto& pool) {
      return blitz::parallel_reduce({.deterministic = true, .pool = &pool}, doubles, 0.0, std::plus<>{});
    });
    same_bits([&](auto& pool) {
      return blitz::parallel_reduce({.deterministic = true, .pool = &pool}, floats, 0.0f, std::plus<>{});
    });
    same_bits([&](auto& pool) {
      return blitz::parallel_transform_reduce({.deterministic = true, .pool = &pool}, doubles, 1.0, std::multiplies<>{},
                                              [](double x) { return 1 + x * 1e-25; });
    });
    same_bits([&](auto& pool) {
      return blitz::parallel_transform_reduce(
          {.deterministic = true, .pool = &pool}, doubles, 0.0, [](double a, double b) { return a + b; },
          [](double x) { return x * x; });
    });
  }
}

POOL_TEST_CASE("deterministic: the free function and the pool return the same bits") {
  const auto numbers = sensitive_numbers<double>(100'000);
  const std::plus<> plus;
  const auto expected = same_bits(
      [&](auto& pool) { return blitz::parallel_reduce({.deterministic = true, .pool = &pool}, numbers, 0.0, plus); });
  for_each_size([&](Pool& pool) {
    const auto here = [&] { return blitz::parallel_reduce({.deterministic = true}, numbers, 0.0, plus); };
    CHECK(bits(pool.install(here)) == expected);
  });
}

POOL_TEST_CASE("deterministic: the bits depend neither on the schedule nor on other work in the pool") {
  const auto numbers = sensitive_numbers<double>(20'000);
  const auto expected = same_bits([&](auto& pool) {
    return blitz::parallel_reduce({.schedule = Schedule::kFixed, .deterministic = true, .pool = &pool}, numbers, 0.0,
                                  std::plus<>{});
  });
  for_each_size([&](Pool& pool) {
    std::atomic<int> right{0};
    const int rounds = static_cast<int>(repetitions(200));
    blitz::parallel_for({.pool = &pool}, 0, rounds, [&](int) {
      const double sum = blitz::parallel_reduce({.deterministic = true}, numbers, 0.0, std::plus<>{});
      right += bits(sum) == expected ? 1 : 0;
    });
    CHECK(right == rounds);
  });
}

POOL_TEST_CASE("deterministic: the bits depend on the grain") {
  const auto numbers = sensitive_numbers<double>(50'000);
  std::set<std::uint64_t> different;
  for (const std::size_t grain : {0, 1000, 7000, 50'000}) {
    CAPTURE(grain);
    different.insert(same_bits([&](auto& pool) {
      return blitz::parallel_reduce({.min_grain = grain, .deterministic = true, .pool = &pool}, numbers, 0.0,
                                    std::plus<>{});
    }));
  }
  CHECK(different.size() > 1);  // The numbers are sensitive to the order.
}

POOL_TEST_CASE("deterministic: combines a non-associative operation in the same order on every pool") {
  // The result shows which values were combined.
  const auto pair = [](const std::string& a, const std::string& b) { return a.empty() ? b : "(" + a + b + ")"; };
  const auto letter = [](int i) { return std::string(1, static_cast<char>('a' + i % 26)); };
  for (const int count : {1, 2, 5, 100, 1500}) {
    blitz::ThreadPool alone({.num_threads = 1});
    const blitz::ReduceOptions options{.deterministic = true};
    const std::string expected =
        blitz::parallel_transform_reduce(in(alone, options), 0, count, std::string(), pair, letter);
    for (const std::size_t size : kThreads) {
      Pool pool({.num_threads = size});
      CHECK(blitz::parallel_transform_reduce(in(pool, options), 0, count, std::string(), pair, letter) == expected);
    }
  }
}

POOL_TEST_CASE("deterministic: folds of items and of blocks have the same bits on every pool") {
  const auto add = [](double sum, double x) { return sum + x * 1.5; };
  const auto add_block = [&](double sum, auto block) {
    for (const double x : block) sum = add(sum, x);
    return sum;
  };
  for (const std::size_t length : kLengths) {
    CAPTURE(length);
    const auto doubles = sensitive_numbers<double>(length);
    same_bits([&](auto& pool) {
      return blitz::parallel_reduce({.deterministic = true, .pool = &pool}, doubles, 0.0, add, std::plus<>{});
    });
    same_bits([&](auto& pool) {
      return blitz::parallel_reduce_blocks({.deterministic = true, .pool = &pool}, doubles, 0.0, add_block,
                                           std::plus<>{});
    });
  }
}

POOL_TEST_CASE("deterministic: as many items as workers run concurrently") {
  for_each_size([](Pool& pool) {
    const auto workers = static_cast<int>(pool.num_threads());
    std::latch everyone(workers);
    const auto item = [&](int i) {
      everyone.arrive_and_wait();
      return i;
    };
    CHECK(blitz::parallel_transform_reduce({.deterministic = true, .pool = &pool}, 0, workers, 0, std::plus<>{},
                                           item) == workers * (workers - 1) / 2);
  });
}
