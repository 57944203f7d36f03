#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <ranges>
#include <stop_token>
#include <string>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

TEST_CASE("copy, move, swap_ranges and reverse_copy: equal the standard's for every length and kind") {
  for_each_length(5000, [](const AlgorithmOptions& options, std::size_t n) {
    for_each_kind(random_ints(n), [&](auto& items, const std::vector<int>& numbers) {
      using Container = std::remove_cvref_t<decltype(items)>;
      Container out(n);
      const auto copied = blitz::copy(options, items, out);
      CHECK(copied.in == items.end());
      CHECK(copied.out == out.end());
      CHECK(out == items);
      Container turned(n);
      blitz::reverse_copy(options, items, turned);
      CHECK(std::ranges::equal(turned, items | std::views::reverse));
      blitz::swap_ranges(options, out, turned);
      CHECK(turned == items);
      CHECK(std::ranges::equal(out, items | std::views::reverse));
      CHECK(blitz::copy_n(options, items.begin(), static_cast<std::ptrdiff_t>(n / 2), out.begin()).in ==
            items.begin() + static_cast<std::ptrdiff_t>(n / 2));
      CHECK(std::ranges::equal(out | std::views::take(n / 2), items | std::views::take(n / 2)));
      blitz::move(options, turned, out);
      CHECK(out == items_from<Container>(numbers));
    });
  });
}

TEST_CASE("copies: stop at the shorter range, and reverse_copy takes the last items") {
  const std::vector<int> numbers{1, 2, 3, 4, 5};
  std::vector<int> out(3);
  CHECK(blitz::copy(two_threads(), numbers, out).in == numbers.begin() + 3);
  for (const std::ptrdiff_t n : {2, 3, 4}) {
    const std::ptrdiff_t copied = std::min<std::ptrdiff_t>(n, 3);
    out.assign(3, 0);
    const auto ends = blitz::copy_n(two_threads(), numbers.begin() + 1, n, out.begin(), out.end());
    CHECK(ends.in == numbers.begin() + 1 + copied);
    CHECK(ends.out == out.begin() + copied);
    CHECK(out == std::vector{2, 3, n == 2 ? 0 : 4});
    out.assign(3, 0);
    CHECK(blitz::uninitialized_copy_n(two_threads(), numbers.begin(), n, out.begin(), out.end()).out ==
          out.begin() + copied);
    CHECK(out == std::vector{1, 2, n == 2 ? 0 : 3});
  }
  blitz::reverse_copy(two_threads(), numbers, out);
  CHECK(out == std::vector{5, 4, 3});
  blitz::rotate_copy(two_threads(), numbers, numbers.begin() + 3, out);
  CHECK(out == std::vector{4, 5, 1});
  std::vector<int> all(9);
  CHECK(blitz::rotate_copy(two_threads(), numbers, numbers.begin() + 3, all).out == all.begin() + 5);
  CHECK(std::ranges::equal(all | std::views::take(5), std::vector{4, 5, 1, 2, 3}));
  const auto swapped = blitz::swap_ranges(two_threads(), out, all);
  CHECK(swapped.in1 == out.end());
  CHECK(swapped.in2 == all.begin() + 3);
  CHECK(out == std::vector{4, 5, 1});
  static_assert(std::same_as<decltype(blitz::copy(numbers, std::vector<int>()).out), std::ranges::dangling>);
}

TEST_CASE("copies, fills and shifts: change nothing for a count below 1 or a step past the end") {
  std::vector<int> numbers{1, 2, 3};
  const auto first = numbers.begin();
  using Limits = std::numeric_limits<std::ptrdiff_t>;
  for (const std::ptrdiff_t count : {std::ptrdiff_t{0}, std::ptrdiff_t{-1}, Limits::min()}) {
    CHECK(blitz::copy_n(two_threads(), first + 1, count, first).in == first + 1);
    CHECK(blitz::copy_n(two_threads(), first + 1, count, first, numbers.end()).out == first);
    CHECK(blitz::uninitialized_copy_n(two_threads(), first + 1, count, first, numbers.end()).in == first + 1);
    CHECK(blitz::fill_n(two_threads(), first, count, 7) == first);
    CHECK(blitz::for_each_n(two_threads(), first, count, [](int& x) { x = 7; }) == first);
    CHECK(blitz::uninitialized_fill_n(two_threads(), first, count, 7) == first);
    CHECK(blitz::shift_left(two_threads(), numbers, count).size() == 3);
    CHECK(blitz::shift_right(two_threads(), numbers, count).begin() == first);
  }
  for (const std::ptrdiff_t by : {std::ptrdiff_t{3}, std::ptrdiff_t{4}, Limits::max() - 1, Limits::max()}) {
    CHECK(blitz::shift_left(two_threads(), numbers, by).end() == first);
    CHECK(blitz::shift_right(two_threads(), numbers, by).begin() == numbers.end());
  }
  CHECK(numbers == std::vector{1, 2, 3});
}

TEST_CASE("reverse, rotate and shifts: equal the standard's for every length and kind") {
  for_each_length(70'000, [](const AlgorithmOptions& options, std::size_t n) {
    if (n > 1000 && options.min_grain == 1 && n % 2 == 0) return;
    for_each_kind(random_ints(n), [&](auto& items, const std::vector<int>& numbers) {
      using Container = std::remove_cvref_t<decltype(items)>;
      Container expected = items;
      CHECK(blitz::reverse(options, items) == items.end());
      std::ranges::reverse(expected);
      CHECK(items == expected);
      for (const std::size_t k : std::vector<std::size_t>{0, 1, n / 3, n - n / 4, n}) {
        const auto by = static_cast<std::ptrdiff_t>(std::min(k, n));
        const auto rest = blitz::rotate(options, items, items.begin() + by);
        std::ranges::rotate(expected, expected.begin() + by);
        CHECK(rest.begin() == items.end() - by);
        CHECK(items == expected);
        const auto left = blitz::shift_left(options, items, by);
        CHECK(std::ranges::equal(left, std::ranges::subrange(expected.begin() + by, expected.end())));
        CHECK(left.begin() == items.begin());
        items = expected;
        const auto right = blitz::shift_right(options, items, by);
        CHECK(std::ranges::equal(right, std::ranges::subrange(expected.begin(), expected.end() - by)));
        CHECK(right.end() == items.end());
        items = expected;
      }
      CHECK(items.size() == numbers.size());
    });
  });
}

TEST_CASE("shifts: are correct around the step from which several threads move items") {
  std::vector<int> numbers(40'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (const blitz::PoolRef pool : {pools()[1], pools()[3]}) {
    for (const std::size_t step : around({16'384, 20'000, 40'000 - 16'384})) {
      CAPTURE(step);
      std::vector<int> items = numbers;
      const auto by = static_cast<std::ptrdiff_t>(step);
      CHECK(std::ranges::equal(blitz::shift_left({.pool = pool}, items, by), numbers | std::views::drop(by)));
      items = numbers;
      CHECK(std::ranges::equal(blitz::shift_right({.pool = pool}, items, by),
                               numbers | std::views::take(std::ssize(numbers) - by)));
    }
  }
}

TEST_CASE("shuffle: makes a permutation that only the generator determines, for every length") {
  const auto check = [](const AlgorithmOptions& options, std::size_t n) {
    std::vector<int> sorted(n);
    std::iota(sorted.begin(), sorted.end(), 0);
    std::vector<int> numbers = sorted;
    CHECK(blitz::shuffle(options, numbers, std::mt19937(5)) == numbers.end());
    std::vector<int> others = sorted;
    blitz::shuffle(two_threads(), others, std::mt19937(5));
    CHECK(numbers == others);
    if (n > 20) CHECK(numbers != sorted);
    std::ranges::sort(numbers);
    CHECK(numbers == sorted);
  };
  for_each_length(5000, check);
  // By buckets, in one more block; with the maximum number of blocks.
  for (const std::size_t n : around({32'768, 40'960, 2'097'152})) check({.pool = pools()[2]}, n);
}

TEST_CASE("shuffle: is the same in every pool, takes move-only items and throws Stopped") {
  std::vector<int> sorted(100'000);
  std::iota(sorted.begin(), sorted.end(), 0);
  std::vector<int> first;
  for_each_pool([&](AlgorithmOptions options) {
    std::vector<int> numbers = sorted;
    blitz::shuffle(options, numbers, std::mt19937(5));
    if (first.empty()) first = numbers;
    CHECK(numbers == first);
    std::ranges::sort(numbers);
    CHECK(numbers == sorted);
    std::vector<Item> items;
    for (int i = 0; i < 40'000; ++i) items.emplace_back(i);
    blitz::shuffle(options, items, std::mt19937(5));
    CHECK(std::accumulate(items.begin(), items.end(), 0L, [](long s, const Item& x) { return s + x.value(); }) ==
          40'000L * 39'999 / 2);
    CHECK(items_alive == 40'000);
    std::stop_source source;
    options.stop = source.get_token();
    source.request_stop();
    CHECK_THROWS_AS(blitz::shuffle(options, numbers, std::mt19937(5)), blitz::Stopped);
    CHECK(numbers == sorted);
  });
  CHECK(first != sorted);
  CHECK(items_alive == 0);
}

TEST_CASE("shuffle: makes each order of few items and each place of many equally likely") {
  std::mt19937 bits(1);
  std::map<std::array<int, 4>, int> orders;
  constexpr int kTimes = 24'000;
  for (int i = 0; i < kTimes; ++i) {
    std::array<int, 4> items{0, 1, 2, 3};
    blitz::shuffle(two_threads(), items, bits);
    ++orders[items];
  }
  CHECK(orders.size() == 24);
  double chi = 0;
  for (const auto& [order, times] : orders) chi += (times - 1000) * (times - 1000) / 1000.0;
  CHECK(chi < 60);  // 23 degrees of freedom: 49.7 is exceeded once in a thousand runs
  // The destination of an item of a large range: its sixteenth of the range.
  std::array<int, 16> places{};
  std::vector<std::uint8_t> marks;
  for (int i = 0; i < 160; ++i) {
    marks.assign(40'000, 0);
    for (std::size_t k = 0; k < 10; ++k) marks[k] = 1;
    blitz::shuffle(two_threads(), marks, bits);
    for (std::size_t k = 0; k < marks.size(); ++k) places[k / 2500] += marks[k];
  }
  chi = 0;
  for (const int times : places) chi += (times - 100) * (times - 100) / 100.0;
  CHECK(chi < 45);  // 15 degrees of freedom: 37.7 is exceeded once in a thousand runs
}

TEST_CASE("uninitialized_copy and the like: construct and destroy the objects for every length") {
  for_each_length(2000, [](const AlgorithmOptions& options, std::size_t n) {
    const auto words = items_from<std::vector<std::string>>(random_ints(n));
    blitz::detail::Scratch<std::string> memory(n);
    std::string* const begin = memory.data();
    const std::span<std::string> all(begin, n);
    CHECK(blitz::uninitialized_copy(options, words, all).in == words.end());
    CHECK(std::ranges::equal(all, words));
    blitz::detail::Scratch<std::string> other(n);
    blitz::uninitialized_move(options, all, std::span(other.data(), n));
    CHECK(std::ranges::equal(std::span(other.data(), n), words));
    blitz::destroy(options, all);
    blitz::destroy_n(options, other.data(), static_cast<std::ptrdiff_t>(n));
    blitz::uninitialized_fill(options, all, "x");
    CHECK(std::ranges::count(all, "x") == static_cast<std::ptrdiff_t>(n));
    blitz::destroy(options, all);
    CHECK(blitz::uninitialized_value_construct_n(options, begin, static_cast<std::ptrdiff_t>(n)) == begin + n);
    CHECK(std::ranges::count(all, "") == static_cast<std::ptrdiff_t>(n));
    blitz::destroy(options, all);
    blitz::uninitialized_default_construct(options, begin, begin + n);
    blitz::destroy(options, begin, begin + n);
    const auto count = static_cast<std::ptrdiff_t>(n);
    CHECK(blitz::uninitialized_copy_n(options, words.begin(), count, begin, begin + n).in == words.end());
    CHECK(std::ranges::equal(all, words));
    CHECK(blitz::uninitialized_move_n(options, begin, count, other.data(), other.data() + n).out == other.data() + n);
    CHECK(std::ranges::equal(std::span(other.data(), n), words));
    CHECK(std::ranges::all_of(all, &std::string::empty));
    blitz::destroy(options, all);
    blitz::destroy_n(options, other.data(), count);
  });
}

TEST_CASE("uninitialized_copy and the like: take trivial objects and stop at the shorter range") {
  for_each_pool([](const AlgorithmOptions& options) {
    const std::vector<int> numbers = random_ints(3000);
    std::vector<int> memory(4000, -1);
    CHECK(blitz::uninitialized_copy(options, numbers, memory).out == memory.begin() + 3000);
    CHECK(std::ranges::equal(memory | std::views::take(3000), numbers));
    CHECK(memory[3000] == -1);
    CHECK(blitz::uninitialized_move(options, memory, std::span(memory).last(500)).in == memory.begin() + 500);
    CHECK(std::ranges::equal(memory | std::views::drop(3500), numbers | std::views::take(500)));
    blitz::uninitialized_value_construct_n(options, memory.begin(), 2000);
    CHECK(std::ranges::count(memory | std::views::take(2000), 0) == 2000);
    CHECK(memory[2000] == numbers[2000]);
    blitz::uninitialized_fill(options, memory, 7);
    CHECK(std::ranges::count(memory, 7) == 4000);
  });
}

}  // namespace
}  // namespace blitz_test
