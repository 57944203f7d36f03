#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
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

TEST_CASE("for_each: calls the function once for each item") {
  for_each_length(5000, [](const AlgorithmOptions& options, std::size_t n) {
    std::vector<int> numbers(n);
    CHECK(blitz::for_each(options, numbers, [](int& x) { ++x; }) == numbers.end());
    CHECK(blitz::for_each_n(options, numbers.begin(), static_cast<std::ptrdiff_t>(n / 2), [](int& x) { ++x; }) ==
          numbers.begin() + static_cast<std::ptrdiff_t>(n / 2));
    CHECK(std::ranges::count(numbers, 2) == static_cast<std::ptrdiff_t>(n / 2));
    CHECK(std::ranges::count(numbers, 1) == static_cast<std::ptrdiff_t>(n - n / 2));
    std::atomic<int> sum = 0;
    blitz::for_each(
        options, numbers, [&](int x) { sum += x; }, std::negate<>());
    CHECK(sum == -static_cast<int>(n + n / 2));
  });
  for_each_pool([](const AlgorithmOptions& options) {
    std::deque<Item> items;
    for (int i = 0; i < 50; ++i) items.emplace_back(i);
    blitz::for_each(options, items, [](Item& item) { item = Item(item.value() + 1); });
    CHECK(items.back().value() == 50);
  });
}

TEST_CASE("transform: equals the standard's for every length and kind") {
  for_each_length(5000, [](const AlgorithmOptions& options, std::size_t n) {
    for_each_kind(random_ints(n), [&](auto& items, const std::vector<int>&) {
      using Container = std::remove_cvref_t<decltype(items)>;
      using T = typename Container::value_type;
      const T other = item_from<T>(7);
      const auto f = [&](const T& x) { return x < other ? other : x; };
      Container expected(n);
      Container found(n);
      std::ranges::transform(items, expected.begin(), f);
      const auto [in, out] = blitz::transform(options, items, found, f);
      CHECK(in == items.end());
      CHECK(out == found.end());
      CHECK(found == expected);
      const auto g = [](const T& x, const T& y) { return x < y ? x : y; };
      std::ranges::transform(items, expected, expected.begin(), g);
      blitz::transform(options, items, found, found, g);
      CHECK(found == expected);
    });
  });
}

TEST_CASE("transform: stops at the shortest range and passes on exceptions and stop requests") {
  const std::vector<int> numbers = random_ints(100);
  for_each_pool([&](AlgorithmOptions options) {
    std::vector<int> out(30);
    const auto end = blitz::transform(options, numbers, out, std::negate<>());
    CHECK(end.in == numbers.begin() + 30);
    CHECK(end.out == out.end());
    const auto ends = blitz::transform(options, out, numbers, out, std::plus<>());
    CHECK(ends.in2 == numbers.begin() + 30);
    CHECK(std::ranges::all_of(out, [](int x) { return x == 0; }));
    throw_at_each_call(
        [&](CallCounter& counter) { blitz::transform(options, numbers, out, counted(counter, std::negate<>())); },
        [] {});
    std::stop_source source;
    options.stop = source.get_token();
    source.request_stop();
    CHECK_THROWS_AS(blitz::transform(options, numbers, out, std::identity()), blitz::Stopped);
    blitz::for_each(options, numbers, [](int) { FAIL("a block began after the request"); });
  });
}

TEST_CASE("fill, generate, iota and replace: equal the standard's") {
  for_each_length(5000, [](const AlgorithmOptions& options, std::size_t n) {
    std::vector<int> found(n);
    std::vector<int> expected(n);
    const auto half = static_cast<std::ptrdiff_t>(n / 2);
    CHECK(blitz::fill(options, found, 3) == found.end());
    CHECK(blitz::fill_n(options, found.begin(), half, 4) == found.begin() + half);
    std::ranges::fill(expected, 3);
    std::ranges::fill_n(expected.begin(), half, 4);
    CHECK(found == expected);
    CHECK(blitz::replace(options, found, 3, 5) == found.end());
    CHECK(blitz::replace_if(
              options, found.begin(), found.end(), [](int x) { return x == -4; }, 6, std::negate<>()) == found.end());
    std::ranges::replace(expected, 3, 5);
    std::ranges::replace(expected, 4, 6);
    CHECK(found == expected);
    blitz::iota(options, found, -5);
    std::iota(expected.begin(), expected.end(), -5);
    CHECK(found == expected);
    std::atomic<int> next = 0;
    blitz::generate(options, found, [&] { return next++; });
    CHECK(next == static_cast<int>(n));
    std::ranges::sort(found);
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(found == expected);
    std::deque<double> doubles(n);
    blitz::iota(options, doubles, 0.5);
    if (n > 0) CHECK(doubles.back() == static_cast<double>(n) - 0.5);
  });
  for_each_pool([](const AlgorithmOptions& options) {
    std::vector<std::string> words(100, "a");
    blitz::replace(options, words, "a", "b");
    CHECK(std::ranges::count(words, "b") == 100);
  });
}

}  // namespace
}  // namespace blitz_test
