// The limits of control groups, as read from files.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "blitz/detail/sys/cpu_count.hpp"

namespace blitz::detail {
namespace {

namespace stdfs = std::filesystem;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// One of the two hierarchies that can carry a CPU quota: v2, and v1 with the cpu controller.
struct Hierarchy {
  /// The directory `mount_point` shows the group `group` and its descendants.
  struct Mount {
    stdfs::path group;
    stdfs::path mount_point;
  };

  std::vector<Mount> mounts;
  std::optional<stdfs::path> own_group;  // of this process
};

struct Hierarchies {
  Hierarchy v1_cpu;
  Hierarchy v2;
};

/// Splits into at most `most` parts; the last one contains the rest.
std::vector<std::string> split(const std::string& text, char separator, std::size_t most = std::string::npos) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator && parts.size() < most) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool has_cpu(const std::string& controllers) {
  const std::vector<std::string> parts = split(controllers, ',');
  return std::find(parts.begin(), parts.end(), "cpu") != parts.end();
}

/// The kernel writes space, tab, newline and backslash in mountinfo as three octal digits: "\040".
std::string unescape(const std::string& text) {
  std::string result;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end; ++at) {
    unsigned code = 0;
    if (*at == '\\' && end - at >= 4 && std::from_chars(at + 1, at + 4, code, 8).ptr == at + 4) {
      result += static_cast<char>(code);
      at += 3;
    } else {
      result += *at;
    }
  }
  return result;
}

/// A line: "ID PARENT MAJOR:MINOR ROOT MOUNT_POINT OPTIONS [TAG]... - TYPE SOURCE SUPER_OPTIONS", see proc(5).
void read_mounts(const stdfs::path& file, Hierarchies& found) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 4) continue;
    const bool is_v2 = dash[1] == "cgroup2";
    if (!is_v2 && (dash[1] != "cgroup" || !has_cpu(dash[3]))) continue;
    (is_v2 ? found.v2 : found.v1_cpu).mounts.push_back({unescape(fields[3]), unescape(fields[4])});
  }
}

/// A line: "ID:CONTROLLER,...:GROUP"; v2 has no controllers and the id 0. See cgroups(7).
void read_own_groups(const stdfs::path& file, Hierarchies& found) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> fields = split(line, ':', 3);
    if (fields.size() < 3) continue;
    if (fields[0] == "0" && fields[1].empty()) {
      found.v2.own_group = fields[2];
    } else if (has_cpu(fields[1])) {
      found.v1_cpu.own_group = fields[2];
    }
  }
}

/// "max" (v2) and "-1" (v1) are no limit.
double quota_over_period(std::istream& quota, std::istream& period) {
  std::int64_t numerator = 0;
  std::int64_t denominator = 0;
  if (!(quota >> numerator) || !(period >> denominator) || numerator <= 0 || denominator <= 0) return kNoLimit;
  return static_cast<double>(numerator) / static_cast<double>(denominator);
}

double v2_limit(const stdfs::path& directory) {
  std::ifstream in(directory / "cpu.max");
  return quota_over_period(in, in);
}

double v1_limit(const stdfs::path& directory) {
  std::ifstream quota(directory / "cpu.cfs_quota_us");
  std::ifstream period(directory / "cpu.cfs_period_us");
  return quota_over_period(quota, period);
}

double limit_in(const Hierarchy& hierarchy, const stdfs::path& root, double (*limit_of)(const stdfs::path& directory)) {
  double limit = kNoLimit;
  if (!hierarchy.own_group) return limit;
  bool found = false;
  for (const Hierarchy::Mount& mount : hierarchy.mounts) {
    const stdfs::path below = hierarchy.own_group->lexically_relative(mount.group);
    // A ".." leads out of the mount, or of this process's cgroup namespace.
    if (below.empty() || std::find(below.begin(), below.end(), "..") != below.end()) continue;
    found = true;
    stdfs::path group = root / mount.mount_point.relative_path();
    limit = std::min(limit, limit_of(group));
    for (const stdfs::path& part : below) limit = std::min(limit, limit_of(group /= part));
  }
  if (found) return limit;
  // In a container, /proc may have the host's group names, while the mount shows only the container's own group.
  for (const Hierarchy::Mount& mount : hierarchy.mounts) {
    limit = std::min(limit, limit_of(root / mount.mount_point.relative_path()));
  }
  return limit;
}

}  // namespace

std::optional<double> cgroup_cpu_limit(const std::filesystem::path& root) noexcept try {
  Hierarchies found;
  read_mounts(root / "proc/self/mountinfo", found);
  read_own_groups(root / "proc/self/cgroup", found);
  const double limit = std::min(limit_in(found.v2, root, v2_limit), limit_in(found.v1_cpu, root, v1_limit));
  return limit != kNoLimit ? std::optional(limit) : std::nullopt;
} catch (...) {
  return std::nullopt;
}

}  // namespace blitz::detail
