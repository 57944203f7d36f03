// The serial work of one thread for all others: it does not grow with the threads of the pool. Also checks that algorithms are
// right in pools of 64 and 256 threads.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/detail/algorithm/chain.hpp>
#include <blitz/detail/algorithm/columns.hpp>
#include <blitz/detail/algorithm/sort/merge_path.hpp>
#include <blitz/detail/algorithm/sort/parallel_partition.hpp>
#include <blitz/detail/algorithm/sort/parallel_radix.hpp>
#include <blitz/detail/algorithm/sort/parts.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using blitz::detail::LoopIndex;

constexpr std::array<std::size_t, 6> kThreads{1, 2, 16, 64, 256, 1024};
constexpr std::array<std::size_t, 6> kCounts{1'000, 30'000, 1'000'000, 10'000'000, 100'000'000, 4'000'000'000};

template <class Test>
void for_sizes(Test&& test) {
  for (const std::size_t threads : kThreads) {
    for (const std::size_t n : kCounts) {
      CAPTURE(threads);
      CAPTURE(n);
      test(n, threads);
    }
  }
}

// --- the work of one thread ---

TEST_CASE("spans: group_by has at most one counter per eight items and one partition per 4096") {
  for_sizes([](std::size_t n, std::size_t threads) {
    const std::size_t pieces = blitz::detail::group_pieces(n, threads, blitz::detail::kLeastGroupPiece);
    const std::size_t partitions = std::size_t{1} << blitz::detail::group_partition_bits(n);
    CHECK(partitions <= std::max<std::size_t>(n / 4096, 2));
    CHECK(pieces * partitions <= std::max<std::size_t>(n / 8, 2));
    CHECK(pieces <= 4 * threads);
    if (threads <= 256) CHECK(pieces >= std::min(n / blitz::detail::kLeastGroupPiece, 2 * threads));
  });
}

TEST_CASE("spans: a radix sort has at most one counter per eight items") {
  constexpr std::size_t kBuckets = std::size_t{1} << blitz::detail::kMostDigit;
  for_sizes([](std::size_t n, std::size_t threads) {
    const std::size_t parts = blitz::detail::radix_parts(n, threads, blitz::detail::kLeastRadixPart);
    CHECK((parts == 1 || parts * kBuckets <= n / 8));
    CHECK(parts >= std::min(std::max<std::size_t>(n / blitz::detail::kLeastRadixPart, 1), 4 * threads));
  });
}

TEST_CASE("spans: a task adds up few counters") {
  for (const std::size_t rows : {1, 2, 8, 64, 256, 512, 1024, 4096}) {
    CAPTURE(rows);
    const std::size_t grain = blitz::detail::column_grain(rows);
    CHECK(grain >= 8);
    CHECK(rows * grain <= std::max<std::size_t>(4096, 8 * rows));
  }
}

TEST_CASE("spans: sorts and merges have two parts per thread up to 512, and a task makes few cuts") {
  for_sizes([](std::size_t n, std::size_t threads) {
    constexpr std::size_t kLeast = 8192;
    const std::size_t parts = blitz::detail::part_count(n, threads, kLeast);
    CHECK(parts <= blitz::detail::kMostParts);
    if (threads > 1) CHECK(parts >= std::min({std::max<std::size_t>(n / kLeast, 1), 2 * threads, std::size_t{512}}));
  });
  CHECK(blitz::detail::kMostPartitionParts >= 512);
  for (std::size_t parts = 2; parts <= blitz::detail::kMostParts; ++parts) {
    CAPTURE(parts);
    const std::size_t tasks = blitz::detail::cut_tasks(parts);
    CHECK(tasks >= 1);
    CHECK(parts / tasks <= 32);
    if (parts > 64) CHECK((parts + tasks - 1) / tasks <= 9);
  }
}

TEST_CASE("spans: scans and filters have few links") {
  for_sizes([](std::size_t n, std::size_t threads) {
    const LoopIndex run = blitz::detail::even_run(n, threads);
    const LoopIndex even = n / (16 * threads);
    CHECK(run >= even);
    if (threads <= 4) CHECK(run == even);
    if (run > even) CHECK(run <= n / (4 * threads));
    // A link costs as much as about 64 items: all links together take as long as a run or two, or each thread has four runs.
    const bool few = even >= run || run * run >= 32 * n;
    CHECK((few || run >= n / std::max<std::size_t>(4 * threads, 64)));
  });
}

TEST_CASE("spans: group_by of few groups calls an integral key function once for each item") {
  blitz::ThreadPool pool({.num_threads = 64});
  const std::size_t n = std::size_t{1} << 20;
  std::vector<std::uint32_t> keys(n);
  for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random_bits()() % 1000);
  std::atomic<std::size_t> calls{0};
  const blitz::Groups groups = blitz::group_by({.pool = &pool}, keys, [&](std::uint32_t key) {
    calls.fetch_add(1, std::memory_order_relaxed);
    return key;
  });
  CHECK(groups.size() == 1000);
  CHECK(calls == n);
}

// --- the parts that run in parallel ---

TEST_CASE("add_up_columns: equals the serial loop for every number of rows and columns") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t rows : {1u, 2u, 7u, 64u, 513u}) {
      for (const std::size_t columns : {1u, 2u, 8u, 63u, 64u, 65u, 1024u, 3000u}) {
        if (rows * columns > 200'000) continue;
        CAPTURE(rows);
        CAPTURE(columns);
        const std::vector<int> numbers = random_ints(rows * columns, 5);
        std::vector<std::size_t> counts(numbers.begin(), numbers.end());
        std::vector<std::size_t> expected = counts;
        std::vector<std::size_t> expected_begins;
        std::size_t sum = 0;
        for (std::size_t column = 0; column != columns; ++column) {
          expected_begins.push_back(sum);
          for (std::size_t row = 0; row != rows; ++row) sum += std::exchange(expected[row * columns + column], sum);
        }
        expected_begins.push_back(sum);
        std::vector<std::size_t> begins(columns + 1, 77);
        blitz::detail::add_up_columns(options, rows, columns, counts.data(), begins.data());
        CHECK(counts == expected);
        CHECK(begins == expected_begins);
      }
    }
  });
}

TEST_CASE("merge_parallel: is correct for cuts of several tasks and loses no item if there is no order") {
  for (const std::size_t parts : {2u, 32u, 33u, 40u, 100u, 512u}) {
    for (const std::size_t na : {0u, 1u, 500u, 2000u}) {
      CAPTURE(parts);
      CAPTURE(na);
      std::vector<int> a = random_ints(na, 300);
      std::vector<int> b = random_ints(3000, 300);
      std::ranges::sort(a);
      std::ranges::sort(b);
      std::vector<int> expected;
      std::ranges::merge(a, b, std::back_inserter(expected));
      std::vector<int> out(expected.size());
      const auto merge = [&](auto less) {
        blitz::detail::merge_parallel(two_threads(), parts, a.data(), a.size(), b.data(), b.size(), out.data(), less,
                                      blitz::detail::ConstructMoved{});
      };
      merge([](int x, int y) { return x < y; });
      CHECK(out == expected);
      for (const Order<int>& disorder : disorders()) {
        std::ranges::fill(out, -1);
        merge([&](int x, int y) { return disorder(x, y); });
        std::vector<int> found = out;
        std::ranges::sort(found);
        CHECK(found == expected);
      }
    }
  }
}

TEST_CASE("parallel_partition: is correct for every number of parts and for parts all on one side") {
  const auto is_low = [](int x) { return x < 500; };
  const auto partition = [](int* first, int* last, auto below) { return std::partition(first, last, below); };
  for (const std::size_t parts : {2u, 64u, 65u, 511u, 512u, 1000u}) {
    for (const int shape : {0, 1, 2, 3, 4}) {
      CAPTURE(parts);
      CAPTURE(shape);
      std::vector<int> items = random_ints(20'000, 1000);
      if (shape == 1) std::ranges::sort(items);
      if (shape == 2) std::ranges::sort(items, std::greater<>());
      if (shape == 3) std::ranges::fill(items, 1);
      if (shape == 4) std::ranges::fill(items, 999);
      const std::vector<int> before = items;
      int* const middle = blitz::detail::parallel_partition(two_threads(), items.data(), items.data() + items.size(),
                                                            parts, is_low, partition);
      CHECK(middle - items.data() == std::ranges::count_if(before, is_low));
      CHECK(std::all_of(items.data(), middle, is_low));
      std::vector<int> sorted = before;
      std::ranges::sort(sorted);
      std::ranges::sort(items);
      CHECK(items == sorted);
    }
  }
}

// --- pools of many threads ---

/// The number of items of the tests below; fewer with a sanitizer.
constexpr std::size_t kItems = kSanitized ? 120'000 : 600'000;

template <class Test>
void for_large_pools(Test&& test) {
  static blitz::ThreadPool of_64({.num_threads = 64});
  static blitz::ThreadPool of_256({.num_threads = 256});
  for (blitz::ThreadPool* const pool : {&of_64, &of_256}) {
    CAPTURE(pool->num_threads());
    // The algorithm's default grain, and a grain that makes as many parts as possible.
    for (const std::size_t grain : {0u, 256u}) {
      CAPTURE(grain);
      test(AlgorithmOptions{.min_grain = grain, .pool = pool});
    }
  }
}

template <class K>
void check_radix_sort(const AlgorithmOptions& options, K mask) {
  std::vector<K> keys(kItems);
  for (K& key : keys) key = static_cast<K>(random_bits()()) & mask;
  std::vector<K> expected = keys;
  std::ranges::sort(expected);
  blitz::sort(options, keys);
  CHECK(keys == expected);
}

TEST_CASE("many threads: radix sorts are correct for keys of each width") {
  for_large_pools([](const AlgorithmOptions& options) {
    check_radix_sort<std::uint8_t>(options, 0xFF);
    check_radix_sort<std::uint16_t>(options, 0xFFFF);
    check_radix_sort<std::uint16_t>(options, 3);  // written from counts
    check_radix_sort<std::uint32_t>(options, 0xFFFF'FFFF);
    check_radix_sort<std::uint32_t>(options, 0x8000'0000);
    check_radix_sort<std::uint64_t>(options, ~std::uint64_t{0});
    // Nearly all in one bucket.
    std::vector<std::uint16_t> keys(kItems, 5);
    for (std::size_t i = 0; i < keys.size(); i += 1000) keys[i] = static_cast<std::uint16_t>(i / 1000 % 512);
    std::vector<std::uint16_t> expected = keys;
    std::ranges::sort(expected);
    blitz::sort(options, keys);
    CHECK(keys == expected);
  });
}

struct Pair {
  int key;
  int place;
  friend bool operator==(const Pair&, const Pair&) = default;
};

TEST_CASE("many threads: sorts by comparisons and nth_element are correct") {
  const auto by_key = [](const Pair& a, const Pair& b) { return a.key < b.key; };
  const auto less = [](int a, int b) { return a < b; };
  for_large_pools([&](const AlgorithmOptions& options) {
    const std::vector<int> numbers = random_ints(kItems);
    std::vector<int> expected = numbers;
    std::ranges::sort(expected);
    std::vector<int> items = numbers;
    blitz::sort(options, items, less);
    CHECK(items == expected);

    for (const std::size_t nth : {std::size_t{0}, kItems / 3, kItems - 1}) {
      items = numbers;
      blitz::nth_element(options, items, items.begin() + static_cast<std::ptrdiff_t>(nth), less);
      CHECK(items[nth] == expected[nth]);
      CHECK(std::ranges::all_of(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(nth),
                                [&](int x) { return x <= expected[nth]; }));
    }

    std::vector<Pair> pairs;
    for (const int number : numbers) pairs.push_back({number % 1000, static_cast<int>(pairs.size())});
    std::vector<Pair> expected_pairs = pairs;
    std::ranges::stable_sort(expected_pairs, by_key);
    std::vector<Pair> by_comparison = pairs;
    blitz::stable_sort(options, by_comparison, by_key);
    CHECK(by_comparison == expected_pairs);
    blitz::stable_sort(options, pairs, std::ranges::less(), &Pair::key);
    CHECK(pairs == expected_pairs);

    // Runs, which are merged, and a few displaced items.
    items = expected;
    std::ranges::rotate(items, items.begin() + static_cast<std::ptrdiff_t>(kItems / 3));
    for (std::size_t i = 0; i < kItems; i += 5000) items[i] = numbers[i];
    std::vector<int> presorted = items;
    std::ranges::sort(presorted);
    blitz::sort(options, items, less);
    CHECK(items == presorted);
  });
}

TEST_CASE("many threads: sorts and merges of items that are costly to move are correct") {
  for_large_pools([](const AlgorithmOptions& options) {
    std::vector<std::string> items;
    for (const int number : random_ints(kItems / 10)) items.push_back(item_from<std::string>(number));
    std::vector<std::string> expected = items;
    std::ranges::stable_sort(expected);
    std::vector<std::string> sorted = items;
    blitz::stable_sort(options, sorted);
    CHECK(sorted == expected);

    const auto middle = static_cast<std::ptrdiff_t>(items.size() / 3);
    std::sort(items.begin(), items.begin() + middle);
    std::sort(items.begin() + middle, items.end());
    blitz::inplace_merge(options, items, items.begin() + middle);
    CHECK(items == expected);
  });
}

TEST_CASE("many threads: partitions, merges and set operations are correct") {
  for_large_pools([](const AlgorithmOptions& options) {
    const std::vector<int> numbers = random_ints(kItems, 1 << 20);
    const auto is_low = [](int x) { return x % 3 == 0; };
    std::vector<int> items = numbers;
    const auto others = blitz::partition(options, items, is_low);
    CHECK(others.begin() - items.begin() == std::ranges::count_if(numbers, is_low));
    CHECK(std::all_of(items.begin(), others.begin(), is_low));
    CHECK(std::ranges::none_of(others, is_low));

    items = numbers;
    std::vector<int> expected = numbers;
    blitz::stable_partition(options, items, is_low);
    std::ranges::stable_partition(expected, is_low);
    CHECK(items == expected);

    std::vector<int> a(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(kItems / 3));
    std::vector<int> b(numbers.begin() + static_cast<std::ptrdiff_t>(kItems / 3), numbers.end());
    for (int& x : b) x %= 1 << 10;  // many equal ones
    std::ranges::sort(a);
    std::ranges::sort(b);
    std::vector<int> out(kItems);
    expected.assign(kItems, 0);
    blitz::merge(options, a, b, out);
    std::ranges::merge(a, b, expected.begin());
    CHECK(out == expected);
    const auto check_set = [&](auto ours, auto theirs) {
      std::vector<int> wanted;
      theirs(a, b, std::back_inserter(wanted));
      std::vector<int> found(kItems);
      found.erase(ours(options, a, b, found).out, found.end());
      CHECK(found == wanted);
    };
    check_set(blitz::set_union, std::ranges::set_union);
    check_set(blitz::set_intersection, std::ranges::set_intersection);
    check_set(blitz::set_difference, std::ranges::set_difference);
    check_set(blitz::set_symmetric_difference, std::ranges::set_symmetric_difference);
    CHECK(blitz::includes(options, out, a));
    CHECK(!blitz::includes(options, a, b));
  });
}

TEST_CASE("many threads: histograms and shuffles are correct") {
  for_large_pools([](const AlgorithmOptions& options) {
    for (const std::size_t bins : {10u, 5000u, 8192u, 20'000u}) {
      CAPTURE(bins);
      const std::vector<int> numbers = random_ints(kItems, static_cast<int>(bins));
      std::vector<std::size_t> expected(bins);
      for (const int x : numbers) ++expected[static_cast<std::size_t>(x)];
      CHECK(blitz::histogram(options, numbers, bins) == expected);
    }
    std::vector<int> items(kItems);
    std::iota(items.begin(), items.end(), 0);
    std::vector<int> same = items;
    const std::vector<int> sorted = items;
    std::mt19937_64 one(7);
    std::mt19937_64 two(7);
    blitz::shuffle(options, items, one);
    blitz::shuffle(two_threads(), same, two);
    CHECK(items == same);
    std::ranges::sort(items);
    CHECK(items == sorted);
  });
}

TEST_CASE("many threads: group_by is correct for every number of groups") {
  const std::size_t n = kItems / 2;
  // Few groups; as many as a table holds; more in all pieces together; as many as items.
  for (const int kinds : {1, 100, 4000, 50'000, 1 << 30}) {
    for (const bool sorted : {false, true}) {
      CAPTURE(kinds);
      CAPTURE(sorted);
      std::vector<int> numbers = random_ints(n, kinds);
      if (sorted) std::ranges::sort(numbers);
      std::map<int, std::size_t> group_of;
      std::vector<std::vector<std::size_t>> expected;
      for (std::size_t i = 0; i < n; ++i) {
        const auto [place, is_new] = group_of.emplace(numbers[i], expected.size());
        if (is_new) expected.emplace_back();
        expected[place->second].push_back(i);
      }
      for_large_pools([&](const AlgorithmOptions& options) {
        const blitz::Groups groups = blitz::group_by(options, numbers);
        REQUIRE(groups.size() == expected.size());
        bool same = true;
        for (std::size_t g = 0; g < expected.size(); ++g) same &= std::ranges::equal(groups[g], expected[g]);
        CHECK(same);
      });
    }
  }
}

TEST_CASE("many threads: scans, filters and adjacent differences are correct") {
  for_large_pools([](const AlgorithmOptions& options) {
    const std::vector<int> numbers = random_ints(kItems, 1000);
    std::vector<int> out(kItems);
    std::vector<int> expected(kItems);
    blitz::inclusive_scan(options, numbers, out);
    std::inclusive_scan(numbers.begin(), numbers.end(), expected.begin());
    CHECK(out == expected);
    out = numbers;
    blitz::adjacent_difference(options, out, out);
    std::adjacent_difference(numbers.begin(), numbers.end(), expected.begin());
    CHECK(out == expected);
    const auto is_low = [](int x) { return x < 300; };
    out.assign(kItems, 0);
    out.erase(blitz::copy_if(options, numbers, out, is_low).out, out.end());
    expected.clear();
    std::ranges::copy_if(numbers, std::back_inserter(expected), is_low);
    CHECK(out == expected);
  });
}

}  // namespace
}  // namespace blitz_test
