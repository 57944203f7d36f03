/// Every algorithm on iterators that are not contiguous: iterators of counting and transforming views, which return values and
/// have differences wider than any integer, and iterators of a view of one member of each object.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <random>
#include <ranges>
#include <string>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using Ints = std::vector<int>;
using Sizes = std::initializer_list<std::size_t>;

/// Calls `test(options, view, numbers)` for each of these lengths with a view of the numbers.
template <class Of, class Test>
void for_each_view(Of of, Test test) {
  for (const std::size_t n : Sizes{0, 1, 2, 65, 700, 5000}) {
    CAPTURE(n);
    const auto view = std::views::iota(std::size_t{0}, n) | std::views::transform(of);
    Ints numbers(n);
    std::ranges::copy(view, numbers.begin());
    for (const blitz::PoolRef pool : {pools()[2], pools()[4]}) {
      test(AlgorithmOptions{.min_grain = n < 1000 ? 1U : 0U, .pool = pool}, view, numbers);
    }
  }
}

int scattered(std::size_t i) { return static_cast<int>(i * 7919 % 1009 % 50); }

TEST_CASE("views: searches, comparisons and folds equal the standard's") {
  for_each_view(scattered, [](const AlgorithmOptions& options, const auto& view, const Ints& numbers) {
    const auto place = [&](const auto& found) { return static_cast<std::ptrdiff_t>(found - view.begin()); };
    const auto same_place = [&](const auto& found, Ints::const_iterator expected) {
      return place(found) == expected - numbers.begin();
    };
    const auto is_late = [](int x) { return x > 47; };
    CHECK(static_cast<std::ptrdiff_t>(blitz::count(options, view, 7)) == std::ranges::count(numbers, 7));
    CHECK(blitz::any_of(options, view, is_late) == std::ranges::any_of(numbers, is_late));
    CHECK(same_place(blitz::find(options, view, 49), std::ranges::find(numbers, 49)));
    CHECK(same_place(blitz::find_last_if(options, view, is_late).begin(),
                     std::find_if(numbers.rbegin(), numbers.rend(), is_late) == numbers.rend()
                         ? numbers.end()
                         : std::find_if(numbers.rbegin(), numbers.rend(), is_late).base() - 1));
    CHECK(same_place(blitz::adjacent_find(options, view), std::ranges::adjacent_find(numbers)));
    const Ints needle(numbers.end() - std::min(std::ssize(numbers), std::ptrdiff_t{3}), numbers.end());
    CHECK(same_place(blitz::search(options, view, needle).begin(), std::ranges::search(numbers, needle).begin()));
    CHECK(same_place(blitz::find_end(options, view, needle).begin(), std::ranges::find_end(numbers, needle).begin()));
    CHECK(same_place(blitz::find_first_of(options, view, needle), std::ranges::find_first_of(numbers, needle)));
    CHECK(same_place(blitz::min_element(options, view), std::ranges::min_element(numbers)));
    CHECK(same_place(blitz::max_element(options, view), std::ranges::max_element(numbers)));
    CHECK(same_place(blitz::minmax_element(options, view).max, std::ranges::minmax_element(numbers).max));
    if (!numbers.empty()) CHECK(blitz::minmax(options, view).max == std::ranges::max(numbers));
    CHECK(same_place(blitz::mismatch(options, view, numbers).in1, numbers.end()));
    CHECK(blitz::equal(options, view, view));
    CHECK_FALSE(blitz::lexicographical_compare(options, view, numbers));
    CHECK(same_place(blitz::is_sorted_until(options, view), std::ranges::is_sorted_until(numbers)));
    CHECK(blitz::is_partitioned(options, view, is_late) == std::ranges::is_partitioned(numbers, is_late));
    CHECK(blitz::reduce(options, view) == std::accumulate(numbers.begin(), numbers.end(), 0));
    CHECK(blitz::transform_reduce(options, view, view, 0L) ==
          std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0L));
    CHECK(blitz::histogram(options, view, 50)[7] == static_cast<std::size_t>(std::ranges::count(numbers, 7)));
    const blitz::Groups groups = blitz::group_by(options, view);
    CHECK(std::accumulate(groups.begin(), groups.end(), std::size_t{0},
                          [](std::size_t sum, const auto& group) { return sum + group.size(); }) == numbers.size());
  });
}

TEST_CASE("views: copies, filters and scans equal the standard's") {
  for_each_view(scattered, [](const AlgorithmOptions& options, const auto& view, const Ints& numbers) {
    Ints out(numbers.size());
    Ints expected(numbers.size());
    const auto upto = [](Ints& items, Ints::iterator end) { return Ints(items.begin(), end); };
    const auto is_even = [](int x) { return x % 2 == 0; };
    CHECK(blitz::copy(options, view, out).in == view.end());
    CHECK(out == numbers);
    blitz::reverse_copy(options, view, out);
    CHECK(std::ranges::equal(out, numbers | std::views::reverse));
    const auto middle = static_cast<std::ptrdiff_t>(numbers.size() / 3);
    blitz::rotate_copy(options, view, view.begin() + middle, out);
    std::ranges::rotate_copy(numbers, numbers.begin() + middle, expected.begin());
    CHECK(out == expected);
    blitz::transform(options, view, view, out, std::multiplies<>());
    std::ranges::transform(numbers, numbers, expected.begin(), std::multiplies<>());
    CHECK(out == expected);
    CHECK(upto(out, blitz::copy_if(options, view, out, is_even).out) ==
          upto(expected, std::ranges::copy_if(numbers, expected.begin(), is_even).out));
    CHECK(upto(out, blitz::remove_copy(options, view, out, 7).out) ==
          upto(expected, std::ranges::remove_copy(numbers, expected.begin(), 7).out));
    CHECK(upto(out, blitz::unique_copy(options, view, out).out) ==
          upto(expected, std::ranges::unique_copy(numbers, expected.begin()).out));
    Ints others(numbers.size());
    const auto parts = blitz::partition_copy(options, view, out, others, is_even);
    CHECK(std::all_of(out.begin(), parts.out1, is_even));
    CHECK(std::none_of(others.begin(), parts.out2, is_even));
    CHECK((parts.out1 - out.begin()) + (parts.out2 - others.begin()) == std::ssize(numbers));
    blitz::exclusive_scan(options, view, out, 3);
    std::exclusive_scan(numbers.begin(), numbers.end(), expected.begin(), 3);
    CHECK(out == expected);
    blitz::adjacent_difference(options, view, out);
    std::adjacent_difference(numbers.begin(), numbers.end(), expected.begin());
    CHECK(out == expected);
    std::atomic<long> sum = 0;
    blitz::for_each(options, view, [&](int x) { sum += x; });
    CHECK(sum == std::accumulate(numbers.begin(), numbers.end(), 0L));
  });
}

TEST_CASE("views: merges and set operations equal the standard's") {
  const auto thirds = [](std::size_t i) { return static_cast<int>(i / 3); };
  for_each_view(thirds, [](const AlgorithmOptions& options, const auto& view, const Ints& numbers) {
    const auto evens =
        std::views::iota(0, static_cast<int>(numbers.size())) | std::views::transform([](int i) { return 2 * i; });
    Ints out(2 * numbers.size());
    Ints expected(out.size());
    blitz::merge(options, view, evens, out);
    std::ranges::merge(numbers, evens, expected.begin());
    CHECK(out == expected);
    const auto same = [&](auto end, auto expected_end) {
      return std::ranges::equal(out.begin(), end, expected.begin(), expected_end);
    };
    CHECK(same(blitz::set_union(options, view, evens, out).out,
               std::ranges::set_union(numbers, evens, expected.begin()).out));
    CHECK(same(blitz::set_difference(options, view, evens, out).out,
               std::ranges::set_difference(numbers, evens, expected.begin()).out));
    CHECK(blitz::includes(options, view, evens) == std::ranges::includes(numbers, evens));
    Ints sums(numbers.size());
    const auto [keys_end, sums_end] = blitz::reduce_by_key(options, view, view, out, sums);
    const auto kinds = static_cast<std::ptrdiff_t>((numbers.size() + 2) / 3);
    CHECK(keys_end - out.begin() == kinds);
    CHECK(sums_end - sums.begin() == kinds);
    if (kinds > 1) CHECK(sums[1] == 3);
  });
}

/// A record. Algorithms change only its key.
struct Record {
  int key;
  std::size_t place;
};

TEST_CASE("views: algorithms in place change only the viewed member of each object") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{1, 2, 33, 300, 2500}) {
      CAPTURE(n);
      const Ints numbers = random_ints(n, static_cast<int>(n));
      std::vector<Record> records(n);
      const auto keys = records | std::views::transform(&Record::key);
      const auto third = static_cast<std::ptrdiff_t>(n / 3);
      const auto is_even = [](int x) { return x % 2 == 0; };
      const auto below = [](int a, int b) { return a < b; };
      /// Calls `ours` on the view, and `standards` on a copy of the numbers.
      const auto check = [&](const std::function<std::ptrdiff_t()>& ours,
                             const std::function<std::ptrdiff_t(Ints&)>& standards) {
        for (std::size_t i = 0; i < n; ++i) records[i] = {numbers[i], i};
        Ints expected = numbers;
        const std::ptrdiff_t left = ours();
        CHECK(left == standards(expected));
        CHECK(std::equal(keys.begin(), keys.begin() + left, expected.begin(), expected.begin() + left));
        for (std::size_t i = 0; i < n; ++i) REQUIRE(records[i].place == i);
      };
      const auto all = std::ssize(numbers);
      const auto sorted = [&](Ints& x) { return std::ranges::sort(x), all; };
      check([&] { return blitz::sort(options, keys) - keys.begin(); }, sorted);
      check([&] { return blitz::sort(options, keys, below) - keys.begin(); }, sorted);
      check([&] { return blitz::stable_sort(options, keys, below) - keys.begin(); }, sorted);
      check([&] { return blitz::partial_sort(options, keys, keys.begin() + third, below), third; },
            [&](Ints& x) { return std::ranges::sort(x), third; });
      check(
          [&] {
            blitz::nth_element(options, keys, keys.begin() + third, below);
            return blitz::sort(options, keys, below) - keys.begin();
          },
          sorted);
      check(
          [&] {
            std::ranges::sort(keys.begin(), keys.begin() + third);
            std::ranges::sort(keys.begin() + third, keys.end());
            return blitz::inplace_merge(options, keys, keys.begin() + third) - keys.begin();
          },
          sorted);
      check([&] { return blitz::reverse(options, keys) - keys.begin(); },
            [&](Ints& x) { return std::ranges::reverse(x), all; });
      check([&] { return blitz::rotate(options, keys, keys.begin() + third).end() - keys.begin(); },
            [&](Ints& x) { return std::ranges::rotate(x, x.begin() + third), all; });
      check([&] { return blitz::shift_left(options, keys, third).end() - keys.begin(); },
            [&](Ints& x) { return std::shift_left(x.begin(), x.end(), third) - x.begin(); });
      check([&] { return blitz::remove_if(options, keys, is_even).begin() - keys.begin(); },
            [&](Ints& x) { return std::ranges::remove_if(x, is_even).begin() - x.begin(); });
      check([&] { return blitz::unique(options, keys).begin() - keys.begin(); },
            [&](Ints& x) { return std::ranges::unique(x).begin() - x.begin(); });
      check([&] { return blitz::stable_partition(options, keys, is_even).end() - keys.begin(); },
            [&](Ints& x) { return std::ranges::stable_partition(x, is_even).end() - x.begin(); });
      check(
          [&] {
            blitz::partition(options, keys, is_even);
            CHECK(std::ranges::is_partitioned(keys, is_even));
            return blitz::sort(options, keys) - keys.begin();
          },
          sorted);
      check(
          [&] {
            blitz::shuffle(options, keys, std::mt19937(7));
            return blitz::stable_sort(options, keys) - keys.begin();
          },
          sorted);
      check([&] { return blitz::inclusive_scan(options, keys, keys).out - keys.begin(); },
            [&](Ints& x) { return std::partial_sum(x.begin(), x.end(), x.begin()) - x.begin(); });
      check([&] { return blitz::adjacent_difference(options, keys, keys).out - keys.begin(); },
            [&](Ints& x) { return std::adjacent_difference(x.begin(), x.end(), x.begin()) - x.begin(); });
      check([&] { return blitz::replace_if(options, keys, is_even, 7) - keys.begin(); },
            [&](Ints& x) { return std::ranges::replace_if(x, is_even, 7) - x.begin(); });
      check([&] { return blitz::fill(options, keys, 7) - keys.begin(); },
            [&](Ints& x) { return std::ranges::fill(x, 7) - x.begin(); });
      check([&] { return blitz::iota(options, keys, 7) - keys.begin(); },
            [&](Ints& x) { return std::iota(x.begin(), x.end(), 7), all; });
      Ints values = numbers;
      check([&] { return blitz::swap_ranges(options, keys, values).in1 - keys.begin(); }, [&](Ints&) { return all; });
      CHECK(values == numbers);
    }
  });
}

}  // namespace
}  // namespace blitz_test
