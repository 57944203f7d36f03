#include "support/watchdog.hpp"

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/seed.hpp"

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__GLIBC__)
#include <execinfo.h>
#endif

namespace blitz_test {
namespace {

using namespace std::chrono_literals;

double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

struct ThreadView {
  long id;
  std::string name;
  char state;           // R: runs or could run; S, D, ...: blocked
  std::string waits;    // where in the kernel
  std::string syscall;  // number and arguments
};

/// One line of text, or nothing where it cannot be read.
std::string read_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Every thread but the caller; none where the system does not tell.
std::vector<ThreadView> other_threads() {
  std::vector<ThreadView> threads;
#if defined(__linux__)
  const long self = ::syscall(SYS_gettid);
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/task", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::filesystem::path path = entry->path();
    const long id = std::atol(path.filename().c_str());
    if (id == self) continue;
    // The state follows the name, which is in brackets and may itself contain some.
    const std::string stat = read_line(path / "stat");
    const std::size_t bracket = stat.rfind(')');
    if (bracket == std::string::npos || bracket + 2 >= stat.size()) continue;
    threads.push_back(
        {id, read_line(path / "comm"), stat[bracket + 2], read_line(path / "wchan"), read_line(path / "syscall")});
  }
#endif
  return threads;
}

/// Whether nobody but the caller ran during a fifth of a second.
bool all_blocked() {
  const std::chrono::nanoseconds before = process_cpu_time();
  for (int sample = 0; sample < 20; ++sample) {
    for (const ThreadView& thread : other_threads()) {
      if (thread.state == 'R') return false;
    }
    std::this_thread::sleep_for(10ms);
  }
  // Reading the states costs something too, more in an instrumented program.
  return process_cpu_time() - before < 150ms;
}

#if defined(__GLIBC__) && defined(__linux__)

std::atomic<bool> stack_printed{false};

void print_own_stack(int /*signal*/) {
  void* frames[64];
  ::backtrace_symbols_fd(frames, ::backtrace(frames, 64), STDERR_FILENO);
  stack_printed.store(true);
}

/// SIGPROF, because a pool's threads block all signals that are not made by a fault, except this one.
void print_stack_of(long thread) {
  struct sigaction action = {};
  action.sa_handler = print_own_stack;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGPROF, &action, nullptr);
  stack_printed.store(false);
  if (::syscall(SYS_tgkill, ::getpid(), thread, SIGPROF) != 0) return;
  for (int i = 0; i < 100 && !stack_printed.load(); ++i) std::this_thread::sleep_for(5ms);
}

/// The first backtrace of a program loads a library, which a signal handler must not.
void prepare_stacks() {
  void* frame;
  ::backtrace(&frame, 1);
}

#else

void print_stack_of(long /*thread*/) {}
void prepare_stacks() {}

#endif

}  // namespace

#if defined(CLOCK_PROCESS_CPUTIME_ID)
namespace {

std::chrono::nanoseconds read_clock(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace
#endif

std::chrono::nanoseconds process_cpu_time() {
#if defined(CLOCK_PROCESS_CPUTIME_ID)
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
#else
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(static_cast<double>(std::clock()) / CLOCKS_PER_SEC));
#endif
}

std::chrono::nanoseconds cpu_time_of_others() {
#if defined(CLOCK_PROCESS_CPUTIME_ID) && defined(CLOCK_THREAD_CPUTIME_ID)
  return process_cpu_time() - read_clock(CLOCK_THREAD_CPUTIME_ID);
#else
  return {};
#endif
}

std::size_t count_threads() {
  std::error_code error;
  const std::filesystem::directory_iterator entries("/proc/self/task", error);
  return error ? 0 : static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

Watchdog::Watchdog(std::string test, std::chrono::milliseconds patience) : test_(std::move(test)), patience_(patience) {
  prepare_stacks();
  thread_ = std::thread([this] { run(); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::add(Report report) {
  const std::lock_guard lock(mutex_);
  std::erase_if(reports_, [](const Report& old) { return !old(false); });
  reports_.push_back(std::move(report));
}

void Watchdog::run() {
  std::uint64_t steps = 0;
  auto since = Clock::now();
  std::chrono::nanoseconds cpu = process_cpu_time();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, patience_ / 4, [this] { return over_; })) {
    const std::uint64_t now_steps = steps_.load(std::memory_order_relaxed);
    const auto now = Clock::now();
    if (now_steps != steps) {
      steps = now_steps;
      since = now;
      cpu = process_cpu_time();
    } else if (now - since >= patience_) {
      const bool blocked = all_blocked() && steps_.load(std::memory_order_relaxed) == steps;
      if (blocked || now - since >= 4 * patience_) bark(steps, now - since, process_cpu_time() - cpu, blocked);
    }
  }
}

void Watchdog::print_counters(unsigned sleeping, unsigned inactive, std::uint32_t jec) {
  std::fprintf(stderr, "pool: sleeping %u, inactive %u, jobs-event counter %" PRIu32 " (%s)\n", sleeping, inactive, jec,
               jec % 2 == 0 ? "sleepy" : "active");
}

void Watchdog::print_workers(const blitz::ThreadPoolStats& stats, bool injector_empty) {
  std::fprintf(stderr, "pool: %zu workers, injector %s\n", stats.workers.size(),
               injector_empty ? "empty" : "NOT EMPTY");
  std::fprintf(stderr, "  worker   executed     pushed     stolen      tried   injected      slept      woken\n");
  std::size_t index = 0;
  for (const blitz::WorkerStats& w : stats.workers) {
    std::fprintf(stderr,
                 "  %6zu %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64
                 "\n",
                 index++, w.jobs_executed, w.jobs_pushed, w.jobs_stolen, w.steals_tried, w.injected_taken,
                 w.times_slept, w.times_woken);
  }
}

void Watchdog::print_queue(std::size_t worker, std::size_t size) {
  if (size > 0) std::fprintf(stderr, "  worker %zu has %zu JOBS IN ITS QUEUE\n", worker, size);
}

/// With the mutex held.
void Watchdog::bark(std::uint64_t steps, std::chrono::nanoseconds stalled, std::chrono::nanoseconds cpu, bool blocked) {
  std::fprintf(stderr,
               "\n=== watchdog: no progress for %.1f s in \"%s\", after %" PRIu64 " steps; BLITZ_TEST_SEED=%" PRIu64
               "\n%s; %.3f s of CPU time meanwhile\n",
               seconds(stalled), test_.c_str(), steps, test_seed(),
               blocked ? "ALL THREADS ARE BLOCKED: a wake-up was lost" : "SOME THREADS RUN: a livelock, or very slow",
               seconds(cpu));
  for (const Report& report : reports_) report(true);
  for (const ThreadView& thread : other_threads()) {
    std::fprintf(stderr, "thread %ld %s: state %c, in %s, syscall %s\n", thread.id, thread.name.c_str(), thread.state,
                 thread.waits.c_str(), thread.syscall.c_str());
    std::fflush(stderr);
    print_stack_of(thread.id);
  }
  std::fflush(stderr);
  std::abort();
}

}  // namespace blitz_test
