#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <stop_token>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

TEST_CASE("unique and unique_copy: equal the standard's for every length and kind") {
  for_each_length(10'000, [](const AlgorithmOptions& options, std::size_t n) {
    for_each_kind(random_ints(n, 2), [&](auto& items, const std::vector<int>&) {
      auto expected = items;
      const auto expected_rest = std::ranges::unique(expected);
      expected.erase(expected_rest.begin(), expected_rest.end());
      auto out = items;
      const auto [in_end, out_end] = blitz::unique_copy(options, items, out);
      CHECK(in_end == items.end());
      CHECK(std::equal(out_end, out.end(), items.begin() + (out_end - out.begin())));  // not written
      out.erase(out_end, out.end());
      CHECK(out == expected);
      const auto rest = blitz::unique(options, items);
      CHECK(rest.end() == items.end());
      items.erase(rest.begin(), rest.end());
      CHECK(items == expected);
    });
  });
}

/// Numbers in runs, most of them `length` long.
std::vector<int> in_runs(std::size_t count, std::size_t length) {
  std::vector<int> numbers(count);
  for (std::size_t i = 1; i < count; ++i) {
    numbers[i] = random_bits()() % length == 0 ? numbers[i - 1] + 1 : numbers[i - 1];
  }
  return numbers;
}

TEST_CASE("unique: keeps the first item of each run, for runs of all lengths") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : std::initializer_list<std::size_t>{1, 2, 64, 65, 129, 700, 5000}) {
      for (const std::size_t length : std::initializer_list<std::size_t>{1, 2, 20, 100, 10'000}) {
        const std::vector<int> numbers = in_runs(n, length);
        std::vector<Item> items;
        for (std::size_t i = 0; i < n; ++i) items.emplace_back(numbers[i], i);
        const auto rest = blitz::unique(options, items, {}, &Item::value);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < n; ++i) {
          if (i > 0 && numbers[i] == numbers[i - 1]) continue;
          REQUIRE(items[kept].value() == numbers[i]);
          REQUIRE(items[kept].place == i);
          ++kept;
        }
        CHECK(rest.begin() - items.begin() == static_cast<std::ptrdiff_t>(kept));
      }
    }
  });
}

TEST_CASE("unique: compares each pair of neighbours once, the left one first") {
  for_each_pool([](const AlgorithmOptions& options) {
    std::vector<std::size_t> places(3000);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::vector<std::atomic<int>> compared(places.size());
    blitz::unique(options, places, [&](std::size_t a, std::size_t b) {
      ++compared[a];
      return a + 1 != b;  // never
    });
    CHECK(compared.back() == 0);
    CHECK(std::all_of(compared.begin(), compared.end() - 1, [](const auto& times) { return times == 1; }));
  });
}

TEST_CASE("unique_copy: stops where the output is full") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : std::initializer_list<std::size_t>{1, 64, 200, 3000}) {
      const std::vector<int> numbers = in_runs(n, 3);
      std::vector<int> kinds(n);
      kinds.erase(std::ranges::unique_copy(numbers, kinds.begin()).out, kinds.end());
      for (const std::size_t room : {std::size_t{0}, std::size_t{1}, kinds.size() / 2, kinds.size()}) {
        std::vector<int> out(room + 64, -1);
        const auto [in, end] = blitz::unique_copy(options, numbers.begin(), numbers.end(), out.begin(),
                                                  out.begin() + static_cast<std::ptrdiff_t>(room));
        CHECK(std::equal(out.begin(), end, kinds.begin(), kinds.begin() + static_cast<std::ptrdiff_t>(room)));
        CHECK(std::all_of(end, out.end(), [](int x) { return x == -1; }));
        const auto expected_in =
            room < kinds.size() ? std::ranges::find(numbers, kinds[room]) : numbers.end();  // They ascend.
        CHECK(in == expected_in);
      }
    }
  });
}

TEST_CASE("unique: throws Stopped after a stop request") {
  for_each_pool([&](AlgorithmOptions options) {
    std::vector<int> numbers = random_ints(10'000);
    std::stop_source source;
    options.stop = source.get_token();
    CHECK_THROWS_AS(blitz::unique(options, numbers, [&](int, int) { return source.request_stop(), false; }),
                    blitz::Stopped);
    numbers.clear();
    CHECK_THROWS_AS(blitz::unique(options, numbers), blitz::Stopped);
  });
}

}  // namespace
}  // namespace blitz_test
