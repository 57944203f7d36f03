// parallel_for: over ranges of every kind, each item once; nested, and from several threads.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <latch>
#include <limits>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "loops.hpp"
#include "old_iterators.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

POOL_TEST_CASE("parallel_for: visits every index of an integer range once") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    for (const std::size_t count : kCounts) {
      CAPTURE(count);
      Visits outside(count);
      blitz::parallel_for(in(pool, options), std::size_t{0}, count, [&](std::size_t i) { outside(i); });
      CHECK(outside.each_once());
      Visits inside(count);
      pool.install([&] { blitz::parallel_for(options, std::size_t{0}, count, [&](std::size_t i) { inside(i); }); });
      CHECK(inside.each_once());
    }
  });
}

POOL_TEST_CASE("parallel_for: visits every element of a range once by reference") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    for (const std::size_t count : kCounts) {
      std::vector<int> vector(count, 1);
      blitz::parallel_for(in(pool, options), vector, [](int& x) { ++x; });
      CHECK(vector == std::vector<int>(count, 2));
      blitz::parallel_for(in(pool, options), std::span(vector), [](int& x) { ++x; });
      CHECK(vector == std::vector<int>(count, 3));
      blitz::parallel_for(in(pool, options), vector.begin(), vector.end(), [](int& x) { ++x; });
      CHECK(vector == std::vector<int>(count, 4));
    }
    std::deque<int> deque(1000, 1);
    blitz::parallel_for(in(pool, options), deque, [](int& x) { ++x; });
    CHECK(deque == std::deque<int>(1000, 2));
    int array[5] = {1, 2, 3, 4, 5};
    blitz::parallel_for(in(pool, options), array, [](int& x) { x *= 2; });
    CHECK(std::ranges::equal(array, std::array{2, 4, 6, 8, 10}));
    blitz::parallel_for(in(pool, options), array + 1, array + 4, [](int& x) { x = 0; });
    CHECK(std::ranges::equal(array, std::array{2, 0, 0, 0, 10}));
  });
}

POOL_TEST_CASE("parallel_for: accepts views and const ranges and temporary ranges") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    Visits iota(1000);
    blitz::parallel_for(in(pool, options), std::views::iota(0, 1000),
                        [&](int i) { iota(static_cast<std::size_t>(i)); });
    CHECK(iota.each_once());

    Visits transformed(1000);
    blitz::parallel_for(in(pool, options),
                        std::views::iota(0, 1000) | std::views::transform([](int i) { return 999 - i; }),
                        [&](int i) { transformed(static_cast<std::size_t>(i)); });
    CHECK(transformed.each_once());

    const std::vector<int> constant{1, 2, 3};
    std::atomic<int> sum{0};
    blitz::parallel_for(in(pool, options), constant, [&](const int& x) { sum += x; });
    blitz::parallel_for(in(pool, options), std::vector<int>{4, 5, 6}, [&](int x) { sum += x; });
    CHECK(sum == 21);

    std::vector<int> some(100, 0);
    blitz::parallel_for(in(pool, options), some | std::views::drop(10) | std::views::take(80), [](int& x) { ++x; });
    CHECK(std::ranges::count(some, 1) == 80);
    CHECK(some[9] == 0);
    CHECK(some[90] == 0);

    std::vector<bool> bits(777, true);  // a proxy for an element
    bits[3] = false;
    std::atomic<int> set{0};
    blitz::parallel_for(in(pool, options), bits, [&](auto bit) { set += bit; });
    blitz::parallel_for(in(pool, options), bits.begin(), bits.end(), [&](bool bit) { set += bit ? 1 : 0; });
    blitz::parallel_for(in(pool, options), std::as_const(bits), [&](const auto& bit) { set += bit == true ? 1 : 0; });
    CHECK(set == 3 * 776);
  });
}

POOL_TEST_CASE("parallel_for: accepts integers of any type up to the limits of the type") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    std::atomic<int> count{0};
    std::atomic<std::int64_t> sum{0};
    blitz::parallel_for(in(pool, options), -500, 501, [&](int i) { ++count, sum += i; });
    CHECK(count == 1001);
    CHECK(sum == 0);

    Visits bytes(256);
    blitz::parallel_for(in(pool, options), std::int8_t{-128}, 128,
                        [&](int i) { bytes(static_cast<std::size_t>(i + 128)); });
    CHECK(bytes.each_once());

    Visits shorts(10);
    blitz::parallel_for(in(pool, options), std::uint16_t{5}, std::uint16_t{15},
                        [&](std::uint16_t i) { shorts(i - std::size_t{5}); });
    CHECK(shorts.each_once());

    // Around the ends of the widest types.
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    Visits high(100);
    blitz::parallel_for(in(pool, options), kMost - 100, kMost, [&](std::uint64_t i) { high(i - (kMost - 100)); });
    CHECK(high.each_once());
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    Visits low(100);
    blitz::parallel_for(in(pool, options), kLeast, kLeast + 100,
                        [&](std::int64_t i) { low(static_cast<std::size_t>(i - kLeast)); });
    CHECK(low.each_once());

    // The common type of an int and a size_t is size_t.
    const std::vector<int> items(50);
    Visits mixed(50);
    blitz::parallel_for(in(pool, options), 0, items.size(), [&](std::size_t i) { mixed(i); });
    CHECK(mixed.each_once());

    Visits letters(26);
    blitz::parallel_for(in(pool, options), 'a', '{', [&](char c) { letters(static_cast<std::size_t>(c - 'a')); });
    CHECK(letters.each_once());
  });
}

POOL_TEST_CASE("parallel_for: accepts iterators that are random-access only by their category") {
  const auto shifted = [offset = 500](int i) { return i + offset; };
  using Transformed = TransformIterator<CountingIterator, decltype(shifted)>;
  static_assert(!std::random_access_iterator<CountingIterator>);
  static_assert(!std::random_access_iterator<Transformed>);
  for_each_schedule([&](Pool& pool, const ForOptions& options) {
    Visits visits(1000);
    blitz::parallel_for(in(pool, options), CountingIterator(0), CountingIterator(500),
                        [&](int i) { visits(static_cast<std::size_t>(i)); });
    pool.install([&] {
      blitz::parallel_for(options, Transformed(CountingIterator(0), shifted),
                          Transformed(CountingIterator(500), shifted),
                          [&](int i) { visits(static_cast<std::size_t>(i)); });
    });
    CHECK(visits.each_once());
  });
}

POOL_TEST_CASE("parallel_for: accepts iterators with a 128-bit difference and rejects too long ranges") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    const auto longs = std::views::iota(std::int64_t{0}, std::int64_t{1000});
    static_assert(sizeof(longs.end() - longs.begin()) > sizeof(std::int64_t));
    Visits visits(1000);
    blitz::parallel_for(in(pool, options), longs.begin(), longs.end(),
                        [&](std::int64_t i) { visits(static_cast<std::size_t>(i)); });
    CHECK(visits.each_once());

#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = __int128;
    const auto many = std::views::iota(Wide{0}, Wide{1} << 64);
    int calls = 0;
    CHECK_THROWS_AS(blitz::parallel_for(in(pool, options), many.begin(), many.end(), [&](Wide) { ++calls; }),
                    std::length_error);
    CHECK(calls == 0);
    static_assert(!blitz::LoopRange<decltype(many)>);
#endif
  });
}

POOL_TEST_CASE("parallel_for: a loop over an empty range calls nothing") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    int calls = 0;
    const auto count = [&](auto&&) { ++calls; };
    blitz::parallel_for(in(pool, options), 0, 0, count);
    blitz::parallel_for(in(pool, options), 7, 7, count);
    blitz::parallel_for(in(pool, options), 7, 3, count);
    blitz::parallel_for(in(pool, options), 0, -1, count);
    blitz::parallel_for(in(pool, options), std::uint64_t{1} << 63, 5U, count);
    blitz::parallel_for(in(pool, options), std::numeric_limits<std::int64_t>::max(),
                        std::numeric_limits<std::int64_t>::min(), count);
    std::vector<int> empty;
    blitz::parallel_for(in(pool, options), empty, count);
    blitz::parallel_for(in(pool, options), empty.begin(), empty.end(), count);
    blitz::parallel_for_blocks(in(pool, options), empty, count);
    CHECK(calls == 0);
  });
}

POOL_TEST_CASE("parallel_for: a loop of one item visits it once") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    std::vector<int> seen;
    blitz::parallel_for(in(pool, options), 41, 42, [&](int i) { seen.push_back(i); });
    CHECK(seen == std::vector<int>{41});
  });
}

POOL_TEST_CASE("parallel_for: calls the body by reference and never copies it") {
  struct Body {
    Body() = default;
    Body(const Body&) = delete;
    void operator()(int i) const& { sum += i; }
    mutable std::atomic<int> sum{0};
  };
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    Body body;
    blitz::parallel_for(in(pool, options), 0, 100, body);
    CHECK(body.sum == 4950);

    std::vector<std::unique_ptr<int>> owners(10);
    blitz::parallel_for(in(pool, options), owners,
                        [p = std::make_unique<int>(3)](auto& owner) { owner = std::make_unique<int>(*p); });
    CHECK(std::ranges::all_of(owners, [](const auto& owner) { return *owner == 3; }));

    struct Item {
      void mark() { marked = true; }
      bool marked = false;
    };
    std::vector<Item> items(100);
    blitz::parallel_for(in(pool, options), items, &Item::mark);
    CHECK(std::ranges::all_of(items, &Item::marked));
  });
}

// --- nested, and from several threads ---

POOL_TEST_CASE("parallel_for: nested loops visit each cell once") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    constexpr std::size_t kRows = 40;
    constexpr std::size_t kColumns = 50;
    constexpr std::size_t kLayers = 3;
    Visits cells(kRows * kColumns * kLayers);
    blitz::parallel_for(in(pool, options), std::size_t{0}, kRows, [&](std::size_t row) {
      blitz::parallel_for(options, std::size_t{0}, kColumns, [&](std::size_t column) {
        blitz::parallel_for(in(pool, options), std::size_t{0}, kLayers,
                            [&](std::size_t layer) { cells((row * kColumns + column) * kLayers + layer); });
      });
    });
    CHECK(cells.each_once());
  });
}

POOL_TEST_CASE("parallel_for: loops may contain joins and joins may contain loops") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    Visits visits(2000);
    pool.join(
        [&] {
          blitz::parallel_for(options, std::size_t{0}, std::size_t{500},
                              [&](std::size_t i) { blitz::join([&] { visits(i); }, [&] { visits(i + 500); }); });
        },
        [&] { blitz::parallel_for(options, std::size_t{1000}, std::size_t{2000}, [&](std::size_t i) { visits(i); }); });
    CHECK(visits.each_once());
  });
}

POOL_TEST_CASE("parallel_for: four outside threads may call it concurrently") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    constexpr std::size_t kThreads = 4;
    constexpr std::size_t kEach = 2000;
    for (int round = 0; round < 5; ++round) {
      Visits visits(kThreads * kEach);
      std::latch start(kThreads);
      std::vector<std::thread> threads;
      for (std::size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          start.arrive_and_wait();
          blitz::parallel_for(in(pool, options), t * kEach, (t + 1) * kEach, [&](std::size_t i) { visits(i); });
        });
      }
      for (std::thread& thread : threads) thread.join();
      CHECK(visits.each_once());
    }
  });
}

POOL_TEST_CASE("parallel_for: every worker runs one block of a fixed loop concurrently") {
  for_each_size([](Pool& pool) {
    const std::size_t workers = pool.num_threads();
    for (int round = 0; round < 5; ++round) {
      std::latch everyone(static_cast<std::ptrdiff_t>(workers));
      std::vector<std::atomic<int>> blocks(workers);
      blitz::parallel_for({.schedule = Schedule::kFixed, .pool = &pool}, std::size_t{0}, workers, [&](std::size_t) {
        ++blocks[*pool.current_thread_index()];
        everyone.arrive_and_wait();
      });
      CHECK(std::ranges::all_of(blocks, [](const auto& count) { return count == 1; }));
    }
  });
}

POOL_TEST_CASE("parallel_for: worker i runs block i of a fixed loop") {
  constexpr std::size_t kWorkers = 4;
  Pool pool({.num_threads = kWorkers});
  for (std::size_t round = 0; round < repetitions(500); ++round) {
    std::latch everyone(kWorkers);  // None runs a second block before all have begun their first.
    std::atomic<int> elsewhere{0};
    blitz::parallel_for({.schedule = Schedule::kFixed, .pool = &pool}, std::size_t{0}, kWorkers, [&](std::size_t i) {
      if (*pool.current_thread_index() != i) ++elsewhere;
      everyone.arrive_and_wait();
    });
    REQUIRE(elsewhere == 0);
  }
}

POOL_TEST_CASE("parallel_for: an idle worker shares an adaptive loop with long items") {
  for (int round = 0; round < 10; ++round) {
    // A new pool: a worker that has just left a loop may not count as idle yet, and the next loop may keep both items.
    Pool pool({.num_threads = 2});
    std::latch both(2);
    blitz::parallel_for({.pool = &pool}, 0, 2, [&](int) { both.arrive_and_wait(); });
  }
}
