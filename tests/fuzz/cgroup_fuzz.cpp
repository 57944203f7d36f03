/// The kernel's files about the CPU quota with arbitrary contents: six files, separated by bytes 0xff.
///
/// The result is a quota that one of the files contains, or no quota.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blitz/detail/sys/cpu_count.hpp"
#include "fuzz.hpp"

using blitz_test::require;

namespace {

namespace stdfs = std::filesystem;

/// In the order of the input. Mounts may name other places, which do not exist.
constexpr std::array<const char*, 6> kFiles{"proc/self/cgroup", "proc/self/mountinfo", "g/cpu.max",
                                            "g/a/cpu.max",      "g/cpu.cfs_quota_us",  "g/cpu.cfs_period_us"};

/// A root directory that exists as long as the program.
class Root {
 public:
  Root() {
    std::string name = (stdfs::temp_directory_path() / "blitz-fuzz-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "a folder can be made");
    path_ = name;
    for (const char* const file : kFiles) stdfs::create_directories((path_ / file).parent_path());
  }
  ~Root() { stdfs::remove_all(path_); }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  /// Writes a new file each time: some file systems write a truncated file through to the disk.
  void write(const char* file, std::string_view content) {
    stdfs::remove(path_ / file);
    if (!content.empty()) std::ofstream(path_ / file, std::ios::binary) << content;
  }
  [[nodiscard]] const stdfs::path& path() const { return path_; }

 private:
  stdfs::path path_;
};

/// The runs of digits in a text, as numbers.
std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> numbers;
  constexpr std::string_view kDigits = "0123456789";
  for (std::size_t begin = 0; (begin = text.find_first_of(kDigits, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_not_of(kDigits, begin), text.size());
    const std::string digits(text.substr(begin, end - begin));
    numbers.push_back(std::strtod(digits.c_str(), nullptr));
    begin = end;
  }
  return numbers;
}

bool some_quotient(const std::vector<double>& quotas, const std::vector<double>& periods, double limit) {
  for (const double quota : quotas) {
    for (const double period : periods) {
      if (quota / period == limit) return true;
    }
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Root root;
  std::vector<std::string_view> contents = blitz_test::split(blitz_test::text_of(data, size), '\xff');
  contents.resize(kFiles.size());
  for (std::size_t i = 0; i < kFiles.size(); ++i) root.write(kFiles[i], contents[i]);

  const std::optional<double> limit = blitz::detail::cgroup_cpu_limit(root.path());
  if (limit) {
    require(std::isfinite(*limit) && *limit > 0, "a quota is a positive number");
    const bool is_there = some_quotient(numbers_in(contents[2]), numbers_in(contents[2]), *limit) ||
                          some_quotient(numbers_in(contents[3]), numbers_in(contents[3]), *limit) ||
                          some_quotient(numbers_in(contents[4]), numbers_in(contents[5]), *limit);
    require(is_there, "a quota is in one of the files", std::to_string(*limit));
  }
  for (const std::size_t processors : {1, 2, 64}) {
    const std::size_t count = blitz::detail::combine_cpu_limits(processors, limit);
    require(count >= 1 && count <= processors, "no more threads than processors, and one at least");
  }
  return 0;
}
