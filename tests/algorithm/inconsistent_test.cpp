/// Comparisons that are not an order, and predicates and keys that answer differently each time: the result is unspecified, but
/// nothing is read or written out of bounds, no item is lost, and all algorithms end. Sorts and merges have further tests of
/// this in their own files. every_algorithm_test.py checks the algorithms named here against the headers.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <ranges>
#include <span>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

#if defined(BLITZ_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(begin, size)
#define ASAN_UNPOISON_MEMORY_REGION(begin, size)
#endif

namespace blitz_test {
namespace {

using Ints = std::vector<int>;

/// Numbers between guards of 16 KiB: AddressSanitizer detects accesses to the guards, and the destructor detects writes.
class Guarded {
 public:
  explicit Guarded(const Ints& numbers) : size_(numbers.size()) {
    std::ranges::copy(numbers, begin());
    ASAN_POISON_MEMORY_REGION(memory_.data(), kGuard * sizeof(int));
    ASAN_POISON_MEMORY_REGION(end(), kGuard * sizeof(int));
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() {
    ASAN_UNPOISON_MEMORY_REGION(memory_.data(), memory_.size() * sizeof(int));
    CHECK(std::count(memory_.data(), begin(), kUntouched) == std::ptrdiff_t{kGuard});
    CHECK(std::count(end(), memory_.data() + memory_.size(), kUntouched) == std::ptrdiff_t{kGuard});
  }

  [[nodiscard]] int* begin() { return memory_.data() + kGuard; }
  [[nodiscard]] int* end() { return begin() + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Whether `place` is in the range, or its end.
  [[nodiscard]] bool has(const int* place) { return place >= begin() && place <= end(); }
  /// Whether the range holds these numbers, in any order.
  [[nodiscard]] bool holds(const Ints& numbers) { return made_of(std::span(begin(), size_), numbers); }

 private:
  static constexpr std::size_t kGuard = 4096;
  static constexpr int kUntouched = 0x5AFE5AFE;

  std::size_t size_;
  Ints memory_ = Ints(size_ + 2 * kGuard, kUntouched);
};

/// The numbers below n.
Ints numbers_to(std::size_t n) {
  Ints numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Calls `test(options, numbers, order)` with the numbers from 0 on, and with comparisons that are not an order.
template <class Test>
void for_each_disorder(Test test) {
  for_each_pool([&](const AlgorithmOptions& options) {
    for (const std::size_t n : std::initializer_list<std::size_t>{0, 1, 2, 3, 64, 65, 600, 4100}) {
      if (n > 600 && options.min_grain == 1) continue;
      CAPTURE(n);
      const Ints numbers = numbers_to(n);
      for (std::size_t disorder = 0; disorder < disorders().size(); ++disorder) {
        CAPTURE(disorder);
        test(options, numbers, disorders()[disorder]);
      }
    }
  });
}

TEST_CASE("inconsistent comparisons and predicates: searches return a result within the range") {
  for_each_disorder([](const AlgorithmOptions& options, const Ints& numbers, const Order<int>& order) {
    Guarded items(numbers);
    Guarded needle({7, 3, 7});
    const auto pred = [&](int x) { return order(x, 7); };
    CHECK(items.has(blitz::find_if(options, items, pred)));
    CHECK(items.has(blitz::find_if_not(options, items, pred)));
    CHECK(items.has(blitz::find_last_if(options, items, pred).begin()));
    CHECK(items.has(blitz::find_last_if_not(options, items, pred).begin()));
    CHECK(items.has(blitz::adjacent_find(options, items, order)));
    CHECK(items.has(blitz::search(options, items, needle, order).end()));
    CHECK(items.has(blitz::find_end(options, items, needle, order).end()));
    CHECK(items.has(blitz::find_first_of(options, items, needle, order)));
    CHECK(needle.has(blitz::mismatch(options, items, needle, order).in2));
    CHECK(items.has(blitz::is_sorted_until(options, items, order)));
    CHECK(items.has(blitz::min_element(options, items, order)));
    CHECK(items.has(blitz::min_element(options, items, {}, [](int) { return whatever(); })));
    CHECK(items.has(blitz::max_element(options, items, order)));
    CHECK(items.has(blitz::minmax_element(options, items, order).max));
    CHECK(static_cast<std::size_t>(blitz::count_if(options, items, pred)) <= numbers.size());
    static_cast<void>(blitz::any_of(options, items, pred));
    static_cast<void>(blitz::all_of(options, items, pred));
    static_cast<void>(blitz::none_of(options, items, pred));
    static_cast<void>(blitz::equal(options, items, numbers, order));
    static_cast<void>(blitz::is_sorted(options, items, order));
    static_cast<void>(blitz::is_partitioned(options, items, pred));
    static_cast<void>(blitz::lexicographical_compare(options, items, numbers, order));
    if (numbers.empty()) return;
    const auto inside = [&](int x) { return x >= 0 && x <= numbers.back(); };
    CHECK(inside(blitz::min(options, items, order)));
    CHECK(inside(blitz::max(options, items, order)));
    CHECK(inside(blitz::minmax(options, items, order).min));
  });
}

TEST_CASE("inconsistent comparisons and predicates: filters and partitions stay within bounds") {
  for_each_disorder([](const AlgorithmOptions& options, const Ints& numbers, const Order<int>& order) {
    Guarded items(numbers);
    const auto pred = [&](int x) { return order(x, 7); };
    CHECK(items.has(blitz::partition(options, items, pred).begin()));
    CHECK(items.holds(numbers));
    CHECK(items.has(blitz::stable_partition(options, items, pred).begin()));
    CHECK(items.holds(numbers));
    CHECK(items.has(blitz::remove_if(options, items, pred).begin()));
    CHECK(items.has(blitz::unique(options, items, order).begin()));
    blitz::replace_if(options, items, pred, 7);
    for (const std::size_t room : {numbers.size(), numbers.size() / 2, numbers.size() / 5}) {
      Guarded out{Ints(room)};
      Guarded others{Ints(numbers.size() - room)};
      CHECK(out.has(blitz::copy_if(options, numbers, out, pred).out));
      CHECK(out.has(blitz::remove_copy_if(options, numbers, out, pred).out));
      CHECK(out.has(blitz::unique_copy(options, numbers, out, order).out));
      const auto ends = blitz::partition_copy(options, numbers, out, others, pred);
      CHECK(out.has(ends.out1));
      CHECK(others.has(ends.out2));
      CHECK((ends.out1 - out.begin()) + (ends.out2 - others.begin()) == ends.in - numbers.begin());
    }
  });
}

// In addition to the tests in sort_test.cpp, stable_sort_test.cpp and merge_test.cpp.
TEST_CASE("inconsistent comparisons: sorts and merges stay within bounds and lose no item") {
  for_each_disorder([](const AlgorithmOptions& options, const Ints& numbers, const Order<int>& order) {
    Guarded items(numbers);
    const auto third = static_cast<std::ptrdiff_t>(numbers.size() / 3);
    blitz::sort(options, items, order);
    CHECK(items.holds(numbers));
    blitz::stable_sort(options, items, order);
    CHECK(items.holds(numbers));
    blitz::nth_element(options, items, items.begin() + third, order);
    CHECK(items.holds(numbers));
    blitz::inplace_merge(options, items, items.begin() + third, order);
    CHECK(items.holds(numbers));
    Guarded out{Ints(numbers.size())};
    Guarded head(Ints(numbers.begin(), numbers.begin() + third));
    Guarded tail(Ints(numbers.begin() + third, numbers.end()));
    blitz::merge(options, head, tail, out, order);
    CHECK(out.holds(numbers));
  });
}

TEST_CASE("inconsistent comparisons: algorithms by key stay within bounds and lose no item") {
  for_each_disorder([](const AlgorithmOptions& options, const Ints& numbers, const Order<int>& order) {
    Guarded keys(numbers);
    Guarded values(numbers);
    const auto few = [](int) { return static_cast<int>(whatever() % 20); };
    const auto counts = blitz::histogram(options, keys, 20, few);
    CHECK(std::accumulate(counts.begin(), counts.end(), std::size_t{0}) == numbers.size());
    blitz::sort_by_key(options, keys, values, order);
    CHECK(std::ranges::equal(keys, values));
    CHECK(keys.holds(numbers));
    blitz::sort_by_cached_key(options, keys, few, order);
    CHECK(keys.holds(numbers));
    Guarded keys_out{Ints(numbers.size() / 3)};
    Guarded sums{Ints(numbers.size() / 3)};
    const auto ends = blitz::reduce_by_key(options, numbers, numbers, keys_out, sums, order);
    CHECK(keys_out.has(ends.keys_out));
    CHECK(sums.has(ends.values_out));
  });
}

/// A place of an output that counts the writes to it.
struct Place {
  Place& operator=(int /*unused*/) {
    ++writes;
    return *this;
  }
  std::atomic<int> writes = 0;
};

TEST_CASE("inconsistent comparisons: reduce_by_key writes each place at most once, also between pieces") {
  constexpr int kPiece = 8;
  constexpr std::size_t kItems = 64;
  const Ints keys = numbers_to(kItems);
  for (const blitz::PoolRef pool : pools()) {
    for (const bool later : {false, true}) {
      // The counting pass finds a run in each piece, and the writing pass finds a different number of runs.
      std::atomic<std::size_t> calls = 0;
      const auto equal = [&](int, int b) { return calls++ < kItems - 1 ? b % kPiece != 0 : later; };
      std::vector<Place> keys_out(kItems);
      std::vector<Place> sums(kItems);
      blitz::reduce_by_key({.min_grain = kPiece, .pool = pool}, keys, keys, keys_out, sums, equal);
      CHECK(std::ranges::all_of(keys_out, [](const Place& place) { return place.writes <= 1; }));
      CHECK(std::ranges::all_of(sums, [](const Place& place) { return place.writes <= 1; }));
    }
  }
}

TEST_CASE("inconsistent keys: group_by finds each position exactly once") {
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
