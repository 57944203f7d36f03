/// sort and stable_sort with a comparison, of nearly sorted items: results, numbers of comparisons, and permutations after an
/// exception or with an inconsistent comparison.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using Ints = std::vector<int>;

/// Places distinguish equal keys.
struct Record {
  int key = 0;
  int place = 0;
  friend bool operator==(const Record&, const Record&) = default;
};
const Order<Record> kByKey = [](const Record& a, const Record& b) { return a.key < b.key; };

std::vector<Record> records_of(const Ints& keys) {
  std::vector<Record> records;
  for (const int key : keys) records.push_back({key, static_cast<int>(records.size())});
  return records;
}

/// Nearly sorted numbers, and an upper bound on the comparisons for n of them: `per_item` n plus `per_displaced` log2 n. If
/// `per_item` is 0, only the general bound applies: 1.4 n log2 n.
struct Pattern {
  std::string_view name;
  Ints numbers;
  double per_item = 0;
  double per_displaced = 0;
};

Ints ascending(std::size_t n) {
  Ints numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}
Ints with_swaps(Ints numbers, std::size_t swaps) {
  for (; swaps != 0; --swaps)
    std::swap(numbers[random_bits()() % numbers.size()], numbers[random_bits()() % numbers.size()]);
  return numbers;
}
Ints reversed(Ints numbers) {
  std::ranges::reverse(numbers);
  return numbers;
}
/// Moves the item at `from` to `to`.
Ints with_misplaced(Ints numbers, std::size_t from, std::size_t to) {
  const int number = numbers[from];
  numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(from));
  numbers.insert(numbers.begin() + static_cast<std::ptrdiff_t>(to), number);
  return numbers;
}
/// `runs` sorted runs of about equal length.
Ints with_runs(Ints numbers, std::size_t runs) {
  for (std::size_t run = 0; run != runs; ++run) {
    std::sort(numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() * run / runs),
              numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() * (run + 1) / runs));
  }
  return numbers;
}
/// Exchanges each pair of adjacent blocks of `size` numbers.
Ints with_swapped_blocks(Ints numbers, std::size_t size) {
  for (std::size_t i = 0; i + 2 * size <= numbers.size(); i += 2 * size) {
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(first, first + static_cast<std::ptrdiff_t>(size), first + static_cast<std::ptrdiff_t>(2 * size));
  }
  return numbers;
}
/// Sorted, with a random part of `size` numbers.
Ints with_random_part(std::size_t n, std::size_t size, bool at_end) {
  Ints numbers = random_ints(n);
  const auto part = static_cast<std::ptrdiff_t>(size);
  std::sort(numbers.begin() + (at_end ? 0 : part), numbers.end() - (at_end ? part : 0));
  return numbers;
}

/// The random numbers do not depend on the tests that ran before: a sort samples few items, and may by chance find too many of
/// them displaced.
std::vector<Pattern> patterns(std::size_t n) {
  random_bits().seed(n);
  const auto of = [n](auto&& f) {
    Ints numbers(n);
    for (std::size_t i = 0; i != n; ++i) numbers[i] = static_cast<int>(f(i));
    return numbers;
  };
  const Ints sorted = ascending(n);
  return {
      {"one swap", with_swaps(sorted, 1), 2, 10},
      {"ten swaps", with_swaps(sorted, 10), 2, 80},
      {"swaps of one item in 100", with_swaps(sorted, n / 200), 2, 0.04 * static_cast<double>(n)},
      {"swaps of one item in 20", with_swaps(sorted, n / 40)},
      {"swaps of one item in 8", with_swaps(sorted, n / 16), 6, 0.2 * static_cast<double>(n)},
      {"swaps of one item in 5", with_swaps(sorted, n / 10)},
      {"reversed, ten swaps", with_swaps(reversed(sorted), 10), 2, 80},
      {"reversed, swaps of one item in 100", with_swaps(reversed(sorted), n / 200), 2, 0.04 * static_cast<double>(n)},
      {"the last one at the front", with_misplaced(sorted, n - 1, 0), 2, 10},
      {"the first one at the end", with_misplaced(sorted, 0, n - 1), 3, 10},
      {"one in the middle", with_misplaced(sorted, n / 5, n / 2), 3, 10},
      {"ten appended", with_random_part(n, 10, true), 4, 80},
      {"a random tail", with_random_part(n, n / 10, true)},
      {"a random head", with_random_part(n, n / 10, false)},
      {"neighbours swapped in pairs", with_swapped_blocks(sorted, 1), 3, 10},
      {"short blocks swapped", with_swapped_blocks(sorted, 3), 6, 10},
      {"blocks swapped", with_swapped_blocks(sorted, 30)},
      {"rotated by half", with_swapped_blocks(sorted, n / 2), 4, 10},
      {"few values, ten swaps", with_swaps(of([n](std::size_t i) { return 16 * i / n; }), 10), 2, 80},
      {"pairs of values, swaps of one item in 100", with_swaps(of([](std::size_t i) { return i / 2; }), n / 200), 2,
       0.04 * static_cast<double>(n)},
      {"few values, reversed, swaps", with_swaps(of([n](std::size_t i) { return 30 - 30 * i / n; }), n / 100)},
      {"saw teeth", of([n](std::size_t i) { return i % (n / 7); })},
      {"rising saw teeth", of([](std::size_t i) { return i % 17 + i / 2; })},
      {"organ pipe", of([n](std::size_t i) { return std::min(i, n - i); })},
      {"two runs", with_runs(random_ints(n), 2)},
      {"ten runs", with_runs(random_ints(n), 10)},
      {"many runs", with_runs(random_ints(n), n / 30)},
      {"random", random_ints(n)},
  };
}

TEST_CASE("nearly sorted: sorts equal the standard's on any number of threads") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : std::initializer_list<std::size_t>{64, 300, 1500, kSanitized ? 5000 : 40'000}) {
      if (n > 1500 && options.min_grain == 1) continue;
      CAPTURE(n);
      for (const Pattern& pattern : patterns(n)) {
        CAPTURE(pattern.name);
        const std::vector<Record> records = records_of(pattern.numbers);
        std::vector<Record> expected = records;
        std::ranges::stable_sort(expected, kByKey);
        auto items = records;
        blitz::stable_sort(options, items, kByKey);
        CHECK(items == expected);
        items = records;
        blitz::sort(options, items, kByKey);
        CHECK(std::ranges::equal(items, expected, {}, &Record::key, &Record::key));
        std::ranges::sort(items, {}, &Record::place);
        CHECK(items == records);
        if (n > 1500) continue;
        auto strings = items_from<std::vector<std::string>>(pattern.numbers);
        auto sorted = strings;
        std::ranges::sort(sorted);
        blitz::sort(options, strings, Order<std::string>(std::less<>()));
        CHECK(strings == sorted);
      }
    }
  });
}

// A sort gives up if too many items are displaced. For some of these sizes it detects this only at the last item, when its
// memory for the kept items is full.
TEST_CASE("nearly sorted: sorts are correct if every second item from any position on is too large") {
  for (std::size_t n = 256; n != 264; ++n) {
    CAPTURE(n);
    for (std::size_t begin = 0; begin != n; ++begin) {
      CAPTURE(begin);
      Ints numbers = ascending(n);
      for (std::size_t i = begin; i < n; i += 2) numbers[i] = static_cast<int>(n);
      for (const bool descending : {false, true}) {
        std::vector<Record> items = records_of(descending ? reversed(numbers) : numbers);
        std::vector<Record> expected = items;
        std::ranges::stable_sort(expected, kByKey);
        const std::vector<Record> records = items;
        blitz::stable_sort(AlgorithmOptions{.pool = pools()[0]}, items, kByKey);
        CHECK(items == expected);
        items = records;
        blitz::sort(AlgorithmOptions{.pool = pools()[0]}, items, kByKey);
        CHECK(std::ranges::equal(items, expected, {}, &Record::key, &Record::key));
      }
    }
  }
}

/// The number of comparisons that sort(options, items, order) makes.
template <class T, class Sort>
double comparisons(Sort sort, blitz::PoolRef pool, const Ints& numbers) {
  auto items = items_from<std::vector<T>>(numbers);
  CallCounter counter;
  counter.never_throw();
  sort(AlgorithmOptions{.pool = pool}, items,
       Order<T>(counted(counter, [](const T& a, const T& b) { return number_of(a) < number_of(b); })));
  CHECK(std::ranges::is_sorted(items, {}, [](const T& item) { return number_of(item); }));
  return static_cast<double>(counter.calls());
}

/// `slack`: the additional comparisons per item that further merges may make on several threads; 0 on one thread.
template <class T, class Sort>
void check_comparisons(Sort sort, blitz::PoolRef pool, std::size_t n, double slack) {
  const auto items = static_cast<double>(n);
  for (const Pattern& pattern : patterns(n)) {
    CAPTURE(pattern.name);
    const double found = comparisons<T>(sort, pool, pattern.numbers);
    CHECK(found <= 1.4 * items * std::log2(items));
    if (pattern.per_item > 0)
      CHECK(found <= (pattern.per_item + slack) * items + pattern.per_displaced * std::log2(items));
  }
}

TEST_CASE("nearly sorted: a few displaced items take a few comparisons each, and the others one or two") {
  const std::size_t n = kSanitized ? 5000 : 20'000;
  for (const double threads : {1.0, 2.0}) {
    CAPTURE(threads);
    const blitz::PoolRef pool = pools()[threads == 1 ? 0 : 1];
    const double slack = threads == 1 ? 0.1 : 2.5;
    check_comparisons<int>(blitz::sort, pool, n, slack);
    check_comparisons<int>(blitz::stable_sort, pool, n, slack);
    check_comparisons<std::string>(blitz::sort, pool, n, slack + 1);
    check_comparisons<std::string>(blitz::stable_sort, pool, n, slack + 1);
  }
}

TEST_CASE("nearly sorted: sorts leave a permutation after an exception of each comparison") {
  for (const std::size_t n : std::initializer_list<std::size_t>{80, 300}) {
    CAPTURE(n);
    const std::vector<Pattern> all = patterns(n);
    for (const std::size_t thread_count : {0, 1}) {
      for (const std::string_view name :
           {"swaps of one item in 20", "reversed, ten swaps", "rising saw teeth", "blocks swapped", "random"}) {
        if (kSanitized && thread_count > 0) continue;
        CAPTURE(name);
        const Ints& numbers = std::ranges::find(all, name, &Pattern::name)->numbers;
        const AlgorithmOptions options{.min_grain = 40, .pool = pools()[thread_count]};
        Ints items;
        for (const bool stable : {false, true}) {
          throw_at_each_call(
              [&](CallCounter& counter) {
                items = numbers;
                const Order<int> below = counted(counter, std::less<>());
                if (stable) {
                  blitz::stable_sort(options, items, below);
                } else {
                  blitz::sort(options, items, below);
                }
              },
              [&] { CHECK(made_of(items, numbers)); });
          CHECK(std::ranges::is_sorted(items));
        }
      }
    }
  }
}

TEST_CASE("nearly sorted: sorts of many items leave a permutation after an exception or a stop") {
  const std::size_t n = kSanitized ? 4000 : 30'000;
  for (const Pattern& pattern : patterns(n)) {
    CAPTURE(pattern.name);
    const auto strings =
        items_from<std::vector<std::string>>(Ints(pattern.numbers.begin(), pattern.numbers.begin() + 2000));
    for (std::size_t at = 3; at < 4 * n; at *= kSanitized ? 9 : 3) {
      CAPTURE(at);
      CallCounter counter;
      const Order<int> below = counted(counter, std::less<>());
      for (const bool stop : {false, true}) {
        for (const bool stable : {false, true}) {
          Ints items = pattern.numbers;
          AlgorithmOptions options{.pool = pools()[at % 2]};
          if (stop) {
            options.stop = counter.stop_at(at);
          } else {
            counter.throw_at(at);
          }
          try {
            if (stable) {
              blitz::stable_sort(options, items, below);
            } else {
              blitz::sort(options, items, below);
            }
          } catch (const Thrown&) {
          } catch (const blitz::Stopped&) {
          }
          CHECK(made_of(items, pattern.numbers));
        }
      }
      counter.throw_at(at);
      auto items = strings;
      try {
        blitz::sort({.pool = pools()[0]}, items, Order<std::string>(counted(counter, std::less<>())));
      } catch (const Thrown&) {
      }
      CHECK(made_of(items, numbers_of(strings)));
    }
  }
}

// With an order for the first calls, the items look nearly sorted.
TEST_CASE("nearly sorted: sorts leave a permutation if the comparison is or becomes no order") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : std::initializer_list<std::size_t>{64, 300, 2000}) {
      if (kSanitized && n > 300) continue;
      CAPTURE(n);
      std::size_t turn = 0;
      for (const Pattern& pattern : patterns(n)) {
        CAPTURE(pattern.name);
        for (std::size_t in_order = 0; in_order < 4 * n; in_order += n / 3) {
          CAPTURE(in_order);
          const Order<int>& disorder = disorders()[turn++ % disorders().size()];
          for (const bool stable : {false, true}) {
            std::atomic<std::size_t> calls = 0;
            const Order<int> order = [&](int a, int b) {
              return calls.fetch_add(1, std::memory_order_relaxed) < in_order ? a < b : disorder(a, b);
            };
            Ints items = pattern.numbers;
            if (stable) {
              blitz::stable_sort(options, items, order);
            } else {
              blitz::sort(options, items, order);
            }
            CHECK(made_of(items, pattern.numbers));
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace blitz_test
