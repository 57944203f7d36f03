#include "blitz/base/cpu_count.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if defined(__linux__) && !defined(BLITZ_PORTABLE)
#include <cerrno>

#include <sched.h>
#endif

namespace blitz::detail {
namespace {

namespace stdfs = std::filesystem;

std::optional<double> least(std::optional<double> a, std::optional<double> b) {
  if (a && b) return std::min(*a, *b);
  return a ? a : b;
}

/// A mount of a cgroup hierarchy: the directory `mount_point` shows the group `group` and its descendants.
struct Mount {
  stdfs::path group;
  stdfs::path mount_point;
};

/// One of the two hierarchies that can carry a CPU quota.
struct Hierarchy {
  std::vector<Mount> mounts;
  std::optional<stdfs::path> own_group;  // of this process
};

struct Hierarchies {
  Hierarchy v1_cpu;
  Hierarchy v2;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool contains(const std::vector<std::string_view>& parts, std::string_view wanted) {
  return std::find(parts.begin(), parts.end(), wanted) != parts.end();
}

/// The kernel writes space, tab, newline and backslash in mountinfo as three octal digits: "\040".
std::string unescape(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// A line: "ID PARENT MAJOR:MINOR ROOT MOUNT_POINT OPTIONS [TAG]... - TYPE SOURCE SUPER_OPTIONS", see proc(5).
void read_mounts(const stdfs::path& file, Hierarchies& found) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string_view> fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 4) continue;
    const std::string_view type = dash[1];
    const bool is_v2 = type == "cgroup2";
    const bool is_v1_cpu = type == "cgroup" && contains(split(dash[3], ','), "cpu");
    if (!is_v2 && !is_v1_cpu) continue;
    (is_v2 ? found.v2 : found.v1_cpu).mounts.push_back({unescape(fields[3]), unescape(fields[4])});
  }
}

/// A line: "ID:CONTROLLER,...:GROUP", where v2 has no controllers and the id 0, see cgroups(7).
void read_own_groups(const stdfs::path& file, Hierarchies& found) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    if (first == std::string::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (line.starts_with("0::")) {
      found.v2.own_group = group;
    } else if (contains(split(controllers, ','), "cpu")) {
      found.v1_cpu.own_group = group;
    }
  }
}

std::string read_word(std::istream& in) {
  std::string word;
  in >> word;
  return word;
}

std::optional<double> quota_over_period(std::string_view quota, std::string_view period) {
  const auto positive = [](std::string_view text) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value <= 0) return std::nullopt;
    return value;
  };
  const auto numerator = positive(quota);  // "max" (v2) and "-1" (v1) are no limit
  const auto denominator = positive(period);
  if (!numerator || !denominator) return std::nullopt;
  return static_cast<double>(*numerator) / static_cast<double>(*denominator);
}

std::optional<double> v2_limit(const stdfs::path& directory) {
  std::ifstream in(directory / "cpu.max");
  const std::string quota = read_word(in);
  return quota_over_period(quota, read_word(in));
}

std::optional<double> v1_limit(const stdfs::path& directory) {
  std::ifstream quota(directory / "cpu.cfs_quota_us");
  std::ifstream period(directory / "cpu.cfs_period_us");
  return quota_over_period(read_word(quota), read_word(period));
}

/// The path from `top` down to `group`; none if `group` is not below it. A ".." names a group outside this process's
/// cgroup namespace, which has no path here.
std::optional<stdfs::path> path_below(const stdfs::path& top, const stdfs::path& group) {
  if (top.empty()) return std::nullopt;
  const auto [top_rest, group_rest] = std::mismatch(top.begin(), top.end(), group.begin(), group.end());
  const bool same_but_slash = top_rest != top.end() && top_rest->empty() && std::next(top_rest) == top.end();
  if (top_rest != top.end() && !same_but_slash) return std::nullopt;
  stdfs::path below;
  for (auto part = group_rest; part != group.end(); ++part) {
    if (*part == "..") return std::nullopt;
    if (!part->empty()) below /= *part;
  }
  return below;
}

using LimitOf = std::optional<double> (*)(const stdfs::path& directory);

std::optional<double> limit_in(const Hierarchy& hierarchy, const stdfs::path& root, LimitOf limit_of) {
  if (!hierarchy.own_group) return std::nullopt;
  std::optional<double> limit;
  bool found = false;
  for (const Mount& mount : hierarchy.mounts) {
    const std::optional<stdfs::path> below = path_below(mount.group, *hierarchy.own_group);
    if (!below) continue;
    found = true;
    const stdfs::path top = root / mount.mount_point.relative_path();
    for (stdfs::path group = *below; !group.empty(); group = group.parent_path()) {
      limit = least(limit, limit_of(top / group));
    }
    limit = least(limit, limit_of(top));
  }
  if (found) return limit;
  // In a container whose /proc has the host's group names, while its mount shows only the container's own group.
  for (const Mount& mount : hierarchy.mounts) {
    limit = least(limit, limit_of(root / mount.mount_point.relative_path()));
  }
  return limit;
}

}  // namespace

Processors allowed_processors() {
  std::vector<unsigned> allowed;
#if defined(__linux__) && !defined(BLITZ_PORTABLE)
  // The kernel answers EINVAL if the mask is shorter than its own, whose length it does not tell.
  constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);
  constexpr std::size_t kMostWords = std::size_t{1} << 16;
  for (std::size_t words = 16; words <= kMostWords; words *= 2) {
    std::vector<unsigned long> mask(words);
    if (sched_getaffinity(0, words * sizeof(unsigned long), reinterpret_cast<cpu_set_t*>(mask.data())) == 0) {
      for (std::size_t processor = 0; processor < words * kWordBits; ++processor) {
        const bool in_mask = (mask[processor / kWordBits] >> (processor % kWordBits) & 1) != 0;
        if (in_mask) allowed.push_back(static_cast<unsigned>(processor));
      }
      break;
    }
    if (errno != EINVAL) break;
  }
#endif
  Processors processors{std::make_unique<unsigned[]>(allowed.size()), allowed.size()};
  std::copy(allowed.begin(), allowed.end(), processors.numbers.get());
  return processors;
}

std::optional<double> cgroup_cpu_limit(const std::filesystem::path& root) noexcept try {
  Hierarchies found;
  read_mounts(root / "proc/self/mountinfo", found);
  read_own_groups(root / "proc/self/cgroup", found);
  return least(limit_in(found.v2, root, v2_limit), limit_in(found.v1_cpu, root, v1_limit));
} catch (...) {
  return std::nullopt;
}

std::size_t combine_cpu_limits(std::size_t affinity, std::optional<double> quota) noexcept {
  std::size_t count = affinity;
  if (quota && *quota < static_cast<double>(affinity)) count = static_cast<std::size_t>(std::ceil(*quota));
  return std::max<std::size_t>(count, 1);
}

std::size_t available_cpus() noexcept try {
  const std::size_t allowed = allowed_processors().count;
  return combine_cpu_limits(allowed != 0 ? allowed : std::thread::hardware_concurrency(), cgroup_cpu_limit("/"));
} catch (...) {
  return 1;
}

}  // namespace blitz::detail
