// parallel_for: ended early by exceptions and stop requests.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include <blitz/blitz.hpp>
#include <doctest/doctest.h>

#include "loops.hpp"
#include "support/counted.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

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
