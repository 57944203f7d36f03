#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <stop_token>
#include <string>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

TEST_CASE("remove_if: equals the standard's for every length and kind") {
  for_each_length(10'000, [](const AlgorithmOptions& options, std::size_t n) {
    for_each_kind(random_ints(n, 3), [&](auto& items, const std::vector<int>&) {
      using T = std::ranges::range_value_t<decltype(items)>;
      const T one = item_from<T>(1);
      auto expected = items;
      std::erase_if(expected, [&](const T& x) { return x == one; });
      auto by_value = items;
      const auto rest = blitz::remove_if(options, items, [&](const T& x) { return x == one; });
      CHECK(rest.end() == items.end());
      items.erase(rest.begin(), rest.end());
      CHECK(items == expected);
      by_value.erase(blitz::remove(options, by_value.begin(), by_value.end(), one).begin(), by_value.end());
      CHECK(by_value == expected);
    });
  });
}

TEST_CASE("remove_if: keeps the order of the other items, whether it removes few or many") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : std::initializer_list<std::size_t>{64, 65, 700, 5000}) {
      const std::vector<int> numbers = random_ints(n, 100);
      for (const int below : {0, 1, 3, 50, 97, 100}) {
        std::vector<Item> items;
        for (std::size_t i = 0; i < n; ++i) items.emplace_back(numbers[i], i);
        const auto rest = blitz::remove_if(
            options, items, [below](int x) { return x < below; }, &Item::value);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < n; ++i) {
          if (numbers[i] < below) continue;
          REQUIRE(items[kept].value() == numbers[i]);
          REQUIRE(items[kept].place == i);
          ++kept;
        }
        CHECK(rest.begin() - items.begin() == static_cast<std::ptrdiff_t>(kept));
      }
    }
  });
}

TEST_CASE("remove_if: throws Stopped after a stop request") {
  for_each_pool([&](AlgorithmOptions options) {
    std::vector<int> numbers = random_ints(10'000);
    std::stop_source source;
    options.stop = source.get_token();
    CHECK_THROWS_AS(blitz::remove_if(options, numbers, [&](int) { return source.request_stop(), false; }),
                    blitz::Stopped);
  });
}

}  // namespace
}  // namespace blitz_test
