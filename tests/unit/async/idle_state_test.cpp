// The promises of this protocol beyond its contract, which public/idle_protocol_test.cpp tests.
#include "blitz/detail/async/idle_state.hpp"

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/job/latch.hpp"

using blitz::detail::CoreLatch;
using blitz::detail::IdleState;
using blitz::detail::Rest;

namespace {

constexpr auto kNo = []() noexcept { return false; };

struct Fields {
  std::size_t parked;
  std::size_t searching;

  friend bool operator==(const Fields&, const Fields&) = default;
};

Fields fields(const IdleState& idle) { return {idle.num_parked(), idle.num_searching()}; }

/// Searches without success until the slot is parked: in the next round the worker would block.
void search_until_parked(IdleState& idle, IdleState::Search& search, CoreLatch& latch) {
  while (!search.parked) idle.no_work_found(search, latch, Rest::kWait, kNo);
}

/// This thread becomes the runner of `slot`, which executes a job.
void borrow(IdleState& idle, std::size_t slot = 0) { REQUIRE(idle.try_borrow(slot)); }

}  // namespace

TEST_CASE("idle: slots are woken in order and slot 0 last") {
  for (const std::size_t slots : {1U, 3U, 16U, 17U, 65U, 300U}) {
    CAPTURE(slots);
    IdleState idle(slots);
    idle.new_injected_jobs();
    for (std::size_t woken = 1; woken <= slots; ++woken) {
      const std::size_t slot = woken % slots;
      REQUIRE(idle.times_woken(slot) == 1);
      auto search = idle.first_search(slot);
      idle.work_found(search);
    }
    CHECK(fields(idle) == Fields{0, 0});
  }
}

TEST_CASE("idle: a slot that its runner has parked cannot be borrowed") {
  IdleState idle(2);
  CoreLatch latch;
  borrow(idle);
  auto search = idle.start_looking(0);
  search_until_parked(idle, search, latch);
  CHECK_FALSE(idle.try_borrow(0));
  CHECK(idle.try_wake(0));
  idle.work_found(search);
  CHECK(fields(idle).parked == 0);  // the last searcher has woken the other
}

TEST_CASE("idle: give_back checks the injector before the queues") {
  IdleState idle(2);
  CoreLatch terminate;
  borrow(idle, 1);
  borrow(idle);
  std::vector<int> order;
  idle.give_back(
      0, true, terminate,
      [&]() noexcept {
        order.push_back(1);
        return false;
      },
      [&]() noexcept {
        order.push_back(2);
        return true;
      });
  CHECK(order == std::vector<int>{1, 2});
}

TEST_CASE("idle: half of the workers plus one search and the others park without lingering") {
  IdleState idle(5);
  CoreLatch latch;
  for (std::size_t slot = 0; slot < 5; ++slot) borrow(idle, slot);
  auto first = idle.start_looking(1);
  auto second = idle.start_looking(2);
  auto third = idle.start_looking(3);
  auto fourth = idle.start_looking(4);
  auto fifth = idle.start_looking(0);
  CHECK(first.counted);
  CHECK(second.counted);
  CHECK(third.counted);
  CHECK(fourth.counted);
  CHECK_FALSE(fifth.counted);
  CHECK(fields(idle) == Fields{0, 4});
  idle.no_work_found(fifth, latch, Rest::kWait, kNo);
  CHECK(fifth.parked);
  CHECK(fields(idle) == Fields{1, 4});
  idle.no_work_found(first, latch, Rest::kWait, kNo);
  CHECK_FALSE(first.parked);
  idle.work_found(fifth);
  CHECK(fields(idle) == Fields{0, 4});

  // A searcher that is not counted, and has moved jobs to its queue, still wakes another worker if it is the last.
  auto too_many = idle.start_looking(0);
  CHECK_FALSE(too_many.counted);
  for (auto* const search : {&first, &second, &third, &fourth}) search_until_parked(idle, *search, latch);
  CHECK(fields(idle) == Fields{4, 0});
  idle.work_found(too_many);
  CHECK(fields(idle) == Fields{3, 1});
}

TEST_CASE("idle: all workers of a pool of up to three may search") {
  for (const std::size_t slots : {1U, 2U, 3U}) {
    CAPTURE(slots);
    IdleState idle(slots);
    for (std::size_t slot = 0; slot < slots; ++slot) borrow(idle, slot);
    for (std::size_t slot = 0; slot < slots; ++slot) CHECK(idle.start_looking(slot).counted);
  }
}

TEST_CASE("idle: a runner that has parked its slot does not block if it finds a job or is claimed") {
  IdleState idle(2);
  borrow(idle, 1);
  borrow(idle);
  CoreLatch latch;
  auto search = idle.start_looking(1);
  search_until_parked(idle, search, latch);
  REQUIRE(fields(idle) == Fields{1, 0});

  SUBCASE("takes the slot back if it finds a job") {
    idle.work_found(search);
    CHECK(idle.times_woken(1) == 0);
  }
  SUBCASE("takes the slot back if its latch is set") {
    CHECK_FALSE(latch.set());
    idle.no_work_found(search, latch, Rest::kWait, kNo);
    CHECK(search.parked);
    idle.work_found(search);
    CHECK(idle.times_woken(1) == 0);
  }
  SUBCASE("finds a job after a poster has claimed the slot") {
    idle.new_jobs();
    REQUIRE(fields(idle) == Fields{0, 1});
    idle.work_found(search);
    CHECK(idle.times_woken(1) == 1);
  }
  SUBCASE("searches on if a poster has claimed the slot") {
    idle.new_jobs();
    idle.no_work_found(search, latch, Rest::kWait, kNo);
    CHECK_FALSE(search.parked);
    CHECK(search.counted);
    idle.work_found(search);
    CHECK(idle.times_woken(1) == 1);
  }
  CHECK(fields(idle) == Fields{0, 0});
  CHECK_FALSE(search.parked);
  CHECK(idle.times_slept(1) == idle.times_woken(1));  // each wake-up ends a sleep
}
