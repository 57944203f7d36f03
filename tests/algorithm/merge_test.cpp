#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <new>
#include <ranges>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/detail/algorithm/sort/in_place_merge.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using Sizes = std::initializer_list<std::size_t>;

/// A key and the original position of the item: this shows whether a merge was stable, and the source of a set operation.
struct Tagged {
  int key = 0;
  int place = 0;
  friend bool operator==(const Tagged&, const Tagged&) = default;
};

const Order<Tagged> kByKey = [](const Tagged& a, const Tagged& b) { return a.key < b.key; };
constexpr Tagged kUntouched{-1, -1};
const Order<std::string> kByNumber = [](const auto& a, const auto& b) { return number_of(a) < number_of(b); };

std::vector<Tagged> sorted_items(std::size_t n, int kinds, int first_place = 0) {
  std::vector<Tagged> items;
  for (const int key : random_ints(n, kinds)) items.push_back({key, 0});
  std::ranges::sort(items, kByKey);
  for (Tagged& item : items) item.place = first_place++;
  return items;
}

std::vector<int> sorted_ints(std::size_t n, int kinds) {
  std::vector<int> numbers = random_ints(n, kinds);
  std::ranges::sort(numbers);
  return numbers;
}

/// Calls `test(a, b)` with sorted ranges of many sizes, with many equal items and with few.
using TestOfTwo = std::function<void(const std::vector<Tagged>& a, const std::vector<Tagged>& b)>;
void for_each_two(std::size_t most, const TestOfTwo& test, std::size_t turns = 7) {
  // Every combined length up to 300, split at each position or, if there are many, at a random one. The lengths are shared by
  // `turns` calls, and each call covers one share.
  for (std::size_t n = next_turn() % turns; n <= (kSanitized ? 35 : 300); n += turns) {
    for (std::size_t cut = 0; cut <= (n < 16 ? n : 0); ++cut) {
      const std::size_t n1 = n < 16 ? cut : random_bits()() % (n + 1);
      CAPTURE(n);
      CAPTURE(n1);
      test(sorted_items(n1, 40), sorted_items(n - n1, 40, 1'000'000));
    }
  }
  for (const std::size_t n1 : Sizes{0, 1, 2, 3, 8, 9, 30, 100, 1000, 17'000}) {
    for (const std::size_t n2 : Sizes{0, 1, 2, 7, 10, 33, 200, 1001, 40'000}) {
      if (n1 + n2 > most) continue;
      for (const int kinds : {1, 4, 300, 1'000'000}) {
        if (n1 + n2 > (kSanitized ? 150 : 3000) && kinds != 300) continue;
        CAPTURE(n1);
        CAPTURE(n2);
        CAPTURE(kinds);
        test(sorted_items(n1, kinds), sorted_items(n2, kinds, 1'000'000));
      }
    }
  }
}

std::size_t most_of(const AlgorithmOptions& options) {
  if (options.min_grain == 0) return kSanitized ? 20'000 : 100'000;
  return 1300;
}

TEST_CASE("merge: equals the standard's, also if the output is too small") {
  for_each_pool([](const AlgorithmOptions& options) {
    for_each_two(most_of(options), [&](const std::vector<Tagged>& a, const std::vector<Tagged>& b) {
      std::vector<Tagged> expected(a.size() + b.size());
      std::ranges::merge(a, b, expected.begin(), kByKey);
      for (const std::size_t room : {expected.size(), expected.size() + 3, expected.size() / 2}) {
        std::vector<Tagged> out(room, kUntouched);
        const auto [in1, in2, end] = blitz::merge(options, a, b, out, kByKey);
        const auto n = std::min(room, expected.size());
        CHECK(static_cast<std::size_t>(end - out.begin()) == n);
        CHECK(static_cast<std::size_t>((in1 - a.begin()) + (in2 - b.begin())) == n);
        CHECK(std::equal(out.begin(), end, expected.begin()));
        CHECK(std::all_of(end, out.end(), [](const Tagged& x) { return x == kUntouched; }));
      }
    });
  });
}

TEST_CASE("merge: equals the standard's for every kind of item, iterator and projection") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{0, 1, 50, 3000}) {
      const std::vector<int> others = sorted_ints(n / 2, 1000);
      std::vector<int> expected(n + n / 2);
      for_each_kind(sorted_ints(n, 1000), [&](auto& items, const std::vector<int>& numbers) {
        using Value = std::ranges::range_value_t<decltype(items)>;
        const auto other = items_from<std::deque<Value>>(others);
        std::vector<Value> out(n + n / 2);
        const auto number = number_of<Value>;
        const auto ends = blitz::merge(options, items.begin(), items.end(), other.begin(), other.end(), out.begin(),
                                       out.end(), {}, number, number);
        CHECK(ends.in1 == items.end());
        CHECK(ends.in2 == other.end());
        CHECK(ends.out == out.end());
        std::ranges::merge(numbers, others, expected.begin());
        CHECK(numbers_of(out) == expected);
      });
    }
    // Two types, each with a projection.
    const std::vector<Tagged> tagged = sorted_items(500, 100);
    const std::vector<int> numbers = sorted_ints(700, 100);
    struct Key {
      int key = 0;
      Key() = default;
      explicit(false) Key(const Tagged& x) : key(x.key) {}
      explicit(false) Key(int x) : key(x) {}
      bool operator==(const Key&) const = default;
    };
    std::vector<Key> out(1200);
    blitz::merge(options, tagged, numbers, out, {}, &Tagged::key, [](int x) { return x; });
    CHECK(std::ranges::is_sorted(out, {}, &Key::key));
    std::vector<Key> expected(out.size());
    std::ranges::merge(tagged, numbers, expected.begin(), {}, &Tagged::key);
    CHECK(out == expected);
  });
}

TEST_CASE("inplace_merge: equals the standard's for every position of the middle") {
  for_each_pool([](const AlgorithmOptions& options) {
    for_each_two(most_of(options), [&](const std::vector<Tagged>& a, const std::vector<Tagged>& b) {
      std::vector<Tagged> items = a;
      items.insert(items.end(), b.begin(), b.end());
      std::vector<Tagged> expected = items;
      const auto middle = static_cast<std::ptrdiff_t>(a.size());
      std::ranges::inplace_merge(expected, expected.begin() + middle, kByKey);
      CHECK(blitz::inplace_merge(options, items, items.begin() + middle, kByKey) == items.end());
      CHECK(items == expected);
    });
    for (const std::size_t n : Sizes{40, 2000}) {
      const auto middle = static_cast<std::ptrdiff_t>(n / 3);
      std::vector<int> two = random_ints(n, 500);
      std::sort(two.begin(), two.begin() + middle);
      std::sort(two.begin() + middle, two.end());
      for_each_kind(two, [&](auto& items, const std::vector<int>& numbers) {
        const auto number = number_of<std::ranges::range_value_t<decltype(items)>>;
        blitz::inplace_merge(options, items.begin(), items.begin() + middle, items.end(), {}, number);
        CHECK(std::ranges::is_sorted(items, {}, number));
        CHECK(made_of(items, numbers));
      });
      auto items = items_from<std::vector<Item>>(two);
      blitz::inplace_merge(options, items, items.begin() + middle, {}, &Item::value);
      CHECK(std::ranges::is_sorted(items));
    }
  });
  CHECK(items_alive == 0);
}

TEST_CASE("merges and sorts without extra memory: equal the standard's") {
  const auto test = [](const std::vector<Tagged>& a, const std::vector<Tagged>& b) {
    std::vector<Tagged> items = a;
    items.insert(items.end(), b.begin(), b.end());
    std::vector<Tagged> expected = items;
    std::ranges::inplace_merge(expected, expected.begin() + static_cast<std::ptrdiff_t>(a.size()), kByKey);
    blitz::detail::merge_in_place(items.data(), items.data() + a.size(), items.data() + items.size(), kByKey);
    CHECK(items == expected);
    std::ranges::shuffle(items, random_bits());
    expected = items;
    std::ranges::stable_sort(expected, kByKey);
    blitz::detail::stable_sort_in_place(items.data(), items.size(), kByKey);
    CHECK(items == expected);
  };
  for_each_two(1300, test, 1);
}

/// Compares a set operation with the standard's.
template <class Ours, class Standards>
void check_set_operation(const AlgorithmOptions& options, Ours ours, Standards standards) {
  for_each_two(most_of(options), [&](const std::vector<Tagged>& a, const std::vector<Tagged>& b) {
    std::vector<Tagged> expected(a.size() + b.size(), kUntouched);
    expected.erase(standards(a, b, expected.begin(), kByKey).out, expected.end());
    for (const std::size_t room : {expected.size(), a.size() + b.size() + 1, expected.size() / 2}) {
      std::vector<Tagged> out(room, kUntouched);
      const auto ends = ours(options, a, b, out, kByKey);
      const auto n = std::min(room, expected.size());
      CHECK(static_cast<std::size_t>(ends.out - out.begin()) == n);
      CHECK(std::equal(out.begin(), ends.out, expected.begin()));
      CHECK(std::all_of(ends.out, out.end(), [](const Tagged& x) { return x == kUntouched; }));
      if constexpr (requires { ends.in1; }) {
        // The output must equal the standard's result for the items before these ends.
        std::vector<Tagged> again(a.size() + b.size());
        const auto its = standards(std::ranges::subrange(a.begin(), ends.in1),
                                   std::ranges::subrange(b.begin(), ends.in2), again.begin(), kByKey);
        CHECK(static_cast<std::size_t>(its.out - again.begin()) == n);
        if (room >= expected.size()) {
          CHECK(ends.in1 == a.end());
          CHECK(ends.in2 == b.end());
        }
      } else if (room >= expected.size()) {
        CHECK(ends.in == a.end());
      }
    }
  });
}

TEST_CASE("set operations: equal the standard's, also if the output is too small") {
  for_each_pool([](const AlgorithmOptions& options) {
    check_set_operation(options, blitz::set_union, std::ranges::set_union);
    check_set_operation(options, blitz::set_intersection, std::ranges::set_intersection);
    check_set_operation(options, blitz::set_difference, std::ranges::set_difference);
    check_set_operation(options, blitz::set_symmetric_difference, std::ranges::set_symmetric_difference);
  });
}

/// Sorted numbers with the given first and last number.
std::vector<int> ints_between(int first, int last, std::size_t n) {
  std::vector<int> numbers = sorted_ints(n, 1000);
  for (int& number : numbers) number = std::clamp(number, first, last);
  numbers.front() = first;
  numbers.back() = last;
  return numbers;
}

/// Calls merging algorithms with two ranges of n numbers in total that must be interleaved.
template <class T>
void check_merges_of(std::size_t n) {
  CAPTURE(n);
  const AlgorithmOptions options{.pool = pools()[2]};
  const auto a = items_from<std::vector<T>>(ints_between(1, 1001, n / 3));
  const auto b = items_from<std::vector<T>>(ints_between(0, 1000, n - n / 3));
  const auto number = number_of<T>;
  std::vector<T> out(n);
  std::vector<T> expected(n);
  const auto check = [&](auto ours, auto standards) {
    const auto end = ours(options, a, b, out, {}, number, number).out;
    const auto expected_end = standards(a, b, expected.begin(), {}, number, number).out;
    CHECK(std::equal(out.begin(), end, expected.begin(), expected_end));
  };
  check(blitz::set_union, std::ranges::set_union);
  check(blitz::set_intersection, std::ranges::set_intersection);
  check(blitz::set_difference, std::ranges::set_difference);
  check(blitz::set_symmetric_difference, std::ranges::set_symmetric_difference);
  check(blitz::merge, std::ranges::merge);
  CHECK(blitz::includes(options, expected, b, {}, number, number));
  CHECK_FALSE(blitz::includes(options, b, a, {}, number, number));
  std::vector<T> both = a;
  both.insert(both.end(), b.begin(), b.end());
  blitz::inplace_merge(options, both, both.begin() + std::ssize(a), {}, number);
  CHECK(both == expected);
}

TEST_CASE("merges and set operations: are correct around the sizes where another part is added") {
  for (const std::size_t n : around({8192, 16'384})) check_merges_of<int>(n);
  for (const std::size_t n : around({1024, 2048})) check_merges_of<std::string>(n);
}

TEST_CASE("set operations: equal the standard's for strings, iterators and projections") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : Sizes{0, 60, 3000}) {
      const auto a = items_from<std::vector<std::string>>(sorted_ints(n, 1000));
      const auto b = items_from<std::deque<std::string>>(sorted_ints(n / 2, 1000));
      std::vector<std::string> out(2 * n);
      std::vector<std::string> expected(2 * n);
      blitz::set_union(options, a.begin(), a.end(), b.begin(), b.end(), out.begin(), out.end(), kByNumber);
      std::ranges::set_union(a, b, expected.begin(), kByNumber);
      CHECK(out == expected);
      const auto tens = [](const std::string& x) { return number_of(x) / 10; };
      blitz::set_symmetric_difference(options, a, b, out, {}, tens, tens);
      std::ranges::set_symmetric_difference(a, b, expected.begin(), {}, tens, tens);
      CHECK(out == expected);
    }
  });
}

TEST_CASE("includes: equals the standard's") {
  for_each_pool([](const AlgorithmOptions& options) {
    for_each_two(most_of(options), [&](const std::vector<Tagged>& a, const std::vector<Tagged>& b) {
      CHECK(blitz::includes(options, a, b, kByKey) == std::ranges::includes(a, b, kByKey));
      std::vector<Tagged> part;
      std::ranges::copy_if(a, std::back_inserter(part), [](const Tagged& x) { return x.place % 3 != 0; });
      CHECK(blitz::includes(options, a.begin(), a.end(), part.begin(), part.end(), {}, &Tagged::key, &Tagged::key));
      if (!part.empty()) {
        part.push_back(part.back());
        part.back().key += 1;
        CHECK(blitz::includes(options, a, part, kByKey) == std::ranges::includes(a, part, kByKey));
      }
    });
  });
}

TEST_CASE("merges and set operations: pass on an exception of each comparison") {
  const std::vector<Tagged> a = sorted_items(70, 40);
  const std::vector<Tagged> b = sorted_items(50, 40);
  std::vector<Tagged> both = a;
  both.insert(both.end(), b.begin(), b.end());
  std::vector<int> numbers = random_ints(90);
  std::sort(numbers.begin(), numbers.begin() + 40);
  std::sort(numbers.begin() + 40, numbers.end());
  const auto strings = items_from<std::vector<std::string>>(numbers);
  for (const auto& pool : {pools()[0], pools()[2]}) {
    const AlgorithmOptions options{.min_grain = 10, .pool = pool};
    std::vector<Tagged> out(both.size());
    throw_at_each_call(
        [&](CallCounter& counter) {
          const Order<Tagged> less = counted(counter, kByKey);
          blitz::merge(options, a, b, out, less);
          blitz::set_union(options, a, b, out, less);
          const bool all = blitz::includes(options, a, b, less);
          CHECK_FALSE(all);
        },
        [] {});
    std::vector<Tagged> items;
    throw_at_each_call(
        [&](CallCounter& counter) {
          items = both;
          blitz::inplace_merge(options, items, items.begin() + 70, Order<Tagged>(counted(counter, kByKey)));
        },
        [&] { CHECK(items == both); });
    std::vector<std::string> costly;
    throw_at_each_call(
        [&](CallCounter& counter) {
          costly = strings;
          blitz::inplace_merge(options, costly, costly.begin() + 40, Order<std::string>(counted(counter, kByNumber)));
        },
        [&] { CHECK(costly == strings); });
  }
}

TEST_CASE("merges, set operations and sorts: pass on std::bad_alloc of each comparison") {
  // The library runs parts on one thread if a pool has no memory. An exception of a comparison is no such case.
  const std::vector<Tagged> a = sorted_items(70, 40);
  const std::vector<Tagged> b = sorted_items(50, 40);
  std::vector<Tagged> both = b;
  both.insert(both.end(), a.begin(), a.end());
  std::vector<Tagged> out(both.size());
  std::vector<Tagged> items;
  for (const auto& pool : {pools()[0], pools()[1], pools()[3], async_pools()[2]}) {
    const AlgorithmOptions options{.min_grain = 10, .pool = pool};
    const auto check = [&](const auto& call) {
      for (std::size_t at = 0;; at = next_to_interrupt(at)) {
        CAPTURE(at);
        std::atomic<std::size_t> calls = 0;
        const Order<Tagged> less = [&](const Tagged& x, const Tagged& y) {
          if (calls.fetch_add(1, std::memory_order_relaxed) == at) throw std::bad_alloc();
          return x.key < y.key;
        };
        bool thrown = false;
        try {
          call(less);
        } catch (const std::bad_alloc&) {
          thrown = true;
        }
        CHECK(thrown == (calls > at));
        if (!thrown) break;
      }
    };
    check([&](const auto& less) { blitz::merge(options, a, b, out, less); });
    check([&](const auto& less) { blitz::set_union(options, a, b, out, less); });
    check([&](const auto& less) { static_cast<void>(blitz::includes(options, a, b, less)); });
    check([&](const auto& less) {
      items = both;
      blitz::inplace_merge(options, items, items.begin() + 50, less);
    });
    check([&](const auto& less) {
      items = both;
      blitz::sort(options, items, less);
    });
    check([&](const auto& less) {
      items = both;
      blitz::stable_sort(options, items, less);
    });
  }
}

TEST_CASE("merges and set operations: throw Stopped if parts remain after a stop request") {
  const std::vector<Tagged> a = sorted_items(5000, 4000);
  const std::vector<Tagged> b = sorted_items(6000, 4000);
  std::vector<Tagged> out(a.size() + b.size());
  for (const auto& pool : {pools()[1], pools()[2], pools()[3], async_pools()[2]}) {
    std::stop_source source;
    const AlgorithmOptions options{.min_grain = 100, .stop = source.get_token(), .pool = pool};
    const Order<Tagged> less = [&](const Tagged& x, const Tagged& y) {
      source.request_stop();  // More parts than there are threads have not begun.
      return x.key < y.key;
    };
    CHECK_THROWS_AS(blitz::merge(options, a, b, out, less), blitz::Stopped);
    source = std::stop_source();
    const AlgorithmOptions again{.min_grain = 100, .stop = source.get_token(), .pool = pool};
    CHECK_THROWS_AS(blitz::set_union(again, a, b, out, less), blitz::Stopped);
  }
}

TEST_CASE("merges and set operations: are complete or throw Stopped after a stop request at any moment") {
  const std::vector<Tagged> a = sorted_items(5000, 4000);
  const std::vector<Tagged> b = sorted_items(6000, 4000);
  std::vector<Tagged> both = a;
  both.insert(both.end(), b.begin(), b.end());
  for_each_pool([&](AlgorithmOptions options) {
    options.min_grain = 100;
    for (const std::size_t at : Sizes{0, 100, 3000, 9000, 20'000, 1'000'000}) {
      const auto run = [&](const std::function<void(const Order<Tagged>&)>& call,
                           const std::function<void(bool)>& check) {
        std::stop_source source;
        options.stop = source.get_token();
        std::atomic<std::size_t> calls = 0;
        const Order<Tagged> less = [&](const Tagged& x, const Tagged& y) {
          if (calls.fetch_add(1, std::memory_order_relaxed) == at) source.request_stop();
          return x.key < y.key;
        };
        try {
          call(less);
          check(true);
        } catch (const blitz::Stopped&) {
          CHECK(source.stop_requested());
          check(false);
        }
      };
      std::vector<Tagged> out(both.size());
      run([&](auto& less) { blitz::merge(options, a, b, out, less); },
          [&](bool whole) { CHECK((!whole || std::ranges::is_sorted(out, kByKey))); });
      run([&](auto& less) { blitz::set_intersection(options, a, b, out, less); }, [](bool) {});
      std::vector<Tagged> items = both;
      run([&](auto& less) { blitz::inplace_merge(options, items, items.begin() + 5000, less); },
          [&](bool whole) { CHECK((whole ? std::ranges::is_sorted(items, kByKey) : items == both)); });
    }
  });
}

TEST_CASE("merges and set operations: lose no item and stay in bounds if there is no order") {
  const auto check = [](const AlgorithmOptions& options, std::size_t n1, std::size_t n2, const Order<Tagged>& less) {
    std::vector<Tagged> a = sorted_items(n1, 50);
    std::vector<Tagged> b = sorted_items(n2, 50, 1'000'000);
    std::ranges::shuffle(a, random_bits());
    std::vector<Tagged> both = a;
    both.insert(both.end(), b.begin(), b.end());
    const auto by_place = [](std::vector<Tagged> items) {
      std::ranges::sort(items, {}, &Tagged::place);
      return items;
    };
    const std::vector<Tagged> expected = by_place(both);
    std::vector<Tagged> out(both.size());
    blitz::merge(options, a, b, out, less);
    CHECK(by_place(out) == expected);
    std::vector<Tagged> items = both;
    blitz::inplace_merge(options, items, items.begin() + static_cast<std::ptrdiff_t>(n1), less);
    CHECK(by_place(items) == expected);
    items = both;
    blitz::detail::merge_in_place(items.data(), items.data() + n1, items.data() + items.size(), less);
    CHECK(by_place(items) == expected);
    for (const std::size_t room : {both.size(), both.size() / 3}) {
      std::vector<Tagged> some(room);
      blitz::set_union(options, a, b, some, less);
      blitz::set_intersection(options, a, b, some, less);
      blitz::set_difference(options, a, b, some, less);
      blitz::set_symmetric_difference(options, a, b, some, less);
      static_cast<void>(blitz::includes(options, a, b, less));
    }
  };
  for_each_pool([&](const AlgorithmOptions& options) {
    for (const std::size_t n1 : Sizes{3, 40, 1000}) {
      for (const std::size_t n2 : Sizes{1, 60, 900}) {
        check(options, n1, n2, kByKey);
        for (const Order<int>& order : disorders()) {
          check(options, n1, n2, [&](const Tagged& x, const Tagged& y) { return order(x.key, y.key); });
        }
      }
    }
  });
}

}  // namespace
}  // namespace blitz_test
