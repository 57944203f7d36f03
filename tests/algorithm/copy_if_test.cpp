#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
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

/// The expected output of copy_if with room for `room` items, and the number of input items that it visits.
template <class Items, class Pred>
std::pair<Items, std::size_t> copied(const Items& items, std::size_t room, Pred pred) {
  Items kept;
  std::size_t i = 0;
  for (; i < items.size(); ++i) {
    if (!pred(items[i])) continue;
    if (kept.size() == room) break;
    kept.push_back(items[i]);
  }
  return {std::move(kept), i};
}

TEST_CASE("copy_if: equals the standard's for every length and kind") {
  for_each_length(10'000, [](const AlgorithmOptions& options, std::size_t n) {
    for_each_kind(random_ints(n, 3), [&](auto& items, const std::vector<int>&) {
      using T = std::ranges::range_value_t<decltype(items)>;
      const T one = item_from<T>(1);
      const auto is_kept = [&](const T& x) { return x == one; };
      const auto expected = copied(items, n, is_kept).first;
      auto out = items;
      const auto [in_end, out_end] = blitz::copy_if(options, items, out, is_kept);
      CHECK(in_end == items.end());
      REQUIRE(static_cast<std::size_t>(out_end - out.begin()) == expected.size());
      CHECK(std::equal(out.begin(), out_end, expected.begin()));
      CHECK(std::equal(out_end, out.end(), items.begin() + (out_end - out.begin())));  // not written
    });
  });
}

TEST_CASE("copy_if: is correct for every share of matching items, from none to all") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : std::initializer_list<std::size_t>{64, 65, 700, 5000}) {
      const std::vector<int> numbers = random_ints(n, 100);
      for (const int below : {0, 1, 50, 97, 99, 100}) {
        const auto is_kept = [below](int x) { return x < below; };
        std::vector<int> out(n, -1);
        const auto end = blitz::copy_if(options, numbers, out, is_kept).out;
        out.erase(end, out.end());
        CHECK(out == copied(numbers, n, is_kept).first);
        std::vector<int> others(n, -1);
        others.erase(blitz::remove_copy_if(options, numbers, others, is_kept).out, others.end());
        CHECK(others == copied(numbers, n, std::not_fn(is_kept)).first);
      }
    }
  });
}

TEST_CASE("copy_if: stops where the output is full") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : std::initializer_list<std::size_t>{1, 64, 200, 513, 3000}) {
      const std::vector<int> numbers = random_ints(n, 2);
      const auto is_odd = [](int x) { return x % 2 != 0; };
      const auto all = static_cast<std::size_t>(std::ranges::count_if(numbers, is_odd));
      for (const std::size_t room : {std::size_t{0}, std::size_t{1}, all / 3, all / 2, all - (all > 0), all, all + 1}) {
        CAPTURE(n);
        CAPTURE(room);
        std::vector<int> out(room + 64, -1);
        const auto [in, end] = blitz::copy_if(options, numbers.begin(), numbers.end(), out.begin(),
                                              out.begin() + static_cast<std::ptrdiff_t>(room), is_odd);
        const auto [expected, expected_in] = copied(numbers, room, is_odd);
        CHECK(in - numbers.begin() == static_cast<std::ptrdiff_t>(expected_in));
        CHECK(std::vector<int>(out.begin(), end) == expected);
        CHECK(std::all_of(end, out.end(), [](int x) { return x == -1; }));
      }
    }
  });
}

TEST_CASE("copy_if: does not write to the output after its result") {
  for_each_length(10'000, [](const AlgorithmOptions& options, std::size_t n) {
    const std::vector<int> numbers = random_ints(n, 3);
    std::vector<int> out(n, -1);
    const auto end = blitz::copy_if(options, numbers, out, [](int x) { return x == 1; }).out;
    CHECK(std::all_of(end, out.end(), [](int x) { return x == -1; }));
  });
}

/// Trivially copy-assignable, but not copy-constructible.
struct AssignOnly {
  explicit AssignOnly(int its_value = 0) : value(its_value) {}
  AssignOnly(const AssignOnly&) = delete;
  AssignOnly& operator=(const AssignOnly&) = default;
  int value;
};
/// Like AssignOnly, but move-only.
struct MoveOnlyNumber {
  explicit MoveOnlyNumber(int its_value = 0) : value(its_value) {}
  MoveOnlyNumber(MoveOnlyNumber&&) = default;
  MoveOnlyNumber& operator=(MoveOnlyNumber&&) = default;
  int value;
};

TEST_CASE("copy_if and remove_if: take trivial items that are move-only or only assignable") {
  for_each_pool([](const AlgorithmOptions& options) {
    constexpr std::size_t kItems = 1000;
    const auto in = std::make_unique<AssignOnly[]>(kItems);
    const auto out = std::make_unique<AssignOnly[]>(kItems);
    std::vector<MoveOnlyNumber> numbers(kItems);
    for (std::size_t i = 0; i < kItems; ++i) in[i].value = numbers[i].value = static_cast<int>(i);
    const auto is_even = [](const auto& x) { return x.value % 2 == 0; };
    const auto end = blitz::copy_if(options, in.get(), in.get() + kItems, out.get(), out.get() + kItems, is_even).out;
    CHECK(end - out.get() == kItems / 2);
    CHECK(blitz::remove_if(options, numbers, is_even).size() == kItems / 2);
    for (std::size_t i = 0; i < kItems / 2; ++i) {
      CHECK(out[i].value == static_cast<int>(2 * i));
      CHECK(numbers[i].value == static_cast<int>(2 * i + 1));
    }
  });
}

TEST_CASE("copy_if: calls the predicate and the projection once for each item") {
  for_each_pool([](const AlgorithmOptions& options) {
    const std::vector<std::size_t> places = [] {
      std::vector<std::size_t> all(6000);
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
      return all;
    }();
    std::vector<std::atomic<int>> asked(places.size());
    std::vector<std::atomic<int>> projected(places.size());
    std::vector<std::size_t> out(places.size());
    const auto end = blitz::copy_if(
                         options, places, out, [&](std::size_t i) { return ++asked[i], i % 3 == 0; },
                         [&](std::size_t i) { return ++projected[i], i; })
                         .out;
    CHECK(end - out.begin() == 2000);
    CHECK(std::ranges::all_of(asked, [](const auto& times) { return times == 1; }));
    CHECK(std::ranges::all_of(projected, [](const auto& times) { return times == 1; }));
  });
}

TEST_CASE("remove_copy: copies all items except those that equal the value") {
  for_each_pool([](const AlgorithmOptions& options) {
    for_each_kind(random_ints(1000, 3), [&](auto& items, const std::vector<int>&) {
      using T = std::ranges::range_value_t<decltype(items)>;
      const T two = item_from<T>(2);
      auto out = items;
      out.erase(blitz::remove_copy(options, items, out, two).out, out.end());
      CHECK(out == copied(items, items.size(), [&](const T& x) { return x != two; }).first);
    });
  });
}

TEST_CASE("filters: are correct for many numbers, whether few or most are kept") {
  constexpr std::size_t kItems = 200'000;
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t percent : {2, 50, 95, 100}) {
      std::vector<std::size_t> numbers(kItems);  // in ascending order; each differs from the previous one, or equals it
      for (std::size_t i = 1; i < kItems; ++i) numbers[i] = numbers[i - 1] + (random_bits()() % 100 < percent ? 1 : 0);
      const auto is_new = [&](const std::size_t& x) { return &x == numbers.data() || *(&x - 1) != x; };
      const std::vector<std::size_t> expected = copied(numbers, kItems, is_new).first;
      for (int time = 0; time < 3; ++time) {
        std::vector<std::size_t> out(kItems);
        out.erase(blitz::copy_if(options, numbers, out, is_new).out, out.end());
        CHECK(out == expected);
        out.assign(kItems, 0);
        out.erase(blitz::unique_copy(options, numbers, out).out, out.end());
        CHECK(out == expected);
        out = numbers;
        out.erase(blitz::unique(options, out).begin(), out.end());
        CHECK(out == expected);
        out = numbers;
        const auto is_odd = [](std::size_t x) { return x * 0x9E37'79B9'7F4A'7C15 >> 32 & 1; };
        out.erase(blitz::remove_if(options, out, is_odd).begin(), out.end());
        CHECK(out == copied(numbers, kItems, std::not_fn(is_odd)).first);
      }
    }
  });
}

TEST_CASE("copy_if: throws Stopped after a stop request") {
  const std::vector<int> numbers = random_ints(10'000);
  for_each_pool([&](AlgorithmOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    std::vector<int> out(numbers.size());
    CHECK_THROWS_AS(blitz::copy_if(options, numbers, out, [&](int) { return source.request_stop(), true; }),
                    blitz::Stopped);
  });
}

}  // namespace
}  // namespace blitz_test
