// parallel_reduce and parallel_transform_reduce: over ranges of every kind, to values of every kind.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <latch>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "old_iterators.hpp"
#include "reductions.hpp"
#include "support/counted.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

namespace {

/// 0 to count - 1.
std::vector<long> numbers(std::size_t count) {
  std::vector<long> all(count);
  std::iota(all.begin(), all.end(), 0L);
  return all;
}

constexpr auto square = [](long x) { return x * x; };

}  // namespace

POOL_TEST_CASE("parallel_reduce: returns the serial sum of every length inside and outside the pool") {
  for_each_reduction([](Pool& pool, const ReduceOptions& options) {
    for (const std::size_t count : kCounts) {
      CAPTURE(count);
      const auto all = numbers(count);
      const long sum = std::accumulate(all.begin(), all.end(), 0L);
      const long squares = std::transform_reduce(all.begin(), all.end(), 0L, std::plus<>{}, square);
      CHECK(blitz::parallel_reduce(in(pool, options), all, 0L, std::plus<>{}) == sum);
      CHECK(blitz::parallel_reduce(in(pool, options), all.begin(), all.end(), 0L, std::plus<>{}) == sum);
      CHECK(blitz::parallel_reduce(in(pool, options), 0L, static_cast<long>(count), 0L, std::plus<>{}) == sum);
      CHECK(blitz::parallel_transform_reduce(in(pool, options), all, 0L, std::plus<>{}, square) == squares);
      CHECK(blitz::parallel_transform_reduce(in(pool, options), all.begin(), all.end(), 0L, std::plus<>{}, square) ==
            squares);
      CHECK(blitz::parallel_transform_reduce(in(pool, options), 0L, static_cast<long>(count), 0L, std::plus<>{},
                                             square) == squares);
      pool.install([&] {
        CHECK(blitz::parallel_reduce(options, all, 0L, std::plus<>{}) == sum);
        CHECK(blitz::parallel_reduce(options, all.begin(), all.end(), 0L, std::plus<>{}) == sum);
        CHECK(blitz::parallel_reduce(options, 0L, static_cast<long>(count), 0L, std::plus<>{}) == sum);
        CHECK(blitz::parallel_transform_reduce(options, all, 0L, std::plus<>{}, square) == squares);
        CHECK(blitz::parallel_transform_reduce(options, all.begin(), all.end(), 0L, std::plus<>{}, square) == squares);
        CHECK(blitz::parallel_transform_reduce(options, 0L, static_cast<long>(count), 0L, std::plus<>{}, square) ==
              squares);
      });
    }
  });
}

TEST_CASE("parallel_reduce: uses the global pool outside every pool") {
  const std::vector<double> ones(100'000, 1.0);
  CHECK(blitz::parallel_reduce(ones, 0.0, std::plus<>{}) == 100'000.0);
  CHECK(blitz::parallel_transform_reduce(0, 1000, 0, std::plus<>{}, [](int i) { return 2 * i; }) == 999'000);
}

POOL_TEST_CASE("parallel_reduce: keeps the order of an operation that does not commute") {
  for_each_reduction([](Pool& pool, const ReduceOptions& options) {
    for (const std::size_t count : kCounts) {
      CAPTURE(count);
      std::string text(count, ' ');
      for (std::size_t i = 0; i < count; ++i) text[i] = static_cast<char>('a' + i % 26);
      CHECK(blitz::parallel_reduce(in(pool, options), text, std::string(), std::plus<>{}) == text);
    }
    const std::vector<std::string> words{"and ", "so ", "", "on"};
    CHECK(blitz::parallel_reduce(in(pool, options), words, std::string(), std::plus<>{}) == "and so on");
    CHECK(blitz::parallel_transform_reduce(
              in(pool, options), 0, 1000, std::vector<int>(),
              [](std::vector<int> left, std::vector<int> right) {
                left.insert(left.end(), right.begin(), right.end());
                return left;
              },
              [](int i) { return std::vector<int>{i}; })
              .size() == 1000);
  });
}

POOL_TEST_CASE("parallel_reduce: keeps the order if two workers share it") {
  Pool pool({.num_threads = 2});
  for (const ReduceOptions& options :
       {ReduceOptions{}, ReduceOptions{.schedule = Schedule::kFixed}, ReduceOptions{.deterministic = true}}) {
    std::latch both(2);
    const auto digit = [&](int i) {
      if (i == 0 || i == 1) both.arrive_and_wait();
      return std::string(1, static_cast<char>('0' + i));
    };
    CHECK(blitz::parallel_transform_reduce(in(pool, options), 0, 2, std::string(), std::plus<>{}, digit) == "01");
  }
}

POOL_TEST_CASE("parallel_reduce: accepts views and proxies and deques and const and temporary ranges") {
  for_each_reduction([](Pool& pool, const ReduceOptions& options) {
    CHECK(blitz::parallel_reduce(in(pool, options), std::views::iota(0, 1000), 0, std::plus<>{}) == 499'500);
    CHECK(blitz::parallel_reduce(in(pool, options),
                                 std::views::iota(0, 1000) | std::views::transform([](int i) { return i / 2.0; }), 0.0,
                                 std::plus<>{}) == 249'750.0);
    CHECK(blitz::parallel_reduce(in(pool, options), std::vector<bool>(777, true), true, std::logical_and<>{}));
    CHECK(blitz::parallel_reduce(in(pool, options), std::deque<double>(5000, 0.5), 0.0, std::plus<>{}) == 2500.0);
    const std::vector<int> constant{3, 1, 2};
    const auto greatest = [](int a, int b) { return std::max(a, b); };
    CHECK(blitz::parallel_reduce(in(pool, options), constant, std::numeric_limits<int>::min(), greatest) == 3);
    CHECK(blitz::parallel_reduce(in(pool, options), std::span(constant).first(2), 0, std::ranges::max) == 3);
    const int array[] = {1, 2, 3};
    CHECK(blitz::parallel_reduce(in(pool, options), array, 1L, std::multiplies<>{}) == 6);
    CHECK(blitz::parallel_reduce(in(pool, options), array, array + 2, 0, std::plus<>{}) == 3);
    // Items by reference: a body may mark the items that it has seen.
    std::vector<int> seen(100, 0);
    CHECK(blitz::parallel_transform_reduce(in(pool, options), seen, 0, std::plus<>{}, [](int& x) { return ++x; }) ==
          100);
    CHECK(std::ranges::count(seen, 1) == 100);
    std::vector<std::pair<int, int>> pairs(10, {1, 2});
    CHECK(blitz::parallel_transform_reduce(in(pool, options), pairs, 0, std::plus<>{}, &std::pair<int, int>::second) ==
          20);
  });
}

POOL_TEST_CASE("parallel_reduce: accepts integers of any type up to the limits of the type") {
  for_each_reduction([](Pool& pool, const ReduceOptions& options) {
    CHECK(blitz::parallel_reduce(in(pool, options), -500, 501, 0, std::plus<>{}) == 0);
    CHECK(blitz::parallel_reduce(in(pool, options), std::int8_t{-128}, 128, 0, std::plus<>{}) == -128);
    CHECK(blitz::parallel_reduce(in(pool, options), 5, 5, 7, std::plus<>{}) == 7);
    CHECK(blitz::parallel_reduce(in(pool, options), 5, -5, 7, std::plus<>{}) == 7);
    CHECK(blitz::parallel_reduce(in(pool, options), std::uint64_t{10}, std::uint64_t{3}, std::uint64_t{7},
                                 std::plus<>{}) == 7);
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    CHECK(blitz::parallel_reduce(in(pool, options), most - 10, most, std::int64_t{0},
                                 [](auto a, auto b) { return std::max(a, b); }) == most - 1);
  });
}

POOL_TEST_CASE("parallel_reduce: accepts iterators that are random-access only by their category") {
  const auto twice = [factor = 2](int i) { return factor * i; };
  using Transformed = TransformIterator<CountingIterator, decltype(twice)>;
  for_each_reduction([&](Pool& pool, const ReduceOptions& options) {
    CHECK(blitz::parallel_reduce(in(pool, options), CountingIterator(0), CountingIterator(1000), 0L, std::plus<>()) ==
          499'500);
    CHECK(blitz::parallel_reduce(in(pool, options), CountingIterator(0), CountingIterator(1000), 0.0, std::plus<>()) ==
          499'500);
    CHECK(blitz::parallel_transform_reduce(in(pool, options), Transformed(CountingIterator(0), twice),
                                           Transformed(CountingIterator(1000), twice), 0L, std::plus<>(),
                                           [](int i) { return i + 1; }) == 1'000'000);
  });
}

POOL_TEST_CASE("parallel_reduce: accepts a move-only value without a default constructor") {
  for_each_reduction([](Pool& pool, const ReduceOptions& options) {
    for (const int count : {0, 1, 2, 3, 1000}) {
      Lives lives;
      {
        const auto none = [&] { return Counted(lives, 0); };
        const auto sum = [](Counted left, Counted right) {
          left.value += right.value;
          return left;
        };
        const Counted result = blitz::parallel_transform_reduce(in(pool, options), 0, count, none, sum,
                                                                [&](int i) { return Counted(lives, i); });
        CHECK(result.value == count * (count - 1) / 2);
        CHECK(lives.alive == 1);
      }
      CHECK(lives.alive == 0);
    }
    const auto owner = blitz::parallel_transform_reduce(
        in(pool, options), 0, 100, [] { return std::make_unique<int>(0); },
        [](std::unique_ptr<int> left, const std::unique_ptr<int>& right) {
          *left += *right;
          return left;
        },
        [](int i) { return std::make_unique<int>(i); });
    CHECK(*owner == 4950);
  });
}

POOL_TEST_CASE("parallel_reduce: one operation takes items and another combines values") {
  for_each_reduction([](Pool& pool, const ReduceOptions& options) {
    using Numbers = std::vector<long>;
    const auto append = [](Numbers all, long x) {
      all.push_back(x);
      return all;
    };
    const auto join_lists = [](Numbers left, const Numbers& right) {
      left.insert(left.end(), right.begin(), right.end());
      return left;
    };
    for (const std::size_t count : kCounts) {
      CAPTURE(count);
      const auto all = numbers(count);
      const auto end = static_cast<long>(count);
      CHECK(blitz::parallel_reduce(in(pool, options), all, Numbers{}, append, join_lists) == all);
      CHECK(blitz::parallel_reduce(in(pool, options), all.begin(), all.end(), Numbers{}, append, join_lists) == all);
      CHECK(blitz::parallel_reduce(in(pool, options), 0L, end, Numbers{}, append, join_lists) == all);
      pool.install([&] {
        CHECK(blitz::parallel_reduce(options, all, Numbers{}, append, join_lists) == all);
        CHECK(blitz::parallel_reduce(options, all.begin(), all.end(), Numbers{}, append, join_lists) == all);
        CHECK(blitz::parallel_reduce(options, 0L, end, Numbers{}, append, join_lists) == all);
      });
    }
    // Items of another type than the value, also with floating-point values.
    const std::vector<std::string> words{"one", "of", "several", "", "words"};
    const auto add_length = [](double sum, const std::string& word) { return sum + static_cast<double>(word.size()); };
    CHECK(blitz::parallel_reduce(in(pool, options), words, 0.0, add_length, std::plus<>{}) == 17.0);
    const std::vector<std::string> many(1000, "four");
    CHECK(blitz::parallel_reduce(in(pool, options), many, 0.0, add_length, std::plus<>{}) == 4000.0);
  });
}

POOL_TEST_CASE("parallel_reduce: a fold runs in the global pool and without options") {
  const auto count_even = [](int even, int i) { return even + (i % 2 == 0 ? 1 : 0); };
  Pool pool({.num_threads = 2});
  const ReduceOptions options{.min_grain = 10};
  const std::vector<int> items{1, 2, 3, 4};
  CHECK(blitz::parallel_reduce(items, 0, count_even, std::plus<>{}) == 2);
  CHECK(blitz::parallel_reduce(0, 1000, 0, count_even, std::plus<>{}) == 500);
  CHECK(blitz::parallel_reduce(options, items, 0, std::plus<>{}) == 10);
  CHECK(blitz::parallel_reduce(options, 0, 1000, 0, std::plus<>{}) == 499'500);
  CHECK(blitz::parallel_reduce({.deterministic = true, .pool = &pool}, items, 0, count_even, std::plus<>{}) == 2);
  CHECK(blitz::parallel_reduce({.pool = &pool}, 5, -5, 7, count_even, std::plus<>{}) == 7);
  CHECK(blitz::parallel_reduce(in(pool, options), items, 0, std::plus<>{}, std::plus<>{}) == 10);

  const std::vector<std::string> words{"a", "map", "of", "two", "or", "more"};
  const auto count_word = [](auto found, const std::string& word) {
    ++found[word.size()];
    return found;
  };
  const auto add_counts = [](auto left, const auto& right) {
    for (const auto& [size, n] : right) left[size] += n;
    return left;
  };
  using Counts = std::map<std::size_t, int>;
  CHECK(blitz::parallel_reduce(words, Counts{}, count_word, add_counts) == Counts{{1, 1}, {2, 2}, {3, 2}, {4, 1}});
}

POOL_TEST_CASE("parallel_reduce: a fold keeps the order if two workers share it") {
  Pool pool({.num_threads = 2});
  for (const ReduceOptions& options :
       {ReduceOptions{}, ReduceOptions{.schedule = Schedule::kFixed}, ReduceOptions{.deterministic = true}}) {
    std::latch both(2);
    std::atomic<int> combined{0};
    const auto add_digit = [&](std::string text, int i) {
      both.arrive_and_wait();
      return text + static_cast<char>('0' + i);
    };
    const auto concatenate = [&](const std::string& left, const std::string& right) {
      ++combined;
      return left + right;
    };
    CHECK(blitz::parallel_reduce(in(pool, options), 0, 2, std::string(), add_digit, concatenate) == "01");
    CHECK(combined == 1);
  }
}

POOL_TEST_CASE("parallel_reduce: a fold accepts a move-only value without a default constructor") {
  for_each_reduction([](Pool& pool, const ReduceOptions& options) {
    const auto add_item = [](Counted sum, int i) {
      sum.value += i;
      return sum;
    };
    const auto add = [](Counted left, Counted right) {
      left.value += right.value;
      return left;
    };
    const auto add_block = [](Counted sum, auto block) {
      for (const int i : block) sum.value += i;
      return sum;
    };
    for (const int count : {0, 1, 2, 3, 1000}) {
      Lives lives;
      {
        const auto none = [&] { return Counted(lives, 0); };
        const Counted by_item = blitz::parallel_reduce(in(pool, options), 0, count, none, add_item, add);
        const Counted by_block =
            blitz::parallel_reduce_blocks(in(pool, options), std::views::iota(0, count), none, add_block, add);
        CHECK(by_item.value == count * (count - 1) / 2);
        CHECK(by_block.value == count * (count - 1) / 2);
        CHECK(lives.alive == 2);
      }
      CHECK(lives.alive == 0);
    }
  });
}

POOL_TEST_CASE("parallel_reduce_blocks: passes blocks that cover the range in order") {
  for_each_reduction([](Pool& pool, ReduceOptions options) {
    // A value is the run of items reduced into it, and the length of its shortest block.
    struct Run {
      long first = 0;
      long last = 0;
      std::size_t shortest = std::numeric_limits<std::size_t>::max();
      bool good = true;
    };
    const auto join_runs = [](const Run& left, const Run& right) {
      if (right.first == right.last) return left;
      if (left.first == left.last) return right;
      return Run{left.first, right.last, std::min(left.shortest, right.shortest),
                 left.good && right.good && left.last == right.first};
    };
    const auto take_block = [&](Run run, auto block) {
      bool good = run.good && !block.empty();
      for (std::size_t i = 0; i < static_cast<std::size_t>(block.size()); ++i)
        good = good && block[static_cast<std::ptrdiff_t>(i)] == block.front() + static_cast<long>(i);
      return join_runs(run, {block.front(), block.back() + 1, static_cast<std::size_t>(block.size()), good});
    };
    for (const std::size_t count : kCounts) {
      for (const std::size_t grain : {std::size_t{1}, std::size_t{7}}) {
        CAPTURE(count);
        CAPTURE(grain);
        options.min_grain = grain;
        const auto all = numbers(count);
        const auto check = [&](const Run& run) {
          CHECK(run.good);
          CHECK(run.last - run.first == static_cast<long>(count));
          if (count > 0) CHECK(run.shortest >= std::min(grain, count));
        };
        check(blitz::parallel_reduce_blocks(in(pool, options), all, Run{}, take_block, join_runs));
        check(pool.install([&] { return blitz::parallel_reduce_blocks(options, all, Run{}, take_block, join_runs); }));
        check(blitz::parallel_reduce_blocks(in(pool, options), std::views::iota(0L, static_cast<long>(count)), Run{},
                                            take_block, join_runs));
      }
    }
  });
}

POOL_TEST_CASE("parallel_reduce_blocks: one worker runs one block") {
  Pool pool({.num_threads = 1});
  int blocks = 0;
  const auto sum_block = [&](double sum, std::ranges::subrange<std::vector<double>::iterator> block) {
    ++blocks;
    return std::accumulate(block.begin(), block.end(), sum);
  };
  std::vector<double> halves(10'000, 0.5);
  CHECK(blitz::parallel_reduce_blocks({.pool = &pool}, halves, 0.0, sum_block, std::plus<>{}) == 5000.0);
  CHECK(blocks == 1);
  halves.clear();
  CHECK(blitz::parallel_reduce_blocks({.pool = &pool}, halves, -1.0, sum_block, std::plus<>{}) == -1.0);
  CHECK(blocks == 1);
}

POOL_TEST_CASE("parallel_reduce: the result has the type of the identity") {
  Pool pool({.num_threads = 2});
  const std::vector<std::uint8_t> bytes(1000, 255);
  const auto sum = blitz::parallel_reduce({.pool = &pool}, bytes, std::uint64_t{0}, std::plus<>{});
  static_assert(std::is_same_v<decltype(sum), const std::uint64_t>);
  CHECK(sum == 255'000);
  const double zero = 0;
  static_assert(std::is_same_v<decltype(blitz::parallel_reduce({.pool = &pool}, bytes, zero, std::plus<>{})), double>);
  static_assert(std::is_same_v<decltype(blitz::parallel_reduce(
                                   {.pool = &pool}, bytes, [] { return 0.0; }, std::plus<>{})),
                               double>);
  CHECK(blitz::parallel_reduce({.pool = &pool}, bytes, zero, std::plus<>{}) == 255'000.0);
  // Several kinds of statistics in one pass.
  struct Extent {
    long least = std::numeric_limits<long>::max();
    long greatest = std::numeric_limits<long>::min();
  };
  const auto extent = blitz::parallel_transform_reduce(
      {.pool = &pool}, -700L, 301L, Extent{},
      [](Extent a, Extent b) {
        return Extent{std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
      },
      [](long i) {
        return Extent{i, i};
      });
  CHECK(extent.least == -700);
  CHECK(extent.greatest == 300);
}

POOL_TEST_CASE("parallel_reduce: one worker copies the identity once") {
  struct Copied {
    explicit Copied(int& the_copies) : copies(&the_copies) {}
    Copied(const Copied& other) : copies(other.copies), sum(other.sum) { ++*copies; }
    Copied(Copied&&) = default;
    Copied& operator=(Copied&&) = default;
    int* copies;
    int sum = 0;
  };
  struct Add {
    Copied operator()(Copied&& left, int x) const {
      left.sum += x;
      return std::move(left);
    }
    Copied operator()(Copied&& left, const Copied& right) const { return (*this)(std::move(left), right.sum); }
  };
  Pool pool({.num_threads = 1});
  int copies = 0;
  CHECK(blitz::parallel_reduce({.pool = &pool}, 0, 10'000, Copied(copies), Add{}).sum == 49'995'000);
  CHECK(copies == 1);
  CHECK(blitz::parallel_reduce({.pool = &pool}, 0, 0, Copied(copies), Add{}).sum == 0);
  CHECK(copies == 2);
}

POOL_TEST_CASE("parallel_reduce: neither copies nor moves its callables") {
  for_each_reduction([](Pool& pool, const ReduceOptions& options) {
    Lives lives;
    {
      // Neither can be copied. Moving them would be possible, but no call does it.
      const auto add = [only = Counted(lives, 0)](int a, int b) { return a + b + only.value; };
      auto twice = [only = Counted(lives, 2), calls = std::make_unique<std::atomic<int>>(0)](int i) {
        ++*calls;
        return only.value * i;
      };
      const int made = lives.made;
      CHECK(blitz::parallel_transform_reduce(in(pool, options), 0, 1000, 0, add, twice) == 999'000);
      CHECK(lives.made == made);
    }
    CHECK(lives.alive == 0);
  });
}

POOL_TEST_CASE("parallel_reduce: may be nested and called by several threads") {
  for_each_reduction([](Pool& pool, const ReduceOptions& options) {
    const auto row = [&](int i) { return blitz::parallel_reduce(options, 0, i, 0L, std::plus<>{}); };
    long expected = 0;
    for (long i = 0; i < 100; ++i) expected += i * (i - 1) / 2;
    const auto all = [&] {
      return blitz::parallel_transform_reduce(in(pool, options), 0, 100, 0L, std::plus<>{}, row);
    };
    CHECK(all() == expected);

    std::atomic<int> right{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&] {
        for (int round = 0; round < 5; ++round) right += all() == expected ? 1 : 0;
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(right == 20);
  });
}
