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
#include <span>
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

/// As std::less, but not known to be: so numbers are sorted by comparisons.
constexpr auto kBelow = [](const auto& a, const auto& b) { return a < b; };

/// A key with something that is not compared.
struct Record {
  std::int16_t key;
  int number;
  friend bool operator==(const Record&, const Record&) = default;
};

/// Numbers in patterns that sorts know, or should not fail at.
std::vector<std::vector<int>> patterns(std::size_t n) {
  const auto make = [n](auto&& f) {
    std::vector<int> numbers(n);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<int>(f(i));
    return numbers;
  };
  std::vector<std::vector<int>> all{
      random_ints(n),
      random_ints(n, 4),
      make([](std::size_t i) { return i; }),
      make([n](std::size_t i) { return n - i; }),
      make([](std::size_t) { return 1; }),
      make([n](std::size_t i) { return std::min(i, n - i); }),        // organ pipe
      make([n](std::size_t i) { return std::max(i, n - i); }),        // and upside down
      make([](std::size_t i) { return i % 17 + i / 2; }),             // saw teeth
      make([](std::size_t i) { return (i & 1) != 0 ? i : i / 64; }),  // two that are mixed
  };
  all.push_back(all[2]);
  if (n > 0) std::swap(all.back()[n / 2], all.back()[n / 3]);
  return all;
}

template <class Items>
void check_permutation(Items items, Items before) {
  std::ranges::sort(items);
  std::ranges::sort(before);
  CHECK(items == before);
}

TEST_CASE("sort: as the standard's, for every length and pattern") {
  for_each_pool([](const AlgorithmOptions& options) {
    // With the grain of 1 every length is sorted by several threads; without, those beyond the algorithm's own.
    for (const std::size_t n : lengths(options.min_grain == 0 ? 70'000 : 1000, options.min_grain == 0 ? 300 : 40)) {
      CAPTURE(n);
      std::size_t pattern = 0;
      for (const std::vector<int>& numbers : patterns(n)) {
        CAPTURE(pattern++);
        std::vector<int> expected = numbers;
        std::ranges::sort(expected);
        std::vector<int> items = numbers;
        CHECK(blitz::sort(options, items, kBelow) == items.end());
        CHECK(items == expected);
        items = numbers;
        blitz::sort(options, items.begin(), items.end());
        CHECK(items == expected);
      }
    }
  });
}

TEST_CASE("sort: every kind of item and iterator") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{0, 1, 2, 19, 20, 21, 22, 300, 2500}) {
      for_each_kind(random_ints(n, static_cast<int>(n) + 1), [&](auto& items, const std::vector<int>&) {
        auto expected = items;
        std::ranges::sort(expected);
        blitz::sort(options, items);
        CHECK(items == expected);
        std::ranges::reverse(expected);
        blitz::sort(options, items | std::views::reverse);
        CHECK(items == expected);
      });
    }
  });
  CHECK(items_alive == 0);
}

TEST_CASE("sort: move-only items, a projection, and nothing lost") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{7, 130, 3000}) {
      auto items = items_from<std::vector<Item>>(random_ints(n));
      for (std::size_t i = 0; i < n; ++i) items[i].place = i;
      blitz::sort(options, items, std::ranges::greater{}, &Item::value);
      CHECK(std::ranges::is_sorted(items, std::ranges::greater{}));
      std::vector<bool> seen(n);
      for (const Item& item : items) seen[item.place] = true;
      CHECK(std::ranges::count(seen, true) == static_cast<std::ptrdiff_t>(n));
    }
  });
  CHECK(items_alive == 0);
}

TEST_CASE_TEMPLATE("sort: keys by radix, both ways, as items and of records", Key, char, std::uint16_t, int,
                   unsigned long long, float, double) {
  const auto from_bits = [](std::uint64_t bits) {
    if constexpr (std::floating_point<Key>) {
      return static_cast<Key>(static_cast<double>(bits >> 11) * std::pow(2.0, static_cast<double>(bits % 64) - 64) *
                              ((bits & 64) != 0 ? -1 : 1));
    } else {
      return static_cast<Key>(bits);
    }
  };
  for (const std::size_t n : Sizes{191, 192, 193, 5000, 17'000, 150'000}) {
    CAPTURE(n);
    for (const unsigned shift : {0U, 48U, 58U}) {
      std::vector<Key> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = from_bits(random_bits()() >> shift);
      keys[n / 2] = std::numeric_limits<Key>::lowest();
      keys[n / 3] = std::numeric_limits<Key>::max();
      auto expected = keys;
      std::ranges::sort(expected);
      std::vector<std::pair<std::uint32_t, Key>> records(n);
      for (std::size_t i = 0; i < n; ++i) records[i] = {static_cast<std::uint32_t>(i), keys[i]};
      auto sorted_keys = keys;
      blitz::sort({.pool = pools()[2]}, sorted_keys);
      CHECK(sorted_keys == expected);
      for (const bool descending : {false, true}) {  // and others behind a sorted run
        auto begun = keys;
        const auto end_of_run = begun.begin() + static_cast<std::ptrdiff_t>(n * 2 / 3);
        std::sort(begun.begin(), end_of_run);
        if (descending) std::reverse(begun.begin(), end_of_run);
        blitz::sort({.pool = pools()[2]}, begun);
        CHECK(begun == expected);
      }
      blitz::sort({.pool = pools()[1]}, records, {}, &std::pair<std::uint32_t, Key>::second);
      CHECK(std::ranges::equal(records, expected, {}, &std::pair<std::uint32_t, Key>::second));
      CHECK(std::ranges::all_of(records, [&](const auto& record) { return keys[record.first] == record.second; }));

      std::ranges::reverse(expected);
      blitz::sort({.pool = pools()[1]}, sorted_keys, std::greater<Key>{});
      CHECK(sorted_keys == expected);
      blitz::sort({.pool = pools()[2]}, records, std::ranges::greater{}, [](const auto& r) { return r.second; });
      CHECK(std::ranges::equal(records, expected, {}, &std::pair<std::uint32_t, Key>::second));
    }
  }
}

TEST_CASE("sort: floating numbers with zeros, infinities and NaNs") {
  std::vector<double> numbers(3000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::array<double, 6> special{0.0,
                                        -0.0,
                                        std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity(),
                                        1e-310,
                                        std::numeric_limits<double>::quiet_NaN()};
    numbers[i] = i % 3 == 0 ? special[random_bits()() % 6] : static_cast<double>(random_bits()() % 1000) - 500;
  }
  const auto as_bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  auto before = numbers;
  blitz::sort(numbers);
  const auto nans = std::ranges::find_if(numbers, [](double x) { return std::isnan(x); });
  CHECK(std::is_sorted(numbers.begin(), nans));
  std::ranges::sort(before, {}, as_bits);
  std::ranges::sort(numbers, {}, as_bits);
  CHECK(std::ranges::equal(before, numbers, {}, as_bits, as_bits));
}

TEST_CASE("sort: comparisons are few") {
  const std::size_t n = 20'000;
  const double n_log_n = static_cast<double>(n) * std::log2(static_cast<double>(n));
  const auto comparisons = [&]<class T>(const std::vector<int>& numbers, T) {
    std::vector<T> items = items_from<std::vector<T>>(numbers);
    CallCounter counter;
    counter.never_throw();
    blitz::sort({.pool = pools()[0]}, items, counted(counter, kBelow));
    return static_cast<double>(counter.calls());
  };
  std::size_t pattern = 0;
  for (const std::vector<int>& numbers : patterns(n)) {
    CAPTURE(pattern++);
    CHECK(comparisons(numbers, int{}) < 1.35 * n_log_n);
    CHECK(comparisons(numbers, std::string{}) < 1.25 * n_log_n);
  }
  CHECK(comparisons(random_ints(n), int{}) < 1.15 * n_log_n);
  CHECK(comparisons(random_ints(n), std::string{}) < 1.08 * n_log_n);
  CHECK(comparisons(random_ints(n, 16), int{}) < 0.5 * n_log_n);
  CHECK(comparisons(std::vector<int>(n, 1), int{}) <= static_cast<double>(n));
  std::vector<int> ordered = random_ints(n);
  std::ranges::sort(ordered);
  CHECK(comparisons(ordered, int{}) <= static_cast<double>(n));
}

TEST_CASE("sort: nothing makes it quadratic") {
  // M. D. McIlroy: A Killer Adversary for Quicksort, 1999. Decides what the items are while they are compared.
  const std::size_t n = 5000;
  std::vector<std::size_t> values(n, n);  // n: not decided yet
  // Neither in order nor reversed: the look for runs ends here.
  values[0] = 1;
  values[1] = 2;
  values[2] = 0;
  std::size_t decided = 3;
  std::size_t candidate = 0;
  std::size_t comparisons = 0;
  std::vector<std::size_t> places(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = i;
  blitz::sort({.pool = pools()[0]}, places, [&](std::size_t a, std::size_t b) {
    ++comparisons;
    if (values[a] == n && values[b] == n) values[a == candidate ? a : b] = decided++;
    if (values[a] == n) {
      candidate = a;
    } else if (values[b] == n) {
      candidate = b;
    }
    return values[a] < values[b];
  });
  CHECK(std::ranges::is_sorted(places, {}, [&](std::size_t place) { return values[place]; }));
  CHECK(static_cast<double>(comparisons) < 6 * static_cast<double>(n) * std::log2(static_cast<double>(n)));
}

TEST_CASE("sort: a permutation after an exception of the comparison") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{5, 24, 40}) {
      const std::vector<int> numbers = random_ints(n, 30);
      std::vector<int> ints;
      std::vector<Item> items;
      throw_at_each_call(
          [&](CallCounter& counter) {
            ints = numbers;
            blitz::sort(options, ints, counted(counter, kBelow));
          },
          [&] { check_permutation(ints, numbers); });
      throw_at_each_call(
          [&](CallCounter& counter) {
            items = items_from<std::vector<Item>>(numbers);
            blitz::sort(options, items, counted(counter, kBelow));
          },
          [&] {
            std::vector<int> values;
            for (const Item& item : items) values.push_back(item.value());
            check_permutation(values, numbers);
          });
      CHECK(std::ranges::is_sorted(items));
    }
  });
  CHECK(items_alive == 0);
}

TEST_CASE("sort: a permutation after an exception of a key's projection, or of a comparison among many") {
  const std::size_t n = 60'000;
  std::vector<Record> before(n);
  for (std::size_t i = 0; i < n; ++i) {
    before[i] = {static_cast<std::int16_t>(random_bits()() % 5 == 0 ? 7 : random_bits()()), static_cast<int>(i)};
  }
  const auto check = [&](std::vector<Record> records) {
    std::ranges::sort(records, {}, &Record::number);
    CHECK(records == before);
  };
  CallCounter counter;
  const std::array<AlgorithmOptions, 2> options{AlgorithmOptions{.pool = pools()[2]},
                                                AlgorithmOptions{.pool = pools()[4]}};
  for (const AlgorithmOptions& its_options : options) {
    std::size_t thrown = 0;
    for (std::size_t at = 3; at < 40 * n; at += at / 3) {
      CAPTURE(at);
      auto records = before;
      counter.throw_at(at);
      try {
        blitz::sort(its_options, records, {}, counted(counter, [](const Record& r) { return r.key; }));
      } catch (const Thrown&) {
        ++thrown;
      }
      check(records);
      records = before;
      counter.throw_at(at);
      try {
        blitz::sort(its_options, records, counted(counter, kBelow), [](const Record& r) { return r.key; });
      } catch (const Thrown&) {
        ++thrown;
      }
      check(records);
    }
    CHECK(thrown > 20);
  }
}

/// An item whose moves throw, too.
struct Restless {
  explicit Restless(int the_value, CallCounter& the_counter) : value(the_value), counter(&the_counter) {
    ++items_alive;
  }
  Restless(Restless&& other) : value(other.value), counter(other.counter) {
    (*counter)();
    ++items_alive;
  }
  Restless& operator=(Restless&& other) {
    (*counter)();
    value = other.value;
    return *this;
  }
  ~Restless() { --items_alive; }
  int value;
  CallCounter* counter;
};

TEST_CASE("sort: nothing leaks if a move throws") {
  for_each_pool([](const AlgorithmOptions& options) {
    const std::vector<int> numbers = random_ints(40);
    const auto run = [&]<class Container>(Container) {
      throw_at_each_call(
          [&](CallCounter& counter) {
            Container items;
            for (const int number : numbers) items.emplace_back(number, counter);
            blitz::sort(options, items, {}, &Restless::value);
            CHECK(std::ranges::is_sorted(items, {}, &Restless::value));
          },
          [] { CHECK(items_alive == 0); });
    };
    run(std::deque<Restless>{});
  });
}

TEST_CASE("sort: comparisons that are no order end, within bounds, with a permutation") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{2, 3, 9, 31, 32, 33, 500, 30'000}) {
      std::vector<int> numbers(n);
      for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<int>(i);
      const std::vector<int> before = numbers;
      const auto run = [&](auto comparison) {
        std::vector<int> items = before;
        std::ranges::shuffle(items, random_bits());
        blitz::sort(options, items, comparison);
        check_permutation(items, before);
        std::ranges::shuffle(items, random_bits());
        blitz::nth_element(options, items, items.begin() + static_cast<std::ptrdiff_t>(n / 3), comparison);
        check_permutation(items, before);
        blitz::partial_sort(options, items, items.begin() + static_cast<std::ptrdiff_t>(n / 4), comparison);
        check_permutation(items, before);
        if (n <= 500) {
          auto strings = items_from<std::vector<std::string>>(items);
          const auto strings_before = strings;
          blitz::sort(options, strings, [&](const auto&, const auto&) { return comparison(1, 2); });
          check_permutation(strings, strings_before);
        }
      };
      std::atomic<unsigned> state{1};
      std::vector<int> items = before;
      blitz::sort(options, items, {}, [&](int) { return state.fetch_add(0x9E3779B9U); });  // a key that changes
      check_permutation(items, before);
      run([](int, int) { return true; });
      run([](int, int) { return false; });
      run([](int a, int b) { return a <= b; });
      run([](int a, int b) { return (a ^ b) % 3 == 1; });
      run([&](int, int) { return std::popcount(state.fetch_add(0x9E3779B9U) & 0x10080402U) % 2 == 1; });
    }
  });
}

TEST_CASE("sort: a stop request leaves a permutation") {
  const std::size_t n = 50'000;
  std::vector<Record> before(n);
  for (std::size_t i = 0; i < n; ++i) before[i] = {static_cast<std::int16_t>(random_bits()()), static_cast<int>(i)};
  std::size_t stopped = 0;
  for_each_pool([&](AlgorithmOptions options) {
    if (options.min_grain != 0) options.min_grain = 300;
    for (int round = 0; round < 6; ++round) {
      std::stop_source source;
      options.stop = source.get_token();
      std::atomic<std::size_t> calls{0};
      const std::size_t at = random_bits()() % (std::size_t{1} << (5 * round / 2 + 8));
      const auto key = [&](const Record& record) {
        if (calls.fetch_add(1, std::memory_order_relaxed) == at) source.request_stop();
        return record.key;
      };
      auto records = before;
      const auto run = [&](auto&& sort) {
        try {
          sort();
        } catch (const blitz::Stopped&) {
          ++stopped;
        }
        std::ranges::sort(records, {}, &Record::number);
        CHECK(records == before);
        calls = 0;
        source = std::stop_source();
        options.stop = source.get_token();
      };
      run([&] { blitz::sort(options, records, {}, key); });
      run([&] { blitz::sort(options, records, kBelow, key); });
      run([&] { blitz::nth_element(options, records, records.begin() + 1000, kBelow, key); });
      run([&] { blitz::partial_sort(options, records, records.begin() + 1000, kBelow, key); });
    }
    std::stop_source source;
    source.request_stop();
    options.stop = source.get_token();
    std::vector<int> numbers = random_ints(100);
    CHECK_THROWS_AS(blitz::sort(options, numbers), blitz::Stopped);
    CHECK_THROWS_AS(blitz::partial_sort(options, numbers, numbers.begin() + 5), blitz::Stopped);
  });
  CHECK(stopped > 50);
}

TEST_CASE("nth_element and partial_sort: as the standard's") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : lengths(options.min_grain == 0 ? 17'000 : 1100, 24)) {
      CAPTURE(n);
      for (const std::vector<int>& numbers : patterns(n)) {
        std::vector<int> expected = numbers;
        std::ranges::sort(expected);
        for (const std::size_t rank : {std::size_t{0}, n / 1000, n / 9, n / 2, n - n / 7, n - (n > 0), n}) {
          CAPTURE(rank);
          const auto at = static_cast<std::ptrdiff_t>(rank);
          std::vector<int> items = numbers;
          CHECK(blitz::nth_element(options, items, items.begin() + at) == items.end());
          if (rank < n) {
            const int nth = items[rank];
            CHECK(nth == expected[rank]);
            CHECK(std::all_of(items.begin(), items.begin() + at, [&](int x) { return x <= nth; }));
            CHECK(std::all_of(items.begin() + at, items.end(), [&](int x) { return x >= nth; }));
          }
          blitz::partial_sort(options, items.begin(), items.begin() + at, items.end(), std::greater{});
          CHECK(std::equal(items.begin(), items.begin() + at, expected.rbegin()));
          check_permutation(items, numbers);
        }
      }
    }
  });
  std::deque<std::string> strings = items_from<std::deque<std::string>>(random_ints(3000));
  auto expected = strings;
  std::ranges::sort(expected);
  blitz::partial_sort(strings, strings.begin() + 100);
  CHECK(std::equal(strings.begin(), strings.begin() + 100, expected.begin()));
}

TEST_CASE("nth_element, partial_sort: a permutation after an exception") {
  const std::vector<int> numbers = random_ints(60);
  std::vector<int> items;
  throw_at_each_call(
      [&](CallCounter& counter) {
        items = numbers;
        blitz::nth_element({.min_grain = 1, .pool = pools()[2]}, items, items.begin() + 20, counted(counter, kBelow));
      },
      [&] { check_permutation(items, numbers); });
  throw_at_each_call(
      [&](CallCounter& counter) {
        items = numbers;
        blitz::partial_sort({.min_grain = 1, .pool = pools()[2]}, items, items.begin() + 20, counted(counter, kBelow));
      },
      [&] { check_permutation(items, numbers); });
}

}  // namespace
}  // namespace blitz_test
