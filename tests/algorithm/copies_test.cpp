// Every algorithm that copies or moves items copies them from const references, never by a constructor template.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <random>
#include <ranges>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

/// Items with the numbers 0 to 9, in random order.
template <class T>
std::vector<T> some(std::size_t n) {
  std::vector<T> items;
  for (const int number : random_ints(n, 10)) items.emplace_back(number);
  return items;
}
template <class T>
std::vector<T> sorted(std::size_t n) {
  std::vector<int> numbers = random_ints(n, static_cast<int>(n));
  std::ranges::sort(numbers);
  std::vector<T> items;
  for (const int number : numbers) items.emplace_back(number);
  return items;
}

template <class T>
const auto kIsOdd = [](const T& x) { return x.value % 2 != 0; };
/// The greater one of two items.
template <class T>
const auto kGreater = [](const T& a, const T& b) { return a.value < b.value ? b : a; };

/// Calls `test(options, n)` with few items and with many.
template <class Test>
void for_each_size_of_input(Test&& test) {
  for_each_pool([&](const AlgorithmOptions& options) {
    for (const std::size_t n : {std::size_t{3}, std::size_t{300}, std::size_t{kSanitized ? 2000 : 10'000}}) {
      CAPTURE(n);
      test(options, n);
    }
  });
}

TEST_CASE_TEMPLATE("copies: filters do not wrap items", T, BLITZ_TEST_GREEDY) {
  for_each_size_of_input([](const AlgorithmOptions& options, std::size_t n) {
    auto items = some<T>(n);  // not const: an item is a T&
    std::vector<T> out(n);
    blitz::copy_if(options, items, out, kIsOdd<T>);
    CHECK(none_wrapped(out));
    blitz::remove_copy_if(options, items, out, kIsOdd<T>);
    CHECK(none_wrapped(out));
    blitz::remove_copy(options, items, out, T(3));
    CHECK(none_wrapped(out));
    blitz::unique_copy(options, items, out);
    CHECK(none_wrapped(out));
    std::vector<T> others(n);
    blitz::partition_copy(options, items, out, others, kIsOdd<T>);
    CHECK(none_wrapped(out));
    CHECK(none_wrapped(others));
    auto in_place = items;
    blitz::remove_if(options, in_place, kIsOdd<T>);
    CHECK(none_wrapped(in_place));
    in_place = items;
    blitz::remove(options, in_place, T(3));
    CHECK(none_wrapped(in_place));
    in_place = items;
    blitz::unique(options, in_place);
    CHECK(none_wrapped(in_place));
    in_place = items;
    blitz::partition(options, in_place, kIsOdd<T>);
    CHECK(none_wrapped(in_place));
    in_place = items;
    blitz::stable_partition(options, in_place, kIsOdd<T>);
    CHECK(none_wrapped(in_place));
  });
}

TEST_CASE_TEMPLATE("copies: sorts, merges and set operations do not wrap items", T, BLITZ_TEST_GREEDY) {
  for_each_size_of_input([](const AlgorithmOptions& options, std::size_t n) {
    const auto items = some<T>(n);
    const auto check = [&](const auto& sort) {
      auto in_place = items;
      sort(in_place);
      CHECK(none_wrapped(in_place));
    };
    const auto middle = [](auto& in_place) { return in_place.begin() + std::ssize(in_place) / 2; };
    check([&](auto& all) { blitz::sort(options, all); });
    check([&](auto& all) { blitz::sort(options, all, {}, &T::value); });
    check([&](auto& all) { blitz::stable_sort(options, all); });
    check([&](auto& all) { blitz::stable_sort(options, all, {}, &T::value); });
    check([&](auto& all) { blitz::partial_sort(options, all, middle(all)); });
    check([&](auto& all) { blitz::nth_element(options, all, middle(all)); });
    check([&](auto& all) {
      auto values = items;
      blitz::sort_by_key(options, all, values);
      CHECK(none_wrapped(values));
    });
    check([&](auto& all) { blitz::sort_by_cached_key(options, all, [](const T& x) { return x; }); });
    auto a = sorted<T>(n);
    auto b = sorted<T>(n);
    auto both = sorted<T>(2 * n);
    std::ranges::rotate(both, middle(both));
    std::vector<T> out(2 * n);
    blitz::merge(options, a, b, out);
    CHECK(none_wrapped(out));
    blitz::set_union(options, a, b, out);
    CHECK(none_wrapped(out));
    blitz::set_intersection(options, a, b, out);
    CHECK(none_wrapped(out));
    blitz::set_difference(options, a, b, out);
    CHECK(none_wrapped(out));
    blitz::set_symmetric_difference(options, a, b, out);
    CHECK(none_wrapped(out));
    blitz::inplace_merge(options, both, middle(both));
    CHECK(none_wrapped(both));
  });
}

TEST_CASE_TEMPLATE("copies: copies and permutations do not wrap items", T, BLITZ_TEST_GREEDY) {
  for_each_size_of_input([](const AlgorithmOptions& options, std::size_t n) {
    auto items = some<T>(n);
    std::vector<T> out(n);
    T one(1);
    T two(2);
    const auto by = static_cast<std::ptrdiff_t>(n / 2);
    blitz::copy(options, items, out);
    CHECK(none_wrapped(out));
    blitz::copy_n(options, items.begin(), n, out.begin());
    CHECK(none_wrapped(out));
    blitz::reverse_copy(options, items, out);
    CHECK(none_wrapped(out));
    blitz::rotate_copy(options, items, items.begin() + by, out);
    CHECK(none_wrapped(out));
    blitz::transform(options, items, out, [](T& x) -> T& { return x; });
    CHECK(none_wrapped(out));
    blitz::fill(options, out, one);
    CHECK(none_wrapped(out));
    blitz::fill_n(options, out.begin(), by, two);
    CHECK(none_wrapped(out));
    blitz::replace(options, out, one, two);
    CHECK(none_wrapped(out));
    blitz::replace_if(options, out, kIsOdd<T>, one);
    CHECK(none_wrapped(out));
    blitz::generate(options, out, [&one]() -> T& { return one; });
    CHECK(none_wrapped(out));
    blitz::move(options, items, out);
    CHECK(none_wrapped(out));
    blitz::swap_ranges(options, items, out);
    blitz::reverse(options, out);
    blitz::rotate(options, out, out.begin() + by);
    blitz::shift_left(options, out, 1);
    blitz::shift_left(options, out, by);
    blitz::shift_right(options, out, 1);
    blitz::shift_right(options, out, by);
    std::mt19937 random(1);
    blitz::shuffle(options, out, random);
    CHECK(none_wrapped(items));
    CHECK(none_wrapped(out));
  });
}

TEST_CASE_TEMPLATE("copies: reductions and scans do not wrap items", T, BLITZ_TEST_GREEDY) {
  for_each_size_of_input([](AlgorithmOptions options, std::size_t n) {
    auto items = some<T>(n);
    for (const bool deterministic : {false, true}) {
      options.deterministic = deterministic;
      const auto itself = [](T& x) -> T& { return x; };
      std::vector<T> out(n);
      const T init(0);
      CHECK_FALSE(blitz::min(options, items).is_wrapped);
      CHECK_FALSE(blitz::max(options, items).is_wrapped);
      CHECK_FALSE(blitz::minmax(options, items).min.is_wrapped);
      CHECK_FALSE(blitz::minmax(options, items).max.is_wrapped);
      CHECK_FALSE(blitz::reduce(options, items, init, kGreater<T>).is_wrapped);
      CHECK_FALSE(blitz::transform_reduce(options, items, init, kGreater<T>, itself).is_wrapped);
      blitz::inclusive_scan(options, items, out, kGreater<T>);
      CHECK(none_wrapped(out));
      blitz::inclusive_scan(options, items, out, kGreater<T>, init);
      CHECK(none_wrapped(out));
      blitz::exclusive_scan(options, items, out, init, kGreater<T>);
      CHECK(none_wrapped(out));
      blitz::transform_inclusive_scan(options, items, out, kGreater<T>, itself);
      CHECK(none_wrapped(out));
      blitz::transform_exclusive_scan(options, items, out, init, kGreater<T>, itself);
      CHECK(none_wrapped(out));
      blitz::adjacent_difference(options, items, out, kGreater<T>);
      CHECK(none_wrapped(out));
      auto in_place = items;
      blitz::adjacent_difference(options, in_place, in_place, kGreater<T>);
      CHECK(none_wrapped(in_place));
      std::vector<T> sums(n);
      blitz::reduce_by_key(options, items, items, out, sums, {}, kGreater<T>);
      CHECK(none_wrapped(out));
      CHECK(none_wrapped(sums));
      blitz::PoolRef pool = options.pool;
      CHECK_FALSE(
          blitz::parallel_reduce({.deterministic = deterministic, .pool = pool}, items, init, kGreater<T>).is_wrapped);
      CHECK_FALSE(blitz::parallel_transform_reduce({.deterministic = deterministic, .pool = pool}, items, init,
                                                   kGreater<T>, itself)
                      .is_wrapped);
    }
  });
}

}  // namespace
}  // namespace blitz_test
