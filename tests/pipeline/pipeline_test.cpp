#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <new>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using blitz::par;

/// The items as a vector, for comparisons.
template <class R>
auto listed(R&& range) {
  std::vector<std::ranges::range_value_t<R>> items;
  for (auto&& x : range) items.push_back(x);
  return items;
}

const auto kIsOdd = [](int x) { return x % 2 != 0; };
const auto kTwice = [](int x) { return 2 * x; };

TEST_CASE("pipelines: stages that keep positions equal the serial loops") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : lengths(3000, 20)) {
      const std::vector<int> numbers = random_ints(n);
      const auto all = par(numbers).with(options);
      CHECK(listed(all.collect()) == numbers);
      CHECK(listed(all.map(kTwice).collect()) == listed(numbers | std::views::transform(kTwice)));
      CHECK(listed(all.take(7).collect()) == listed(numbers | std::views::take(7)));
      CHECK(listed(all.map(kTwice).skip(7).collect()) ==
            listed(numbers | std::views::transform(kTwice) | std::views::drop(7)));
      CHECK(listed(all.rev().collect()) == listed(numbers | std::views::reverse));
      std::vector<int> thirds;
      for (std::size_t i = 0; i < n; i += 3) thirds.push_back(numbers[i]);
      CHECK(listed(all.step_by(3).collect()) == thirds);
      std::vector<int> twice = numbers;
      twice.insert(twice.end(), numbers.begin(), numbers.end());
      CHECK(listed(all.chain(par(numbers)).collect()) == twice);
      const auto with_places = all.enumerate().collect();
      const auto shifted = all.zip(par(numbers).skip(1)).map([](int x, int y) { return x - y; }).collect();
      REQUIRE(with_places.size() == n);
      REQUIRE(shifted.size() == (n == 0 ? 0 : n - 1));
      for (std::size_t i = 0; i < n; ++i) CHECK(with_places[i] == std::tuple(i, numbers[i]));
      for (std::size_t i = 0; i + 1 < n; ++i) CHECK(shifted[i] == numbers[i] - numbers[i + 1]);
      const auto sum_of = [](auto part) { return std::accumulate(part.begin(), part.end(), 0); };
      std::vector<int> chunk_sums;
      for (std::size_t i = 0; i < n; i += 4)
        chunk_sums.push_back(
            sum_of(std::ranges::subrange(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                                         numbers.begin() + static_cast<std::ptrdiff_t>(std::min(i + 4, n)))));
      CHECK(listed(all.chunks(4).map(sum_of).collect()) == chunk_sums);
      CHECK(all.windows(4).count() == (n < 4 ? 0 : n - 3));
      CHECK(all.skip(1).windows(2).map([](auto w) { return w.front() + w.back(); }).sum() ==
            par(numbers).skip(1).zip(par(numbers).skip(2)).map([](int x, int y) { return x + y; }).sum());
    }
  });
}

TEST_CASE("pipelines: stages accept counts of all sizes") {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  constexpr std::size_t kItems = 1000;
  const std::vector<int> numbers = random_ints(kItems);
  const auto sum_of = [](auto part) { return std::accumulate(part.begin(), part.end(), 0L); };
  for_each_pool([&](const AlgorithmOptions& options) {
    const auto all = par(numbers).with(options);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, kItems - 1, kItems, kItems + 1,
                                std::size_t{1} << 63, kMost - kItems, kMost - kItems + 1, kMost - 1, kMost}) {
      CAPTURE(n);
      CHECK(all.take(n).count() == std::min(n, kItems));
      CHECK(all.skip(n).count() == kItems - std::min(n, kItems));
      CHECK(all.skip(1).take(n).map(kTwice).count() == std::min(n, kItems - 1));
      CHECK(all.skip(n).collect().size() == kItems - std::min(n, kItems));
      const auto taken = blitz::from({.batch = n}, numbers).with(options).collect();
      CHECK(made_of(taken, numbers));
      if (n == 0) {
        CHECK_THROWS_AS(static_cast<void>(all.chunks(n)), std::invalid_argument);
        CHECK_THROWS_AS(static_cast<void>(all.windows(n)), std::invalid_argument);
        CHECK_THROWS_AS(static_cast<void>(all.step_by(n)), std::invalid_argument);
        continue;
      }
      const std::size_t parts = (kItems - 1) / n + 1;
      CHECK(all.chunks(n).count() == parts);
      CHECK(all.chunks(n).map(sum_of).sum() == sum_of(numbers));
      CHECK(all.skip(1).chunks(n).map([](auto part) { return part.size(); }).sum() == kItems - 1);
      const std::size_t windows = n > kItems ? 0 : kItems - n + 1;
      CHECK(all.windows(n).count() == windows);
      CHECK(all.windows(n).map([](auto part) { return part.size(); }).sum() == windows * n);
      CHECK(all.step_by(n).count() == parts);
      CHECK(all.step_by(n).last() == numbers[(parts - 1) * n]);
      CHECK(all.rev().step_by(n).first() == numbers[kItems - 1]);
    }
    // The largest possible number of positions.
    const auto most = par(std::size_t{0}, kMost).with(options);
    CHECK(most.count() == kMost);
    CHECK(most.take(kMost).rev().first() == kMost - 1);
    CHECK(most.step_by(kMost - 1).count() == 2);
    CHECK(most.skip(kMost - 1).collect().size() == 1);
    CHECK_THROWS_AS(static_cast<void>(most.collect()), std::bad_alloc);
    CHECK_THROWS(static_cast<void>(most.scan(std::plus<>()).count()));  // too many sums for a vector
  });
}

TEST_CASE("pipelines: group_by equals the serial loop") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : lengths(3000, 10)) {
      const std::vector<int> numbers = random_ints(n);
      const auto key_of = [](int x) { return x % 7; };
      const auto groups = par(numbers).map(kTwice).with(options).group_by(key_of);
      std::vector<std::pair<int, std::vector<int>>> expected;
      for (const int x : numbers | std::views::transform(kTwice)) {
        const auto has_key = [&](const auto& group) { return group.first == key_of(x); };
        auto group = std::ranges::find_if(expected, has_key);
        if (group == expected.end()) group = expected.insert(group, {key_of(x), {}});
        group->second.push_back(x);
      }
      REQUIRE(groups.size() == expected.size());
      CHECK(groups.empty() == (n == 0));
      for (std::size_t g = 0; g < groups.size(); ++g) CHECK(listed(groups[g]) == expected[g].second);
      CHECK(groups.items().size() == n);
    }
  });
}

TEST_CASE("pipelines: write into existing memory and nothing after its end, also after a filter") {
  for_each_pool([](const AlgorithmOptions& options) {
    const std::vector<int> numbers = random_ints(5000);
    const auto odd = listed(numbers | std::views::filter(kIsOdd));
    const auto even = listed(numbers | std::views::filter(std::not_fn(kIsOdd)));
    std::vector<int> some(odd.size() - 1);
    std::vector<int> more(numbers.size(), -1);
    CHECK(par(numbers).filter(kIsOdd).with(options).collect_into(some) == some.size());
    CHECK(std::ranges::equal(some, odd | std::views::take(some.size())));
    const auto counts = par(numbers).with(options).partition_into(some, more, kIsOdd);
    CHECK(counts == std::pair(some.size(), even.size()));
    CHECK(std::ranges::equal(some, odd | std::views::take(some.size())));
    CHECK(std::ranges::equal(more | std::views::take(even.size()), even));
    CHECK(std::ranges::all_of(more | std::views::drop(even.size()), [](int x) { return x == -1; }));
    std::vector<std::size_t> places(numbers.size());
    CHECK(par(numbers).enumerate().with(options).unzip_into(places, more) == std::pair(numbers.size(), numbers.size()));
    CHECK(more == numbers);
    CHECK(places.back() == numbers.size() - 1);
    // Items after the end of the shorter output stay unchanged.
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, numbers.size() / 2, numbers.size() - 1}) {
      std::ranges::fill(places, numbers.size());
      std::ranges::fill(more, -1);
      const auto enumerated = par(numbers).enumerate().with(options);
      CHECK(enumerated.unzip_into(places, std::span(more).first(size)) == std::pair(numbers.size(), size));
      CHECK(more[size] == -1);
      CHECK(places.back() == numbers.size() - 1);
      std::ranges::fill(places, numbers.size());
      CHECK(enumerated.unzip_into(std::span(places).first(size), more) == std::pair(size, numbers.size()));
      CHECK(places[size] == numbers.size());
      CHECK(more == numbers);
    }
  });
}

TEST_CASE("pipelines: partition and unzip are correct for ranges that can be read once") {
  for_each_pool([](const AlgorithmOptions& options) {
    std::string text;
    for (int i = 0; i < 3000; ++i) text += std::to_string(i) + ' ';
    std::istringstream in(text);
    const auto [odd, even] = blitz::from(std::views::istream<int>(in)).ordered().with(options).partition(kIsOdd);
    CHECK(listed(odd) == listed(std::views::iota(0, 3000) | std::views::filter(kIsOdd)));
    CHECK(listed(even) == listed(std::views::iota(0, 3000) | std::views::filter(std::not_fn(kIsOdd))));
    in = std::istringstream(text);
    const auto parts = blitz::from(std::views::istream<int>(in)).with(options).partition(kIsOdd);
    CHECK(made_of(parts.first, listed(odd)));
    CHECK(made_of(parts.second, listed(even)));
    in = std::istringstream(text);
    const auto [halves, texts] = blitz::from(std::views::istream<int>(in))
                                     .map([](int x) { return std::pair(x / 2, std::to_string(x)); })
                                     .with(options)
                                     .unzip();
    REQUIRE(texts.size() == 3000);
    for (std::size_t i = 0; i < 3000; ++i) CHECK(halves[i] == std::stoi(texts[i]) / 2);
    std::vector<int> kept(100);
    std::vector<int> others(3000);
    in = std::istringstream(text);
    CHECK(blitz::from(std::views::istream<int>(in)).with(options).partition_into(kept, others, kIsOdd) ==
          std::pair<std::size_t, std::size_t>(100, 1500));
    CHECK(std::ranges::all_of(kept, kIsOdd));
  });
}

TEST_CASE("pipelines: partition and unzip do not change the items of ranges") {
  std::vector<std::pair<std::string, std::string>> pairs(300, {std::string(40, 'a'), "b"});
  const auto before = pairs;
  const auto [firsts, seconds] = par(pairs).unzip();
  CHECK(firsts[299] == pairs[299].first);
  CHECK(par(pairs).partition([](const auto&) { return true; }).first.size() == 300);
  std::vector<std::string> some(5);
  std::vector<std::string> all(400);
  CHECK(par(pairs).unzip_into(some, all) == std::pair<std::size_t, std::size_t>(5, 300));
  CHECK(pairs == before);
  std::vector<int> numbers(300, 1);
  CHECK(par(numbers, pairs).unzip().second[7] == before[7]);
  CHECK(pairs == before);
}

TEST_CASE("pipelines: partition takes move-only items, and unzip takes map keys and references") {
  struct Id {
    explicit Id(int x) : value(x) {}
    Id(Id&&) = default;
    Id& operator=(Id&&) = default;
    int value;
  };
  static_assert(std::is_trivially_copyable_v<Id>);
  const auto ids =
      par(0, 300).map([](int x) { return Id(x); }).partition([](const Id& id) { return kIsOdd(id.value); });
  CHECK((ids.first.size() == 150 && ids.second[7].value == 14));
  const std::map<int, std::string> names{{1, "a"}, {2, "b"}};
  const auto [keys, values] = blitz::from(names).ordered().unzip();
  CHECK((listed(keys) == std::vector{1, 2} && values[1] == "b"));
  std::vector<int> numbers{1, 2, 3};
  const auto tied = par(numbers).map([](int& x) { return std::tie(x, x); }).unzip();
  CHECK((listed(tied.first) == numbers && listed(tied.second) == numbers));
}

TEST_CASE("pipelines: reduce by logical_and finds the false item of a list") {
  const std::list<bool> one_false{true, false, true};
  for_each_pool([&](const AlgorithmOptions& options) {
    CHECK_FALSE(blitz::from(one_false).with(options).reduce(true, std::logical_and<>()));
  });
}

TEST_CASE("pipelines: split visits all parts once and passes on exceptions") {
  using Range = std::pair<int, int>;
  for_each_pool([](const AlgorithmOptions& options) {
    for (const int n : {0, 1, 9, 10, 5000}) {
      std::atomic<int> calls = 0;
      const auto halves = [&calls](Range r) -> std::pair<Range, std::optional<Range>> {
        ++calls;
        if (r.second - r.first < 10) return {r, std::nullopt};
        const int middle = std::midpoint(r.first, r.second);
        return {{r.first, middle}, Range(middle, r.second)};
      };
      const auto numbers = [](const Range& r) { return std::views::iota(r.first, r.second); };
      CHECK(listed(blitz::split(Range(0, n), halves).flat_map(numbers).with(options).collect()) ==
            listed(std::views::iota(0, n)));
      const int parts = (calls + 1) / 2;
      CHECK(blitz::split(Range(0, n), halves).with(options).count() == static_cast<std::size_t>(parts));
    }
    const auto throws = [](int x) -> std::pair<int, std::optional<int>> {
      if (x == 3) throw Thrown();
      return {x + 1, x < 9 ? std::optional(x + 2) : std::nullopt};
    };
    CHECK_THROWS_AS(static_cast<void>(blitz::split(0, throws).with(options).count()), Thrown);
  });
}

TEST_CASE("pipelines: walk_tree visits all nodes in order and passes on exceptions") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const int n : {1, 2, 3, 1000, 20'000}) {
      std::atomic<int> calls = 0;
      // Node i of a heap has the children 2 i and 2 i + 1.
      const auto children = [&](int node) {
        ++calls;
        return std::views::iota(std::min(2 * node, n), std::min(2 * node + 2, n));
      };
      CHECK(listed(blitz::walk_tree(1, children).with(options).collect()) ==
            listed(std::views::iota(1, std::max(n, 2))));
      CHECK(calls == std::max(n - 1, 1));
    }
    const auto chain = [](int node) { return std::views::iota(node + 1, std::min(node + 2, 3000)); };
    CHECK(blitz::walk_tree(0, chain).with(options).count() == 3000);
    const auto throws = [](int node) {
      if (node == 100) throw Thrown();
      return std::vector{2 * node, 2 * node + 1};
    };
    CHECK_THROWS_AS(static_cast<void>(blitz::walk_tree(1, throws).with(options).count()), Thrown);
  });
}

TEST_CASE("pipelines: from with ordered keeps the order of the range") {
  for_each_pool([](const AlgorithmOptions& options) {
    const std::vector<int> numbers = random_ints(3000);
    const std::list<int> list(numbers.begin(), numbers.end());
    CHECK(listed(blitz::from(list).ordered().map(kTwice).with(options).collect()) ==
          listed(numbers | std::views::transform(kTwice)));
    CHECK(blitz::from(list).ordered().with(options).first() == numbers.front());
  });
}

TEST_CASE("pipelines: filters, flat_map and scans equal the serial loops and keep the order") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : lengths(20'000, 20)) {
      const std::vector<int> numbers = random_ints(n, 1000);
      const auto all = par(numbers).with(options);
      CHECK(listed(all.filter(kIsOdd).collect()) == listed(numbers | std::views::filter(kIsOdd)));
      CHECK(listed(all.map(kTwice).filter([](int x) { return x % 3 == 0; }).map(kTwice).collect()) ==
            listed(numbers | std::views::filter([](int x) { return 2 * x % 3 == 0; }) |
                   std::views::transform([](int x) { return 4 * x; })));
      const auto half = [](int x) { return x % 2 == 0 ? std::optional(std::to_string(x / 2)) : std::nullopt; };
      std::vector<std::string> halves;
      for (const int x : numbers) {
        if (x % 2 == 0) halves.push_back(std::to_string(x / 2));
      }
      CHECK(listed(all.filter_map(half).collect()) == halves);
      const auto copies = [](int x) { return std::vector<int>(static_cast<std::size_t>(x % 4), x); };
      std::vector<int> copied;
      for (const int x : numbers) copied.insert(copied.end(), static_cast<std::size_t>(x % 4), x);
      CHECK(listed(all.flat_map(copies).collect()) == copied);
      CHECK(all.flat_map(copies).count() == copied.size());
      std::vector<int> sums(n);
      std::partial_sum(numbers.begin(), numbers.end(), sums.begin());
      CHECK(listed(all.scan(std::plus<>()).collect()) == sums);
      CHECK(listed(all.scan(std::plus<>()).inspect([](int) {}).map(kTwice).collect()) ==
            listed(sums | std::views::transform(kTwice)));
      const auto text = [](int x) { return std::to_string(x); };  // strings cannot be copied as bytes
      CHECK(listed(all.scan(std::plus<>()).map(text).collect()) == listed(sums | std::views::transform(text)));
      CHECK(all.scan(std::plus<>()).filter(kIsOdd).count() ==
            static_cast<std::size_t>(std::ranges::count_if(sums, kIsOdd)));
      std::exclusive_scan(numbers.begin(), numbers.end(), sums.begin(), 3);
      CHECK(listed(all.exclusive_scan(3, std::plus<>()).collect()) == sums);
      const auto [odd, even] = all.partition(kIsOdd);
      CHECK(listed(odd) == listed(numbers | std::views::filter(kIsOdd)));
      CHECK(odd.size() + even.size() == n);
    }
  });
}

TEST_CASE("pipelines: folds equal the serial loops") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : lengths(20'000, 20)) {
      const std::vector<int> numbers = random_ints(n, 1000);
      const auto all = par(numbers).with(options);
      CHECK(all.sum() == std::accumulate(numbers.begin(), numbers.end(), 0));
      CHECK(all.count() == n);
      CHECK(all.filter(kIsOdd).count() == static_cast<std::size_t>(std::ranges::count_if(numbers, kIsOdd)));
      CHECK(all.map([](int x) { return static_cast<std::uint64_t>(x) | 1; }).product() ==
            std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{1},
                            [](std::uint64_t p, int x) { return p * (static_cast<std::uint64_t>(x) | 1); }));
      const auto [low, high] = std::ranges::minmax_element(numbers);
      CHECK(all.min() == (n == 0 ? std::nullopt : std::optional(*low)));
      CHECK(all.max() == (n == 0 ? std::nullopt : std::optional(*high)));
      CHECK(all.minmax().has_value() == (n > 0));
      if (n > 0) CHECK(all.minmax() == std::pair(*low, *high));
      const auto text = [](int x) { return std::to_string(x) + ' '; };
      std::string joined;
      for (const int x : numbers) joined += text(x);
      CHECK(all.map(text).reduce(std::plus<>()).value_or("") == joined);
      CHECK(all.map(text).reduce(std::string(), std::plus<>()) == joined);
      CHECK(all.fold(
                std::string(), [&](std::string s, int x) { return std::move(s) + text(x); }, std::plus<>()) == joined);
      CHECK(all.fold(
                std::string(), [&](std::string& s, int x) { s += text(x); },
                [](std::string& left, const std::string& right) { left += right; }) == joined);
      std::atomic<int> visits = 0;
      all.for_each([&](int x) { visits += x; });
      CHECK(visits == std::accumulate(numbers.begin(), numbers.end(), 0));
    }
  });
}

TEST_CASE("pipelines: unzip, try_reduce and ordered_sum are correct") {
  for_each_pool([](const AlgorithmOptions& options) {
    const std::vector<int> numbers = random_ints(1000);
    const auto [places, values] = par(numbers).with(options).enumerate().unzip();
    CHECK(listed(values) == numbers);
    CHECK(places[999] == 999);
    const auto [halves, texts] =
        par(numbers).with(options).map([](int x) { return std::pair(x / 2, std::to_string(x)); }).unzip();
    CHECK(halves[7] == numbers[7] / 2);
    CHECK(texts[7] == std::to_string(numbers[7]));
    const auto add_below = [](int most) {
      return [most](int x, int y) { return x + y <= most ? std::optional(x + y) : std::nullopt; };
    };
    const auto some = par(1, 101).with(options).map([](int x) { return std::optional(x); });
    CHECK(some.try_reduce(0, add_below(5050)) == 5050);
    CHECK(some.try_reduce(0, add_below(5049)) == std::nullopt);
    const auto one_empty = [](int x) { return x == 77 ? std::nullopt : std::optional(x); };
    CHECK(par(1, 101).with(options).map(one_empty).try_reduce(0, add_below(10'000)) == std::nullopt);
    CHECK(par(1, 101).with(options).map([](int x) { return x * 0.5; }).ordered_sum() == 2525);
  });
}

TEST_CASE("pipelines: min returns the first and max the last of equal items") {
  const std::vector<std::pair<int, int>> pairs{{1, 0}, {0, 1}, {0, 2}, {2, 3}, {2, 4}};
  const auto by_first = [](const auto& a, const auto& b) { return a.first < b.first; };
  for_each_pool([&](const AlgorithmOptions& options) {
    CHECK(par(pairs).with(options).min(by_first)->second == 1);
    CHECK(par(pairs).with(options).max(by_first)->second == 4);
    CHECK(par(pairs).with(options).minmax(by_first)->first.second == 1);
    CHECK(par(pairs).with(options).minmax(by_first)->second.second == 4);
  });
}

/// Compares the least and the greatest of some numbers, with and without a filter, with the results of a loop.
template <class T>
void check_extremes(const std::vector<T>& numbers, const AlgorithmOptions& options) {
  const auto bits = [](const std::optional<T>& x) { return std::pair(x, x && std::signbit(static_cast<double>(*x))); };
  const auto check = [&](const auto& pipeline, const std::vector<T>& expected) {
    std::optional<T> least;
    std::optional<T> greatest;
    for (const T x : expected) {
      if (!least || x < *least) least = x;
      if (!greatest || !(x < *greatest)) greatest = x;
    }
    CHECK(bits(pipeline.min()) == bits(least));
    CHECK(bits(pipeline.max()) == bits(greatest));
    const auto both = pipeline.minmax();
    CHECK(bits(both ? std::optional(both->first) : std::nullopt) == bits(least));
    CHECK(bits(both ? std::optional(both->second) : std::nullopt) == bits(greatest));
  };
  const auto same = par(numbers).with(options).map([](T x) { return x; });
  const auto is_not_odd = [](T x) { return std::abs(std::fmod(std::trunc(static_cast<double>(x)), 2)) != 1; };
  check(same, numbers);
  check(same.filter(is_not_odd), listed(numbers | std::views::filter(is_not_odd)));
}

TEST_CASE("pipelines: min and max of numbers equal the serial loop, also for zeros of both signs") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : {0, 1, 2, 23, 511, 512, 513, 2000, 5000}) {
      CAPTURE(n);
      const std::vector<int> numbers = random_ints(n, 1000);
      check_extremes(numbers, options);
      check_extremes(listed(numbers | std::views::transform([](int x) { return x / 7.0 - 50; })), options);
      check_extremes(listed(numbers | std::views::transform([](int x) { return static_cast<unsigned char>(x); })),
                     options);
      // The first of the least items and the last of the greatest: -0.0 equals 0.0.
      check_extremes(listed(numbers | std::views::transform([](int x) { return x % 3 == 0 ? -0.0F : 0.0F; })), options);
      check_extremes(std::vector<double>(n, std::numeric_limits<double>::infinity()), options);
    }
  });
}

TEST_CASE("pipelines: searches equal the serial loops") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : lengths(5000, 30)) {
      const std::vector<int> numbers = random_ints(n, static_cast<int>(n / 3) + 2);
      const auto all = par(numbers).with(options).enumerate();
      const auto is_one = [](std::size_t, int x) { return x == 1; };
      const auto first = std::ranges::find(numbers, 1);
      std::optional<std::tuple<std::size_t, int>> leftmost;
      std::optional<std::tuple<std::size_t, int>> rightmost;
      for (std::size_t i = 0; i < n; ++i) {
        if (numbers[i] != 1) continue;
        if (!leftmost) leftmost.emplace(i, 1);
        rightmost.emplace(i, 1);
      }
      CHECK(all.find_first(is_one) == leftmost);
      CHECK(all.find_last(is_one) == rightmost);
      CHECK(all.find_any(is_one).has_value() == leftmost.has_value());
      CHECK(all.any_of(is_one) == leftmost.has_value());
      CHECK(all.none_of(is_one) == !leftmost.has_value());
      CHECK(all.all_of([](std::size_t, int x) { return x >= 0; }));
      CHECK(all.all_of(is_one) == std::ranges::all_of(numbers, [](int x) { return x == 1; }));
      CHECK(par(numbers).with(options).position_first([](int x) { return x == 1; }) ==
            (first == numbers.end() ? std::nullopt : std::optional(static_cast<std::size_t>(first - numbers.begin()))));
      CHECK(par(numbers).with(options).first() == (n == 0 ? std::nullopt : std::optional(numbers.front())));
      CHECK(par(numbers).with(options).last() == (n == 0 ? std::nullopt : std::optional(numbers.back())));
      const auto wrong = all.try_for_each(
          [](std::size_t i, int x) { return x == 1 ? std::optional(std::to_string(i)) : std::nullopt; });
      CHECK(wrong == (leftmost ? std::optional(std::to_string(std::get<0>(*leftmost))) : std::nullopt));
    }
  });
}

TEST_CASE("pipelines: sources pass all items of integers, ranges, zips and lists") {
  for_each_pool([](const AlgorithmOptions& options) {
    CHECK(par(-5, 5).with(options).sum() == -5);
    CHECK(par(5, -5).with(options).count() == 0);
    CHECK(par(std::views::iota(0, 1000) | std::views::transform(kTwice)).with(options).sum() == 999'000);
    std::deque<std::string> words{"a", "b", "c"};
    par(words).with(options).for_each([](std::string& word) { word += '!'; });
    CHECK(par(words | std::views::reverse).with(options).reduce(std::string(), std::plus<>()) == "c!b!a!");
    const std::vector<int> few{1, 2};
    const std::vector<int> many{10, 20, 30};
    CHECK(listed(par(few, many, few).with(options).map([](int x, int y, int z) { return x + y + z; }).collect()) ==
          std::vector{12, 24});
    const std::list<int> list(1000, 3);
    CHECK(blitz::from(list).with(options).sum() == 3000);
    const auto twice = blitz::from({.batch = 1}, list).with(options);
    CHECK(twice.count() == 1000);
    CHECK(twice.map(kTwice).sum() == 6000);
    CHECK(blitz::from({.batch = 7}, std::views::iota(0) | std::views::take_while([](int x) { return x < 5000; }))
              .with(options)
              .map([](int x) { return static_cast<long>(x); })
              .sum() == 4999L * 2500);
  });
}

TEST_CASE("pipelines: lines and split_at equal the serial loop") {
  std::vector<std::string> texts{"", "\n", "a", "a\n", "\n\na", "a\nb\n\n"};
  for (const std::size_t length : std::vector<std::size_t>{100, 4095, 4096, 4097, 30'000}) {
    std::string text;
    while (text.size() < length) text += std::string(random_bits()() % 200, 'x') + '\n';
    texts.push_back(text);
    texts.push_back(text + std::string(9000, 'y'));
  }
  for_each_pool([&](const AlgorithmOptions& options) {
    for (const std::string& text : texts) {
      std::vector<std::string> expected;
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        expected.push_back(text.substr(begin, end - begin));
        begin = end + 1;
      }
      const auto found = blitz::lines(text).with(options).map([](std::string_view s) { return std::string(s); });
      CHECK(listed(found.collect()) == expected);
      CHECK(blitz::split_at(text, '\n').with(options).count() == expected.size());
    }
  });
}

/// Characters that count how many of them are read.
struct CountedChars : std::char_traits<char> {
  inline static std::atomic<std::size_t> looks{0};
  static const char* find(const char* first, std::size_t count, const char& x) {
    const char* const found = std::char_traits<char>::find(first, count, x);
    looks.fetch_add(found == nullptr ? count : static_cast<std::size_t>(found - first) + 1, std::memory_order_relaxed);
    return found;
  }
};

TEST_CASE("pipelines: lines reads each character of long lines at most twice") {
  using Text = std::basic_string_view<char, CountedChars>;
  const std::string line = std::string(1'000'000, 'x') + '\n';
  for (const std::string& text : {line, line + line, line + "a\n" + line.substr(5, 5000) + "\n\n" + line}) {
    const auto count = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    for_each_pool([&](const AlgorithmOptions& options) {
      CountedChars::looks = 0;
      const blitz::Pipeline lines(blitz::detail::TextSource(Text(text.data(), text.size()), '\n'));
      CHECK(lines.with(options).count() == count);
      CHECK(CountedChars::looks >= text.size());
      CHECK(CountedChars::looks <= 2 * text.size());
    });
  }
}

TEST_CASE("pipelines: collect_into, append_to and collect into a vector write the same items") {
  for_each_pool([](const AlgorithmOptions& options) {
    const std::vector<int> numbers = random_ints(1000);
    std::vector<int> out(700);
    CHECK(par(numbers).with(options).collect_into(out) == 700);
    CHECK(std::ranges::equal(out, numbers | std::views::take(700)));
    par(numbers).with(options).filter(kIsOdd).append_to(out);
    CHECK(out.size() == 700 + static_cast<std::size_t>(std::ranges::count_if(numbers, kIsOdd)));
    CHECK(par(numbers).with(options).collect<std::vector<int>>() == numbers);
  });
}

TEST_CASE("pipelines: filters are correct for every share of kept items and call once per item") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : lengths(20'000, 100)) {
      const std::vector<int> numbers = random_ints(n, 1000);
      for (const int below : {0, 1, 200, 300, 999, 1000}) {
        const auto is_below = [below](int x) { return x < below; };
        const auto right = [&](auto&& range) { return listed(range | std::views::filter(is_below)); };
        CHECK(listed(par(numbers).with(options).filter(is_below).collect()) == right(numbers));
        CHECK(listed(par(numbers).with(options).skip(3).take(50).filter(is_below).collect()) ==
              right(numbers | std::views::drop(3) | std::views::take(50)));
      }
    }
    std::atomic<int> calls = 0;
    const std::vector<int> numbers(5000, 1);
    const auto counted = [&calls](int) { return ++calls % 2 == 0; };
    CHECK(par(numbers).with(options).filter(counted).collect().size() == numbers.size() / 2);
    CHECK(calls == 5000);
  });
}

/// An item with this alignment and at least this size. Counts the items constructed at misaligned addresses.
template <std::size_t kAlignment, std::size_t kSize = kAlignment>
class alignas(kAlignment) Large {
 public:
  inline static std::atomic<int> misplaced{0};

  explicit Large(int the_value) : value_(the_value) { check(); }
  Large(const Large& other) : value_(other.value_) { check(); }
  Large& operator=(const Large&) = default;
  ~Large() = default;
  [[nodiscard]] int value() const { return value_; }

 private:
  void check() const {
    if (reinterpret_cast<std::uintptr_t>(this) % kAlignment != 0) ++misplaced;
  }

  int value_;
  [[maybe_unused]] std::array<char, kSize - sizeof(int)> rest_;
};

template <class Item>
void check_large(int count) {
  CAPTURE(count);
  for (const blitz::PoolRef pool : {pools()[0], pools()[2], pools()[4]}) {
    const auto all = par(0, count).map([](int i) { return Item(i); }).with({.min_grain = 1, .pool = pool});
    std::vector<int> expected(static_cast<std::size_t>(count));
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(numbers_of(all.collect()) == expected);
    CHECK(numbers_of(all.flat_map([](const Item& x) { return std::views::single(x); }).collect()) == expected);
    const auto is_odd = [](const Item& x) { return x.value() % 2 != 0; };
    const auto [odd, even] = all.partition(is_odd);
    CHECK(numbers_of(odd) == listed(expected | std::views::filter(kIsOdd)));
    CHECK(numbers_of(even) == listed(expected | std::views::filter(std::not_fn(kIsOdd))));
    CHECK(numbers_of(all.filter(is_odd).collect()) == numbers_of(odd));
  }
  CHECK(Item::misplaced == 0);
}

TEST_CASE("pipelines: collect aligns over-aligned items and takes very large ones") {
  // Arrays smaller than the cached memory, of equal size, and on large pages.
  for (const int count : {3, 17, 61, 1100}) {
    check_large<Large<256>>(count);
    check_large<Large<4096>>(count);
  }
  check_large<Large<8, 2000>>(100);
  check_large<Large<8, 300'000>>(9);
}

TEST_CASE("pipelines: filter and partition are correct if all items but one match") {
  constexpr int kMany = 40;
  for_each_pool([](AlgorithmOptions options) {
    // Deterministic: split into as many parts as there are items, independent of the threads.
    options.deterministic = true;
    const auto check = [&](const auto& all) {
      for (int dropped = 0; dropped < kMany; ++dropped) {
        std::vector<int> expected(kMany);
        std::iota(expected.begin(), expected.end(), 0);
        std::erase(expected, dropped);
        const auto keeps = [dropped](const auto& x) { return number_of(x) != dropped; };
        CHECK(numbers_of(all.filter(keeps).collect()) == expected);
        const auto [kept, others] = all.partition(keeps);
        CHECK(numbers_of(kept) == expected);
        CHECK(numbers_of(others) == std::vector{dropped});
      }
    };
    check(par(0, kMany).with(options));
    check(par(0, kMany).map([](int i) { return Item(i); }).with(options));
  });
  CHECK(items_alive == 0);
}

TEST_CASE("pipelines: filter and partition take more items than arrays keep memory for") {
  const auto many = par(0LL, 34'000'000LL);
  static_assert(34'000'000 * sizeof(long long) > blitz::detail::kMostKept);
  const auto rare = listed(many.filter([](long long x) { return x % 2'000'003 == 1; }).collect());
  CHECK(rare.size() == 17);
  CHECK(rare.front() == 1);
  CHECK(rare.back() == 32'000'049);
  const auto next = [](long long x) { return x + 1; };
  CHECK(many.filter([](long long x) { return x % 10 != 0; }).map(next).collect().size() == 30'600'000);
  const auto [tens, others] = many.partition([](long long x) { return x % 10 == 0; });
  CHECK(tens.size() == 3'400'000);
  CHECK(others.back() == 33'999'999);
  // Requests no memory for all items together.
  const auto throws = [](long long) -> bool { throw Thrown(); };
  for (const long long most : {1LL << 50, std::numeric_limits<long long>::max()}) {
    CHECK_THROWS_AS(static_cast<void>(par(0LL, most).filter(throws).collect()), Thrown);
    CHECK_THROWS_AS(static_cast<void>(par(0LL, most).partition(throws)), Thrown);
  }
}

TEST_CASE("pipelines: are correct for up to 2^63 - 1 positions") {
  for (const long long most : {(1LL << 32) + 17, 1LL << 40, std::numeric_limits<long long>::max()}) {
    CAPTURE(most);
    for (const blitz::PoolRef pool : {pools()[0], pools()[2], pools()[4]}) {
      const auto all = par(0LL, most).with({.pool = pool});
      CHECK(all.count() == static_cast<std::size_t>(most));
      CHECK(listed(all.skip(static_cast<std::size_t>(most) - 3).collect()) ==
            std::vector{most - 3, most - 2, most - 1});
      CHECK(listed(all.rev().take(2).collect()) == std::vector{most - 1, most - 2});
      CHECK(listed(all.step_by(static_cast<std::size_t>(most / 3 + 1)).collect()) ==
            std::vector{0LL, most / 3 + 1, most / 3 * 2 + 2});
      CHECK(all.enumerate().last() == std::tuple(static_cast<std::size_t>(most - 1), most - 1));
      CHECK(all.zip(par(1LL, most)).count() == static_cast<std::size_t>(most - 1));
      const auto is_late = [most](long long x) { return x >= most - 2; };
      CHECK(all.find_last([&](long long x) { return !is_late(x); }) == most - 3);
      CHECK(all.rev().position_first([&](long long x) { return !is_late(x); }) == 2);
      CHECK(all.skip(static_cast<std::size_t>(most) - 5).filter(is_late).collect().size() == 2);
      if (most < 1LL << 60) {
        const auto twice = all.chain(par(0LL, most)).skip(static_cast<std::size_t>(most) - 1).take(2);
        CHECK(listed(twice.collect()) == std::vector{most - 1, 0LL});
      }
    }
  }
}

TEST_CASE("pipelines: an array moves its items and is empty afterwards") {
  const auto make = [](int count) { return par(0, count).map([](int i) { return Item(i); }).collect(); };
  blitz::Array<Item> from = make(3);
  blitz::Array<Item> to(std::move(from));
  CHECK(numbers_of(to) == std::vector{0, 1, 2});
  CHECK(from.empty());  // NOLINT: it is empty
  CHECK(from.begin() == from.end());
  to = make(2);
  CHECK(numbers_of(to) == std::vector{0, 1});
  CHECK(items_alive == 2);
  to = std::move(from);
  CHECK(to.empty());
  CHECK(items_alive == 0);
  from = make(4);
  std::swap(from, to);
  CHECK(from.empty());
  CHECK(numbers_of(to) == std::vector{0, 1, 2, 3});
  to = std::move(*&to);
  CHECK(items_alive == std::ssize(numbers_of(to)));
}

TEST_CASE("pipelines: an array reuses the memory of the previous one") {
  const auto numbers = par(0, 300'000);
  const int* const first = numbers.collect().data();
  CHECK(numbers.collect().data() == first);
  blitz::free_kept_arrays();
  std::optional<blitz::Array<int>> moved(numbers.collect());
  blitz::Array<int> array(*std::move(moved));
  moved.reset();
  CHECK(array.size() == 300'000);
  CHECK(array[299'999] == 299'999);
  array = par(0, 3).collect();
  CHECK(listed(array) == std::vector{0, 1, 2});
}

TEST_CASE("pipelines: if deterministic, give the same bits on any number of threads") {
  std::vector<double> numbers(100'000);
  for (double& x : numbers) x = 1.0 / static_cast<double>(random_bits()() % 1000 + 1);
  const auto is_small = [](double x) { return x < 0.1; };
  std::vector<double> expected;
  for_each_pool([&](AlgorithmOptions options) {
    options.deterministic = true;
    options.min_grain = 1;
    const auto all = par(numbers).with(options);
    const std::plus<double> plus;
    const auto sums = all.scan(plus).collect();
    const std::vector<double> here{
        all.sum(),
        all.filter(is_small).sum(),
        all.map([](double x) { return 1 + x / 1000; }).product(),
        all.ordered_sum(),
        all.reduce(plus).value(),
        all.reduce(0.0, plus),
        all.fold(
            0.0, [](double s, double x) { return s + x * x; }, plus),
        all.flat_map([](double x) {
             return std::array{x, x / 3};
           })
            .reduce(plus)
            .value(),
        sums[777],
        sums.back(),
        all.exclusive_scan(0.0, plus).last().value(),
    };
    if (expected.empty()) expected = here;
    CHECK(here == expected);
    CHECK(here[0] == doctest::Approx(std::accumulate(numbers.begin(), numbers.end(), 0.0)));
  });
  CHECK_FALSE(std::signbit(par(0, 0).map([](int) { return 1.0; }).sum()));
}

TEST_CASE("pipelines: for_each_with makes at most one value for each part that a worker takes") {
  blitz::ThreadPool pool({.num_threads = 4});
  for (int round = 0; round < 20; ++round) {
    const bool deterministic = round % 2 == 0;
    const auto taken = [&pool] {
      const auto total = pool.stats().total;
      return total.jobs_stolen + total.injected_taken;
    };
    const auto taken_before = taken();
    std::atomic<std::size_t> made = 0;
    std::atomic<int> visits = 0;
    par(0, 10'000)
        .with({.min_grain = 1, .deterministic = deterministic, .pool = &pool})
        .for_each_with([&] { return ++made; },
                       [&](std::size_t&, int) { visits.fetch_add(1, std::memory_order_relaxed); });
    CHECK(visits == 10'000);
    CHECK(made >= 1);
    CHECK(made <= 1 + taken() - taken_before);
  }
}

TEST_CASE("pipelines: an indexed collect destroys all items after an exception of each call") {
  const std::vector<int> numbers = random_ints(60);
  for_each_pool([&](const AlgorithmOptions& options) {
    throw_at_each_call(
        [&](CallCounter& counter) {
          const auto all = par(numbers).with(options).map(counted(counter, [](int x) { return Item(x); })).collect();
          CHECK(all.size() == 60);
        },
        [] { CHECK(items_alive == 0); });
  });
}

TEST_CASE("pipelines: after a stop request for_each returns and other terminals throw") {
  for_each_pool([](AlgorithmOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    const auto stopping = par(0, 100'000).with(options).map([&](int x) {
      if (x == 10) source.request_stop();
      return Item(x);
    });
    CHECK_THROWS_AS(static_cast<void>(stopping.collect()), blitz::Stopped);
    CHECK(items_alive == 0);
    CHECK_THROWS_AS(static_cast<void>(stopping.filter([](const Item&) { return true; }).collect()), blitz::Stopped);
    CHECK(items_alive == 0);
    stopping.for_each([](const Item&) {});
    CHECK_THROWS_AS(static_cast<void>(stopping.filter([](const Item&) { return true; }).count()), blitz::Stopped);
  });
}

/// An extension: a hundred halves, made in the first pass.
class Halves {
 public:
  using LoopIndex = blitz::detail::LoopIndex;
  using Items = blitz::detail::Pack<double>;
  static constexpr bool kIndexed = true;
  static constexpr bool kTwoPasses = true;

  [[nodiscard]] LoopIndex positions() const { return 100; }
  void first_pass(const blitz::AlgorithmOptions& /*options*/) {
    for (int i = 0; i < 100; ++i) halves_.push_back(i / 2.0);
  }
  void end_early() const noexcept {}
  template <class Sink>
  bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return blitz::detail::for_each_position(*this, first, last, sink);
  }
  template <class Sink>
  decltype(auto) at(LoopIndex i, const Sink& sink) const {
    return sink(double{halves_.at(static_cast<std::size_t>(i))});
  }

 private:
  std::vector<double> halves_;
};

TEST_CASE("pipelines: an indexed extension runs its first pass before each terminal") {
  for_each_pool([](const AlgorithmOptions& options) {
    const auto halves = blitz::Pipeline(Halves()).with(options);
    const auto is_whole = [](double x) { return x == std::floor(x); };
    CHECK(halves.sum() == 2475);
    CHECK(halves.filter(is_whole).sum() == 1225);
    CHECK(halves.map([](double x) { return 2 * x; }).sum() == 4950);
    CHECK(halves.max() == 49.5);
    CHECK(halves.rev().take(1).collect()[0] == 49.5);
    CHECK(halves.zip(blitz::par(0, 100)).map([](double x, int i) { return x - i; }).sum() == -2475);
    CHECK(blitz::par(0, 100).zip(halves).map([](int i, double x) { return i - x; }).sum() == 2475);
  });
}

TEST_CASE("pipelines: refuse steps and lengths of 0, and accept extensions by operator|") {
  const std::vector<int> numbers(10, 1);
  CHECK_THROWS_AS(static_cast<void>(par(numbers).step_by(0)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(par(numbers).chunks(0)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(par(numbers).windows(0)), std::invalid_argument);
  const auto squares = [](const auto& p) { return p.map([](int x) { return x * x; }); };
  CHECK((par(1, 4) | squares).sum() == 14);
}

// A scan sums up blocks of 4096 items before it passes any item on. The operation depends on the order of the items.
TEST_CASE("scan and exclusive_scan: are correct across blocks") {
  const auto combine = [](std::uint32_t a, std::uint32_t b) { return a * 31 + b; };
  const auto compose = [](std::pair<std::uint32_t, std::uint32_t> a, std::pair<std::uint32_t, std::uint32_t> b) {
    return std::pair(a.first * b.first, a.second * b.first + b.second);
  };
  for (const std::size_t n : {4095, 4096, 4097, 8191, 8192, 8193, 30'000}) {
    CAPTURE(n);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> items;
    for (const int number : random_ints(n, 1000)) items.emplace_back(31, number);
    std::vector<std::uint32_t> sums(1, 0);
    for (const auto& item : items) sums.push_back(combine(sums.back(), item.second));
    const auto second = [](const auto& x) { return x.second; };
    for (const blitz::PoolRef pool : pools()) {
      const auto all = par(items).with({.pool = pool});
      CHECK(std::ranges::equal(all.scan(compose).map(second).collect(), sums | std::views::drop(1)));
      CHECK(std::ranges::equal(all.exclusive_scan(std::pair(1U, 0U), compose).map(second).collect(),
                               sums | std::views::take(n)));
    }
  }
}

}  // namespace
}  // namespace blitz_test
