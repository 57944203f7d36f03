// parallel_reduce: ended early by exceptions and stop requests.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "reductions.hpp"
#include "support/counted.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

namespace {

Counted add(Counted left, Counted right) {
  left.value += right.value;
  return left;
}

}  // namespace

POOL_TEST_CASE("parallel_reduce: rethrows an exception and destroys all values and the pool works on") {
  for_each_reduction([](Pool& pool, const ReduceOptions& options) {
    for (const int culprit : {0, 1, 499, 999}) {
      CAPTURE(culprit);
      Lives lives;
      const auto none = [&] { return Counted(lives, 0); };
      const auto item = [&](int i) { return Counted(lives, i); };
      const auto expected = std::to_string(culprit);
      const auto throwing_item = [&](int i) {
        if (i == culprit) throw std::out_of_range(std::to_string(i));
        return item(i);
      };
      CHECK_THROWS_WITH_AS(blitz::parallel_transform_reduce(in(pool, options), 0, 1000, none, add, throwing_item),
                           expected.c_str(), std::out_of_range);
      CHECK(lives.alive == 0);

      std::atomic<int> calls{0};
      const auto throwing_add = [&](Counted left, Counted right) {
        if (calls++ == culprit) throw std::out_of_range(expected);
        return add(std::move(left), std::move(right));
      };
      CHECK_THROWS_WITH_AS(
          pool.install([&] { return blitz::parallel_transform_reduce(options, 0, 1000, none, throwing_add, item); }),
          expected.c_str(), std::out_of_range);
      CHECK(lives.alive == 0);
    }
    CHECK(blitz::parallel_reduce(in(pool, options), 0, 1000, 0, std::plus<>{}) == 499'500);
  });
}

POOL_TEST_CASE("parallel_reduce: rethrows an exception of a fold of items or of blocks") {
  for_each_reduction([](Pool& pool, const ReduceOptions& options) {
    for (const int culprit : {0, 1, 499, 999}) {
      CAPTURE(culprit);
      Lives lives;
      const auto none = [&] { return Counted(lives, 0); };
      const auto expected = std::to_string(culprit);
      const auto add_item = [&](Counted sum, int i) {
        if (i == culprit) throw std::out_of_range(std::to_string(i));
        sum.value += i;
        return sum;
      };
      CHECK_THROWS_WITH_AS(blitz::parallel_reduce(in(pool, options), 0, 1000, none, add_item, add), expected.c_str(),
                           std::out_of_range);
      CHECK(lives.alive == 0);
      const auto add_block = [&](Counted sum, auto block) {
        for (const int i : block) sum = add_item(std::move(sum), i);
        return sum;
      };
      const auto items = std::views::iota(0, 1000);
      CHECK_THROWS_WITH_AS(
          pool.install([&] { return blitz::parallel_reduce_blocks(options, items, none, add_block, add); }),
          expected.c_str(), std::out_of_range);
      CHECK(lives.alive == 0);
    }
  });
}

POOL_TEST_CASE("parallel_reduce: a fold rethrows what the combine function throws") {
  Pool pool({.num_threads = 2});
  const auto unequal = [](Counted, const Counted&) -> Counted { throw std::runtime_error("unequal"); };
  for (const ReduceOptions& options :
       {ReduceOptions{}, ReduceOptions{.schedule = Schedule::kFixed}, ReduceOptions{.deterministic = true}}) {
    Lives lives;
    const auto none = [&] { return Counted(lives, 0); };
    std::latch both(2);
    const auto add_item = [&](Counted sum, int i) {
      both.arrive_and_wait();
      sum.value += i;
      return sum;
    };
    CHECK_THROWS_WITH_AS(blitz::parallel_reduce(in(pool, options), 0, 2, none, add_item, unequal), "unequal",
                         std::runtime_error);
    CHECK(lives.alive == 0);
    std::latch again(2);
    const auto add_block = [&](Counted sum, auto) {
      again.arrive_and_wait();
      return sum;
    };
    CHECK_THROWS_WITH_AS(
        blitz::parallel_reduce_blocks(in(pool, options), std::views::iota(0, 2), none, add_block, unequal), "unequal",
        std::runtime_error);
    CHECK(lives.alive == 0);
  }
}

POOL_TEST_CASE("parallel_reduce: a stop request ends folds of items and of blocks") {
  for_each_reduction([](Pool& pool, ReduceOptions options) {
    if (options.schedule == Schedule::kFixed) return;  // Its blocks, one for each worker, would take years.
    std::stop_source source;
    options.stop = source.get_token();
    std::atomic<std::uint64_t> calls{0};
    const auto count = [&](std::uint64_t sum, std::uint64_t) {
      if (calls.fetch_add(1) == 5000) source.request_stop();
      return sum + 1;
    };
    CHECK_THROWS_AS(
        blitz::parallel_reduce(in(pool, options), std::uint64_t{0}, kHuge, std::uint64_t{0}, count, std::plus<>{}),
        blitz::Stopped);
    CHECK(calls > 5000);

    // After the request no block begins.
    const auto count_blocks = [&](std::uint64_t blocks, auto) {
      ++calls;
      return blocks + 1;
    };
    const std::uint64_t before = calls;
    CHECK_THROWS_AS(blitz::parallel_reduce_blocks(in(pool, options), std::views::iota(0, 1000), std::uint64_t{7},
                                                  count_blocks, std::plus<>{}),
                    blitz::Stopped);
    CHECK(calls == before);

    std::stop_source blocks_source;
    options.stop = blocks_source.get_token();
    std::atomic<std::uint64_t> items{0};
    const auto count_items = [&](std::uint64_t sum, auto block) {
      items += block.size();
      if (items > 100) blocks_source.request_stop();
      return sum + block.size();
    };
    CHECK_THROWS_AS(blitz::parallel_reduce_blocks(in(pool, options), std::views::iota(0, 1'000'000'000),
                                                  std::uint64_t{0}, count_items, std::plus<>{}),
                    blitz::Stopped);
    CHECK(items < 1'000'000'000);
  });
}

POOL_TEST_CASE("parallel_reduce: rethrows an exception of the identity and calls no item") {
  for_each_reduction([](Pool& pool, const ReduceOptions& options) {
    for (const int count : {0, 1, 1000}) {
      int calls = 0;
      const auto nothing = [&]() -> int { throw 1; };
      const auto item = [&](int i) {
        ++calls;
        return i;
      };
      CHECK_THROWS_AS(blitz::parallel_transform_reduce(in(pool, options), 0, count, nothing, std::plus<>{}, item), int);
      CHECK(calls == 0);
    }
  });
}

POOL_TEST_CASE("parallel_reduce: rethrows an exception of the identity on a thief") {
  Pool pool({.num_threads = 2});
  for (const ReduceOptions& options :
       {ReduceOptions{}, ReduceOptions{.schedule = Schedule::kFixed}, ReduceOptions{.deterministic = true}}) {
    Lives lives;
    std::atomic<int> made{0};
    std::latch both(2);
    const auto none = [&] {
      both.arrive_and_wait();
      if (made++ == 1) throw std::runtime_error("no more");
      return Counted(lives, 0);
    };
    CHECK_THROWS_WITH_AS(
        blitz::parallel_transform_reduce(in(pool, options), 0, 2, none, add, [&](int i) { return Counted(lives, i); }),
        "no more", std::runtime_error);
    CHECK(made == 2);
    CHECK(lives.alive == 0);
  }
}

POOL_TEST_CASE("parallel_reduce: rethrows what the combine function throws") {
  struct Sum {
    Lives* lives;
    Counted operator()(Counted left, int x) const {
      left.value += x;
      return left;
    }
    Counted operator()(Counted, Counted) const { throw std::runtime_error("unequal"); }
  };
  Pool pool({.num_threads = 2});
  for (const ReduceOptions& options :
       {ReduceOptions{}, ReduceOptions{.schedule = Schedule::kFixed}, ReduceOptions{.deterministic = true}}) {
    Lives lives;
    std::latch both(2);
    const auto item = [&](int i) {
      both.arrive_and_wait();
      return i;
    };
    CHECK_THROWS_WITH_AS(blitz::parallel_transform_reduce(
                             in(pool, options), 0, 2, [&] { return Counted(lives, 0); }, Sum{&lives}, item),
                         "unequal", std::runtime_error);
    CHECK(lives.alive == 0);
  }
}

POOL_TEST_CASE("parallel_reduce: rethrows the first of several exceptions and frees all") {
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    for (const bool deterministic : {false, true}) {
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
        const auto item = [&](int i) -> int {
          both.arrive_and_wait();
          if (i != first) first_is_out.wait();
          throw Counted(lives, i);
        };
        blitz::parallel_transform_reduce({.schedule = Schedule::kFixed, .deterministic = deterministic, .pool = &pool},
                                         0, 2, 0, std::plus<>{}, item);
      } catch (const Counted& error) {
        caught = error.value;
      }
      witness.join();
      CHECK(caught == first);
      CHECK(lives.alive == 0);
    }
  }
}

POOL_TEST_CASE("parallel_reduce: rethrows an exception after all running blocks have finished") {
  Pool pool({.num_threads = 2});
  for (int round = 0; round < 20; ++round) {
    for (const bool deterministic : {false, true}) {
      std::latch both(2);
      bool finished = false;
      const auto item = [&](int i) {
        both.arrive_and_wait();
        if (i == 0) throw 1;
        for (int k = 0; k < 100; ++k) std::this_thread::yield();
        finished = true;
        return i;
      };
      CHECK_THROWS_AS(blitz::parallel_transform_reduce(
                          {.schedule = Schedule::kFixed, .deterministic = deterministic, .pool = &pool}, 0, 2, 0,
                          std::plus<>{}, item),
                      int);
      CHECK(finished);
    }
  }
}

POOL_TEST_CASE("parallel_reduce: an exception ends a reduction that would take hours") {
  for_each_size([](Pool& pool) {
    for (const bool deterministic : {false, true}) {
      std::atomic<std::uint64_t> calls{0};
      const auto item = [&](std::uint64_t) {
        if (calls.fetch_add(1) == 5000) throw 1;
        return 1;
      };
      CHECK_THROWS_AS(blitz::parallel_transform_reduce({.deterministic = deterministic, .pool = &pool},
                                                       std::uint64_t{0}, kHuge, 0, std::plus<>{}, item),
                      int);
      CHECK(calls > 5000);
    }
  });
}

POOL_TEST_CASE("parallel_reduce: a stop request ends it with Stopped") {
  for_each_size([](Pool& pool) {
    for (const bool deterministic : {false, true}) {
      std::stop_source source;
      std::atomic<std::uint64_t> calls{0};
      const auto item = [&](std::uint64_t) {
        if (calls.fetch_add(1) == 5000) source.request_stop();
        return std::uint64_t{1};
      };
      CHECK_THROWS_AS(
          blitz::parallel_transform_reduce({.stop = source.get_token(), .deterministic = deterministic, .pool = &pool},
                                           std::uint64_t{0}, kHuge, std::uint64_t{0}, std::plus<>{}, item),
          blitz::Stopped);
      CHECK(calls > 5000);
    }
  });
}

POOL_TEST_CASE("parallel_reduce: no block begins after a stop request and an empty range throws too") {
  for_each_reduction([](Pool& pool, ReduceOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    CHECK(blitz::parallel_reduce(in(pool, options), 0, 100, 0, std::plus<>{}) == 4950);  // not requested yet

    source.request_stop();
    std::atomic<int> calls{0};
    const auto item = [&](int i) {
      ++calls;
      return i;
    };
    CHECK_THROWS_AS(blitz::parallel_transform_reduce(in(pool, options), 0, 100, -7, std::plus<>{}, item),
                    blitz::Stopped);
    CHECK_THROWS_AS(blitz::parallel_transform_reduce(in(pool, options), 0, 0, -7, std::plus<>{}, item), blitz::Stopped);
    CHECK(calls == 0);
  });
}

POOL_TEST_CASE("parallel_reduce: rethrows an exception after a stop request") {
  for_each_reduction([](Pool& pool, ReduceOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    const auto item = [&](int) -> int {
      source.request_stop();
      throw 1;
    };
    CHECK_THROWS_AS(blitz::parallel_transform_reduce(in(pool, options), 0, 100, 0, std::plus<>{}, item), int);
  });
}
