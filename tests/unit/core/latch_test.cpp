#include "blitz/core/latch.hpp"

#include <memory>
#include <optional>
#include <thread>

#include <doctest/doctest.h>

#include "blitz/core/caller_latch.hpp"
#include "fake_worker.hpp"

using blitz::detail::CallerLatch;
using blitz::detail::WorkerLatch;
using blitz_test::CoreLatch;
using blitz_test::FakePool;
using blitz_test::FakeWorker;

namespace {

void fall_asleep(CoreLatch& latch) {
  REQUIRE(latch.get_sleepy());
  REQUIRE(latch.fall_asleep());
}

}  // namespace

TEST_CASE("worker latch: wakes its worker only if that sleeps") {
  FakeWorker worker;
  WorkerLatch awake(worker);
  awake.set();
  CHECK(awake.core().probe());
  CHECK(worker.wakes == 0);

  WorkerLatch asleep(worker);
  fall_asleep(asleep.core());
  asleep.set();
  CHECK(asleep.core().probe());
  CHECK(worker.wakes == 1);
}

TEST_CASE("caller latch: keeps a worker's own pool until the worker has been woken, and no longer") {
  const FakePool setter;
  FakeWorker worker;
  bool gone = false;
  worker.fake_pool.gone = &gone;
  std::optional<CallerLatch> latch(std::in_place, setter, &worker);
  worker.owner = {};
  CHECK_FALSE(gone);
  bool was_alive = false;
  worker.on_wake = [&] { was_alive = !gone; };
  worker.on_wait = [&] {
    fall_asleep(*worker.waited);
    latch->set();
  };
  latch->wait();
  CHECK(worker.wakes == 1);
  CHECK(was_alive);
  CHECK(gone);
}

TEST_CASE("caller latch: a worker of the pool that sets it keeps nothing") {
  FakeWorker worker;
  bool gone = false;
  worker.fake_pool.gone = &gone;
  const CallerLatch latch(*worker.pool(), &worker);
  worker.owner = {};
  CHECK(gone);
}

TEST_CASE("caller latch: leaves a worker that is awake alone") {
  const FakePool setter;
  FakeWorker worker;
  CallerLatch latch(setter, &worker);
  latch.set();
  latch.wait();
  CHECK(worker.waits == 1);
  CHECK(worker.wakes == 0);
}

TEST_CASE("caller latch: without a worker the thread blocks until it is set, before or after") {
  const FakePool setter;
  CallerLatch before(setter);
  before.set();
  before.wait();

  for (int round = 0; round < 200; ++round) {
    // The waiter destroys the latch as soon as it is set.
    std::optional<CallerLatch> latch(std::in_place, setter);
    int value = 0;
    std::thread setting([&value, target = &*latch] {
      value = 42;
      target->set();
    });
    latch->wait();
    latch.reset();
    CHECK(value == 42);
    setting.join();
  }
}
