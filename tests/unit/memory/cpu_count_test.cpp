#include "blitz/base/cpu_count.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <stdlib.h>

#include "fail_each.hpp"

using blitz::detail::available_cpus;
using blitz::detail::cgroup_cpu_limit;
using namespace blitz_test;

namespace {

namespace stdfs = std::filesystem;

/// A machine's root directory, where this process is in the group /a of cgroup v2, which has the quota 1.5.
class FakeRoot {
 public:
  FakeRoot() {
    std::string name = (stdfs::temp_directory_path() / "blitz-memory-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
    write("proc/self/mountinfo", "30 20 0:25 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
    write("proc/self/cgroup", "0::/a\n");
    write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  }
  ~FakeRoot() { stdfs::remove_all(path); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  stdfs::path path;

 private:
  void write(const stdfs::path& file, const std::string& text) {
    stdfs::create_directories((path / file).parent_path());
    std::ofstream(path / file) << text;
  }
};

}  // namespace

TEST_CASE("cpu_count: without memory to read the limit there is none, and never another") {
  const FakeRoot root;
  const std::optional<double> limit = 1.5;
  REQUIRE(cgroup_cpu_limit(root.path) == limit);
  std::size_t unknown = 0;
  fail_each([&](std::size_t nth) {
    fail_allocation_after(nth);
    const std::optional<double> found = cgroup_cpu_limit(root.path);
    const bool failed = stop_failing();
    CAPTURE(nth);
    if (found) {
      CHECK(found == limit);
    } else {
      CHECK(failed);
      ++unknown;
    }
    return failed;
  });
  if (allocations_can_fail()) CHECK(unknown > 0);
}

TEST_CASE("cpu_count: without memory for the affinity mask, one processor") {
  const std::size_t without_quota = std::max<std::size_t>(blitz::detail::allowed_processors().size(), 1);
  fail_each([&](std::size_t nth) {
    fail_allocation_after(nth);
    const std::size_t count = available_cpus();
    const bool failed = stop_failing();
    CAPTURE(nth);
    CHECK(count >= 1);
    CHECK(count <= without_quota);
#if defined(__linux__) && !defined(BLITZ_PORTABLE)
    if (nth == 0) CHECK(count == 1);
#endif
    return failed;
  });
}
