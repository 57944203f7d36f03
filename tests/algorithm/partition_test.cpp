#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
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

TEST_CASE("partition, stable_partition and partition_copy: are correct for every length and kind") {
  for_each_length(10'000, [](const AlgorithmOptions& options, std::size_t n) {
    for_each_kind(random_ints(n, 3), [&](auto& items, const std::vector<int>&) {
      using T = std::ranges::range_value_t<decltype(items)>;
      const T one = item_from<T>(1);
      const auto is_front = [&](const T& x) { return x == one; };
      auto front = items;
      auto others = items;
      const auto [in, front_end, others_end] = blitz::partition_copy(options, items, front, others, is_front);
      CHECK(in == items.end());
      front.erase(front_end, front.end());
      others.erase(others_end, others.end());
      // libstdc++'s stable_partition does not align its buffer for over-aligned items.
      auto expected = items;
      std::ranges::remove_copy_if(items, std::ranges::copy_if(items, expected.begin(), is_front).out, is_front);
      CHECK(std::equal(front.begin(), front.end(), expected.begin(),
                       expected.begin() + static_cast<std::ptrdiff_t>(front.size())));
      CHECK(std::equal(others.begin(), others.end(), expected.begin() + static_cast<std::ptrdiff_t>(front.size()),
                       expected.end()));
      auto any = items;
      const auto behind = blitz::partition(options, any, is_front);
      CHECK(behind.end() == any.end());
      CHECK(static_cast<std::size_t>(behind.begin() - any.begin()) == front.size());
      CHECK(std::all_of(any.begin(), behind.begin(), is_front));
      CHECK(std::ranges::none_of(behind, is_front));
      const auto stable_behind = blitz::stable_partition(options, items, is_front);
      CHECK(stable_behind.begin() == items.begin() + static_cast<std::ptrdiff_t>(front.size()));
      CHECK(items == expected);
      for (const int kind : {0, 1, 2}) {
        CHECK(std::ranges::count(any, item_from<T>(kind)) == std::ranges::count(items, item_from<T>(kind)));
      }
    });
  });
}

template <class Call>
void check_shares(const Call& call, bool stable) {
  for_each_pool([&](const AlgorithmOptions& options) {
    for (const std::size_t n : std::initializer_list<std::size_t>{64, 65, 700, 5000}) {
      const std::vector<int> numbers = random_ints(n, 100);
      for (const int below : {0, 1, 3, 50, 97, 100}) {
        std::vector<Item> items;
        for (std::size_t i = 0; i < n; ++i) items.emplace_back(numbers[i], i);
        std::vector<std::atomic<int>> asked(n);
        const auto is_front = [&](const Item& x) {
          ++asked[x.place];
          return x.value() < below;
        };
        const auto behind = call(options, items, is_front);
        CHECK(std::ranges::all_of(asked, [](const auto& times) { return times == 1; }));
        CHECK(std::all_of(items.begin(), behind.begin(), [&](const Item& x) { return x.value() < below; }));
        CHECK(std::ranges::none_of(behind, [&](const Item& x) { return x.value() < below; }));
        if (stable) {
          CHECK(std::is_sorted(items.begin(), behind.begin(), [](auto& a, auto& b) { return a.place < b.place; }));
          CHECK(std::ranges::is_sorted(behind, {}, &Item::place));
        }
        std::vector<bool> found(n);
        for (const Item& x : items) {
          CHECK(x.value() == numbers[x.place]);
          found[x.place] = true;
        }
        CHECK(std::ranges::count(found, true) == static_cast<std::ptrdiff_t>(n));
      }
    }
  });
}

TEST_CASE("partition: keeps all items and calls the predicate once for each") {
  check_shares([](auto&&... args) { return blitz::partition(args...); }, false);
}

TEST_CASE("stable_partition: keeps all items in order and calls the predicate once for each") {
  check_shares([](auto&&... args) { return blitz::stable_partition(args...); }, true);
}

TEST_CASE("partition_copy: stops where one of the outputs is full") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : std::initializer_list<std::size_t>{1, 64, 200, 3000}) {
      const std::vector<int> numbers = random_ints(n, 3);
      const auto is_front = [](int x) { return x == 0; };
      for (const std::size_t front_room : {std::size_t{0}, n / 6, n / 3, n}) {
        for (const std::size_t others_room : {std::size_t{0}, n / 3, n / 2, n}) {
          std::vector<int> expected_front;
          std::vector<int> expected_others;
          std::size_t i = 0;
          for (; i < n; ++i) {
            auto& out = is_front(numbers[i]) ? expected_front : expected_others;
            if (out.size() == (is_front(numbers[i]) ? front_room : others_room)) break;
            out.push_back(numbers[i]);
          }
          std::vector<int> front(n + 64, -1);
          std::vector<int> others(n + 64, -1);
          const auto [in, front_end, others_end] =
              blitz::partition_copy(options, numbers.begin(), numbers.end(), front.begin(),
                                    front.begin() + static_cast<std::ptrdiff_t>(front_room), others.begin(),
                                    others.begin() + static_cast<std::ptrdiff_t>(others_room), is_front);
          CHECK(in - numbers.begin() == static_cast<std::ptrdiff_t>(i));
          CHECK(std::vector<int>(front.begin(), front_end) == expected_front);
          CHECK(std::vector<int>(others.begin(), others_end) == expected_others);
          CHECK(std::all_of(front_end, front.end(), [](int x) { return x == -1; }));
          CHECK(std::all_of(others_end, others.end(), [](int x) { return x == -1; }));
        }
      }
    }
  });
}

TEST_CASE("partition: an exception leaves a permutation, or the original if items are not contiguous") {
  for (const std::size_t n : {150, 1300}) {
    const std::vector<int> numbers = random_ints(n);
    std::vector<int> sorted = numbers;
    std::ranges::sort(sorted);
    const auto is_front = [](int x) { return x % 3 == 0; };
    for_each_pool([&](const AlgorithmOptions& options) {
      std::vector<int> items;
      throw_at_each_call(
          [&](CallCounter& counter) {
            items = numbers;
            blitz::partition(options, items, counted(counter, is_front));
          },
          [&] {
            std::ranges::sort(items);
            CHECK(items == sorted);
          });
      std::deque<int> apart(numbers.begin(), numbers.end());
      throw_at_each_call([&](CallCounter& counter) { blitz::partition(options, apart, counted(counter, is_front)); },
                         [&] { CHECK(std::ranges::equal(apart, numbers)); });
    });
  }
}

TEST_CASE("partition: is correct for more items than fit into a cache") {
  const std::vector<int> numbers = random_ints(kSanitized ? 33'000 : 100'000);
  for_each_pool([&](const AlgorithmOptions& options) {
    std::vector<int> items = numbers;
    const auto behind = blitz::partition(options, items, [](int x) { return x % 3 == 0; });
    CHECK(std::all_of(items.begin(), behind.begin(), [](int x) { return x % 3 == 0; }));
    CHECK(std::ranges::none_of(behind, [](int x) { return x % 3 == 0; }));
    CHECK(made_of(items, numbers));
  });
}

TEST_CASE("partition, stable_partition and partition_copy: throw Stopped after a stop request") {
  for_each_pool([&](AlgorithmOptions options) {
    std::vector<int> numbers = random_ints(10'000);
    std::vector<int> front(numbers.size());
    std::vector<int> others(numbers.size());
    std::stop_source source;
    const auto stop = [&](int) { return source.request_stop(), false; };
    options.stop = source.get_token();
    CHECK_THROWS_AS(blitz::partition(options, numbers, stop), blitz::Stopped);
    source = std::stop_source();
    options.stop = source.get_token();
    CHECK_THROWS_AS(blitz::stable_partition(options, numbers, stop), blitz::Stopped);
    source = std::stop_source();
    options.stop = source.get_token();
    CHECK_THROWS_AS(blitz::partition_copy(options, numbers, front, others, stop), blitz::Stopped);
  });
}

}  // namespace
}  // namespace blitz_test
