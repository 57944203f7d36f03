#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
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

using Sizes = std::initializer_list<std::size_t>;

/// A key and the original position of its item: this shows whether a sort was stable. Cheap to move.
struct Tagged {
  int key;
  int place;
  friend bool operator==(const Tagged&, const Tagged&) = default;
};

/// Not known to be std::less, so items are sorted by comparisons.
const Order<Tagged> kByKey = [](const Tagged& a, const Tagged& b) { return a.key < b.key; };

using KeyOf = std::function<int(const Tagged&)>;

std::vector<Tagged> tagged(const std::vector<int>& keys) {
  std::vector<Tagged> items;
  for (const int key : keys) items.push_back({key, static_cast<int>(items.size())});
  return items;
}

std::vector<Tagged> sorted(std::vector<Tagged> items) {
  std::ranges::stable_sort(items, kByKey);
  return items;
}

bool is_permutation_of(std::vector<Tagged> items, std::vector<Tagged> before) {
  std::ranges::sort(items, {}, &Tagged::place);
  std::ranges::sort(before, {}, &Tagged::place);
  return items == before;
}

/// Random keys, few different keys, and runs of many kinds.
std::vector<std::vector<int>> patterns(std::size_t n) {
  const auto make = [n](auto&& f) {
    std::vector<int> numbers(n);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<int>(f(i));
    return numbers;
  };
  std::vector<std::vector<int>> all{
      random_ints(n),
      random_ints(n, 5),
      make([](std::size_t i) { return i / 3; }),                 // sorted
      make([n](std::size_t i) { return n - i; }),                // reversed
      make([n](std::size_t i) { return (n - i) / 3; }),          // almost reversed: equal items are not a run
      make([n](std::size_t i) { return std::min(i, n - i); }),   // organ pipe
      make([n](std::size_t i) { return i % (n / 4 + 1); }),      // four runs
      make([n](std::size_t i) { return n - i % (n / 7 + 1); }),  // descending runs
      make([n](std::size_t i) { return i < n - n / 8 ? i : i * 7919 % n; }),  // sorted, with a random end
      make([n](std::size_t i) { return i < n / 8 ? i * 7919 % n : i; }),      // and with a random front
  };
  return all;
}

TEST_CASE("stable_sort: equals the standard's for every length and pattern") {
  for_each_length(40'000, [](const AlgorithmOptions& options, std::size_t n) {
    if (options.min_grain == 1 && n > 1000) return;
    std::size_t pattern = 0;
    for (const std::vector<int>& keys : patterns(n)) {
      CAPTURE(pattern);
      ++pattern;
      const std::vector<Tagged> before = tagged(keys);
      const std::vector<Tagged> expected = sorted(before);
      std::vector<Tagged> items = before;
      CHECK(blitz::stable_sort(options, items, kByKey) == items.end());
      CHECK(items == expected);
      items = before;
      CHECK(blitz::stable_sort(options, items.begin(), items.end(), std::less{}, &Tagged::key) == items.end());
      CHECK(items == expected);
    }
  });
}

TEST_CASE("stable_sort: takes every kind of item and iterator") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{0, 1, 2, 20, 21, 32, 33, 300, 2500}) {
      for_each_kind(random_ints(n, static_cast<int>(n) + 1), [&](auto& items, const std::vector<int>& numbers) {
        blitz::stable_sort(options, items);
        CHECK(std::ranges::is_sorted(items));
        CHECK(made_of(items, numbers));
        blitz::stable_sort(options, items | std::views::reverse);
        CHECK(std::ranges::is_sorted(items, std::ranges::greater{}));
        CHECK(made_of(items, numbers));
      });
    }
  });
}

TEST_CASE("stable_sort: keeps the order of equal move-only items and loses none") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{7, 130, 5000}) {
      auto items = items_from<std::vector<Item>>(random_ints(n, 50));
      for (std::size_t i = 0; i < n; ++i) items[i].place = i;
      blitz::stable_sort(options, items, std::ranges::greater{}, &Item::value);
      CHECK(std::ranges::is_sorted(items, [](const Item& a, const Item& b) {
        return a.value() != b.value() ? a.value() > b.value() : a.place < b.place;
      }));
    }
  });
  CHECK(items_alive == 0);
}

TEST_CASE("stable_sort: treats both zeros as equal") {
  for (const std::size_t n : Sizes{30, 250, 40'000}) {
    std::vector<double> numbers(n);
    for (double& x : numbers) x = static_cast<double>(random_bits()() % 5) - 2.0;
    for (double& x : numbers) x = x == 0 && random_bits()() % 2 == 0 ? -0.0 : x;
    for (const bool down : {false, true}) {
      std::vector<double> expected = numbers;
      std::vector<double> items = numbers;
      if (down) {
        std::ranges::stable_sort(expected, std::greater{});
        blitz::stable_sort({.pool = pools()[2]}, items, std::greater{});
      } else {
        std::ranges::stable_sort(expected);
        blitz::stable_sort({.pool = pools()[2]}, items);
      }
      CHECK(std::ranges::equal(items, expected, {}, std::bit_cast<std::uint64_t, double>,
                               std::bit_cast<std::uint64_t, double>));
    }
  }
}

TEST_CASE("stable_sort: sorts strings that differ late, in a zero byte or above 127") {
  for (const std::string common : {"", "abc", "begins with this"}) {
    std::vector<std::string> strings;
    for (const char* const front : {"", "a", "abcdefg", "abcdefgh", "abcdefghi", "\x80\xff", "abcdefgh\x90"}) {
      for (int i = 0; i < 60; ++i) {
        strings.push_back(common + front);
        strings.back().append(static_cast<std::size_t>(i % 3), '\0').append(i % 5 == 0 ? "" : std::to_string(i % 7));
      }
    }
    std::ranges::shuffle(strings, random_bits());
    auto sorted = strings;
    std::ranges::sort(sorted);
    for_each_pool([&](const AlgorithmOptions& options) {
      auto items = strings;
      blitz::stable_sort(options, items);
      CHECK(items == sorted);
      items = strings;  // by a view of the text, or by a string that the projection makes
      blitz::stable_sort(options, items, std::greater<>{}, [](const std::string& x) { return std::string_view(x); });
      CHECK(std::ranges::equal(items, sorted | std::views::reverse));
      const auto longer = [](const std::string& text) { return text + "!"; };
      items = strings;
      blitz::stable_sort(options, items, {}, longer);
      CHECK(std::ranges::is_sorted(items, {}, longer));
      std::ranges::sort(items);
      CHECK(items == sorted);
    });
  }
}

TEST_CASE("stable_sort: makes few comparisons") {
  const auto calls = []<class T>(const std::vector<T>& items, const Order<T>& less) {
    CallCounter counter;
    counter.never_throw();
    auto copy = items;
    blitz::stable_sort({.pool = pools()[1]}, copy, Order<T>(counted(counter, less)));
    return static_cast<double>(counter.calls());
  };
  const std::size_t n = 30'000;
  const auto n_log_n = static_cast<double>(n) * std::log2(static_cast<double>(n));
  const std::vector<int> keys = random_ints(n);
  CHECK(calls(tagged(keys), kByKey) < 1.15 * n_log_n);
  CHECK(calls(items_from<std::vector<std::string>>(keys), Order<std::string>(std::less<>())) < 1.15 * n_log_n);
  CHECK(calls(tagged(random_ints(n, 8)), kByKey) < 8.0 * n);
  const auto all = patterns(n);
  CHECK(calls(tagged(all[2]), kByKey) < 1.01 * n);
  CHECK(calls(tagged(all[3]), kByKey) < 1.01 * n);
  CHECK(calls(tagged(all[5]), kByKey) < 3.5 * n);
}

TEST_CASE("stable_sort: leaves a permutation after an exception of each comparison or projection") {
  const KeyOf key = &Tagged::key;
  for (const std::vector<int>& keys : {random_ints(230, 100), patterns(230)[6]}) {
    const std::vector<Tagged> before = tagged(keys);
    for (const auto& pool : {pools()[0], pools()[2]}) {
      const AlgorithmOptions options{.min_grain = 16, .pool = pool};
      std::vector<Tagged> items;
      const auto check = [&] { CHECK(is_permutation_of(items, before)); };
      throw_at_each_call(
          [&](CallCounter& counter) {
            items = before;
            blitz::stable_sort(options, items, Order<Tagged>(counted(counter, kByKey)));
            CHECK(items == sorted(before));
          },
          check);
      throw_at_each_call(
          [&](CallCounter& counter) {
            items = before;
            blitz::stable_sort(options, items, {}, KeyOf(counted(counter, key)));
            CHECK(items == sorted(before));
          },
          check);
    }
  }
}

TEST_CASE("stable_sort: leaves costly items where they were if a comparison throws") {
  for (const std::size_t n : Sizes{20, 90}) {
    const auto before = items_from<std::vector<std::string>>(random_ints(n));
    for_each_pool([&](const AlgorithmOptions& options) {
      std::vector<std::string> items;
      throw_at_each_call(
          [&](CallCounter& counter) {
            items = before;
            blitz::stable_sort(options, items, Order<std::string>(counted(counter, std::less<>())));
            CHECK(std::ranges::is_sorted(items));
          },
          [&] { CHECK(items == before); });
    });
  }
}

TEST_CASE("stable_sort: sorts costly items that are in order or in reverse order") {
  for_each_pool([&](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{100, 3000, 30'000}) {
      std::vector<std::string> texts;
      for (std::size_t i = 0; i < n; ++i) texts.push_back("a text of some length " + std::to_string(100'000 + i));
      std::vector<std::string> items = texts;
      blitz::stable_sort(options, items);
      CHECK(items == texts);
      std::ranges::reverse(items);
      blitz::stable_sort(options, items);
      CHECK(items == texts);
    }
  });
}

TEST_CASE("sort_by_cached_key: throws Stopped after an earlier stop request, for any length") {
  for_each_pool([&](AlgorithmOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    source.request_stop();
    for (const std::size_t n : Sizes{0, 1, 100}) {
      std::vector<int> items(n);
      CHECK_THROWS_AS(blitz::sort_by_cached_key(options, items, [](int x) { return x; }), blitz::Stopped);
    }
  });
}

TEST_CASE("stable_sort: leaves a permutation after a stop request at any moment") {
  const std::size_t n = kSanitized ? 5000 : 20'000;
  const std::vector<Tagged> before = tagged(random_ints(n));
  for_each_pool([&](AlgorithmOptions options) {
    options.min_grain = 500;
    for (const std::size_t at : Sizes{0, 1, 1000, 2 * n, 10 * n, 14 * n, 500 * n}) {
      std::stop_source source;
      options.stop = source.get_token();
      std::atomic<std::size_t> calls = 0;
      const Order<Tagged> less = [&](const Tagged& a, const Tagged& b) {
        if (calls.fetch_add(1, std::memory_order_relaxed) == at) source.request_stop();
        return a.key < b.key;
      };
      std::vector<Tagged> items = before;
      bool stopped = false;
      try {
        blitz::stable_sort(options, items, less);
      } catch (const blitz::Stopped&) {
        stopped = true;
      }
      CHECK((stopped ? is_permutation_of(items, before) : items == sorted(before)));
      if (at <= 1000) CHECK(stopped);
    }
  });
}

TEST_CASE("stable_sort: leaves a permutation if the comparison is no order") {
  for_each_pool([&](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{5, 31, 33, 100, 300, 5000, kSanitized ? 1500 : 30'000}) {
      const std::vector<Tagged> before = tagged(random_ints(n));
      for (const Order<int>& order : disorders()) {
        std::vector<Tagged> items = before;
        blitz::stable_sort(options, items,
                           Order<Tagged>([&](const Tagged& a, const Tagged& b) { return order(a.key, b.key); }));
        CHECK(is_permutation_of(items, before));
      }
      std::vector<Tagged> items = before;
      blitz::stable_sort(options, items, {}, KeyOf([](const Tagged&) { return static_cast<int>(whatever()); }));
      CHECK(is_permutation_of(items, before));
    }
  });
}

TEST_CASE("sort_by_key: sorts keys and values of all kinds, for every length") {
  const auto check = [](const AlgorithmOptions& options, std::size_t n) {
    const std::vector<Tagged> expected = sorted(tagged(random_ints(n, 100)));
    std::vector<Tagged> order = expected;  // an unsorted order, and its sorted form
    std::ranges::sort(order, {}, &Tagged::place);
    const auto run = [&]<class Keys, class Values>(Keys keys, Values values, auto comp, auto proj) {
      for (const Tagged& x : order) {
        keys.push_back(item_from<typename Keys::value_type>(x.key));
        values.push_back(item_from<typename Values::value_type>(x.place));
      }
      const auto [keys_end, values_end] = blitz::sort_by_key(options, keys, values, comp, proj);
      CHECK(keys_end == keys.end());
      CHECK(values_end == values.end());
      bool same = true;
      for (std::size_t i = 0; i < n; ++i) {
        same &= number_of(keys[i]) == expected[i].key;
        same &= number_of(values[i]) == expected[i].place;
      }
      CHECK(same);
    };
    const Order<int> less = std::less<>();
    run(std::vector<int>{}, std::vector<int>{}, std::ranges::less{}, std::identity{});
    run(std::vector<int>{}, std::deque<std::string>{}, less, std::identity{});
    run(std::deque<std::string>{}, std::vector<int>{}, less, number_of<std::string>);
    run(std::vector<Wide>{}, std::deque<std::string>{}, less, &Wide::value);
  };
  for_each_length(1100, check);
  // And lengths around the grains of all kinds.
  for (const std::size_t n : around({2048, 8192, 16'384})) check({.pool = pools()[2]}, kSanitized ? n / 4 : n);
  std::vector<int> keys{3, 1, 2};
  std::vector<int> values{30, 10};
  const auto ends = blitz::sort_by_key(two_threads(), keys.begin(), keys.end(), values.begin(), values.end());
  CHECK(keys == std::vector{1, 3, 2});
  CHECK(values == std::vector{10, 30});
  CHECK(ends.in1 == keys.begin() + 2);
}

using TextKey = std::function<std::string(const std::string&)>;
const TextKey kLongText = [](const std::string& x) {
  return x.substr(x.size() - 1) + "some text that lies on the heap";
};

TEST_CASE("sort_by_key and sort_by_cached_key: change nothing if a call throws") {
  const std::vector<int> numbers = random_ints(60);
  const auto strings = items_from<std::deque<std::string>>(numbers);
  for (const auto& pool : {pools()[0], pools()[2]}) {
    const AlgorithmOptions options{.min_grain = 10, .pool = pool};
    auto texts = strings;
    auto others = numbers;
    const std::function<void(CallCounter&)> sorts[] = {
        [&](CallCounter& counter) {
          blitz::sort_by_key(options, texts, others, Order<int>(counted(counter, std::less<>())),
                             number_of<std::string>);
        },
        [&](CallCounter& counter) {
          blitz::sort_by_key(options, others, texts, Order<int>(counted(counter, std::less<>())));
        },
        [&](CallCounter& counter) {
          blitz::sort_by_cached_key(options, texts, number_of<std::string>,
                                    Order<int>(counted(counter, std::less<>())));
        },
        [&](CallCounter& counter) { blitz::sort_by_cached_key(options, texts, TextKey(counted(counter, kLongText))); },
    };
    for (const auto& sort : sorts) {
      throw_at_each_call(
          [&](CallCounter& counter) {
            texts = strings;
            others = numbers;
            sort(counter);
          },
          [&] {
            CHECK(texts == strings);
            CHECK(others == numbers);
          });
    }
  }
}

TEST_CASE("sort_by_cached_key: makes each key once, for every length") {
  for_each_length(2100, [](const AlgorithmOptions& options, std::size_t n) {
    const auto before = items_from<std::deque<std::string>>(random_ints(n, 70));
    const auto check = [&](auto key) {
      auto items = before;
      CallCounter counter;
      counter.never_throw();
      CHECK(blitz::sort_by_cached_key(options, items, decltype(key)(counted(counter, key))) == items.end());
      CHECK(counter.calls() == (n < 2 ? 0 : n));
      auto expected = before;
      std::ranges::stable_sort(expected, {}, key);
      CHECK(items == expected);
    };
    check(std::function<std::size_t(const std::string&)>(&std::string::size));
    check(kLongText);
  });
}

}  // namespace
}  // namespace blitz_test
