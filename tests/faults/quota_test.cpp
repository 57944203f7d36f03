// A CPU quota of a control group, enforced by the kernel: the number of threads that a pool has under it, and pools that are
// throttled at arbitrary moments. Skipped (77) if no such group can be created: that usually needs root.
// unit/sys/cpu_count_test.cpp tests the reading of quotas on any machine, with imitated kernel files.
#include <cstdio>
#include <cstdlib>

#include <doctest/doctest.h>

#include "blitz/detail/base/atomic.hpp"

#if defined(__linux__) && !defined(BLITZ_PORTABLE)

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

#include <blitz/fork_join.hpp>

#include "blitz/detail/sys/cpu_count.hpp"
#include "faults/cpu_group.hpp"
#include "stress/detector.hpp"
#include "stress/stress.hpp"
#include "support/child_process.hpp"

using namespace blitz_test;
using namespace std::chrono_literals;

namespace {

constexpr auto kLifetime = 100s;

/// The group that children may enter.
std::unique_ptr<CpuGroup> group;

int expect_threads(std::size_t count) {
  const blitz::ThreadPool fork_join;
  const blitz::AsyncThreadPool async;
  return fork_join.num_threads() == count && async.num_threads() == count ? 0 : 1;
}

/// Uses a pool under a quota: no job and no wake-up is lost.
template <class Pool>
int work(std::chrono::milliseconds time, std::uint64_t stream) {
  Watchdog dog("a child under a quota");
  Random random(stream);
  Pool pool({.num_threads = 4});
  dog.watch(pool);
  std::uint64_t rounds = 0;
  for (const Deadline deadline(time); !deadline.passed(); ++rounds) {
    detect_from_one_thread(pool, dog, random);
    std::atomic<std::uint64_t> sum{0};
    blitz::parallel_for({.pool = &pool}, std::uint64_t{0}, std::uint64_t{200}, [&](std::uint64_t i) {
      if (i % 50 == 0) spin_for(100us);
      sum += i;
    });
    if (sum != 199 * 100) return 2;
    pool.scope([&](blitz::Scope& scope) {
      for (int i = 0; i < 20; ++i) scope.spawn([&] { ++sum; });
    });
    if (sum != 199 * 100 + 20) return 3;
  }
  return rounds > 0 ? 0 : 4;
}

}  // namespace

TEST_CASE("quota: a pool has as many threads as the quota has processors") {
  ::unsetenv("BLITZ_NUM_THREADS");
  const std::size_t without = std::max<std::size_t>(blitz::detail::available_cpus(), 1);
  const auto threads_in_group = [&](std::size_t count) {
    return wait_for(start_child([&] { return group->enter() ? expect_threads(count) : 5; }, kLifetime));
  };
  CHECK(threads_in_group(without) == 0);
  REQUIRE(group->set_quota(0.5));
  CHECK(threads_in_group(1) == 0);
  REQUIRE(group->set_quota(1.0));
  CHECK(threads_in_group(1) == 0);
  // Rounded up.
  REQUIRE(group->set_quota(1.5, 20ms));
  CHECK(threads_in_group(std::min<std::size_t>(without, 2)) == 0);
  REQUIRE(group->set_quota(1000));
  CHECK(threads_in_group(without) == 0);

  // The global pool, and pools that are created before and after the quota changes.
  REQUIRE(group->set_quota(0.5));
  const int status = wait_for(start_child(
      [&] {
        if (!group->enter()) return 5;
        const blitz::ThreadPool before;
        if (blitz::current_num_threads() != 1) return 6;
        if (!group->set_no_quota()) return 5;
        if (before.num_threads() != 1 || blitz::current_num_threads() != 1) return 7;
        return expect_threads(without);
      },
      kLifetime));
  CHECK(status == 0);
}

TEST_CASE_TEMPLATE("quota: a throttled pool works while its quota changes", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  Random random(80);
  const std::uint64_t throttled_before = group->times_throttled();
  REQUIRE(group->set_quota(0.2, 5ms));
  const std::uint64_t stream = random.next();
  const pid_t child = start_child([&] { return group->enter() ? work<Pool>(2000ms, stream) : 5; }, kLifetime);
  for (int i = 0; i < 200; ++i) {
    // The kernel's minimum is one millisecond, for a period and for the quota in it.
    const auto period = std::chrono::milliseconds(random.between(2, 20));
    const double least = 1ms / std::chrono::duration<double, std::milli>(period);
    const double quota = least + static_cast<double>(random.below(50)) / 100;
    CHECK((random.one_in(8) ? group->set_no_quota() : group->set_quota(quota, period)));
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(20'000)));
  }
  CHECK(group->set_no_quota());
  CHECK(wait_for(child) == 0);
  const std::uint64_t times = group->times_throttled() - throttled_before;
  CHECK(times > 20);
  MESSAGE("throttled in " << times << " periods");
}

int main(int argc, char** argv) {
  group = CpuGroup::make();
  if (group == nullptr) {
    std::printf("skipped: this process cannot make a control group with a CPU quota\n");
    return 77;
  }
  const int status = doctest::Context(argc, argv).run();
  group.reset();
  return status;
}

#else

int main() {
  std::printf("skipped: there are no control groups here\n");
  return 77;
}

#endif
