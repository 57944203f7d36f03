#include <cstddef>
#include <functional>
#include <numeric>
#include <ranges>
#include <stop_token>
#include <string>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

TEST_CASE("adjacent_difference: equals the standard's for every length, also in place") {
  for_each_length(20'000, [](const AlgorithmOptions& options, std::size_t n) {
    std::vector<int> numbers = random_ints(n);
    std::vector<int> expected(n);
    std::adjacent_difference(numbers.begin(), numbers.end(), expected.begin());
    std::vector<int> out(n);
    CHECK(blitz::adjacent_difference(options, numbers, out).out == out.end());
    CHECK(out == expected);
    // The same memory through another iterator type.
    out = numbers;
    blitz::adjacent_difference(options, out.begin(), out.end(), out.data(), out.data() + n);
    CHECK(out == expected);
    CHECK(blitz::adjacent_difference(options, numbers, numbers).in == numbers.end());
    CHECK(numbers == expected);
  });
}

TEST_CASE("adjacent_difference: passes an item and its predecessor in this order") {
  for_each_length(520, [](const AlgorithmOptions& options, std::size_t n) {
    auto words = items_from<std::deque<std::string>>(random_ints(n));
    auto expected = words;
    std::adjacent_difference(words.begin(), words.end(), expected.begin(), std::plus<>{});
    std::deque<std::string> out(n);
    blitz::adjacent_difference(options, words, out, std::plus<>{});
    CHECK(out == expected);
    blitz::adjacent_difference(options, words.begin(), words.end(), words.begin(), words.end(), std::plus<>{});
    CHECK(words == expected);
  });
}

TEST_CASE("adjacent_difference: stops at the shorter range") {
  for_each_pool([](const AlgorithmOptions& options) {
    const std::vector<int> numbers = random_ints(1000);
    std::vector<int> out(1000, -7'000'000);
    const auto [in, end] =
        blitz::adjacent_difference(options, numbers.begin(), numbers.end(), out.begin(), out.begin() + 500);
    CHECK(in == numbers.begin() + 500);
    CHECK(end == out.begin() + 500);
    CHECK(out[499] == numbers[499] - numbers[498]);
    CHECK(out[500] == -7'000'000);
  });
}

TEST_CASE("adjacent_difference: passes on an exception of each call of the operation") {
  const std::vector<int> numbers = random_ints(150);
  for_each_pool([&](const AlgorithmOptions& options) {
    std::vector<int> out = numbers;
    throw_at_each_call(
        [&](CallCounter& counter) {
          blitz::adjacent_difference(options, numbers, out, counted(counter, std::minus<>{}));
        },
        [] {});
    throw_at_each_call(
        [&](CallCounter& counter) {
          out = numbers;
          blitz::adjacent_difference(options, out, out, counted(counter, std::minus<>{}));
        },
        [] {});
    CHECK(out[149] == numbers[149] - numbers[148]);
  });
}

TEST_CASE("adjacent_difference: throws Stopped after a stop request") {
  for_each_pool([](AlgorithmOptions options) {
    std::vector<int> numbers = random_ints(10'000);
    std::stop_source source;
    options.stop = source.get_token();
    const auto minus = [&](int a, int b) { return source.request_stop(), a - b; };
    CHECK_THROWS_AS(blitz::adjacent_difference(options, numbers, numbers, minus), blitz::Stopped);
  });
}

}  // namespace
}  // namespace blitz_test
