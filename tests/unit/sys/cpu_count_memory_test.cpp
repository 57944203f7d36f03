#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/sys/cpu_count.hpp"
#include "blitz/detail/sys/topology.hpp"
#include "support/fail_each.hpp"
#include "support/failing_new.hpp"
#include "support/fake_root.hpp"

using blitz::detail::available_cpus;
using namespace blitz_test;

TEST_CASE("cpu_count: without memory it reports no limit and never a wrong one") {
  FakeRoot root;
  root.own_groups("0::/a\n").mounts("30 20 0:25 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
  root.file("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  const std::optional<double> limit = 1.5;
  REQUIRE(root.limit() == limit);
  if (!allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  std::size_t unknown = 0;
  const std::size_t failures = fail_each([&](std::size_t nth) {
    fail_allocation_after(nth);
    const std::optional<double> found = root.limit();
    const bool failed = stop_failing();
    if (found) {
      CHECK(found == limit);
    } else {
      CHECK(failed);
      ++unknown;
    }
    return failed;
  });
  CHECK(failures > 0);
  CHECK(unknown > 0);
}

TEST_CASE("cpu_count: without memory for the affinity mask it reports one processor") {
  if (!allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
#if defined(__linux__) && !defined(BLITZ_PORTABLE)
  const std::size_t without_quota = blitz::detail::allowed_processors().count;
#else
  const std::size_t without_quota = std::max(std::thread::hardware_concurrency(), 1U);
#endif
  const std::size_t failures = fail_each([&](std::size_t nth) {
    fail_allocation_after(nth);
    const std::size_t count = available_cpus();
    const bool failed = stop_failing();
    CHECK(count >= 1);
    CHECK(count <= without_quota);
#if defined(__linux__) && !defined(BLITZ_PORTABLE)
    if (nth == 0) CHECK(count == 1);
#endif
    return failed;
  });
  CHECK(failures > 0);
}

TEST_CASE("topology: without memory it throws bad_alloc, or takes each processor once") {
  if (!allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  FakeRoot root;
  root.file("sys/devices/system/node/online", "0\n").file("sys/devices/system/node/node0/cpulist", "0-2\n");
  for (const char* const processor : {"cpu0", "cpu1", "cpu2"}) {
    const std::string folder = std::string("sys/devices/system/cpu/") + processor;
    root.file(folder + "/topology/thread_siblings_list", "0-2\n");
    root.file(folder + "/cache/index0/level", "3\n").file(folder + "/cache/index0/shared_cpu_list", "0-2\n");
  }
  const std::vector<unsigned> numbers{0, 1, 2};
  const auto processors = blitz::detail::processors_of(numbers.data(), numbers.size());
  const std::size_t failures = fail_each([&](std::size_t nth) {
    fail_allocation_after(nth);
    blitz::detail::Processors order;
    bool threw = false;
    try {
      order = blitz::detail::spread(processors, root.path());
    } catch (const std::bad_alloc&) {
      threw = true;
    }
    const bool failed = stop_failing();
    CHECK(threw == (order.count == 0));
    if (!threw) CHECK(std::is_permutation(order.begin(), order.end(), numbers.begin(), numbers.end()));
    return failed;
  });
  CHECK(failures > 0);
}
