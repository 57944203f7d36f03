/// The jobs-event counter wraps around under a running pool: the detector of missed wake-ups on the default policy, with an
/// idle protocol that starts its counter shortly before the end of the range.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <blitz/custom_policy.hpp>
#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "detector.hpp"

namespace blitz_test {
namespace {

/// The maximum distance of a counter's start from the wrap-around, and its distance after it.
constexpr std::uint64_t kSteps = 8;
constexpr std::uint64_t kValues = std::uint64_t{1} << 48;  // of the counter

/// The initial counter of the next pool. Written only while no pool is being constructed.
std::uint64_t first_jec = 0;

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

TEST_CASE("sleep: no wake-up is missed when the jobs-event counter wraps around") {
  TestWatchdog dog;
  Random random(6);
  const Deadline deadline;
  std::uint64_t pools = 0;
  while (!deadline.passed()) {
    const std::size_t size = random.one_in(16) ? 64 : random.one_in(4) ? 8 : random.between(2, 3);
    const std::uint64_t before = random.below(kSteps);
    first_jec = (kValues - before) % kValues;
    CAPTURE(size);
    CAPTURE(before);
    blitz::BasicThreadPool<WrappingPolicy> pool({.num_threads = size});
    dog.watch(pool);
    const auto& idle = blitz_test::registry_of(pool).idle();
    CHECK(idle.counters().jec() == first_jec);
    // Each time that all workers fall asleep after some work, the counter advances by one or two steps.
    const Deadline too_late(stress_time() + std::chrono::seconds(30));
    while ((idle.counters().jec() + kSteps) % kValues < 2 * kSteps) {
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
