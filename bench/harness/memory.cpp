#include "bench/harness/memory.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

#include "bench/harness/clock.hpp"
#include "bench/harness/setup.hpp"

namespace bench {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// A field of /proc/self/status in kibibytes, as bytes.
double status_bytes(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stod(line.substr(field.size())) * 1024;
  }
  return kUnknown;
}

/// Sets the process's high-water mark to its resident memory: 5, in proc_pid_clear_refs(5).
bool reset_high_water_mark() {
  std::ofstream clear_refs("/proc/self/clear_refs");
  return static_cast<bool>((clear_refs << '5').flush());
}

double measure_here(const Entry& entry, unsigned threads, Scale scale) {
  Setup setup(scale);
  const Bound bound = setup.bind(entry, threads);
  wait_until_quiet();  // until the threads have touched their stacks
  double growth = kUnknown;
  bound.peer->session([&] {
    if (!reset_high_water_mark()) return;
    const double before = status_bytes("VmRSS:");
    bound.run();
    growth = std::max(status_bytes("VmHWM:") - before, 0.0);
  });
  return growth;
}

/// Ends the forked process without the destructors and buffers that belong to its parent.
[[noreturn]] void measure_and_exit(int result, const Entry& entry, unsigned threads, Scale scale) {
  try {
    const double growth = measure_here(entry, threads, scale);
    _exit(write(result, &growth, sizeof growth) == sizeof growth ? 0 : 1);
  } catch (...) {
    _exit(1);
  }
}

}  // namespace

bool peak_memory_is_known() { return reset_high_water_mark(); }

double peak_bytes(const Entry& entry, unsigned threads, Scale scale) {
  int ends[2];
  if (pipe(ends) != 0) return kUnknown;
  const pid_t child = fork();
  if (child == 0) measure_and_exit(ends[1], entry, threads, scale);
  close(ends[1]);
  double growth = kUnknown;
  if (child == -1 || read(ends[0], &growth, sizeof growth) != sizeof growth) growth = kUnknown;
  close(ends[0]);
  while (child != -1 && waitpid(child, nullptr, 0) == -1 && errno == EINTR) continue;
  return growth;
}

}  // namespace bench
