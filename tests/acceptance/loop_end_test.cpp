// parallel_for: ended early by exceptions and stop requests.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <latch>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "loops.hpp"
#include "support/counted.hpp"
#include "support/policies.hpp"

using namespace blitz_test;
using blitz::Flow;

namespace {

std::vector<int> first_integers(std::size_t count) {
  std::vector<int> integers(count);
  std::iota(integers.begin(), integers.end(), 0);
  return integers;
}

}  // namespace

POOL_TEST_CASE("parallel_for: rethrows an exception and the pool works on") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    for (const int culprit : {0, 1, 499, 999}) {
      CAPTURE(culprit);
      const auto body = [&](int i) {
        if (i == culprit) throw std::out_of_range(std::to_string(i));
      };
      CHECK_THROWS_WITH_AS(blitz::parallel_for(in(pool, options), 0, 1000, body), std::to_string(culprit).c_str(),
                           std::out_of_range);
      CHECK_THROWS_AS(pool.install([&] { blitz::parallel_for(options, std::views::iota(0, 1000), body); }),
                      std::out_of_range);
      CHECK_THROWS_AS(blitz::parallel_for_blocks(in(pool, options), std::views::iota(0, 1000), [](auto) { throw 1; }),
                      int);
    }
    Visits after(1000);
    blitz::parallel_for(in(pool, options), std::size_t{0}, std::size_t{1000}, [&](std::size_t i) { after(i); });
    CHECK(after.each_once());
  });
}

POOL_TEST_CASE("parallel_for: no block begins after an exception") {
  // With one worker, each block sees the exception of the previous one.
  Pool alone({.num_threads = 1});
  for (const Schedule schedule : kSchedules) {
    int blocks = 0;
    CHECK_THROWS_AS(blitz::parallel_for_blocks({.schedule = schedule, .pool = &alone}, std::views::iota(0, 100'000),
                                               [&](auto) {
                                                 ++blocks;
                                                 throw 1;
                                               }),
                    int);
    CHECK(blocks == 1);
  }

  // If every worker is in a block, and each block throws, no further block begins.
  for_each_size([](Pool& pool) {
    const auto workers = static_cast<std::ptrdiff_t>(pool.num_threads());
    std::latch everyone(workers);
    std::atomic<int> blocks{0};
    CHECK_THROWS_AS(blitz::parallel_for_blocks({.pool = &pool}, std::views::iota(0, 1 << 20),
                                               [&](auto) {
                                                 ++blocks;
                                                 everyone.arrive_and_wait();
                                                 throw 1;
                                               }),
                    int);
    CHECK(blocks == workers);
  });
}

POOL_TEST_CASE("parallel_for: an exception ends a loop that would take hours") {
  for_each_size([](Pool& pool) {
    std::atomic<std::uint64_t> calls{0};
    CHECK_THROWS_AS(blitz::parallel_for({.pool = &pool}, std::uint64_t{0}, kHuge,
                                        [&](std::uint64_t) {
                                          if (calls.fetch_add(1) == 5000) throw 1;
                                        }),
                    int);
    CHECK(calls > 5000);
  });
}

POOL_TEST_CASE("parallel_for: rethrows the first of several exceptions and frees all") {
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    const int first = round % 2;
    Lives lives;
    std::latch both(2);
    std::latch first_is_out(1);
    // Both workers are in a block, and one stays there: this runs when the other has left its block.
    std::thread witness([&] {
      both.wait();
      pool.spawn([&] { first_is_out.count_down(); });
    });
    int caught = -1;
    try {
      blitz::parallel_for({.schedule = Schedule::kFixed, .pool = &pool}, 0, 2, [&](int i) {
        both.arrive_and_wait();
        if (i != first) first_is_out.wait();
        throw Counted(lives, i);
      });
    } catch (const Counted& error) {
      caught = error.value;
    }
    witness.join();
    CHECK(caught == first);
    CHECK(lives.alive == 0);
  }
}

POOL_TEST_CASE("parallel_for: rethrows an exception after all running blocks have finished") {
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    std::latch both(2);
    bool finished = false;
    CHECK_THROWS_AS(blitz::parallel_for({.schedule = Schedule::kFixed, .pool = &pool}, 0, 2,
                                        [&](int i) {
                                          both.arrive_and_wait();
                                          if (i == 0) throw 1;
                                          for (int k = 0; k < 100; ++k) std::this_thread::yield();
                                          finished = true;
                                        }),
                    int);
    CHECK(finished);
  }
}

POOL_TEST_CASE("parallel_for: a stop request in the body ends the loop without an exception") {
  for_each_size([](Pool& pool) {
    std::stop_source source;
    std::atomic<std::uint64_t> calls{0};
    blitz::parallel_for({.stop = source.get_token(), .pool = &pool}, std::uint64_t{0}, kHuge, [&](std::uint64_t) {
      if (calls.fetch_add(1) == 5000) source.request_stop();
    });
    CHECK(calls > 5000);
  });
}

POOL_TEST_CASE("parallel_for: a stop request of another thread ends the loop") {
  for_each_size([](Pool& pool) {
    std::stop_source source;
    std::latch running(1);
    std::thread stopper([&] {
      running.wait();
      source.request_stop();
    });
    std::atomic<bool> told{false};
    blitz::parallel_for({.stop = source.get_token(), .pool = &pool}, std::uint64_t{0}, kHuge, [&](std::uint64_t) {
      if (!told.exchange(true)) running.count_down();
    });
    stopper.join();
    CHECK(told);
  });
}

POOL_TEST_CASE("parallel_for: no block begins after a stop request") {
  for_each_schedule([](Pool& pool, ForOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    Visits all(100);
    blitz::parallel_for(in(pool, options), std::size_t{0}, std::size_t{100}, [&](std::size_t i) { all(i); });
    CHECK(all.each_once());  // not requested yet

    source.request_stop();
    std::atomic<int> calls{0};
    blitz::parallel_for(in(pool, options), 0, 100, [&](int) { ++calls; });
    blitz::parallel_for_blocks(in(pool, options), std::views::iota(0, 100), [&](auto) { ++calls; });
    CHECK(calls == 0);
  });

  Pool alone({.num_threads = 1});
  for (const Schedule schedule : kSchedules) {
    std::stop_source source;
    int blocks = 0;
    blitz::parallel_for_blocks({.schedule = schedule, .stop = source.get_token(), .pool = &alone},
                               std::views::iota(0, 100'000), [&](auto) {
                                 ++blocks;
                                 source.request_stop();
                               });
    CHECK(blocks == 1);
  }
}

POOL_TEST_CASE("parallel_for: rethrows an exception after a stop request") {
  for_each_schedule([](Pool& pool, ForOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    CHECK_THROWS_AS(blitz::parallel_for(in(pool, options), 0, 100,
                                        [&](int) {
                                          source.request_stop();
                                          throw 1;
                                        }),
                    int);
  });
}

// --- a body that ends its loop ---

POOL_TEST_CASE("parallel_for: Flow::kStop ends the block at that item") {
  for_each_schedule([](Pool& pool, ForOptions options) {
    options.min_grain = 1000;
    for (const int last : {0, 300, 998, 999}) {
      CAPTURE(last);
      const auto expected = static_cast<std::size_t>(last) + 1;
      std::vector<int> seen;
      const auto body = [&](int i) {
        seen.push_back(i);
        return i < last ? Flow::kContinue : Flow::kStop;
      };
      blitz::parallel_for(in(pool, options), 0, 1000, body);
      CHECK(seen == first_integers(expected));
      seen.clear();
      blitz::parallel_for(in(pool, options), std::views::iota(0, 1000) | std::views::transform([](int i) { return i; }),
                          body);
      CHECK(seen == first_integers(expected));
      seen.clear();
      std::deque<int> items;
      std::ranges::copy(std::views::iota(0, 1000), std::back_inserter(items));
      pool.install([&] { blitz::parallel_for(options, items.begin(), items.end(), body); });
      CHECK(seen == first_integers(expected));
    }
  });

  // With one worker and no other way to end it, the loop is one block.
  Pool alone({.num_threads = 1});
  for (const Schedule schedule : kSchedules) {
    int calls = 0;
    blitz::parallel_for({.schedule = schedule, .pool = &alone}, std::uint64_t{0}, kHuge,
                        [&](std::uint64_t i) { return ++calls, i < 5000 ? Flow::kContinue : Flow::kStop; });
    CHECK(calls == 5001);
  }
}

POOL_TEST_CASE("parallel_for: Flow::kStop ends a loop that would take hours") {
  for_each_size([](Pool& pool) {
    for (const std::size_t grain : {1, 1000}) {
      std::atomic<std::uint64_t> calls{0};
      const auto body = [&](std::uint64_t) { return calls.fetch_add(1) < 5000 ? Flow::kContinue : Flow::kStop; };
      blitz::parallel_for({.min_grain = grain, .pool = &pool}, std::uint64_t{0}, kHuge, body);
      CHECK(calls > 5000);
      calls = 0;
      const std::stop_source never;
      blitz::parallel_for({.min_grain = grain, .stop = never.get_token(), .pool = &pool}, std::uint64_t{0}, kHuge,
                          body);
      CHECK(calls > 5000);
    }
  });
}

POOL_TEST_CASE("parallel_for: no block begins after Flow::kStop") {
  // With one worker, each block sees the end of the previous one.
  Pool alone({.num_threads = 1});
  const std::stop_source never;
  int blocks = 0;
  blitz::parallel_for_blocks({.stop = never.get_token(), .pool = &alone}, std::views::iota(0, 100'000),
                             [&](auto) { return ++blocks < 3 ? Flow::kContinue : Flow::kStop; });
  CHECK(blocks == 3);

  // If every worker is in a block, and each block stops, no further block begins.
  for_each_size([](Pool& pool) {
    const auto workers = static_cast<std::ptrdiff_t>(pool.num_threads());
    std::latch everyone(workers);
    std::atomic<int> begun{0};
    blitz::parallel_for_blocks({.pool = &pool}, std::views::iota(0, 1 << 20), [&](auto) {
      ++begun;
      everyone.arrive_and_wait();
      return Flow::kStop;
    });
    CHECK(begun == workers);
  });
}

POOL_TEST_CASE("parallel_for: fixed blocks that have not begun do not run after Flow::kStop") {
  // The pool's other worker is kept busy, so one worker runs both blocks.
  Pool pool({.num_threads = 2});
  std::latch busy(1);
  std::latch done(1);
  auto other = pool.async([&] {
    busy.count_down();
    done.wait();
  });
  busy.wait();
  std::vector<int> seen;
  blitz::parallel_for({.schedule = Schedule::kFixed, .pool = &pool}, 0, 100,
                      [&](int i) { return seen.push_back(i), seen.size() < 10 ? Flow::kContinue : Flow::kStop; });
  done.count_down();
  other.get();
  CHECK(seen.size() == 10);
}

POOL_TEST_CASE("parallel_for: rethrows an exception if another block stops the loop") {
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    const int first = round % 2;  // the block that ends first: the one that stops, or the one that throws
    std::latch both(2);
    std::latch first_is_out(1);
    std::thread witness([&] {
      both.wait();
      pool.spawn([&] { first_is_out.count_down(); });
    });
    CHECK_THROWS_AS(blitz::parallel_for({.schedule = Schedule::kFixed, .pool = &pool}, 0, 2,
                                        [&](int i) {
                                          both.arrive_and_wait();
                                          if (i != first) first_is_out.wait();
                                          if (i == 1) throw 1;
                                          return Flow::kStop;
                                        }),
                    int);
    witness.join();
  }
}

POOL_TEST_CASE("parallel_for: Flow::kStop ends only the innermost loop") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    std::vector<std::atomic<int>> rows(50);
    blitz::parallel_for(in(pool, options), rows, [&](std::atomic<int>& row) {
      blitz::parallel_for(options, 0, 100, [&](int) { return ++row, Flow::kStop; });
      return Flow::kContinue;
    });
    CHECK(std::ranges::all_of(rows, [](const auto& row) { return row > 0; }));
  });
}

POOL_TEST_CASE("parallel_for: ignores results of the body that are no Flow") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    Visits visits(1000);
    blitz::parallel_for(in(pool, options), std::size_t{0}, std::size_t{500},
                        [&](std::size_t i) { return visits(i), true; });
    blitz::parallel_for_blocks(in(pool, options), std::views::iota(std::size_t{500}, std::size_t{1000}),
                               [&](auto block) {
                                 for (const std::size_t i : block) visits(i);
                                 return 1;
                               });
    CHECK(visits.each_once());
  });
}

POOL_TEST_CASE("parallel_for: a search with Flow::kStop finds the only match") {
  for_each_schedule([](Pool& pool, const ForOptions& options) {
    std::vector<int> items(100'000);
    items[77'777] = 1;
    std::atomic<const int*> found = nullptr;
    blitz::parallel_for(in(pool, options), items, [&](const int& x) {
      if (x == 0) return Flow::kContinue;
      found.store(&x, std::memory_order_relaxed);
      return Flow::kStop;
    });
    CHECK(found == &items[77'777]);
  });
}
