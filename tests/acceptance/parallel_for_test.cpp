// parallel_for in its three forms: every item once, in blocks as promised, ended early by exceptions and stop requests.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <latch>
#include <limits>
#include <memory>
#include <mutex>
#include <ranges>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <blitz/blitz.hpp>
#include <doctest/doctest.h>

#include "support/counted.hpp"
#include "support/policies.hpp"

using blitz::ForOptions;
using blitz::Schedule;
using namespace blitz_test;

namespace {

constexpr std::array<Schedule, 2> kSchedules{Schedule::adaptive, Schedule::fixed};
constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;
constexpr std::array<std::size_t, 12> kCounts{0, 1, 2, 3, 7, 15, 16, 17, 64, 1000, 4097, 50'000};

/// Calls `test` with each pool, and each schedule.
template <class Pool, class Test>
void for_each_schedule(Test&& test) {
  for_each_size<Pool>([&](Pool& pool) {
    for (const Schedule schedule : kSchedules) {
      CAPTURE(schedule == Schedule::fixed);
      test(pool, ForOptions{.schedule = schedule});
    }
  });
}

/// How often each item has been seen.
class Visits {
 public:
  explicit Visits(std::size_t count) : times_(count) {}
  void operator()(std::size_t i) { times_[i].fetch_add(1, std::memory_order_relaxed); }
  bool each_once() const {
    return std::ranges::all_of(times_, [](const auto& times) { return times.load() == 1; });
  }

 private:
  std::vector<std::atomic<int>> times_;
};

/// The blocks of a loop over the integers from 0, as [first, last).
class Blocks {
 public:
  using Block = std::pair<std::uint64_t, std::uint64_t>;

  template <class Range>
  void add(const Range& block) {
    const Block b(*block.begin(), *block.begin() + static_cast<std::uint64_t>(std::ranges::ssize(block)));
    const std::lock_guard lock(mutex_);
    blocks_.push_back(b);
  }
  /// In order; not empty, not overlapping, without gaps.
  const std::vector<Block>& checked(std::uint64_t count) {
    std::ranges::sort(blocks_);
    std::uint64_t next = 0;
    for (const auto& [first, last] : blocks_) {
      REQUIRE(first == next);
      REQUIRE(last > first);
      next = last;
    }
    CHECK(next == count);
    return blocks_;
  }

 private:
  std::mutex mutex_;
  std::vector<Block> blocks_;
};

}  // namespace

// --- every item once ---

TEST_CASE_TEMPLATE("parallel_for: every index of an integer range once", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    for (const std::size_t count : kCounts) {
      CAPTURE(count);
      Visits outside(count);
      pool.parallel_for(
          std::size_t{0}, count, [&](std::size_t i) { outside(i); }, options);
      CHECK(outside.each_once());
      Visits inside(count);
      pool.install([&] {
        blitz::parallel_for(
            std::size_t{0}, count, [&](std::size_t i) { inside(i); }, options);
      });
      CHECK(inside.each_once());
    }
  });
}

TEST_CASE_TEMPLATE("parallel_for: every element of a range once, by reference", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    for (const std::size_t count : kCounts) {
      std::vector<int> vector(count, 1);
      pool.parallel_for(
          vector, [](int& x) { ++x; }, options);
      CHECK(vector == std::vector<int>(count, 2));
      pool.parallel_for(
          std::span(vector), [](int& x) { ++x; }, options);
      CHECK(vector == std::vector<int>(count, 3));
      pool.parallel_for(
          vector.begin(), vector.end(), [](int& x) { ++x; }, options);
      CHECK(vector == std::vector<int>(count, 4));
    }
    std::deque<int> deque(1000, 1);
    pool.parallel_for(
        deque, [](int& x) { ++x; }, options);
    CHECK(deque == std::deque<int>(1000, 2));
    int array[5] = {1, 2, 3, 4, 5};
    pool.parallel_for(
        array, [](int& x) { x *= 2; }, options);
    CHECK(std::ranges::equal(array, std::array{2, 4, 6, 8, 10}));
    pool.parallel_for(
        array + 1, array + 4, [](int& x) { x = 0; }, options);
    CHECK(std::ranges::equal(array, std::array{2, 0, 0, 0, 10}));
  });
}

TEST_CASE_TEMPLATE("parallel_for: views, and ranges that are const or temporary", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    Visits iota(1000);
    pool.parallel_for(
        std::views::iota(0, 1000), [&](int i) { iota(static_cast<std::size_t>(i)); }, options);
    CHECK(iota.each_once());

    Visits transformed(1000);
    pool.parallel_for(
        std::views::iota(0, 1000) | std::views::transform([](int i) { return 999 - i; }),
        [&](int i) { transformed(static_cast<std::size_t>(i)); }, options);
    CHECK(transformed.each_once());

    const std::vector<int> constant{1, 2, 3};
    std::atomic<int> sum{0};
    pool.parallel_for(
        constant, [&](const int& x) { sum += x; }, options);
    pool.parallel_for(
        std::vector<int>{4, 5, 6}, [&](int x) { sum += x; }, options);
    CHECK(sum == 21);

    std::vector<int> some(100, 0);
    pool.parallel_for(
        some | std::views::drop(10) | std::views::take(80), [](int& x) { ++x; }, options);
    CHECK(std::ranges::count(some, 1) == 80);
    CHECK(some[9] == 0);
    CHECK(some[90] == 0);

    std::vector<bool> bits(777, false);  // a proxy for an element
    pool.parallel_for(
        bits, [](auto bit) { (void)static_cast<bool>(bit); }, options);
  });
}

TEST_CASE_TEMPLATE("parallel_for: integers of any type, from anywhere to anywhere", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    std::atomic<int> count{0};
    std::atomic<std::int64_t> sum{0};
    pool.parallel_for(
        -500, 501, [&](int i) { ++count, sum += i; }, options);
    CHECK(count == 1001);
    CHECK(sum == 0);

    Visits bytes(256);
    pool.parallel_for(
        std::int8_t{-128}, 128, [&](int i) { bytes(static_cast<std::size_t>(i + 128)); }, options);
    CHECK(bytes.each_once());

    Visits shorts(10);
    pool.parallel_for(
        std::uint16_t{5}, std::uint16_t{15}, [&](std::uint16_t i) { shorts(i - std::size_t{5}); }, options);
    CHECK(shorts.each_once());

    // Around the ends of the widest types.
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    Visits high(100);
    pool.parallel_for(
        kMost - 100, kMost, [&](std::uint64_t i) { high(i - (kMost - 100)); }, options);
    CHECK(high.each_once());
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    Visits low(100);
    pool.parallel_for(
        kLeast, kLeast + 100, [&](std::int64_t i) { low(static_cast<std::size_t>(i - kLeast)); }, options);
    CHECK(low.each_once());

    // An int and a size_t meet in a size_t.
    const std::vector<int> items(50);
    Visits mixed(50);
    pool.parallel_for(
        0, items.size(), [&](std::size_t i) { mixed(i); }, options);
    CHECK(mixed.each_once());

    Visits letters(26);
    pool.parallel_for(
        'a', '{', [&](char c) { letters(static_cast<std::size_t>(c - 'a')); }, options);
    CHECK(letters.each_once());
  });
}

TEST_CASE_TEMPLATE("parallel_for: a loop over nothing calls nothing", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    int calls = 0;
    const auto count = [&](auto&&) { ++calls; };
    pool.parallel_for(0, 0, count, options);
    pool.parallel_for(7, 7, count, options);
    pool.parallel_for(7, 3, count, options);
    pool.parallel_for(0, -1, count, options);
    pool.parallel_for(std::uint64_t{1} << 63, 5U, count, options);
    pool.parallel_for(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), count,
                      options);
    std::vector<int> empty;
    pool.parallel_for(empty, count, options);
    pool.parallel_for(empty.begin(), empty.end(), count, options);
    pool.parallel_for_blocks(empty, count, options);
    CHECK(calls == 0);
  });
}

TEST_CASE_TEMPLATE("parallel_for: of one item", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    std::vector<int> seen;
    pool.parallel_for(
        41, 42, [&](int i) { seen.push_back(i); }, options);
    CHECK(seen == std::vector<int>{41});
  });
}

TEST_CASE_TEMPLATE("parallel_for: the body is called through a reference, never copied", Pool, BLITZ_TEST_POOLS) {
  struct Body {
    Body() = default;
    Body(const Body&) = delete;
    void operator()(int i) & { sum += i; }
    std::atomic<int> sum{0};
  };
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    Body body;
    pool.parallel_for(0, 100, body, options);
    CHECK(body.sum == 4950);

    std::vector<std::unique_ptr<int>> owners(10);
    pool.parallel_for(
        owners, [p = std::make_unique<int>(3)](auto& owner) { owner = std::make_unique<int>(*p); }, options);
    CHECK(std::ranges::all_of(owners, [](const auto& owner) { return *owner == 3; }));

    struct Item {
      void mark() { marked = true; }
      bool marked = false;
    };
    std::vector<Item> items(100);
    pool.parallel_for(items, &Item::mark, options);
    CHECK(std::ranges::all_of(items, &Item::marked));
  });
}

// --- blocks ---

TEST_CASE_TEMPLATE("parallel_for_blocks: contiguous blocks, none empty, that cover the range", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    for (const std::size_t count : kCounts) {
      CAPTURE(count);
      Blocks blocks;
      pool.parallel_for_blocks(
          std::views::iota(std::size_t{0}, count), [&](auto block) { blocks.add(block); }, options);
      blocks.checked(count);
    }
  });
}

TEST_CASE_TEMPLATE("parallel_for_blocks: a block is a range of the elements themselves", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    std::vector<int> items(10'000, 1);
    pool.install([&] {
      blitz::parallel_for_blocks(
          items,
          [](auto block) {
            static_assert(std::ranges::contiguous_range<decltype(block)>);
            for (int& x : block) ++x;
          },
          options);
    });
    CHECK(items == std::vector<int>(10'000, 2));
  });
}

TEST_CASE_TEMPLATE("parallel_for_blocks: 2^40 items", Pool, BLITZ_TEST_POOLS) {
  for_each_size<Pool>([](Pool& pool) {
    for (const ForOptions& options : {ForOptions{.schedule = Schedule::fixed}, ForOptions{.min_grain = kHuge / 100}}) {
      Blocks blocks;
      pool.parallel_for_blocks(
          std::views::iota(std::uint64_t{0}, kHuge), [&](auto block) { blocks.add(block); }, options);
      CHECK(blocks.checked(kHuge).size() <= 100);
    }
  });
}

TEST_CASE_TEMPLATE("parallel_for: fixed, min(workers, items) blocks that differ by one item at most", Pool,
                   BLITZ_TEST_POOLS) {
  for_each_size<Pool>([](Pool& pool) {
    for (const std::size_t count : {1, 2, 5, 15, 16, 17, 31, 33, 1000, 65'537}) {
      CAPTURE(count);
      Blocks blocks;
      pool.parallel_for_blocks(std::views::iota(std::size_t{0}, count), [&](auto block) { blocks.add(block); },
                               {.schedule = Schedule::fixed});
      const auto& all = blocks.checked(count);
      CHECK(all.size() == std::min(pool.num_threads(), count));
      const auto [least, most] = std::ranges::minmax(
          all | std::views::transform([](const Blocks::Block& block) { return block.second - block.first; }));
      CHECK(most - least <= 1);
    }
  });
}

TEST_CASE_TEMPLATE("parallel_for: no block has fewer items than min_grain, unless the loop has", Pool,
                   BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, ForOptions options) {
    for (const std::size_t grain : {0, 1, 3, 64, 1000}) {
      for (const std::size_t count : {1, 2, 64, 65, 100, 127, 129, 1001, 1999, 20'000}) {
        CAPTURE(grain);
        CAPTURE(count);
        options.min_grain = grain;
        Blocks blocks;
        pool.parallel_for_blocks(
            std::views::iota(std::size_t{0}, count), [&](auto block) { blocks.add(block); }, options);
        for (const auto& [first, last] : blocks.checked(count)) CHECK(last - first >= std::min(grain, count));
      }
    }
  });
}

TEST_CASE_TEMPLATE("parallel_for: a grain as large as can be is one block", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, ForOptions options) {
    for (const std::size_t grain : {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 63, std::size_t{1000}}) {
      CAPTURE(grain);
      options.min_grain = grain;
      Blocks blocks;
      pool.parallel_for_blocks(
          std::views::iota(std::size_t{0}, std::size_t{1000}), [&](auto block) { blocks.add(block); }, options);
      CHECK(blocks.checked(1000).size() == 1);
    }
  });
}

TEST_CASE_TEMPLATE("parallel_for: within a block the items come in order", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, ForOptions options) {
    options.min_grain = 100;
    std::vector<std::pair<std::thread::id, unsigned>> seen(10'000);
    std::atomic<unsigned> clock{0};
    pool.parallel_for(
        std::size_t{0}, seen.size(),
        [&](std::size_t i) {
          seen[i] = {std::this_thread::get_id(), clock.fetch_add(1)};
        },
        options);
    // Neighbours that the same thread has run in the other order were in different blocks, of 100 items at least.
    std::size_t run = 1;
    for (std::size_t i = 1; i < seen.size(); ++i) {
      if (seen[i].first == seen[i - 1].first && seen[i].second > seen[i - 1].second) {
        ++run;
      } else {
        REQUIRE(run >= 100);
        run = 1;
      }
    }
  });
}

// --- nested, and from several threads ---

TEST_CASE_TEMPLATE("parallel_for: nested", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    constexpr std::size_t kRows = 40;
    constexpr std::size_t kColumns = 50;
    constexpr std::size_t kLayers = 3;
    Visits cells(kRows * kColumns * kLayers);
    pool.parallel_for(
        std::size_t{0}, kRows,
        [&](std::size_t row) {
          blitz::parallel_for(
              std::size_t{0}, kColumns,
              [&](std::size_t column) {
                pool.parallel_for(
                    std::size_t{0}, kLayers,
                    [&](std::size_t layer) { cells((row * kColumns + column) * kLayers + layer); }, options);
              },
              options);
        },
        options);
    CHECK(cells.each_once());
  });
}

TEST_CASE_TEMPLATE("parallel_for: with joins inside, and inside joins", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    Visits visits(2000);
    pool.join(
        [&] {
          blitz::parallel_for(
              std::size_t{0}, std::size_t{500},
              [&](std::size_t i) { blitz::join([&] { visits(i); }, [&] { visits(i + 500); }); }, options);
        },
        [&] {
          blitz::parallel_for(
              std::size_t{1000}, std::size_t{2000}, [&](std::size_t i) { visits(i); }, options);
        });
    CHECK(visits.each_once());
  });
}

TEST_CASE_TEMPLATE("parallel_for: from four outside threads at once", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    constexpr std::size_t kThreads = 4;
    constexpr std::size_t kEach = 2000;
    for (int round = 0; round < 5; ++round) {
      Visits visits(kThreads * kEach);
      std::latch start(kThreads);
      std::vector<std::thread> threads;
      for (std::size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          start.arrive_and_wait();
          pool.parallel_for(
              t * kEach, (t + 1) * kEach, [&](std::size_t i) { visits(i); }, options);
        });
      }
      for (std::thread& thread : threads) thread.join();
      CHECK(visits.each_once());
    }
  });
}

TEST_CASE_TEMPLATE("parallel_for: every worker gets a block of a fixed loop, all at once", Pool, BLITZ_TEST_POOLS) {
  for_each_size<Pool>([](Pool& pool) {
    const std::size_t workers = pool.num_threads();
    for (int round = 0; round < 5; ++round) {
      std::latch everyone(static_cast<std::ptrdiff_t>(workers));
      std::vector<std::atomic<int>> blocks(workers);
      pool.parallel_for(std::size_t{0}, workers,
                        [&](std::size_t) {
                          ++blocks[*pool.current_thread_index()];
                          everyone.arrive_and_wait();
                        },
                        {.schedule = Schedule::fixed});
      CHECK(std::ranges::all_of(blocks, [](const auto& count) { return count == 1; }));
    }
  });
}

TEST_CASE_TEMPLATE("parallel_for: an adaptive loop with long items is shared with an idle worker", Pool,
                   BLITZ_TEST_POOLS) {
  for (int round = 0; round < 10; ++round) {
    // A new one: a worker that has just left a loop may not count as idle yet, and the next loop would be right to keep
    // both items.
    Pool pool({.num_threads = 2});
    std::latch both(2);
    pool.parallel_for(0, 2, [&](int) { both.arrive_and_wait(); });
  }
}

// --- ended early ---

TEST_CASE_TEMPLATE("parallel_for: an exception arrives, and the pool works on", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, const ForOptions& options) {
    for (const int culprit : {0, 1, 499, 999}) {
      CAPTURE(culprit);
      const auto body = [&](int i) {
        if (i == culprit) throw std::out_of_range(std::to_string(i));
      };
      CHECK_THROWS_WITH_AS(pool.parallel_for(0, 1000, body, options), std::to_string(culprit).c_str(),
                           std::out_of_range);
      CHECK_THROWS_AS(pool.install([&] { blitz::parallel_for(std::views::iota(0, 1000), body, options); }),
                      std::out_of_range);
      CHECK_THROWS_AS(pool.parallel_for_blocks(
                          std::views::iota(0, 1000), [](auto) { throw 1; }, options),
                      int);
    }
    Visits after(1000);
    pool.parallel_for(
        std::size_t{0}, std::size_t{1000}, [&](std::size_t i) { after(i); }, options);
    CHECK(after.each_once());
  });
}

TEST_CASE_TEMPLATE("parallel_for: after an exception no block begins", Pool, BLITZ_TEST_POOLS) {
  // On one worker each block sees the exception of the one before.
  Pool alone({.num_threads = 1});
  for (const Schedule schedule : kSchedules) {
    int blocks = 0;
    CHECK_THROWS_AS(alone.parallel_for_blocks(std::views::iota(0, 100'000),
                                              [&](auto) {
                                                ++blocks;
                                                throw 1;
                                              },
                                              {.schedule = schedule}),
                    int);
    CHECK(blocks == 1);
  }

  // Where each of the workers is in a block, and each throws, none begins another.
  for_each_size<Pool>([](Pool& pool) {
    const auto workers = static_cast<std::ptrdiff_t>(pool.num_threads());
    std::latch everyone(workers);
    std::atomic<int> blocks{0};
    CHECK_THROWS_AS(pool.parallel_for_blocks(std::views::iota(0, 1 << 20),
                                             [&](auto) {
                                               ++blocks;
                                               everyone.arrive_and_wait();
                                               throw 1;
                                             }),
                    int);
    CHECK(blocks == workers);
  });
}

TEST_CASE_TEMPLATE("parallel_for: an exception ends a loop that would take hours", Pool, BLITZ_TEST_POOLS) {
  for_each_size<Pool>([](Pool& pool) {
    std::atomic<std::uint64_t> calls{0};
    CHECK_THROWS_AS(pool.parallel_for(std::uint64_t{0}, kHuge,
                                      [&](std::uint64_t) {
                                        if (calls.fetch_add(1) == 5000) throw 1;
                                      }),
                    int);
    CHECK(calls > 5000);
  });
}

TEST_CASE_TEMPLATE("parallel_for: of several exceptions the first arrives, and all are freed", Pool, BLITZ_TEST_POOLS) {
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    const int first = round % 2;
    Lives lives;
    std::latch both(2);
    std::latch first_is_out(1);
    // Both workers are in a block, and one stays there: this runs when the other has left its own.
    std::thread witness([&] {
      both.wait();
      pool.install([&] { first_is_out.count_down(); });
    });
    int caught = -1;
    try {
      pool.parallel_for(0, 2,
                        [&](int i) {
                          both.arrive_and_wait();
                          if (i != first) first_is_out.wait();
                          throw Counted(lives, i);
                        },
                        {.schedule = Schedule::fixed});
    } catch (const Counted& error) {
      caught = error.value;
    }
    witness.join();
    CHECK(caught == first);
    CHECK(lives.alive == 0);
  }
}

TEST_CASE_TEMPLATE("parallel_for: an exception arrives when all running blocks are done", Pool, BLITZ_TEST_POOLS) {
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    std::latch both(2);
    bool finished = false;
    CHECK_THROWS_AS(pool.parallel_for(0, 2,
                                      [&](int i) {
                                        both.arrive_and_wait();
                                        if (i == 0) throw 1;
                                        for (int k = 0; k < 100; ++k) std::this_thread::yield();
                                        finished = true;
                                      },
                                      {.schedule = Schedule::fixed}),
                    int);
    CHECK(finished);
  }
}

TEST_CASE_TEMPLATE("parallel_for: a stop request ends it, and nothing is thrown", Pool, BLITZ_TEST_POOLS) {
  for_each_size<Pool>([](Pool& pool) {
    std::stop_source source;
    std::atomic<std::uint64_t> calls{0};
    pool.parallel_for(std::uint64_t{0}, kHuge,
                      [&](std::uint64_t) {
                        if (calls.fetch_add(1) == 5000) source.request_stop();
                      },
                      {.stop = source.get_token()});
    CHECK(calls > 5000);
  });
}

TEST_CASE_TEMPLATE("parallel_for: a stop request from elsewhere ends it", Pool, BLITZ_TEST_POOLS) {
  for_each_size<Pool>([](Pool& pool) {
    std::stop_source source;
    std::latch running(1);
    std::thread stopper([&] {
      running.wait();
      source.request_stop();
    });
    std::atomic<bool> told{false};
    pool.parallel_for(std::uint64_t{0}, kHuge,
                      [&](std::uint64_t) {
                        if (!told.exchange(true)) running.count_down();
                      },
                      {.stop = source.get_token()});
    stopper.join();
    CHECK(told);
  });
}

TEST_CASE_TEMPLATE("parallel_for: after a stop request no block begins", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, ForOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    Visits all(100);
    pool.parallel_for(
        std::size_t{0}, std::size_t{100}, [&](std::size_t i) { all(i); }, options);
    CHECK(all.each_once());  // not requested yet

    source.request_stop();
    std::atomic<int> calls{0};
    pool.parallel_for(
        0, 100, [&](int) { ++calls; }, options);
    pool.parallel_for_blocks(
        std::views::iota(0, 100), [&](auto) { ++calls; }, options);
    CHECK(calls == 0);
  });

  Pool alone({.num_threads = 1});
  for (const Schedule schedule : kSchedules) {
    std::stop_source source;
    int blocks = 0;
    alone.parallel_for_blocks(std::views::iota(0, 100'000),
                              [&](auto) {
                                ++blocks;
                                source.request_stop();
                              },
                              {.schedule = schedule, .stop = source.get_token()});
    CHECK(blocks == 1);
  }
}

TEST_CASE_TEMPLATE("parallel_for: an exception after a stop request still arrives", Pool, BLITZ_TEST_POOLS) {
  for_each_schedule<Pool>([](Pool& pool, ForOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    CHECK_THROWS_AS(pool.parallel_for(
                        0, 100,
                        [&](int) {
                          source.request_stop();
                          throw 1;
                        },
                        options),
                    int);
  });
}
