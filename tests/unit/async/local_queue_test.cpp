#include "blitz/detail/async/local_queue.hpp"

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

using blitz::detail::AsyncInjector;
using blitz::detail::AsyncQueue;
using blitz::detail::Job;
using blitz::detail::WorkerBase;
using Outcome = blitz::detail::StealResult<Job>::Outcome;

namespace {

struct NoJob : Job {
  NoJob() : Job([](Job*, WorkerBase&) noexcept {}) {}
};

struct Pool {
  ~Pool() {
    while (injector.take() != nullptr) {
    }
  }
  AsyncInjector injector;
  AsyncQueue queue;
  AsyncQueue other;
  std::vector<NoJob> jobs = std::vector<NoJob>(400);
};

}  // namespace

TEST_CASE_FIXTURE(Pool, "queue: take_newest takes the newest job from the slot or the ring") {
  CHECK(queue.empty());
  CHECK(queue.take_newest() == nullptr);
  for (std::size_t i = 0; i < 5; ++i) CHECK(queue.push(&jobs[i], injector) == &jobs[i]);
  CHECK(queue.size() == 5);
  for (std::size_t i = 5; i-- > 0;) {
    CHECK_FALSE(queue.empty());
    CHECK(queue.take_newest() == &jobs[i]);
  }
  CHECK(queue.empty());
  CHECK(queue.pushed() == 5);
  CHECK(queue.taken() == 0);
}

TEST_CASE_FIXTURE(Pool, "queue: take_if_newest takes a job if no newer one is queued") {
  const auto first = queue.push(&jobs[0], injector);
  const auto second = queue.push(&jobs[1], injector);
  CHECK_FALSE(queue.take_if_newest(first));
  CHECK(queue.take_if_newest(second));
  CHECK(queue.take_if_newest(first));
  CHECK_FALSE(queue.take_if_newest(first));
  CHECK(queue.empty());
}

TEST_CASE_FIXTURE(Pool, "queue: take_if_newest does not take a stolen job") {
  const auto first = queue.push(&jobs[0], injector);
  const auto second = queue.push(&jobs[1], injector);
  CHECK(other.steal_from(queue, 128).item == &jobs[0]);
  CHECK(AsyncQueue::steal_newest_from(queue) == &jobs[1]);
  CHECK_FALSE(queue.take_if_newest(second));
  CHECK_FALSE(queue.take_if_newest(first));
  CHECK(queue.taken() == 2);
}

TEST_CASE_FIXTURE(Pool, "queue: poll_slot finds the newest three times per tick and take_oldest the oldest") {
  for (std::size_t i = 0; i < 4; ++i) queue.push(&jobs[i], injector);
  CHECK(queue.poll_slot() == &jobs[3]);
  for (std::size_t i = 4; i < 6; ++i) {
    queue.push(&jobs[i], injector);
    CHECK(queue.poll_slot() == &jobs[i]);
  }
  queue.push(&jobs[6], injector);
  CHECK(queue.poll_slot() == nullptr);
  for (const std::size_t i : {0U, 1U, 2U, 6U}) CHECK(queue.take_oldest() == &jobs[i]);
  CHECK(queue.take_oldest() == nullptr);
  queue.begin_tick();
  queue.push(&jobs[7], injector);
  CHECK(queue.poll_slot() == &jobs[7]);
}

TEST_CASE_FIXTURE(Pool, "queue: an overflow moves half of the ring to the injector") {
  for (std::size_t i = 0; i < 257; ++i) queue.push(&jobs[i], injector);
  CHECK(queue.overflows() == 0);
  CHECK(injector.empty());
  queue.push(&jobs[257], injector);
  CHECK(queue.overflows() == 128);
  CHECK(injector.size() == 128);
  CHECK(queue.size() == 130);
  CHECK(queue.taken() == 128);
  for (std::size_t i = 0; i < 128; ++i) REQUIRE(injector.take() == &jobs[i]);
}

TEST_CASE_FIXTURE(Pool, "queue: thieves may steal fetched jobs and a fetch is limited by the room") {
  for (std::size_t i = 0; i < 60; ++i) injector.push(&jobs[i]);
  std::size_t taken = 0;
  CHECK(queue.fetch(injector, 1, taken) == &jobs[0]);
  CHECK(taken == 33);
  CHECK(queue.size() == 32);
  CHECK_FALSE(queue.empty());
  CHECK(queue.take_fetched() == &jobs[1]);
  const auto loot = other.steal_from(queue, 128);
  CHECK(loot.item == &jobs[2]);
  CHECK(loot.moved == 15);
  CHECK(other.size() == 15);
  CHECK(queue.taken() == 16);
  CHECK(other.taken() == 0);
  // Fetches as many jobs as there is room for.
  CHECK(queue.fetch(injector, 1, taken) == &jobs[33]);
  CHECK(taken == 18);
  CHECK(queue.take_newest() == nullptr);  // nothing was pushed
  for (std::size_t i = 18; i < 33; ++i) REQUIRE(queue.take_fetched() == &jobs[i]);
  while (queue.take_fetched() != nullptr) {
  }
  CHECK(queue.empty());
  CHECK(queue.fetch(injector, 1, taken) == &jobs[51]);
  CHECK(taken == 9);
}

TEST_CASE_FIXTURE(Pool, "queue: fetch takes the share of one of several workers") {
  for (std::size_t i = 0; i < 60; ++i) injector.push(&jobs[i]);
  std::size_t taken = 0;
  CHECK(queue.fetch(injector, 10, taken) == &jobs[0]);
  CHECK(taken == 6);
  CHECK(queue.fetch(injector, 100, taken) == &jobs[6]);
  CHECK(taken == 4);
  AsyncInjector nothing;
  CHECK(queue.fetch(nothing, 1, taken) == nullptr);
  CHECK(taken == 0);
}

TEST_CASE_FIXTURE(Pool, "queue: a theft takes from the ring and then from the fetched jobs") {
  for (std::size_t i = 0; i < 9; ++i) queue.push(&jobs[i], injector);
  for (std::size_t i = 100; i < 104; ++i) injector.push(&jobs[i]);
  std::size_t taken = 0;
  REQUIRE(queue.fetch(injector, 1, taken) == &jobs[100]);
  CHECK(other.steal_from(queue, 1).item == &jobs[0]);
  CHECK(other.empty());
  auto loot = other.steal_from(queue, 128);
  CHECK(loot.item == &jobs[1]);
  CHECK(loot.moved == 3);
  for (std::size_t i = 5; i < 8; ++i) CHECK(other.steal_from(queue, 1).item == &jobs[i]);
  CHECK(other.steal_from(queue, 1).item == &jobs[101]);
  CHECK(other.steal_from(queue, 1).item == &jobs[102]);
  CHECK(other.steal_from(queue, 1).item == &jobs[103]);
  CHECK(other.steal_from(queue, 1).outcome == Outcome::kEmpty);
  CHECK_FALSE(queue.slot_empty());
  CHECK(AsyncQueue::steal_newest_from(queue) == &jobs[8]);
  CHECK(AsyncQueue::steal_newest_from(queue) == nullptr);
  CHECK(queue.empty());
}
