#include "bench/harness/clock.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <time.h>

#include "bench/harness/statistics.hpp"

namespace bench {
namespace {

double read(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double other_threads_cpu_seconds() { return process_cpu_seconds() - thread_cpu_seconds(); }

}  // namespace

double clock_cost() {
  std::vector<double> sample(1000);
  for (auto& s : sample) {
    const auto start = Clock::now();
    s = seconds(Clock::now() - start);
  }
  return middle_mean(std::move(sample));
}

// Linux adds the time that a thread has used on another processor at the ticks of that processor, up to 10 ms apart, or when
// the thread's clock is read.
double process_cpu_seconds() {
#ifdef __linux__
  constexpr unsigned kOfThread = 6;  // CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED; see clock_getcpuclockid(3)
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const auto id = static_cast<unsigned>(std::atoi(thread.path().filename().c_str()));
    read(static_cast<clockid_t>(~id << 3 | kOfThread));
  }
#endif
  return read(CLOCK_PROCESS_CPUTIME_ID);
}

double thread_cpu_seconds() { return read(CLOCK_THREAD_CPUTIME_ID); }

Quiet wait_until_quiet() {
  constexpr auto kWindow = std::chrono::milliseconds(4);
  constexpr int kPatience = 250;        // windows: one second
  constexpr double kQuietShare = 0.02;  // of one processor: napping and looking is quiet, spinning is not
  const double first = other_threads_cpu_seconds();
  double before = first;
  for (int i = 0; i < kPatience; ++i) {
    const auto start = Clock::now();
    std::this_thread::sleep_for(kWindow);
    const double now = other_threads_cpu_seconds();
    if (now - before < kQuietShare * seconds(Clock::now() - start)) return {std::max(0.0, now - first), true};
    before = now;
  }
  return {before - first, false};
}

}  // namespace bench
