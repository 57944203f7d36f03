#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
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

/// A comparison of numbers that is not known to be std::less, so items are sorted by comparisons.
const Order<int> kBelow = std::less<>();

/// A key with a number that is not compared.
struct Record {
  std::int16_t key;
  int number;
  friend bool operator==(const Record&, const Record&) = default;
};
using KeyOf = std::function<std::int16_t(const Record&)>;

/// n records in the order of their numbers. A fifth of them have equal keys.
std::vector<Record> records_of(std::size_t n) {
  std::vector<Record> records(n);
  for (std::size_t i = 0; i < n; ++i) {
    records[i] = {static_cast<std::int16_t>(random_bits()() % 5 == 0 ? 7 : random_bits()()), static_cast<int>(i)};
  }
  return records;
}

/// Whether the records are a permutation of `before`, which is in the order of its numbers.
bool are(std::vector<Record> records, const std::vector<Record>& before) {
  std::ranges::sort(records, {}, &Record::number);
  return records == before;
}

/// Numbers in patterns that sorts recognize, or that are bad cases for sorts.
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
      make([n](std::size_t i) { return std::max(i, n - i); }),        // upside down
      make([](std::size_t i) { return i % 17 + i / 2; }),             // saw teeth
      make([](std::size_t i) { return (i & 1) != 0 ? i : i / 64; }),  // two interleaved sequences
  };
  all.push_back(all[2]);
  if (n > 0) std::swap(all.back()[n / 2], all.back()[n / 3]);
  return all;
}

TEST_CASE("sort: equals the standard's for every length and pattern") {
  for_each_length(70'000, 40, [](const AlgorithmOptions& options, std::size_t n) {
    // With a grain of 1, several threads sort every length; otherwise only lengths above the default grain.
    if (options.min_grain == 1 && n > 1000) return;
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
  });
}

TEST_CASE("sort and partial_sort: are correct around the lengths where the method changes") {
  const auto as_double = [](const int& x) { return static_cast<double>(x); };
  const AlgorithmOptions options{.pool = pools()[2]};
  for (const std::size_t n : around({4096, 8192, 16'384, 32'768})) {
    CAPTURE(n);
    const std::vector<int> numbers = random_ints(n);
    std::vector<int> expected = numbers;
    std::ranges::sort(expected);
    const auto check = [&](auto sort) {
      std::vector<int> items = numbers;
      sort(items);
      CHECK(items == expected);
    };
    check([&](std::vector<int>& items) { blitz::sort(options, items); });
    check([&](std::vector<int>& items) { blitz::sort(options, items, kBelow); });
    check([&](std::vector<int>& items) { blitz::sort(options, items, {}, as_double); });
    // The first two thirds are a run.
    check([&](std::vector<int>& items) {
      std::sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(n * 2 / 3));
      blitz::sort(options, items);
    });
    check([&](std::vector<int>& items) { blitz::partial_sort(options, items, items.end(), kBelow); });
  }
}

TEST_CASE("sort: takes every kind of item and iterator") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{0, 1, 2, 19, 20, 21, 22, 300, 2500}) {
      for_each_kind(random_ints(n, static_cast<int>(n) + 1), [&](auto& items, const std::vector<int>& numbers) {
        const Order<std::ranges::range_value_t<decltype(items)>> less = std::less<>();
        blitz::sort(options, items, less);
        CHECK(std::ranges::is_sorted(items));
        CHECK(made_of(items, numbers));
        blitz::sort(options, items | std::views::reverse, less);
        CHECK(std::ranges::is_sorted(items, std::ranges::greater{}));
        CHECK(made_of(items, numbers));
      });
    }
  });
  CHECK(items_alive == 0);
}

TEST_CASE("sort: sorts move-only items by a projection and loses none") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{7, 130, 3000}) {
      auto items = items_from<std::vector<Item>>(random_ints(n));
      for (std::size_t i = 0; i < n; ++i) items[i].place = i;
      blitz::sort(options, items, Order<int>(std::greater<>()), &Item::value);
      CHECK(std::ranges::is_sorted(items, std::ranges::greater{}));
      std::vector<bool> seen(n);
      for (const Item& item : items) seen[item.place] = true;
      CHECK(std::ranges::count(seen, true) == static_cast<std::ptrdiff_t>(n));
    }
  });
  CHECK(items_alive == 0);
}

/// Random keys: all numbers, or numbers of few bits.
template <class Key>
std::vector<Key> random_keys(std::size_t n, unsigned shift) {
  std::vector<Key> keys(n);
  for (Key& key : keys) {
    const std::uint64_t bits = random_bits()() >> shift;
    if constexpr (std::floating_point<Key>) {
      key = static_cast<Key>(std::ldexp(static_cast<double>(bits >> 11), static_cast<int>(bits % 64) - 64) *
                             ((bits & 64) != 0 ? -1 : 1));
    } else {
      key = static_cast<Key>(bits);
    }
  }
  keys[n / 2] = std::numeric_limits<Key>::lowest();
  keys[n / 3] = std::numeric_limits<Key>::max();
  return keys;
}

/// Calls `test(keys, sorted)` with keys of many counts and kinds.
template <class Key, class Test>
void for_each_keys(Test test) {
  for (const std::size_t n : Sizes{191, 192, 193, 5000, 17'000, kSanitized ? 40'000 : 150'000}) {
    CAPTURE(n);
    for (const unsigned shift : {0U, 48U, 58U}) {
      const std::vector<Key> keys = random_keys<Key>(n, shift);
      std::vector<Key> sorted = keys;
      std::ranges::sort(sorted);
      test(keys, sorted);
    }
  }
}

TEST_CASE_TEMPLATE("sort: sorts keys by radix, ascending and descending", Key, char, std::uint16_t, int,
                   unsigned long long, float, double) {
  for_each_keys<Key>([](const std::vector<Key>& keys, std::vector<Key> expected) {
    auto items = keys;
    blitz::sort({.pool = pools()[2]}, items);
    CHECK(items == expected);
    for (const bool descending : {false, true}) {  // and unsorted keys after a sorted run
      auto begun = keys;
      const auto end_of_run = begun.begin() + static_cast<std::ptrdiff_t>(keys.size() * 2 / 3);
      std::sort(begun.begin(), end_of_run);
      if (descending) std::reverse(begun.begin(), end_of_run);
      blitz::sort({.pool = pools()[2]}, begun);
      CHECK(begun == expected);
    }
    std::ranges::reverse(expected);
    blitz::sort({.pool = pools()[1]}, items, std::greater<Key>{});
    CHECK(items == expected);
  });
}

/// Sorts records by the projection `proj`, their key. The tests above check the mapping of keys to bits for every type.
template <class Key, class C, class P>
void check_records(C comp, P proj) {
  using Pair = std::pair<std::uint32_t, Key>;
  for_each_keys<Key>([&](const std::vector<Key>& keys, std::vector<Key> expected) {
    if (!comp(1, 2)) std::ranges::reverse(expected);
    std::vector<Pair> records;
    for (const Key key : keys) records.emplace_back(static_cast<std::uint32_t>(records.size()), key);
    blitz::sort({.pool = pools()[2]}, records, comp, proj);
    CHECK(std::ranges::equal(records, expected, {}, &Pair::second));
    CHECK(std::ranges::all_of(records, [&](const Pair& record) { return keys[record.first] == record.second; }));
  });
}

TEST_CASE("sort: sorts records by radix of a member or of a function's result") {
  check_records<std::uint16_t>(std::less<>(), &std::pair<std::uint32_t, std::uint16_t>::second);
  check_records<double>(std::ranges::greater(), [](const std::pair<std::uint32_t, double>& x) { return x.second; });
}

TEST_CASE("sort: by radix orders zeros and NaNs by their sign") {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array special{0.0, -0.0, kInfinity, -kInfinity, 1e-310, kNaN, -kNaN};
  std::vector<double> numbers(3000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] =
        i % 3 == 0 ? special[random_bits()() % special.size()] : static_cast<double>(random_bits()() % 1000) - 500;
  }
  std::vector<double> expected = numbers;
  std::ranges::sort(expected, [](double a, double b) { return std::strong_order(a, b) < 0; });
  blitz::sort(two_threads(), numbers);
  const auto as_bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  CHECK(std::ranges::equal(numbers, expected, {}, as_bits, as_bits));
}

TEST_CASE("sort: is correct for halves that begin with a sorted run of costly items") {
  for (const std::size_t half : {2'000, 20'000}) {
    std::vector<std::string> items;
    for (int which = 0; which < 2; ++which) {
      std::vector<std::string> run;
      for (std::size_t i = 0; i < half; ++i)
        run.push_back(std::to_string(random_bits()()) + " of a length that is allocated");
      std::sort(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(half / 4 * 3));
      items.insert(items.end(), run.begin(), run.end());
    }
    std::vector<std::string> expected = items;
    std::ranges::sort(expected);
    const auto below = [](const std::string& a, const std::string& b) { return a < b; };
    for (const blitz::PoolRef pool : pools()) {
      for (const bool stable : {false, true}) {
        std::vector<std::string> sorted = items;
        stable ? void(blitz::stable_sort({.pool = pool}, sorted, below))
               : void(blitz::sort({.pool = pool}, sorted, below));
        CHECK(sorted == expected);
      }
    }
  }
}

TEST_CASE("sort: by radix is correct on any number of threads and leaves a permutation if stopped") {
  std::vector<Record> before = records_of(200'000);
  for (const blitz::PoolRef pool : pools()) {
    std::atomic<int> calls = 0;
    const auto count = [&](const Record& record) noexcept {
      calls.fetch_add(1, std::memory_order_relaxed);
      return record.key;
    };
    std::vector<Record> sorted = before;
    blitz::sort({.pool = pool}, sorted, {}, count);
    CHECK(std::ranges::is_sorted(sorted, {}, &Record::key));
    CHECK(are(sorted, before));
    for (int tenth = 0; tenth < 10; ++tenth) {
      std::stop_source source;
      std::atomic<int> left = calls / 10 * tenth;
      const auto key = [&](const Record& record) noexcept {
        if (left.fetch_sub(1, std::memory_order_relaxed) == 0) source.request_stop();
        return record.key;
      };
      std::vector<Record> records = before;
      try {
        blitz::sort({.stop = source.get_token(), .pool = pool}, records, {}, key);
      } catch (const blitz::Stopped&) {
        CHECK(source.stop_requested());
      }
      CHECK(are(records, before));
    }
    // A radix sort maps floating-point numbers to other bits, and must map them back.
    std::stop_source source;
    source.request_stop();
    std::vector<double> numbers;
    for (const Record& record : before) numbers.push_back(record.key);
    std::vector<double> same = numbers;
    CHECK_THROWS_AS(blitz::sort({.stop = source.get_token(), .pool = pool}, same), blitz::Stopped);
    CHECK(same == numbers);
  }
}

TEST_CASE("sort: makes few comparisons") {
  const std::size_t n = 20'000;
  const double n_log_n = static_cast<double>(n) * std::log2(static_cast<double>(n));
  const auto comparisons = [&]<class T>(const std::vector<int>& numbers, T) {
    std::vector<T> items = items_from<std::vector<T>>(numbers);
    CallCounter counter;
    counter.never_throw();
    blitz::sort({.pool = pools()[0]}, items, Order<T>(counted(counter, std::less<>())));
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

TEST_CASE("sort: is not quadratic for an adversary's comparison") {
  // M. D. McIlroy: A Killer Adversary for Quicksort, 1999. The comparisons decide the values of the items.
  const int n = 5000;
  std::vector<int> values(n, n);  // n: not decided yet
  // Neither sorted nor reversed: the search for runs ends here.
  values[0] = 1;
  values[1] = 2;
  values[2] = 0;
  int decided = 3;
  int candidate = 0;
  std::size_t comparisons = 0;
  const auto value = [&](int place) -> int& { return values[static_cast<std::size_t>(place)]; };
  std::vector<int> places(n);
  std::iota(places.begin(), places.end(), 0);
  blitz::sort({.pool = pools()[0]}, places, Order<int>([&](int a, int b) {
                ++comparisons;
                if (value(a) == n && value(b) == n) value(a == candidate ? a : b) = decided++;
                if (value(a) == n) {
                  candidate = a;
                } else if (value(b) == n) {
                  candidate = b;
                }
                return value(a) < value(b);
              }));
  CHECK(std::ranges::is_sorted(places, {}, value));
  CHECK(static_cast<double>(comparisons) < 6.0 * n * std::log2(n));
}

TEST_CASE("sort: leaves a permutation after an exception of each comparison") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{5, 24, 40}) {
      const std::vector<int> numbers = random_ints(n, 30);
      std::vector<int> ints;
      std::vector<Item> items;
      throw_at_each_call(
          [&](CallCounter& counter) {
            ints = numbers;
            blitz::sort(options, ints, Order<int>(counted(counter, kBelow)));
          },
          [&] { CHECK(made_of(ints, numbers)); });
      throw_at_each_call(
          [&](CallCounter& counter) {
            items = items_from<std::vector<Item>>(numbers);
            blitz::sort(options, items, Order<int>(counted(counter, kBelow)), &Item::value);
          },
          [&] { CHECK(made_of(items, numbers)); });
      CHECK(std::ranges::is_sorted(items));
    }
  });
  CHECK(items_alive == 0);
}

TEST_CASE("sort: leaves a permutation after an exception of each call of a key's projection") {
  const KeyOf key = &Record::key;
  const auto check = [&](blitz::PoolRef pool, std::size_t n, auto comp) {
    const std::vector<Record> before = records_of(n);
    std::vector<Record> records;
    throw_at_each_call(
        [&](CallCounter& counter) {
          records = before;
          blitz::sort({.min_grain = 1, .pool = pool}, records, comp, KeyOf(counted(counter, key)));
          CHECK(std::ranges::is_sorted(records, {}, key));
        },
        [&] { CHECK(are(records, before)); });
  };
  for (const blitz::PoolRef pool : {pools()[0], pools()[2]}) {
    check(pool, 300, std::less<>());  // by radix
    check(pool, 60, kBelow);
  }
}

// So many items that only some of the calls are interrupted: all of them would take hours.
TEST_CASE("sort: leaves a permutation of many items after an exception of a projection or comparison") {
  const std::size_t n = kSanitized ? 20'000 : 60'000;
  const std::vector<Record> before = records_of(n);
  CallCounter counter;
  const KeyOf key = &Record::key;
  for (const blitz::PoolRef pool : {pools()[2], pools()[4]}) {
    std::size_t thrown = 0;
    for (std::size_t at = 3; at < 40 * n; at += kSanitized ? at : at / 3) {
      CAPTURE(at);
      auto records = before;
      counter.throw_at(at);
      try {
        blitz::sort({.pool = pool}, records, {}, KeyOf(counted(counter, key)));
      } catch (const Thrown&) {
        ++thrown;
      }
      CHECK(are(records, before));
      records = before;
      counter.throw_at(at);
      try {
        blitz::sort({.pool = pool}, records, Order<int>(counted(counter, kBelow)), key);
      } catch (const Thrown&) {
        ++thrown;
      }
      CHECK(are(records, before));
    }
    CHECK(thrown > (kSanitized ? 10 : 20));
  }
}

TEST_CASE("sort: leaves a permutation if the comparison is no order") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{2, 3, 9, 31, 32, 33, 500, kSanitized ? 1500 : 30'000}) {
      std::vector<int> numbers(n);
      std::iota(numbers.begin(), numbers.end(), 0);
      for (const Order<int>& order : disorders()) {
        std::ranges::shuffle(numbers, random_bits());
        std::vector<int> items = numbers;
        blitz::sort(options, items, order);
        CHECK(made_of(items, numbers));
        items = numbers;
        blitz::nth_element(options, items, items.begin() + static_cast<std::ptrdiff_t>(n / 3), order);
        CHECK(made_of(items, numbers));
        blitz::partial_sort(options, items, items.begin() + static_cast<std::ptrdiff_t>(n / 4), order);
        CHECK(made_of(items, numbers));
        if (n > 500) continue;
        auto strings = items_from<std::vector<std::string>>(numbers);
        blitz::sort(options, strings, Order<std::string>([&](const auto& a, const auto& b) {
                      return order(number_of(a), number_of(b));
                    }));
        CHECK(made_of(strings, numbers));
      }
      const std::vector<Record> before = records_of(n);
      auto records = before;
      blitz::sort(options, records, {}, KeyOf([](const Record&) { return static_cast<std::int16_t>(whatever()); }));
      CHECK(are(records, before));
    }
  });
}

TEST_CASE("sort: leaves a permutation after a stop request") {
  const std::vector<Record> before = records_of(kSanitized ? 20'000 : 50'000);
  std::size_t stopped = 0;
  for_each_pool([&](AlgorithmOptions options) {
    if (options.min_grain != 0) options.min_grain = 300;
    for (int round = 0; round < 6; round += kSanitized ? 2 : 1) {
      std::stop_source source;
      std::atomic<std::size_t> calls{0};
      const std::size_t at = random_bits()() % (std::size_t{1} << (5 * round / 2 + 8));
      const KeyOf key = [&](const Record& record) {
        if (calls.fetch_add(1, std::memory_order_relaxed) == at) source.request_stop();
        return record.key;
      };
      auto records = before;
      const auto run = [&](auto&& sort) {
        calls = 0;
        source = std::stop_source();
        options.stop = source.get_token();
        try {
          sort();
        } catch (const blitz::Stopped&) {
          ++stopped;
        }
        CHECK(are(records, before));
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
    CHECK_THROWS_AS(blitz::partial_sort(options, numbers, numbers.begin() + 5, kBelow), blitz::Stopped);
  });
  CHECK(stopped > (kSanitized ? 20 : 50));
}

TEST_CASE("nth_element and partial_sort: are correct for every length, pattern and rank") {
  for_each_length(17'000, 24, [](const AlgorithmOptions& options, std::size_t n) {
    if (options.min_grain == 1 && n > 1100) return;
    std::size_t pattern = 0;
    for (const std::vector<int>& numbers : patterns(n)) {
      // Each of these lengths gets half of the patterns.
      if (n > 24 && n <= 300 && (n + n / kWays + pattern++) % 2 == 0) continue;
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
        blitz::partial_sort(options, items.begin(), items.begin() + at, items.end(), Order<int>(std::greater<>()));
        CHECK(std::equal(items.begin(), items.begin() + at, expected.rbegin()));
        CHECK(made_of(items, numbers));
      }
    }
  });
  const std::vector<int> numbers = random_ints(3000);
  auto strings = items_from<std::deque<std::string>>(numbers);
  blitz::partial_sort(two_threads(), strings, strings.begin() + 100, Order<std::string>(std::less<>()));
  CHECK(std::is_sorted(strings.begin(), strings.begin() + 100));
  CHECK(std::all_of(strings.begin() + 100, strings.end(), [&](const auto& x) { return x >= strings[99]; }));
  CHECK(made_of(strings, numbers));
}

TEST_CASE("nth_element and partial_sort: leave a permutation after an exception of each comparison") {
  const std::vector<int> numbers = random_ints(60);
  const AlgorithmOptions options{.min_grain = 1, .pool = pools()[2]};
  std::vector<int> items;
  const auto check = [&] { CHECK(made_of(items, numbers)); };
  throw_at_each_call(
      [&](CallCounter& counter) {
        items = numbers;
        blitz::nth_element(options, items, items.begin() + 20, Order<int>(counted(counter, kBelow)));
      },
      check);
  throw_at_each_call(
      [&](CallCounter& counter) {
        items = numbers;
        blitz::partial_sort(options, items, items.begin() + 20, Order<int>(counted(counter, kBelow)));
      },
      check);
}

}  // namespace
}  // namespace blitz_test
