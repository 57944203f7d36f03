#include "blitz/detail/sys/cpu_count.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/sys/windows.hpp"
#include "support/fake_root.hpp"
#include "unit/without_affinity.hpp"

#if defined(__linux__)
#include <errno.h>
#include <sched.h>
#endif

using blitz::detail::allowed_processors;
using blitz::detail::available_cpus;
using blitz::detail::cgroup_cpu_limit;
using blitz::detail::combine_cpu_limits;
using blitz_test::FakeRoot;

namespace {

constexpr std::string_view kRootMount = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n";
constexpr std::string_view kV2Mount =
    "31 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr std::string_view kV1Mount =
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:11 master:3 - cgroup cgroup rw,cpu,cpuacct\n";

std::string lines(std::initializer_list<std::string_view> parts) {
  std::string result;
  for (const std::string_view part : parts) result += part;
  return result;
}

}  // namespace

TEST_CASE("cpu_count: there is no limit without files") {
  const FakeRoot root;
  CHECK(root.limit() == std::nullopt);
  CHECK(cgroup_cpu_limit(root.path() / "missing") == std::nullopt);
  CHECK(cgroup_cpu_limit("") == std::nullopt);
}

TEST_CASE("cpu_count: reads the least limit of a v2 group and its ancestors") {
  FakeRoot root;
  root.own_groups("0::/user.slice/app.scope\n").mounts(lines({kRootMount, kV2Mount}));

  SUBCASE("no cpu.max anywhere") { CHECK(root.limit() == std::nullopt); }
  SUBCASE("own group") {
    root.file("sys/fs/cgroup/user.slice/app.scope/cpu.max", "150000 100000\n");
    CHECK(root.limit() == 1.5);
  }
  SUBCASE("another period") {
    root.file("sys/fs/cgroup/user.slice/app.scope/cpu.max", "20000 10000\n");
    CHECK(root.limit() == 2.0);
  }
  SUBCASE("max is no limit") {
    root.file("sys/fs/cgroup/user.slice/app.scope/cpu.max", "max 100000\n");
    CHECK(root.limit() == std::nullopt);
  }
  SUBCASE("an ancestor allows less") {
    root.file("sys/fs/cgroup/user.slice/app.scope/cpu.max", "400000 100000\n");
    root.file("sys/fs/cgroup/user.slice/cpu.max", "300000 100000\n");
    CHECK(root.limit() == 3.0);
  }
  SUBCASE("an ancestor allows more") {
    root.file("sys/fs/cgroup/user.slice/app.scope/cpu.max", "200000 100000\n");
    root.file("sys/fs/cgroup/user.slice/cpu.max", "300000 100000\n");
    CHECK(root.limit() == 2.0);
  }
  SUBCASE("the mount point counts, and nothing above it") {
    root.file("sys/fs/cgroup/cpu.max", "500000 100000\n");
    root.file("sys/fs/cpu.max", "100000 100000\n");
    CHECK(root.limit() == 5.0);
  }
  SUBCASE("siblings and children do not count") {
    root.file("sys/fs/cgroup/user.slice/other.scope/cpu.max", "100000 100000\n");
    root.file("sys/fs/cgroup/user.slice/app.scope/child/cpu.max", "100000 100000\n");
    CHECK(root.limit() == std::nullopt);
  }
  SUBCASE("garbage is no limit") {
    for (const std::string_view garbage :
         {"", "\n", "100000", "banana 100000\n", "100000 banana\n", "100000x 100000\n", "0 100000\n", "100000 0\n",
          "-5 100000\n", "100000 -5\n", "99999999999999999999999 100000\n", "\x00\xff"}) {
      CAPTURE(garbage);
      root.file("sys/fs/cgroup/user.slice/app.scope/cpu.max", garbage);
      CHECK(root.limit() == std::nullopt);
    }
  }
  SUBCASE("garbage in one group does not hide another's limit") {
    root.file("sys/fs/cgroup/user.slice/app.scope/cpu.max", "banana\n");
    root.file("sys/fs/cgroup/user.slice/cpu.max", "300000 100000\n");
    CHECK(root.limit() == 3.0);
  }
  SUBCASE("a mount of no group is taken as it is") {
    root.mounts("31 23 0:26  /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
    root.file("sys/fs/cgroup/cpu.max", "300000 100000\n");
    CHECK(root.limit() == 3.0);
  }
  SUBCASE("a directory where a file should be") {
    std::filesystem::create_directories(root.path() / "sys/fs/cgroup/user.slice/app.scope/cpu.max");
    CHECK(root.limit() == std::nullopt);
  }
}

TEST_CASE("cpu_count: reads the limit at the root of a v2 hierarchy") {
  FakeRoot root;
  root.own_groups("0::/\n").mounts(kV2Mount);
  root.file("sys/fs/cgroup/cpu.max", "250000 100000\n");
  CHECK(root.limit() == 2.5);
}

TEST_CASE("cpu_count: reads the least limit of a v1 group and its ancestors") {
  FakeRoot root;
  root.own_groups("5:memory:/elsewhere\n4:cpu,cpuacct:/batch/job\n").mounts(lines({kRootMount, kV1Mount}));

  SUBCASE("own group") {
    root.v1_quota("sys/fs/cgroup/cpu,cpuacct/batch/job", "350000\n");
    CHECK(root.limit() == 3.5);
  }
  SUBCASE("-1 is no limit") {
    root.v1_quota("sys/fs/cgroup/cpu,cpuacct/batch/job", "-1\n");
    CHECK(root.limit() == std::nullopt);
  }
  SUBCASE("the least over the ancestors") {
    root.v1_quota("sys/fs/cgroup/cpu,cpuacct/batch/job", "-1\n");
    root.v1_quota("sys/fs/cgroup/cpu,cpuacct/batch", "200000\n");
    root.v1_quota("sys/fs/cgroup/cpu,cpuacct", "900000\n");
    CHECK(root.limit() == 2.0);
  }
  SUBCASE("a quota without a period") {
    root.file("sys/fs/cgroup/cpu,cpuacct/batch/job/cpu.cfs_quota_us", "200000\n");
    CHECK(root.limit() == std::nullopt);
  }
  SUBCASE("a v2 file in a v1 hierarchy means nothing") {
    root.file("sys/fs/cgroup/cpu,cpuacct/batch/job/cpu.max", "100000 100000\n");
    CHECK(root.limit() == std::nullopt);
  }
}

TEST_CASE("cpu_count: reads only the v1 hierarchy of the cpu controller") {
  FakeRoot root;
  root.own_groups("3:cpuset:/\n2:cpuacct:/\n1:name=systemd:/\n");
  root.mounts(
      "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "35 31 0:32 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n");
  root.v1_quota("sys/fs/cgroup/cpuset", "100000\n").v1_quota("sys/fs/cgroup/cpuacct", "100000\n");
  CHECK(root.limit() == std::nullopt);
}

TEST_CASE("cpu_count: a hybrid system has the least limit of both hierarchies") {
  FakeRoot root;
  root.own_groups("4:cpu,cpuacct:/a\n0::/b\n");
  root.mounts(lines({kV1Mount, "38 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"}));

  SUBCASE("v1 less") {
    root.v1_quota("sys/fs/cgroup/cpu,cpuacct/a", "100000\n");
    root.file("sys/fs/cgroup/unified/b/cpu.max", "200000 100000\n");
    CHECK(root.limit() == 1.0);
  }
  SUBCASE("v2 less") {
    root.v1_quota("sys/fs/cgroup/cpu,cpuacct/a", "300000\n");
    root.file("sys/fs/cgroup/unified/b/cpu.max", "200000 100000\n");
    CHECK(root.limit() == 2.0);
  }
  SUBCASE("the groups are not mixed up") {
    root.v1_quota("sys/fs/cgroup/cpu,cpuacct/b", "100000\n");
    root.file("sys/fs/cgroup/unified/a/cpu.max", "100000 100000\n");
    CHECK(root.limit() == std::nullopt);
  }
}

TEST_CASE("cpu_count: finds the group in a container with a partial mount") {
  FakeRoot root;

  SUBCASE("the process is in the mounted group") {
    root.own_groups("4:cpu:/docker/abc\n");
    root.mounts("33 31 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
    root.v1_quota("sys/fs/cgroup/cpu", "150000\n");
    CHECK(root.limit() == 1.5);
  }
  SUBCASE("the process is in a group below the mounted one") {
    root.own_groups("4:cpu:/docker/abc/inner\n");
    root.mounts("33 31 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
    root.v1_quota("sys/fs/cgroup/cpu", "350000\n").v1_quota("sys/fs/cgroup/cpu/inner", "250000\n");
    // The unshortened path names this group.
    root.v1_quota("sys/fs/cgroup/cpu/docker/abc/inner", "50000\n");
    CHECK(root.limit() == 2.5);
  }
  SUBCASE("a group whose name merely begins alike is not below") {
    root.own_groups("0::/docker/abcdef\n");
    root.mounts("33 31 0:30 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
    root.file("sys/fs/cgroup/cpu.max", "300000 100000\n").file("sys/fs/cgroup/def/cpu.max", "100000 100000\n");
    CHECK(root.limit() == 3.0);
  }
  SUBCASE("the path is not below the mount: the mount point itself") {
    root.own_groups("0::/kubepods/pod1\n");
    root.mounts("33 31 0:30 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
    root.file("sys/fs/cgroup/cpu.max", "200000 100000\n");
    CHECK(root.limit() == 2.0);
  }
  SUBCASE("a mount that shows the group beats one that does not") {
    root.own_groups("0::/a/b\n");
    root.mounts(
        "33 31 0:30 / /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n"
        "34 31 0:30 /other /mnt/other ro - cgroup2 cgroup2 rw\n");
    root.file("sys/fs/cgroup/a/b/cpu.max", "400000 100000\n").file("mnt/other/cpu.max", "100000 100000\n");
    CHECK(root.limit() == 4.0);
  }
  SUBCASE("a group outside the cgroup namespace is not sought through '..'") {
    root.own_groups("0::/../sibling\n").mounts(kV2Mount);
    root.file("sys/fs/cgroup/cpu.max", "300000 100000\n").file("sys/fs/sibling/cpu.max", "100000 100000\n");
    CHECK(root.limit() == 3.0);
  }
  SUBCASE("a mount whose root ends in a slash") {
    root.own_groups("0::/a/b\n").mounts("33 31 0:30 /a/ /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
    root.file("sys/fs/cgroup/b/cpu.max", "400000 100000\n");
    CHECK(root.limit() == 4.0);
  }
}

TEST_CASE("cpu_count: parses mountinfo with escapes and optional fields") {
  FakeRoot root;
  root.own_groups("0::/a b\n");

  SUBCASE("octal escapes") {
    root.mounts(R"(33 31 0:30 / /sys/fs/c\040group\134x rw - cgroup2 cgroup2 rw)"
                "\n");
    root.file("sys/fs/c group\\x/a b/cpu.max", "200000 100000\n");
    CHECK(root.limit() == 2.0);
  }
  SUBCASE("an escape in the mount's root") {
    root.mounts(R"(33 31 0:30 /a\040b /sys/fs/cgroup rw - cgroup2 cgroup2 rw)"
                "\n");
    root.file("sys/fs/cgroup/cpu.max", "300000 100000\n");
    CHECK(root.limit() == 3.0);
  }
  SUBCASE("a backslash that escapes nothing stands for itself") {
    root.mounts(R"(33 31 0:30 / /sys\09 rw - cgroup2 cgroup2 rw)"
                "\n");
    root.file("sys\\09/a b/cpu.max", "200000 100000\n");
    CHECK(root.limit() == 2.0);
  }
  SUBCASE("no, one and several optional fields") {
    for (const std::string_view tags : {"", "shared:1 ", "shared:1 master:2 propagate_from:3 unbindable "}) {
      CAPTURE(tags);
      root.mounts(lines({"33 31 0:30 / /sys/fs/cgroup rw ", tags, "- cgroup2 cgroup2 rw\n"}));
      root.file("sys/fs/cgroup/a b/cpu.max", "200000 100000\n");
      CHECK(root.limit() == 2.0);
    }
  }
  SUBCASE("lines without sense are skipped") {
    root.mounts(lines({"\n", "-\n", "- cgroup2\n", "1 2 3 4 5 6 7 8 9\n", "1 2 3 - cgroup2 cgroup2 rw\n",
                       "33 31 0:30 / /x rw - cgroup2\n", kV2Mount}));
    root.file("sys/fs/cgroup/a b/cpu.max", "200000 100000\n");
    CHECK(root.limit() == 2.0);
  }
}

TEST_CASE("cpu_count: skips malformed lines of /proc/self/cgroup") {
  FakeRoot root;
  root.mounts(kV2Mount).file("sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  root.own_groups("\n:\nabc\n7\n1:cpu\n0::/a\n");
  CHECK(root.limit() == 2.0);
}

TEST_CASE("cpu_count: rounds a quota up to at least one") {
  CHECK(combine_cpu_limits(8, std::nullopt) == 8);
  CHECK(combine_cpu_limits(8, 1.5) == 2);
  CHECK(combine_cpu_limits(8, 2.0) == 2);
  CHECK(combine_cpu_limits(8, 0.01) == 1);
  CHECK(combine_cpu_limits(8, 7.2) == 8);
  CHECK(combine_cpu_limits(8, 64.0) == 8);
  CHECK(combine_cpu_limits(8, std::numeric_limits<double>::max()) == 8);
  CHECK(combine_cpu_limits(0, std::nullopt) == 1);
  CHECK(combine_cpu_limits(0, 0.5) == 1);
}

TEST_CASE("cpu_count: this machine has between one processor and the standard library's number") {
  CHECK(available_cpus() >= 1);
  CHECK(available_cpus() <= std::max(1U, std::thread::hardware_concurrency()));
}

#if defined(__linux__) && !defined(BLITZ_PORTABLE)
TEST_CASE("cpu_count: counts the affinity mask of the calling thread") {
  const auto [numbers, length] = allowed_processors();
  const std::vector<unsigned> processors(numbers.get(), numbers.get() + length);
  REQUIRE_FALSE(processors.empty());
  CHECK(std::is_sorted(processors.begin(), processors.end()));
  CHECK(available_cpus() <= processors.size());

  for (const unsigned processor : {processors.front(), processors.back()}) {
    CAPTURE(processor);
    std::vector<unsigned> seen;
    std::size_t count = 0;
    std::thread([&] {
      cpu_set_t only;
      CPU_ZERO(&only);
      CPU_SET(processor, &only);
      if (sched_setaffinity(0, sizeof only, &only) != 0) return;
      const blitz::detail::Processors allowed = allowed_processors();
      seen.assign(allowed.begin(), allowed.end());
      count = available_cpus();
    }).join();
    CHECK(seen == std::vector<unsigned>{processor});
    CHECK(count == 1);
  }
}

TEST_CASE("cpu_count: uses the standard library's number within the quota if the mask is unknown") {
  // EINVAL means that the mask is too short, whatever its length.
  for (const int error : {EPERM, ENOSYS, EINVAL}) {
    CAPTURE(error);
    std::size_t processors = 7;
    std::size_t standard = 0;
    std::size_t count = 0;
    const bool called = blitz_test::call_without_affinity(error, [&] {
      processors = allowed_processors().count;
      standard = std::thread::hardware_concurrency();
      count = available_cpus();
    });
    if (!called) {
      MESSAGE("skipped: the system does not take a filter");
      return;
    }
    CHECK(processors == 0);
    CHECK(count == combine_cpu_limits(standard, cgroup_cpu_limit("/")));
  }
}
#elif defined(BLITZ_WINDOWS)
TEST_CASE("cpu_count: counts the affinity mask of the process") {
  DWORD_PTR before = 0;
  DWORD_PTR of_system = 0;
  REQUIRE(GetProcessAffinityMask(GetCurrentProcess(), &before, &of_system));
  const auto [numbers, length] = allowed_processors();
  const std::vector<unsigned> processors(numbers.get(), numbers.get() + length);
  REQUIRE_FALSE(processors.empty());
  CHECK(std::is_sorted(processors.begin(), processors.end()));
  CHECK(available_cpus() <= processors.size());
  if (before == 0) return;  // in several processor groups

  for (const unsigned processor : {processors.front(), processors.back()}) {
    CAPTURE(processor);
    REQUIRE(SetProcessAffinityMask(GetCurrentProcess(), DWORD_PTR{1} << processor % 64));
    const blitz::detail::Processors allowed = allowed_processors();
    CHECK(std::vector<unsigned>(allowed.begin(), allowed.end()) == std::vector<unsigned>{processor});
    CHECK(available_cpus() == 1);
    REQUIRE(SetProcessAffinityMask(GetCurrentProcess(), before));
  }
}

TEST_CASE("cpu_count: reads the rate of a job object") {
  constexpr std::uint32_t kEnable = 1;
  constexpr std::uint32_t kWeight = 2;
  constexpr std::uint32_t kHardCap = 4;
  constexpr std::uint32_t kMinMax = 16;
  using blitz::detail::job_cpu_limit;
  CHECK(job_cpu_limit(0, 5'000, 8) == std::nullopt);
  CHECK(job_cpu_limit(kHardCap, 5'000, 8) == std::nullopt);
  CHECK(job_cpu_limit(kEnable, 5'000, 8) == std::nullopt);  // only while others want the processors
  CHECK(job_cpu_limit(kEnable | kWeight, 5, 8) == std::nullopt);
  CHECK(job_cpu_limit(kEnable | kHardCap, 5'000, 8) == 4.0);
  CHECK(job_cpu_limit(kEnable | kHardCap, 10'000, 8) == 8.0);
  CHECK(job_cpu_limit(kEnable | kHardCap, 1'875, 8) == 1.5);
  CHECK(job_cpu_limit(kEnable | kMinMax, 2'500U << 16 | 1'250, 8) == 2.0);
}
#endif
