// A clock that goes backwards or does not advance. All calls return their results, no division by zero or overflow ends the
// program, and no wait depends on the clock's progress. The library's sources are compiled into this program with such a clock.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stop_token>
#include <thread>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "blitz/detail/fence/coalesced_fence.hpp"
#include "blitz/detail/loop/pace.hpp"
#include "blitz/detail/sys/parker.hpp"
#include "blitz/detail/wake/fork_history.hpp"
#include "blitz/detail/wake/idle_slot.hpp"
#include "blitz/detail/wake/linger.hpp"
#include "blitz/detail/wake/wake_price.hpp"

using blitz_test::clock_kind;
using blitz_test::kClocks;

namespace {

int fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = blitz::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

template <class Pool>
void use(Pool& pool) {
  std::vector<int> counts(20'000);
  blitz::parallel_for({.pool = &pool}, counts, [](int& count) { ++count; });
  CHECK(std::accumulate(counts.begin(), counts.end(), 0) == 20'000);
  std::stop_source stop;
  blitz::parallel_for({.stop = stop.get_token(), .pool = &pool}, counts, [](int& count) { ++count; });
  CHECK(std::accumulate(counts.begin(), counts.end(), 0) == 40'000);
  CHECK(blitz::parallel_reduce({.pool = &pool}, counts, 0, std::plus<>()) == 40'000);
  CHECK(blitz::parallel_reduce({.deterministic = true, .pool = &pool}, counts, 0, std::plus<>()) == 40'000);
  CHECK(pool.install([] { return fib(16); }) == 987);
  std::atomic<int> calls{0};
  blitz::parallel_for_each({.pool = &pool}, std::vector<int>(50, 3), [&](int depth, blitz::Feeder<int>& feeder) {
    ++calls;
    for (int i = 0; i < 2 && depth > 0; ++i) feeder.add(depth - 1);
  });
  CHECK(calls == 50 * 15);
  pool.scope([&](blitz::Scope& scope) {
    for (int i = 0; i < 100; ++i) scope.spawn([&] { ++calls; });
  });
  CHECK(calls == 50 * 15 + 100);
}

/// Calls `test` with each of the clocks.
template <class Test>
void for_each_clock(Test&& test) {
  for (const blitz_test::Clock clock : kClocks) {
    CAPTURE(static_cast<int>(clock));
    clock_kind = clock;
    test();
  }
}

}  // namespace

TEST_CASE_TEMPLATE("clock: pools return the right results with each broken clock", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  for_each_clock([] {
    for (const std::size_t size : {1, 2, 3, 16}) {
      CAPTURE(size);
      Pool pool({.num_threads = size});
      // Workers go to sleep between some calls.
      for (int i = 0; i < 4; ++i) {
        use(pool);
        if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    }
  });
}

TEST_CASE("clock: the pace of a loop keeps the grain and makes progress") {
  for_each_clock([] {
    for (const std::uint64_t grain : {std::uint64_t{1}, std::uint64_t{100}}) {
      blitz::detail::Pace pace(grain);
      std::uint64_t next = 0;
      const std::uint64_t last = std::uint64_t{1} << 40;
      for (int blocks = 0; blocks < 1000 && next < last; ++blocks) {
        const std::uint64_t end = pace.run_next(next, last, [](std::uint64_t, std::uint64_t) {});
        CHECK(end - next >= grain);
        CHECK(end <= last);
        next = end;
        CHECK_FALSE(pace.per_item() < 0);
      }
    }
  });
}

TEST_CASE("clock: the price of a wake-up stays within its limits") {
  using blitz::detail::ticks_now;
  using blitz::detail::ticks_per_microsecond;
  for_each_clock([] {
    blitz::detail::WakePrice price;
    blitz::detail::IdleSlot slot;
    blitz::detail::ForkHistory forks;
    for (int i = 0; i < 1000; ++i) {
      blitz::detail::Idling idling;
      slot.unpark(slot.resident, blitz::detail::Waker::kStaysBusy, price);
      slot.woken(idling, price);
      static_cast<void>(slot.weigh_help(100, 0, 0, price));
      static_cast<void>(
          forks.begin(&slot, 16 * static_cast<std::uintptr_t>(i % 3), price, slot.series, 0, ticks_now()));
      forks.end(&slot, i % 7 == 0);
      CHECK(price.at(ticks_now()).of_work() >= 4);
      CHECK(price.at(ticks_now()).of_work() <= 400 * ticks_per_microsecond());
      CHECK(price.at(ticks_now()).delay() <= 200 * ticks_per_microsecond());
    }
  });
}

TEST_CASE("clock: an idle worker does not wait if the clock does not advance") {
  clock_kind = blitz_test::Clock::kStandsStill;
  blitz::detail::WakePrice price;
  blitz::detail::Patience patience;
  patience.woken(blitz::detail::ticks_now(), blitz::detail::ticks_now(), false);
  CHECK_FALSE(patience.lasts(blitz::detail::ticks_now(), price));
}

TEST_CASE("clock: no wait for a latch or another fence depends on the clock") {
  for_each_clock([] {
    struct {
      [[nodiscard]] bool probe() const noexcept { return false; }
    } latch;
    blitz::detail::pause_search(0, latch);
    blitz::detail::CoalescedFence fence;
    int fences = 0;
    fence.execute([&] {
      ++fences;
      std::thread([&] { fence.execute([&] { ++fences; }); }).join();
    });
    CHECK(fences == 2);
  });
}
