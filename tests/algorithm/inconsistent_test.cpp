/// Callables that answer differently each time: no result is right, but nothing is read or written out of bounds, nothing is
/// lost, and all algorithms end. Sorts and merges have tests of these beside the others.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <ranges>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using Ints = std::vector<int>;

/// Numbers that have nothing to do with what is asked; another one each time.
std::uint64_t whatever() {
  static std::atomic<std::uint64_t> state{1};
  return blitz::detail::splitmix64(state.fetch_add(1, std::memory_order_relaxed));
}
constexpr auto kPerhaps = [](const auto&...) { return whatever() % 2 == 0; };
constexpr auto kRarely = [](const auto&...) { return whatever() % 100 == 0; };
constexpr auto kMostly = [](const auto&...) { return whatever() % 100 != 0; };

template <class Test>
void for_each_length(Test test) {
  for_each_pool([&](const AlgorithmOptions& options) {
    for (const std::size_t n : std::initializer_list<std::size_t>{0, 1, 2, 3, 64, 65, 600, 4100}) {
      if (n > 600 && options.min_grain == 1) continue;
      CAPTURE(n);
      Ints numbers(n);
      std::iota(numbers.begin(), numbers.end(), 0);
      test(options, numbers);
    }
  });
}

bool inside(const Ints& items, Ints::const_iterator place) { return place >= items.begin() && place <= items.end(); }

bool same_items(Ints items, const Ints& before) {
  std::ranges::sort(items);
  return items == before;
}

TEST_CASE("inconsistent predicates: searches") {
  for_each_length([](const AlgorithmOptions& options, const Ints& numbers) {
    CHECK(inside(numbers, blitz::find_if(options, numbers, kRarely)));
    CHECK(inside(numbers, blitz::find_last_if(options, numbers, kRarely).begin()));
    CHECK(inside(numbers, blitz::adjacent_find(options, numbers, kRarely)));
    const Ints needle(3);
    CHECK(inside(numbers, blitz::search(options, numbers, needle, kPerhaps).end()));
    CHECK(inside(numbers, blitz::find_end(options, numbers, needle, kPerhaps).end()));
    CHECK(inside(numbers, blitz::find_first_of(options, numbers, needle, kRarely)));
    CHECK(inside(numbers, blitz::mismatch(options, numbers, numbers, kMostly).in2));
    CHECK(inside(numbers, blitz::is_sorted_until(options, numbers, kRarely)));
    CHECK(inside(numbers, blitz::minmax_element(options, numbers, kPerhaps).max));
    CHECK(inside(numbers, blitz::min_element(options, numbers, {}, [](int) { return whatever(); })));
    CHECK(static_cast<std::size_t>(blitz::count_if(options, numbers, kPerhaps)) <= numbers.size());
    static_cast<void>(blitz::includes(options, numbers, numbers, kPerhaps));
    static_cast<void>(blitz::is_partitioned(options, numbers, kPerhaps));
    static_cast<void>(blitz::lexicographical_compare(options, numbers, numbers, kRarely));
  });
}

TEST_CASE("inconsistent predicates: filters and partitions") {
  for_each_length([](const AlgorithmOptions& options, const Ints& numbers) {
    Ints items = numbers;
    const auto behind = blitz::partition(options, items, kPerhaps);
    CHECK(inside(items, behind.begin()));
    CHECK(same_items(items, numbers));
    blitz::stable_partition(options, items, kPerhaps);
    CHECK(same_items(items, numbers));
    CHECK(inside(items, blitz::remove_if(options, items, kPerhaps).begin()));
    CHECK(inside(items, blitz::unique(options, items, kPerhaps).begin()));
    for (const std::size_t room : {numbers.size(), numbers.size() / 2, numbers.size() / 5}) {
      Ints out(room);
      Ints others(numbers.size() - room);
      CHECK(inside(out, blitz::copy_if(options, numbers, out, kPerhaps).out));
      CHECK(inside(out, blitz::unique_copy(options, numbers, out, kPerhaps).out));
      const auto ends = blitz::partition_copy(options, numbers, out, others, kPerhaps);
      CHECK(inside(out, ends.out1));
      CHECK(inside(others, ends.out2));
      CHECK((ends.out1 - out.begin()) + (ends.out2 - others.begin()) == ends.in - numbers.begin());
    }
  });
}

TEST_CASE("inconsistent keys") {
  for_each_length([](const AlgorithmOptions& options, const Ints& numbers) {
    const auto few = [](int) { return static_cast<int>(whatever() % 20); };
    const auto counts = blitz::histogram(options, numbers, 20, few);
    CHECK(std::accumulate(counts.begin(), counts.end(), std::size_t{0}) == numbers.size());
    Ints keys(numbers.size() / 3);
    Ints sums(numbers.size() / 3);
    CHECK(inside(keys, blitz::reduce_by_key(options, numbers, numbers, keys, sums, kPerhaps).keys_out));
    keys = numbers;
    sums = numbers;
    blitz::sort_by_key(options, keys, sums, kPerhaps);
    CHECK(keys == sums);
    CHECK(same_items(keys, numbers));
    blitz::sort_by_cached_key(options, keys, few, kPerhaps);
    CHECK(same_items(keys, numbers));
  });
}

TEST_CASE("inconsistent keys: group_by finds each position at most once, and none that there is not") {
  for (const std::size_t n : std::initializer_list<std::size_t>{0, 1, 100, 5000, 50'000}) {
    for (const std::size_t kinds : std::initializer_list<std::size_t>{1, 10, 10'000, 1'000'000}) {
      for (const blitz::PoolRef pool : {pools()[0], pools()[2]}) {
        CAPTURE(n);
        CAPTURE(kinds);
        const blitz::Groups groups = blitz::group_by({.pool = pool}, std::views::iota(std::size_t{0}, n),
                                                     [&](std::size_t) { return whatever() % kinds; });
        std::vector<int> found(n);
        for (const auto group : groups) {
          for (const std::size_t position : group) {
            REQUIRE(position < n);
            ++found[position];
          }
        }
        CHECK(std::ranges::count(found, 1) == static_cast<std::ptrdiff_t>(n));
      }
    }
  }
}

}  // namespace
}  // namespace blitz_test
