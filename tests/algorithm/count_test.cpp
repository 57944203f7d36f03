#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <ranges>
#include <stop_token>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

TEST_CASE("count and count_if: equal the standard's for every length and kind") {
  for_each_length(5000, [](const AlgorithmOptions& options, std::size_t n) {
    for_each_kind(random_ints(n, 3), [&](auto& items, const std::vector<int>&) {
      const auto wanted = item_from<std::ranges::range_value_t<decltype(items)>>(1);
      CHECK(blitz::count(options, items, wanted) == std::ranges::count(items, wanted));
      CHECK(blitz::count_if(options, items.begin(), items.end(), [&](const auto& x) { return x != wanted; }) ==
            std::ranges::ssize(items) - std::ranges::count(items, wanted));
    });
  });
}

TEST_CASE("count and count_if: are correct for numbers as wide as the result") {
  const auto check = [](auto number) {
    std::vector<decltype(number)> numbers;
    for (int i = 0; i < 1000; ++i) numbers.push_back(static_cast<decltype(number)>(i % 7));
    const auto small = [](auto x) { return x < 3; };
    for (std::size_t length = 0; length <= numbers.size(); length += 37) {
      const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(length);
      number = 5;
      CHECK(blitz::count(two_threads(), numbers.begin(), end, number) == std::count(numbers.begin(), end, number));
      CHECK(blitz::count_if(two_threads(), numbers.begin(), end, small) == std::count_if(numbers.begin(), end, small));
    }
  };
  check(0.0);
  check(std::int64_t{0});
  check(std::uint64_t{0});
}

TEST_CASE("min_element and the like: equal the standard's for every length and kind") {
  for_each_length(20'000, [](const AlgorithmOptions& options, std::size_t n) {
    if (options.min_grain == 1 && n > 1100) return;
    for (const int kinds : {2, 1'000'000}) {
      for_each_kind(random_ints(n, kinds), [&](auto& items, const std::vector<int>&) {
        CHECK(blitz::min_element(options, items) == std::ranges::min_element(items));
        CHECK(blitz::max_element(options, items) == std::ranges::max_element(items));
        const auto [least, greatest] = std::ranges::minmax_element(items);
        const auto both = blitz::minmax_element(options, items);
        CHECK(both.min == least);
        CHECK(both.max == greatest);
        const auto [first, last] = std::ranges::minmax_element(items, std::greater<>());
        const auto turned = blitz::minmax_element(options, items, std::greater<>());
        CHECK(turned.min == first);
        CHECK(turned.max == last);
        CHECK(blitz::max_element(options, items, std::greater<>()) ==
              std::ranges::max_element(items, std::greater<>()));
      });
    }
  });
}

template <class T>
void check_numbers(std::vector<T> numbers) {
  for_each_pool([&](const AlgorithmOptions& options) {
    CHECK(blitz::min_element(options, numbers) == std::ranges::min_element(numbers));
    CHECK(blitz::max_element(options, numbers) == std::ranges::max_element(numbers));
    CHECK(blitz::minmax_element(options, numbers).max == std::ranges::minmax_element(numbers).max);
    CHECK(blitz::min(options, numbers) == std::ranges::min(numbers));
    CHECK(blitz::max(options, numbers) == std::ranges::max(numbers));
    CHECK(blitz::minmax(options, numbers).min == std::ranges::min(numbers));
  });
}

TEST_CASE("min_element and the like: are correct for the limits of types and stay in bounds for NaNs") {
  using Doubles = std::numeric_limits<double>;
  check_numbers(std::vector<double>(3000, Doubles::infinity()));
  check_numbers(std::vector<double>(3000, -Doubles::infinity()));
  check_numbers(std::vector<float>{-0.0F, 0.0F, 1.0F});
  check_numbers(std::vector<std::uint8_t>(3000, 0));
  check_numbers(std::vector<std::int64_t>(3000, std::numeric_limits<std::int64_t>::min()));
  check_numbers(std::vector<std::uint64_t>(3000, std::numeric_limits<std::uint64_t>::max()));
  std::vector<double> numbers(3000, Doubles::quiet_NaN());
  const auto is_inside = [&](auto place) { return place >= numbers.begin() && place < numbers.end(); };
  CHECK(is_inside(blitz::min_element(two_threads(), numbers)));
  CHECK(is_inside(blitz::max_element(two_threads(), numbers)));
  numbers[2500] = 1;
  CHECK(is_inside(blitz::minmax_element(two_threads(), numbers).min));
  CHECK(is_inside(blitz::minmax_element(two_threads(), numbers).max));
}

TEST_CASE("min_element and the like: apply projections and pass on exceptions and stop requests") {
  const std::vector<int> numbers = random_ints(60);
  CHECK(blitz::min_element(two_threads(), numbers, {}, std::negate<>()) == std::ranges::max_element(numbers));
  for_each_pool([&](AlgorithmOptions options) {
    throw_at_each_call(
        [&](CallCounter& counter) {
          const auto found = blitz::max_element(options, numbers, counted(counter, std::less<>()));
          CHECK(found == std::ranges::max_element(numbers));
        },
        [] {});
    std::stop_source source;
    options.stop = source.get_token();
    source.request_stop();
    CHECK_THROWS_AS(static_cast<void>(blitz::min_element(options, numbers)), blitz::Stopped);
    CHECK_THROWS_AS(static_cast<void>(blitz::count(options, numbers, 1)), blitz::Stopped);
  });
}

}  // namespace
}  // namespace blitz_test
