#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <ranges>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

TEST_CASE("reduce: equals the standard's for every length") {
  const auto plus = [](long a, long b) { return a + b; };
  for_each_length(20'000, [&](const AlgorithmOptions& options, std::size_t n) {
    const std::vector<int> numbers = random_ints(n, 1000);
    const long sum = std::accumulate(numbers.begin(), numbers.end(), 5L);
    CHECK(blitz::reduce(options, numbers) == static_cast<int>(sum - 5));
    CHECK(blitz::reduce(options, numbers, 5L) == sum);
    CHECK(blitz::reduce(options, numbers.begin(), numbers.end(), 5L, plus) == sum);
    const std::vector<double> exact(numbers.begin(), numbers.end());
    CHECK(blitz::reduce(options, exact, 5.0) == static_cast<double>(sum));
    CHECK(blitz::reduce(options, exact, 5.0, [](double a, double b) { return a + b; }) == static_cast<double>(sum));
    CHECK(blitz::reduce(options, exact, -1.0, [](double a, double b) { return a > b ? a : b; }) ==
          (n == 0 ? -1.0 : *std::ranges::max_element(exact)));
  });
}

TEST_CASE("reduce: keeps the order of an operation that does not commute") {
  for_each_length(700, [](const AlgorithmOptions& options, std::size_t n) {
    const auto words = items_from<std::deque<std::string>>(random_ints(n));
    std::string expected = "begin ";
    for (const std::string& word : words) expected += word;
    CHECK(blitz::reduce(options, words, std::string("begin ")) == expected);
    CHECK(blitz::transform_reduce(options, words.begin(), words.end(), std::string("begin "), std::plus<>{},
                                  [](const std::string& word) { return word; }) == expected);
  });
}

TEST_CASE("reduce: multiplies, and keeps the sign of a sum of negative zeros") {
  for_each_pool([](const AlgorithmOptions& options) {
    const std::vector<double> twos(1000, 2.0);
    CHECK(blitz::reduce(options, twos, 1.0, std::multiplies<>{}) == std::ldexp(1.0, 1000));
    const std::vector<double> zeros(1000, -0.0);
    CHECK(std::signbit(blitz::reduce(options, zeros, -0.0)));
    CHECK(std::signbit(blitz::reduce(options, zeros, -0.0, [](double a, double b) { return a + b; })));
    CHECK_FALSE(std::signbit(blitz::reduce(options, zeros, 0.0)));
  });
}

TEST_CASE("reduce: takes values that are neither copyable nor default-constructible") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const int n : {0, 1, 2, 1000}) {
      const auto sum = blitz::transform_reduce(
          options, std::views::iota(0, n), Item(7), [](Item a, const Item& b) { return Item(a.value() + b.value()); },
          [](int i) { return Item(i); });
      CHECK(sum.value() == 7 + n * (n - 1) / 2);
    }
  });
}

TEST_CASE("transform_reduce: is correct for one range and for two") {
  for_each_length(5000, [](const AlgorithmOptions& options, std::size_t n) {
    const std::vector<int> numbers = random_ints(n, 100);
    const std::vector<double> exact(numbers.begin(), numbers.end());
    const auto square = [](double x) { return x * x; };
    const double squares = std::transform_reduce(exact.begin(), exact.end(), 1.0, std::plus<>{}, square);
    CHECK(blitz::transform_reduce(options, exact, 1.0, std::plus<>{}, square) == squares);
    CHECK(blitz::transform_reduce(options, exact, exact, 1.0) == squares);
    CHECK(blitz::transform_reduce(options, exact.begin(), exact.end(), numbers.begin(), numbers.end(), 1.0) == squares);
    const auto half = std::views::take(exact, static_cast<std::ptrdiff_t>(n / 2));
    CHECK(blitz::transform_reduce(options, half, numbers, 0.0, std::plus<>{}, std::minus<>{}) == 0);
  });
}

TEST_CASE("reduce: if deterministic, gives the same bits on any number of threads") {
  std::vector<double> numbers(30'000);
  for (double& x : numbers) x = 1.0 / static_cast<double>(1 + random_bits()() % 1000);
  const auto plus = [](double a, double b) { return a + b; };
  std::vector<std::uint64_t> bits;
  for (const blitz::PoolRef pool : pools()) {
    for (int times = 0; times < 5; ++times) {
      const AlgorithmOptions options{.deterministic = true, .pool = pool};
      const double sums[] = {blitz::reduce(options, numbers), blitz::reduce(options, numbers, 0.0, plus),
                             blitz::transform_reduce(options, numbers, numbers, 0.0)};
      std::vector<std::uint64_t> now;
      for (const double sum : sums) now.push_back(std::bit_cast<std::uint64_t>(sum));
      if (bits.empty()) bits = now;
      CHECK(now == bits);
    }
  }
}

TEST_CASE("reduce: calls the operation and the transformation once for each item") {
  for_each_pool([](const AlgorithmOptions& options) {
    CallCounter operations;
    CallCounter transforms;
    operations.never_throw();
    transforms.never_throw();
    CHECK(blitz::transform_reduce(options, std::views::iota(0, 1000), 0, counted(operations, std::plus<>{}),
                                  counted(transforms, [](int i) { return i; })) == 499'500);
    CHECK(operations.calls() == 1000);
    CHECK(transforms.calls() == 1000);
  });
}

TEST_CASE("reduce: passes on an exception of each call and leaks no value") {
  const std::ptrdiff_t alive = items_alive;
  for_each_pool([](const AlgorithmOptions& options) {
    throw_at_each_call(
        [&](CallCounter& counter) {
          blitz::transform_reduce(options, std::views::iota(0, 60), Item(0),
                                  counted(counter, [](Item a, const Item& b) { return Item(a.value() + b.value()); }),
                                  counted(counter, [](int i) { return Item(i); }));
        },
        [] {});
  });
  CHECK(items_alive == alive);
}

TEST_CASE("reduce: throws Stopped after a stop request") {
  for_each_pool([](AlgorithmOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    const auto ones = std::vector<int>(10'000, 1);
    const auto stops = [&](int x) {
      source.request_stop();
      return x;
    };
    CHECK_THROWS_AS(static_cast<void>(blitz::transform_reduce(options, ones, 0, std::plus<>{}, stops)), blitz::Stopped);
    CHECK_THROWS_AS(static_cast<void>(blitz::reduce(options, ones, 3)), blitz::Stopped);
  });
}

}  // namespace
}  // namespace blitz_test
