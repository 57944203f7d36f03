#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <stop_token>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

TEST_CASE("find and its relatives: equal the standard's for every length and kind") {
  for_each_length(5000, [](const AlgorithmOptions& options, std::size_t n) {
    for_each_kind(random_ints(n, static_cast<int>(n) + 1), [&](auto& items, const std::vector<int>&) {
      const auto wanted = item_from<std::ranges::range_value_t<decltype(items)>>(1);
      const auto is_wanted = [&](const auto& x) { return x == wanted; };
      const auto is_other = [&](const auto& x) { return x != wanted; };
      const auto place = std::ranges::find(items, wanted);
      CHECK(blitz::find(options, items, wanted) == place);
      CHECK(blitz::find_if(options, items, is_wanted) == place);
      CHECK(blitz::find_if_not(options, items, is_other) == place);
      const auto middle = items.begin() + static_cast<std::ptrdiff_t>(n / 2);
      CHECK(blitz::find_if(options, middle, items.end(), is_wanted) == std::find(middle, items.end(), wanted));
      auto last = items.end();
      for (auto x = items.begin(); x != items.end(); ++x) {
        if (is_wanted(*x)) last = x;
      }
      CHECK(blitz::find_last(options, items, wanted).begin() == last);
      CHECK(blitz::find_last_if(options, items, is_wanted).begin() == last);
      CHECK(blitz::find_last_if_not(options, items, is_other).begin() == last);
      CHECK(blitz::find_last(options, items, wanted).end() == items.end());
      CHECK(blitz::any_of(options, items, is_wanted) == (place != items.end()));
      CHECK(blitz::none_of(options, items, is_wanted) == (place == items.end()));
      CHECK(blitz::all_of(options, items, is_other) == (place == items.end()));
      CHECK(blitz::adjacent_find(options, items) == std::ranges::adjacent_find(items));
    });
  });
}

TEST_CASE("find and its relatives: find the first or last match, wherever it is") {
  for_each_pool([](const AlgorithmOptions& options) {
    const std::size_t n = 150;
    for (std::size_t at = 0; at < n; ++at) {
      CAPTURE(at);
      // The value searched for is at `at` and at every seventh place after it (in `turned`, before it).
      std::vector<int> numbers(n, 1);
      std::vector<int> turned(n, 1);
      for (std::size_t i = at; i < n; i += 7) numbers[i] = turned[n - 1 - i] = 2;
      const auto place = static_cast<std::ptrdiff_t>(at);
      CHECK(blitz::find(options, numbers, 2) - numbers.begin() == place);
      CHECK(blitz::find_last(options, turned, 2).begin() - turned.begin() == std::ssize(turned) - 1 - place);
      CHECK(blitz::is_sorted_until(options, turned, std::greater<>()) ==
            std::ranges::is_sorted_until(turned, std::greater<>()));
      CHECK(blitz::adjacent_find(options, numbers, std::not_equal_to<>()) ==
            std::ranges::adjacent_find(numbers, std::not_equal_to<>()));
      CHECK(blitz::mismatch(options, numbers, std::vector<int>(n, 1)).in1 - numbers.begin() == place);
      CHECK(blitz::search(options, turned, std::vector{2, 1, 1}).begin() ==
            std::ranges::search(turned, std::vector{2, 1, 1}).begin());
    }
  });
}

TEST_CASE("search, find_end and find_first_of: equal the standard's") {
  for_each_length(2000, [](const AlgorithmOptions& options, std::size_t n) {
    const std::vector<int> hay = random_ints(n, 3);
    for (const std::size_t m : std::vector<std::size_t>{0, 1, 2, 5, n, n + 1}) {
      const std::vector<int> needle = random_ints(m, 3);
      CHECK(std::ranges::equal(blitz::search(options, hay, needle), std::ranges::search(hay, needle)));
      CHECK(blitz::search(options, hay, needle).begin() == std::ranges::search(hay, needle).begin());
      CHECK(blitz::find_end(options, hay, needle).begin() == std::ranges::find_end(hay, needle).begin());
      CHECK(blitz::find_end(options, hay, needle).end() == std::ranges::find_end(hay, needle).end());
      const auto less_by_two = [](int x, int y) { return x + 2 == y; };
      CHECK(blitz::find_first_of(options, hay, needle, less_by_two) ==
            std::ranges::find_first_of(hay, needle, less_by_two));
    }
  });
}

TEST_CASE("find: takes views and projections and returns dangling for a temporary") {
  const auto squares = std::views::iota(0, 1000) | std::views::transform([](int x) { return x * x; });
  CHECK(*blitz::find(two_threads(), squares, 81) == 81);
  const auto negative = [](int x) { return -x; };
  CHECK(*blitz::find(two_threads(), squares, -81, negative) == 81);
  CHECK(*blitz::find_if(
            two_threads(), squares, [](int x) { return x < -100; }, negative) == 121);
  static_assert(std::same_as<decltype(blitz::find(std::vector<int>(), 1)), std::ranges::dangling>);
  static_assert(std::same_as<decltype(blitz::find_last(std::vector<int>(), 1)), std::ranges::dangling>);
}

TEST_CASE("find_if: passes on an exception of each call of the predicate") {
  const std::vector<int> numbers = random_ints(70);
  for_each_pool([&](const AlgorithmOptions& options) {
    throw_at_each_call(
        [&](CallCounter& counter) {
          const auto found = blitz::find_if(options, numbers, counted(counter, [](int) { return false; }));
          CHECK(found == numbers.end());
        },
        [] {});
  });
}

TEST_CASE("find_if and any_of: throw Stopped after a stop request") {
  const std::vector<int> numbers = random_ints(1000);
  for_each_pool([&](AlgorithmOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    const auto none = [&](int) {
      source.request_stop();
      return false;
    };
    CHECK_THROWS_AS(static_cast<void>(blitz::find_if(options, numbers, none)), blitz::Stopped);
    CHECK_THROWS_AS(static_cast<void>(blitz::any_of(options, numbers, none)), blitz::Stopped);
  });
}

}  // namespace
}  // namespace blitz_test
