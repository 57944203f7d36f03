/// A control group for a test, with a CPU quota that the kernel enforces. Linux only; needs permission to create a group.
#pragma once

#if defined(__linux__)

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace blitz_test {

/// A group below the group of this process, removed by the destructor. Its processes must have ended by then.
class CpuGroup {
 public:
  /// Null if no group can be created, or none with a quota.
  [[nodiscard]] static std::unique_ptr<CpuGroup> make() {
    for (const Place& place : places()) {
      std::unique_ptr<CpuGroup> group(new CpuGroup(place));
      if (group->exists_ && group->set_quota(1.0) && group->set_no_quota()) return group;
    }
    return nullptr;
  }
  CpuGroup(const CpuGroup&) = delete;
  CpuGroup& operator=(const CpuGroup&) = delete;
  ~CpuGroup() {
    std::error_code ignored;
    if (exists_) std::filesystem::remove(path_, ignored);
  }

  /// Moves the calling process into this group. False if the system refuses.
  [[nodiscard]] bool enter() const { return write("cgroup.procs", std::to_string(::getpid())); }

  /// Limits all threads of the group together to the time of `processors` processors in each period. False if the system
  /// refuses.
  [[nodiscard]] bool set_quota(double processors,
                               std::chrono::microseconds period = std::chrono::milliseconds(100)) const {
    const auto quota = std::to_string(static_cast<std::int64_t>(processors * static_cast<double>(period.count())));
    const auto length = std::to_string(period.count());
    if (v2_) return write("cpu.max", quota + " " + length);
    return write("cpu.cfs_period_us", length) && write("cpu.cfs_quota_us", quota);
  }
  [[nodiscard]] bool set_no_quota() const { return v2_ ? write("cpu.max", "max") : write("cpu.cfs_quota_us", "-1"); }

  /// The number of periods that ended with a thread waiting for the next one.
  [[nodiscard]] std::uint64_t times_throttled() const {
    std::ifstream file(path_ / "cpu.stat");
    std::string name;
    std::uint64_t value = 0;
    while (file >> name >> value) {
      if (name == "nr_throttled") return value;
    }
    return 0;
  }

 private:
  struct Place {
    std::filesystem::path parent;
    bool v2;
  };

  explicit CpuGroup(const Place& place)
      : path_(place.parent / ("blitz-test-" + std::to_string(::getpid()))), v2_(place.v2) {
    std::error_code error;
    exists_ = std::filesystem::create_directory(path_, error);
  }

  /// The mount points of the groups of this process: see proc(5) and cgroups(7).
  static std::vector<Place> places() {
    std::vector<Place> found;
    std::ifstream mounts("/proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line);) {
      std::istringstream fields(line);
      std::string skipped;
      std::string root;
      std::string mount_point;
      std::string type;
      std::string options;
      fields >> skipped >> skipped >> skipped >> root >> mount_point;
      while (fields >> skipped && skipped != "-") {
      }
      fields >> type >> skipped >> options;
      const bool v2 = type == "cgroup2";
      const bool v1_cpu = type == "cgroup" && ("," + options + ",").find(",cpu,") != std::string::npos;
      if (root != "/" || (!v2 && !v1_cpu)) continue;
      const std::filesystem::path own = mount_point + own_group(v2);
      found.push_back({own, v2});
      // A version 2 group that contains processes has no child groups with quotas.
      if (v2) found.push_back({own.parent_path(), v2});
    }
    return found;
  }

  static std::string own_group(bool v2) {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
      const std::size_t first = line.find(':');
      const std::size_t second = line.find(':', first + 1);
      const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
      if (v2 ? controllers == ",," : controllers.find(",cpu,") != std::string::npos) return line.substr(second + 1);
    }
    return "/";
  }

  [[nodiscard]] bool write(const char* name, const std::string& text) const {
    std::ofstream file(path_ / name);
    file << text << std::flush;
    return file.good();
  }

  std::filesystem::path path_;
  bool v2_;
  bool exists_ = false;
};

}  // namespace blitz_test

#endif
