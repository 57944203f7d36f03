#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

TEST_CASE("comparisons of ranges: equal the standard's for every length and kind") {
  for_each_length(5000, [](const AlgorithmOptions& options, std::size_t n) {
    const std::vector<int> numbers = random_ints(n);
    for_each_kind(numbers, [&](auto& items, const std::vector<int>&) {
      using Container = std::remove_cvref_t<decltype(items)>;
      auto others = items_from<Container>(numbers);
      const auto check = [&] {
        const auto [in1, in2] = std::ranges::mismatch(items, others);
        const auto found = blitz::mismatch(options, items, others);
        CHECK(found.in1 == in1);
        CHECK(found.in2 == in2);
        CHECK(blitz::equal(options, items, others) == std::ranges::equal(items, others));
        CHECK(blitz::lexicographical_compare(options, items, others) ==
              std::ranges::lexicographical_compare(items, others));
        CHECK(blitz::lexicographical_compare(options, others, items) ==
              std::ranges::lexicographical_compare(others, items));
      };
      check();
      if (n == 0) return;
      others[n - 1 - n / 3] = item_from<typename Container::value_type>(7);
      check();
      others.pop_back();
      check();
    });
  });
}

TEST_CASE("is_sorted and is_partitioned: equal the standard's") {
  for_each_length(5000, [](const AlgorithmOptions& options, std::size_t n) {
    for (const std::size_t sorted : {n, n - n / 4}) {
      std::vector<int> numbers = random_ints(n);
      std::ranges::sort(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(sorted));
      CHECK(blitz::is_sorted(options, numbers) == std::ranges::is_sorted(numbers));
      CHECK(blitz::is_sorted_until(options, numbers) == std::ranges::is_sorted_until(numbers));
      CHECK(blitz::is_sorted(options, numbers, std::greater<>(), std::negate<>()) ==
            std::ranges::is_sorted(numbers, std::greater<>(), std::negate<>()));
      const auto is_low = [](int x) { return x < 500'000; };
      CHECK(blitz::is_partitioned(options, numbers, is_low) == std::ranges::is_partitioned(numbers, is_low));
    }
  });
}

}  // namespace
}  // namespace blitz_test
