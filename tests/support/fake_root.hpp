/// A machine's root directory that contains only the files with the CPU quota that blitz reads.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "blitz/detail/sys/cpu_count.hpp"

namespace blitz_test {

/// The directory exists as long as the object.
class FakeRoot {
 public:
  FakeRoot() {
    std::random_device random;
    do {
      path_ = std::filesystem::temp_directory_path() / ("blitz-cpu-count-" + std::to_string(random()));
    } while (!std::filesystem::create_directory(path_));
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  FakeRoot& file(std::string_view path, std::string_view content) {
    const std::filesystem::path full = path_ / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << content;
    return *this;
  }
  FakeRoot& own_groups(std::string_view content) { return file("proc/self/cgroup", content); }
  FakeRoot& mounts(std::string_view content) { return file("proc/self/mountinfo", content); }

  FakeRoot& v1_quota(const std::string& group, std::string_view quota, std::string_view period = "100000\n") {
    return file(group + "/cpu.cfs_quota_us", quota).file(group + "/cpu.cfs_period_us", period);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::optional<double> limit() const { return blitz::detail::cgroup_cpu_limit(path_); }

 private:
  std::filesystem::path path_;
};

}  // namespace blitz_test
