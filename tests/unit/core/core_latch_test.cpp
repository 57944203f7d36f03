#include "blitz/core/core_latch.hpp"

#include <thread>

#include <doctest/doctest.h>

using blitz::detail::CoreLatch;

TEST_CASE("core latch: unset at first") {
  const CoreLatch latch;
  CHECK_FALSE(latch.probe());
}

TEST_CASE("core latch: whoever sets it learns whether its worker sleeps") {
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

TEST_CASE("core latch: nobody falls asleep on a latch that is set, and waking up leaves it set") {
  CoreLatch latch;
  (void)latch.set();
  CHECK_FALSE(latch.get_sleepy());
  latch.woke();
  CHECK(latch.probe());
}

TEST_CASE("core latch: set while its worker sleeps, it stays set when the worker wakes up") {
  CoreLatch latch;
  REQUIRE(latch.get_sleepy());
  REQUIRE(latch.fall_asleep());
  CHECK(latch.set());
  latch.woke();
  CHECK(latch.probe());
  CHECK_FALSE(latch.get_sleepy());
}

TEST_CASE("core latch: a worker may sleep again and again") {
  CoreLatch latch;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(latch.get_sleepy());
    REQUIRE(latch.fall_asleep());
    CHECK_FALSE(latch.probe());
    latch.woke();
    CHECK_FALSE(latch.probe());
  }
}

TEST_CASE("core latch: what came before set is visible to whoever sees it set") {
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
