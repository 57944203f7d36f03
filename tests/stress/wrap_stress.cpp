/// The jobs-event counter wraps around under a running pool: the detector of missed wake-ups on the default policy, with
/// an idle protocol whose counter begins shortly before its end.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <blitz/custom_policy.hpp>
#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "detector.hpp"

namespace blitz_test {
namespace {

/// How far from its end a counter begins, at most, and how far beyond it goes.
constexpr std::uint32_t kSteps = 8;

/// Where the counter of the next pool begins; set while no pool is made.
std::uint32_t first_jec = 0;

class WrappingSleep : public blitz::detail::Sleep {
 public:
  explicit WrappingSleep(std::size_t slots) : Sleep(slots, first_jec) {}
};

struct WrappingPolicy {
  using Injector = blitz::ForkJoinPolicy::Injector;
  using LocalQueue = blitz::ForkJoinPolicy::LocalQueue;
  using Idle = WrappingSleep;
  using Finder = blitz::ForkJoinPolicy::Finder;
};
static_assert(blitz::Policy<WrappingPolicy>);

TEST_CASE("the jobs-event counter wraps around and no wake-up is missed") {
  TestWatchdog dog;
  Random random(6);
  const Deadline deadline;
  std::uint64_t pools = 0;
  while (!deadline.passed()) {
    const std::size_t size = random.one_in(16) ? 64 : random.one_in(4) ? 8 : random.between(2, 3);
    const auto before = static_cast<std::uint32_t>(random.below(kSteps));
    first_jec = 0U - before;
    CAPTURE(size);
    CAPTURE(before);
    blitz::BasicThreadPool<WrappingPolicy> pool({.num_threads = size});
    dog.watch(pool);
    const auto& idle = blitz_test::registry_of(pool).idle();
    CHECK(idle.counters().jec() == first_jec);
    // Each time that all fall asleep after some work, the counter has made a step or two.
    const Deadline too_late(stress_time() + std::chrono::seconds(30));
    while (idle.counters().jec() + kSteps < 2 * kSteps) {
      REQUIRE_FALSE(too_late.passed());
      detect_from_one_thread(pool, dog, random);
      if (!random.one_in(4)) wait_until_all_sleep(pool);
    }
    ++pools;
  }
  MESSAGE("done: " << pools << " counters wrapped around");
  CHECK(pools > 0);
}

}  // namespace
}  // namespace blitz_test
