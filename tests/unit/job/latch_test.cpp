#include "blitz/detail/job/latch.hpp"

#include <memory>
#include <optional>
#include <thread>

#include <doctest/doctest.h>

#include "blitz/detail/worker/caller_latch.hpp"
#include "unit/fake_worker.hpp"

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

TEST_CASE("core latch: begins unset") {
  const CoreLatch latch;
  CHECK_FALSE(latch.probe());
}

TEST_CASE("core latch: set returns whether its worker sleeps") {
  CoreLatch latch;
  SUBCASE("it searches") { CHECK_FALSE(latch.set()); }
  SUBCASE("it is on its way to sleep") {
    REQUIRE(latch.get_sleepy());
    CHECK_FALSE(latch.set());
    CHECK_FALSE(latch.fall_asleep());
  }
  SUBCASE("it sleeps") {
    REQUIRE(latch.get_sleepy());
    REQUIRE(latch.fall_asleep());
    CHECK(latch.set());
  }
  SUBCASE("it is awake again") {
    REQUIRE(latch.get_sleepy());
    REQUIRE(latch.fall_asleep());
    latch.woke();
    CHECK_FALSE(latch.set());
  }
  CHECK(latch.probe());
}

TEST_CASE("core latch: a worker cannot fall asleep on a set latch and waking up keeps it set") {
  CoreLatch latch;
  (void)latch.set();
  CHECK_FALSE(latch.get_sleepy());
  latch.woke();
  CHECK(latch.probe());
}

TEST_CASE("core latch: stays set when a worker that slept wakes up") {
  CoreLatch latch;
  REQUIRE(latch.get_sleepy());
  REQUIRE(latch.fall_asleep());
  CHECK(latch.set());
  latch.woke();
  CHECK(latch.probe());
  CHECK_FALSE(latch.get_sleepy());
}

TEST_CASE("core latch: a worker may sleep repeatedly") {
  CoreLatch latch;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(latch.get_sleepy());
    REQUIRE(latch.fall_asleep());
    CHECK_FALSE(latch.probe());
    latch.woke();
    CHECK_FALSE(latch.probe());
  }
}

TEST_CASE("core latch: writes before set are visible to a thread that sees it set") {
  for (int round = 0; round < 200; ++round) {
    CoreLatch latch;
    int value = 0;
    std::thread setter([&] {
      value = 42;
      (void)latch.set();
    });
    while (!latch.probe()) std::this_thread::yield();
    CHECK(value == 42);
    setter.join();
  }
}

TEST_CASE("worker latch: is only for its worker before and after a sleep") {
  FakeWorker worker;
  FakeWorker other;
  WorkerLatch latch(worker.tag());
  for (int i = 0; i < 2; ++i) {
    CHECK(latch.is_for(worker));
    CHECK_FALSE(latch.is_for(other));
    fall_asleep(latch.core());
    CHECK(latch.is_for(worker));
    latch.core().woke();
  }
  latch.set();
  CHECK_FALSE(latch.core().get_sleepy());
}

TEST_CASE("worker latch: wakes its worker only if the worker sleeps") {
  FakeWorker worker;
  WorkerLatch awake(worker.tag());
  awake.set();
  CHECK(awake.core().probe());
  CHECK(worker.wakes == 0);

  WorkerLatch asleep(worker.tag());
  fall_asleep(asleep.core());
  asleep.set();
  CHECK(asleep.core().probe());
  CHECK(worker.wakes == 1);
}

TEST_CASE("caller latch: keeps a worker's own pool until the worker has been woken") {
  const FakePool setter;
  FakeWorker worker;
  bool gone = false;
  worker.fake_pool.gone = &gone;
  std::optional<CallerLatch> latch(std::in_place, &setter, &worker);
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

TEST_CASE("caller latch: keeps nothing for a worker of the pool that sets it") {
  FakeWorker worker;
  bool gone = false;
  worker.fake_pool.gone = &gone;
  const CallerLatch latch(worker.pool(), &worker);
  worker.owner = {};
  CHECK(gone);
}

TEST_CASE("caller latch: does not wake a worker that is awake") {
  const FakePool setter;
  FakeWorker worker;
  CallerLatch latch(&setter, &worker);
  latch.set();
  latch.wait();
  CHECK(worker.waits == 1);
  CHECK(worker.wakes == 0);
}

TEST_CASE("caller latch: a thread without a worker blocks until it is set") {
  const FakePool setter;
  CallerLatch before(&setter);
  before.set();
  before.wait();

  for (int round = 0; round < 200; ++round) {
    // The waiter destroys the latch as soon as it is set.
    std::optional<CallerLatch> latch(std::in_place, &setter);
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
