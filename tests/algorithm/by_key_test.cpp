// reduce_by_key and group_by.
#include <algorithm>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <ranges>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using Sizes = std::initializer_list<std::size_t>;

// --- reduce_by_key ---

/// Sorted numbers, most of them repeated.
std::vector<int> runs_of(std::size_t count, int kinds) {
  std::vector<int> keys = random_ints(count, kinds);
  std::ranges::sort(keys);
  return keys;
}

using Runs = std::vector<std::pair<int, std::string>>;

/// The values of each run, concatenated: this detects a lost value and a wrong order.
Runs runs_serially(const std::vector<int>& keys, const std::vector<std::string>& values) {
  Runs runs;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) runs.emplace_back(keys[i], "");
    runs.back().second += values[i];
  }
  return runs;
}

std::vector<std::string> letters(std::size_t count) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) values.emplace_back(1, static_cast<char>('a' + i % 26));
  return values;
}

TEST_CASE("reduce_by_key: equals the serial loop for every length, number of runs and grain") {
  for_each_length(5000, [](AlgorithmOptions options, std::size_t n) {
    const std::vector<std::string> values = letters(n);
    for (const int kinds : {1, 3, 1000}) {
      const std::vector<int> keys = runs_of(n, kinds);
      const Runs expected = runs_serially(keys, values);
      using Grains = std::vector<std::size_t>;  // The array of an initializer_list would not live as long as the loop.
      for (const std::size_t grain : options.min_grain == 0 ? Grains{0} : Grains{1, 2, 7}) {
        CAPTURE(kinds);
        CAPTURE(grain);
        options.min_grain = grain;
        std::deque<int> keys_out(expected.size());
        std::vector<std::string> values_out(expected.size());
        const auto [keys_end, values_end] = blitz::reduce_by_key(options, keys, values, keys_out, values_out);
        CHECK(keys_end == keys_out.end());
        CHECK(values_end == values_out.end());
        Runs found;
        for (std::size_t i = 0; i < expected.size(); ++i) found.emplace_back(keys_out[i], values_out[i]);
        CHECK(found == expected);
      }
    }
  });
}

TEST_CASE("reduce_by_key: is correct for as many items as make the maximum number of pieces") {
  if (kSanitized) return;
  constexpr std::size_t kPiece = 1024;
  const auto key_of = [](std::size_t i) { return i / 100; };
  for (const std::size_t n : {kPiece * 1024 - 1, kPiece * 1024, kPiece * 1025}) {
    const std::vector<char> ones(n, 1);
    std::vector<std::size_t> keys((n + 99) / 100);
    std::vector<char> sums(keys.size());
    const auto all = std::views::iota(std::size_t{0}, n) | std::views::transform(key_of);
    const auto ends = blitz::reduce_by_key(two_threads(), all, ones, keys, sums);
    CHECK(ends.keys_out == keys.end());
    CHECK(std::ranges::equal(keys, std::views::iota(std::size_t{0}, keys.size())));
    CHECK(sums.back() == static_cast<char>((n - 1) % 100 + 1));
    sums.pop_back();
    CHECK(std::ranges::count(sums, 100) == std::ssize(sums));
  }
}

TEST_CASE("reduce_by_key: stops at the end of the shorter input or where an output is full") {
  const std::vector<int> keys = runs_of(200, 40);
  const std::vector<std::string> values = letters(180);
  const Runs expected = runs_serially({keys.begin(), keys.begin() + 180}, values);
  for_each_pool([&](const AlgorithmOptions& options) {
    for (std::size_t room = 0; room <= expected.size() + 2; ++room) {
      std::vector<int> keys_out(room, -1);
      std::vector<std::string> values_out(expected.size(), "none");
      const auto [keys_end, values_end] = blitz::reduce_by_key(options, keys, values, keys_out, values_out);
      const std::size_t written = std::min(room, expected.size());
      REQUIRE(keys_end == keys_out.begin() + static_cast<std::ptrdiff_t>(written));
      REQUIRE(values_end == values_out.begin() + static_cast<std::ptrdiff_t>(written));
      for (std::size_t i = 0; i < written; ++i) CHECK(std::pair(keys_out[i], values_out[i]) == expected[i]);
      for (std::size_t i = written; i < values_out.size(); ++i) CHECK(values_out[i] == "none");
    }
  });
}

TEST_CASE("reduce_by_key: uses the equality and the operation of the caller") {
  const std::vector<int> keys{1, 3, 5, 2, 4, 7};
  const std::vector<short> values{4, 9, 2, 7, 1, 5};
  std::vector<int> keys_out(6);
  std::vector<long> values_out(6);
  const auto same_parity = [](int a, int b) { return (a - b) % 2 == 0; };
  const auto [keys_end, values_end] =
      blitz::reduce_by_key(two_threads(), keys, values, keys_out, values_out, same_parity, std::ranges::max);
  CHECK(std::vector<int>(keys_out.begin(), keys_end) == std::vector<int>{1, 2, 7});
  CHECK(std::vector<long>(values_out.begin(), values_end) == std::vector<long>{9, 7, 5});
}

TEST_CASE("reduce_by_key: stops at the first end of the four ranges of iterators") {
  const std::vector<int> keys{1, 1, 2, 3, 3, 3};
  const std::deque<int> values{1, 2, 3, 4, 5, 6};
  for (std::ptrdiff_t cut = 0; cut < 4; ++cut) {  // which range ends first
    std::deque<int> keys_out(4, -1);
    std::vector<int> values_out(4, -1);
    const auto reduce = [&](auto... more) {
      return blitz::reduce_by_key(two_threads(), keys.begin(), keys.end() - (cut == 0), values.begin(),
                                  values.end() - (cut == 1), keys_out.begin(), keys_out.end() - 2 * (cut == 2),
                                  values_out.begin(), values_out.end() - 2 * (cut == 3), more...);
    };
    const std::ptrdiff_t written = cut < 2 ? 3 : 2;
    CHECK(reduce().keys_out == keys_out.begin() + written);
    CHECK(keys_out == (cut < 2 ? std::deque<int>{1, 2, 3, -1} : std::deque<int>{1, 2, -1, -1}));
    CHECK(values_out == (cut < 2 ? std::vector<int>{3, 3, 9, -1} : std::vector<int>{3, 3, -1, -1}));
    CHECK(reduce(std::less<>(), std::multiplies<>()).values_out == values_out.begin() + written);
    CHECK(values_out[0] == 1);
    CHECK(values_out[1] == 24);
  }
}

TEST_CASE("reduce_by_key: passes on an exception of each call") {
  const std::vector<int> keys = runs_of(60, 10);
  const std::vector<std::string> values = letters(60);
  for_each_pool([&](const AlgorithmOptions& options) {
    std::vector<int> keys_out(10);
    std::vector<std::string> values_out(10);
    throw_at_each_call(
        [&](CallCounter& counter) {
          blitz::reduce_by_key(options, keys, values, keys_out, values_out, counted(counter, std::ranges::equal_to()),
                               counted(counter, std::plus<>()));
        },
        [] {});
  });
}

TEST_CASE("reduce_by_key: throws Stopped after a stop request") {
  const std::vector<int> keys = runs_of(1000, 10);
  for_each_pool([&](AlgorithmOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    std::vector<int> keys_out(10);
    std::vector<int> values_out(10);
    const auto stops = [&](int a, int b) {
      source.request_stop();
      return a == b;
    };
    CHECK_THROWS_AS(blitz::reduce_by_key(options, keys, keys, keys_out, values_out, stops), blitz::Stopped);
  });
}

// --- group_by ---

using Found = std::vector<std::vector<std::size_t>>;

Found found_in(const blitz::Groups& groups) {
  Found found;
  for (const auto group : groups) found.emplace_back(group.begin(), group.end());
  return found;
}

template <class R, class F>
Found groups_serially(const R& range, F key_of) {
  Found groups;
  std::map<std::remove_cvref_t<std::invoke_result_t<F&, std::ranges::range_reference_t<const R>>>, std::size_t> numbers;
  std::size_t position = 0;
  for (const auto& x : range) {
    const auto [place, is_new] = numbers.emplace(std::invoke(key_of, x), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(position++);
  }
  return groups;
}

// Type-erased functions from numbers to keys.
using Fraction = std::function<double(int)>;
using Bits = std::function<std::uint64_t(int)>;

template <class R, class F = std::identity>
void check_groups(const AlgorithmOptions& options, const R& range, F key_of = {}) {
  CHECK(found_in(blitz::group_by(options, range, key_of)) == groups_serially(range, key_of));
}

TEST_CASE("group_by: equals the serial loop for every length and number of groups") {
  for_each_length(5000, [](const AlgorithmOptions& options, std::size_t n) {
    for (const int kinds : {1, 5, 1'000'000}) {
      const std::vector<int> numbers = random_ints(n, kinds);
      check_groups(options, numbers);
      check_groups(options, numbers, Fraction([](int x) { return x / 2; }));
    }
  });
}

TEST_CASE("group_by: takes items of every kind and a projection to their key") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : {0u, 1u, 300u, 3000u}) {
      const std::vector<int> numbers = random_ints(n, 20);
      check_groups(options, items_from<std::deque<std::string>>(numbers));
      check_groups(options, items_from<std::vector<Wide>>(numbers), &Wide::value);
      check_groups(options, items_from<std::vector<Item>>(numbers), &Item::value);
      const blitz::Groups groups = blitz::group_by(options, numbers.begin(), numbers.end());
      CHECK(groups.empty() == (n == 0));
      CHECK(groups.end() - groups.begin() == static_cast<std::ptrdiff_t>(groups.size()));
      if (!groups.empty()) CHECK(groups[0].front() == 0);
    }
  });
}

TEST_CASE("group_by: is correct for so many groups that the items are partitioned") {
  constexpr std::size_t kItems = kSanitized ? 20'000 : 60'000;
  std::vector<int> many = random_ints(kItems, kItems / 2);
  for_each_pool([&](const AlgorithmOptions& options) {
    check_groups(options, many);
    check_groups(options, many, Fraction([](int x) { return 1 / (x + 1.0); }));
    check_groups(options, std::views::iota(std::size_t{0}, kItems));
    // Keys that differ only in their highest bits, and keys that are nearly all equal.
    check_groups(options, many, Bits([](int x) { return static_cast<std::uint64_t>(x) << 48; }));
    check_groups(options, many, Bits([](int x) { return x % 10 == 0 ? x : 1; }));
  });
  check_groups(two_threads(), items_from<std::deque<std::string>>(many));
}

TEST_CASE("group_by: is correct around the sizes where the method changes") {
  for (const blitz::PoolRef pool : {pools()[0], pools()[2]}) {
    // A table has 4096 groups, a piece 16,384 items, and a partition 8192.
    for (const std::size_t n : around({8192, 16'384, 32'768})) {
      for (const std::size_t groups : {std::size_t{4095}, std::size_t{4096}, std::size_t{4097}, n}) {
        CAPTURE(n);
        CAPTURE(groups);
        const blitz::Groups found = blitz::group_by({.pool = pool}, std::views::iota(std::size_t{0}, n),
                                                    [&](std::size_t i) { return i % groups; });
        REQUIRE(found.size() == groups);
        std::size_t wrong = 0;
        for (std::size_t g = 0; g < groups; ++g) {
          for (std::size_t i = 0; i < found[g].size(); ++i) wrong += found[g][i] != g + i * groups;
          wrong += found[g].size() != (n - g + groups - 1) / groups;
        }
        CHECK(wrong == 0);
      }
    }
  }
}

struct Colliding {
  int value;
  friend auto operator<=>(const Colliding&, const Colliding&) = default;
};

}  // namespace
}  // namespace blitz_test

template <>
struct std::hash<blitz_test::Colliding> {
  std::size_t operator()(const blitz_test::Colliding& key) const { return static_cast<std::size_t>(key.value % 10); }
};

namespace blitz_test {
namespace {

TEST_CASE("group_by: separates different keys with equal hashes") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const int kinds : {5, 100, 1000}) {
      check_groups(options, random_ints(3000, kinds), [](int x) { return Colliding{x}; });
    }
  });
  check_groups(two_threads(), random_ints(10'000, 6000), [](int x) { return Colliding{x}; });
}

TEST_CASE("group_by: passes on an exception of each call of the key function") {
  const std::vector<int> numbers = random_ints(100, 20);
  for_each_pool([&](const AlgorithmOptions& options) {
    throw_at_each_call(
        [&](CallCounter& counter) {
          const blitz::Groups groups =
              blitz::group_by(options, numbers, Fraction(counted(counter, [](int x) { return x + 0.5; })));
          CHECK(found_in(groups) == groups_serially(numbers, std::identity()));
        },
        [] {});
  });
  // An exception in each of the passes over many groups.
  const std::vector<int> many = random_ints(40'000);
  for (const std::size_t at : {0u, 4200u, 30'000u, 50'000u, 80'000u}) {
    CallCounter counter;
    counter.throw_at(at);
    const Fraction key_of = counted(counter, [](int x) { return 1 / (x + 1.0); });
    CHECK_THROWS_AS(static_cast<void>(blitz::group_by(two_threads(), many, key_of)), Thrown);
  }
}

TEST_CASE("group_by: throws Stopped if and only if a stop was requested") {
  const std::vector<int> many = random_ints(40'000);
  for_each_pool([&](AlgorithmOptions options) {
    for (const std::size_t at : {0u, 4200u, 50'000u, 90'000u}) {
      std::stop_source source;
      options.stop = source.get_token();
      std::atomic<std::size_t> calls{0};
      const Bits stops = [&](int x) {
        if (calls++ == at) source.request_stop();
        return x;
      };
      try {
        const blitz::Groups groups = blitz::group_by(options, many, stops);
        CHECK(calls <= at);
      } catch (const blitz::Stopped&) {
        CHECK(calls > at);
      }
    }
  });
}

TEST_CASE("group_by: returns a result that can be moved") {
  const std::vector<int> numbers{1, 2, 1};
  blitz::Groups groups = blitz::group_by(two_threads(), numbers);
  blitz::Groups moved = std::move(groups);
  CHECK(found_in(moved) == Found{{0, 2}, {1}});
  groups = std::move(moved);
  CHECK(found_in(groups) == Found{{0, 2}, {1}});
  CHECK(blitz::Groups().empty());
}

}  // namespace
}  // namespace blitz_test
