#include "blitz/core/latch.hpp"

#include <doctest/doctest.h>

using blitz::detail::Wakeable;
using blitz::detail::WorkerLatch;

namespace {

class FakeWorker final : public Wakeable {
 public:
  void wake() noexcept override { ++wakes; }

  int wakes = 0;
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
