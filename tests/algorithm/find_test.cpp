#include <algorithm>
#include <cstddef>
#include <ranges>
#include <stop_token>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

TEST_CASE("find_if: as the standard's, for every length and kind") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : lengths(5000, 70)) {
      for_each_kind(random_ints(n, static_cast<int>(n) + 1), [&](auto& items, const std::vector<int>&) {
        const auto wanted = item_from<std::ranges::range_value_t<decltype(items)>>(1);
        const auto is_wanted = [&](const auto& x) { return x == wanted; };
        CHECK(blitz::find_if(options, items, is_wanted) == std::ranges::find_if(items, is_wanted));
        const auto middle = items.begin() + static_cast<std::ptrdiff_t>(n / 2);
        CHECK(blitz::find_if(options, middle, items.end(), is_wanted) ==
              std::ranges::find_if(middle, items.end(), is_wanted));
      });
    }
  });
}

TEST_CASE("find_if: an exception arrives") {
  const std::vector<int> numbers = random_ints(40);
  for_each_pool([&](const AlgorithmOptions& options) {
    throw_at_each_call(
        [&](CallCounter& counter) {
          const auto found = blitz::find_if(options, numbers, counted(counter, [](int) { return false; }));
          CHECK(found == numbers.end());
        },
        [] {});
  });
}

TEST_CASE("find_if: a stop request") {
  const std::vector<int> numbers = random_ints(1000);
  std::stop_source source;
  for_each_pool([&](AlgorithmOptions options) {
    source = std::stop_source();
    options.stop = source.get_token();
    CHECK_THROWS_AS(static_cast<void>(blitz::find_if(options, numbers,
                                                     [&](int) {
                                                       source.request_stop();
                                                       return false;
                                                     })),
                    blitz::Stopped);
  });
}

}  // namespace
}  // namespace blitz_test
