#include "blitz/core/latch.hpp"

#include <memory>
#include <optional>
#include <thread>

#include <doctest/doctest.h>

using blitz::detail::CrossLatch;
using blitz::detail::ThreadLatch;
using blitz::detail::Wakeable;
using blitz::detail::WorkerLatch;

namespace {

class FakeWorker final : public Wakeable {
 public:
  void wake() noexcept override {
    ++wakes;
    if (alive != nullptr) was_alive = !alive->expired();
  }

  int wakes = 0;
  const std::weak_ptr<int>* alive = nullptr;
  bool was_alive = false;
};

template <class Latch>
void fall_asleep(Latch& latch) {
  REQUIRE(latch.core().get_sleepy());
  REQUIRE(latch.core().fall_asleep());
}

}  // namespace

TEST_CASE("worker latch: wakes its worker only if that sleeps") {
  FakeWorker worker;
  WorkerLatch awake(worker);
  awake.set();
  CHECK(awake.core().probe());
  CHECK(worker.wakes == 0);

  WorkerLatch asleep(worker);
  fall_asleep(asleep);
  asleep.set();
  CHECK(asleep.core().probe());
  CHECK(worker.wakes == 1);
}

TEST_CASE("cross latch: keeps the other pool until its worker has been woken, and no longer") {
  FakeWorker worker;
  auto pool = std::make_shared<int>(1);
  const std::weak_ptr<int> pool_alive = pool;
  worker.alive = &pool_alive;

  CrossLatch latch(worker, std::move(pool));
  CHECK_FALSE(pool_alive.expired());
  fall_asleep(latch);
  latch.set();
  CHECK(worker.wakes == 1);
  CHECK(worker.was_alive);
  CHECK(pool_alive.expired());
}

TEST_CASE("cross latch: leaves a worker that is awake alone") {
  FakeWorker worker;
  CrossLatch latch(worker, std::make_shared<int>(1));
  latch.set();
  CHECK(latch.core().probe());
  CHECK(worker.wakes == 0);
}

TEST_CASE("thread latch: blocks until it is set, before or after") {
  ThreadLatch before;
  before.set();
  before.wait();

  for (int round = 0; round < 200; ++round) {
    // The waiter destroys the latch as soon as it is set.
    std::optional<ThreadLatch> latch(std::in_place);
    int value = 0;
    std::thread setter([&value, target = &*latch] {
      value = 42;
      target->set();
    });
    latch->wait();
    latch.reset();
    CHECK(value == 42);
    setter.join();
  }
}
