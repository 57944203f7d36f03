#include "support/watchdog.hpp"

#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "support/seed.hpp"

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__GLIBC__)
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#endif
#if defined(__GNUG__)
#include <cxxabi.h>
#endif

namespace blitz_test {
namespace {

using namespace std::chrono_literals;

/// The source name of a type; the mangled name if it cannot be demangled.
std::string demangled(const char* name) {
#if defined(__GNUG__)
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  if (status == 0) return text.get();
#endif
  return name;
}

double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

struct ThreadView {
  long id;
  std::string name;
  char state;           // R: running or runnable; S, D, ...: blocked
  double cpu;           // seconds of CPU time
  std::string waits;    // the kernel function that it waits in
  std::string syscall;  // number and arguments
};

#if defined(__linux__)
/// One line of text; empty if the file cannot be read.
std::string read_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// From the third field of /proc/PID/stat on: the fields 14 and 15, which count ticks in user mode and in the kernel.
double cpu_time_in(const std::string& stat) {
  std::istringstream fields(stat);
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0;
  double kernel = 0;
  fields >> user >> kernel;
  return (user + kernel) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}
#endif

/// All threads except the caller; none if the system does not report them.
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
    // The state follows the name, which is in brackets and may itself contain brackets.
    const std::string stat = read_line(path / "stat");
    const std::size_t bracket = stat.rfind(')');
    if (bracket == std::string::npos || bracket + 2 >= stat.size()) continue;
    threads.push_back({id, read_line(path / "comm"), stat[bracket + 2], cpu_time_in(stat.substr(bracket + 2)),
                       read_line(path / "wchan"), read_line(path / "syscall")});
  }
#endif
  return threads;
}

/// True if only the caller ran during a fifth of a second.
bool all_blocked() {
  const std::chrono::nanoseconds before = process_cpu_time();
  for (int sample = 0; sample < 20; ++sample) {
    for (const ThreadView& thread : other_threads()) {
      if (thread.state == 'R') return false;
    }
    std::this_thread::sleep_for(10ms);
  }
  // Reading the states takes CPU time, more in an instrumented program.
  return process_cpu_time() - before < 150ms;
}

#if defined(__GLIBC__) && defined(__linux__)

/// A thread's stack, written by the thread itself on request.
struct Stack {
  void* frames[64];
  int count;
};
Stack stack;
std::atomic<bool> stack_wanted{false};
std::atomic<bool> stack_written{false};

void write_own_stack(int /*signal*/) {
  if (!stack_wanted.exchange(false)) return;
  const int saved = errno;
  stack.count = ::backtrace(stack.frames, static_cast<int>(std::size(stack.frames)));
  stack_written.store(true);
  errno = saved;
}

/// SIGPROF, because a pool's threads block all signals except those of faults and this one. False if the thread does not
/// answer.
bool have_stack_written(long thread) {
  struct sigaction action = {};
  action.sa_handler = write_own_stack;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGPROF, &action, nullptr);
  stack_written.store(false);
  stack_wanted.store(true);
  if (::syscall(SYS_tgkill, ::getpid(), thread, SIGPROF) == 0) {
    for (int i = 0; i < 100 && !stack_written.load(); ++i) std::this_thread::sleep_for(5ms);
  }
  // If the thread has begun to write, wait for it.
  if (stack_wanted.exchange(false)) return false;
  while (!stack_written.load()) std::this_thread::sleep_for(5ms);
  return true;
}

/// Functions, files and lines, including inlined calls, if addr2line finds them in the program. For all others the backtrace of
/// the C library, which knows only exported names.
void print_stack_of(long thread) {
  if (!have_stack_written(thread)) {
    std::fprintf(stderr, "    (does not answer)\n");
    return;
  }
  std::string command = "addr2line -Cfipe /proc/" + std::to_string(::getpid()) + "/exe";
  for (int i = 1; i < stack.count; ++i) {  // Without the signal handler.
    Dl_info info{};
    link_map* object = nullptr;
    if (::dladdr1(stack.frames[i], &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0) continue;
    if (object->l_name[0] != '\0') continue;  // Not in the program itself.
    // The address of the call, not the return address.
    const auto address = reinterpret_cast<std::uintptr_t>(stack.frames[i]) - object->l_addr - 1;
    char text[32];
    std::snprintf(text, sizeof text, " 0x%" PRIxPTR, address);
    command += text;
  }
  bool named = false;
  if (std::FILE* const names = ::popen((command + " 2>/dev/null").c_str(), "r")) {
    char line[4096];
    while (std::fgets(line, sizeof line, names) != nullptr) {
      std::fprintf(stderr, "    %s", line);
      named = true;
    }
    ::pclose(names);
  }
  if (!named) ::backtrace_symbols_fd(stack.frames, stack.count, STDERR_FILENO);
}

/// The first backtrace of a program loads a library, which is not allowed in a signal handler.
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

bool threads_come_down_to(std::size_t count) {
  for (int i = 0; i < 1'000; ++i) {
    if (count_threads() <= count) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
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

void Watchdog::print(const PoolView& pool) {
  std::fprintf(stderr, "%s: %zu workers, %s; injector %s", demangled(pool.type).c_str(), pool.workers.size(),
               pool.idle.c_str(), pool.injector_empty ? "empty" : "NOT EMPTY");
  if (pool.max_concurrency < pool.workers.size()) std::fprintf(stderr, "; at most %zu at work", pool.max_concurrency);
  if (pool.all_stand_apart) std::fprintf(stderr, "; ALL STAND APART");
  if (pool.stopping) std::fprintf(stderr, "; being shut down");
  std::fprintf(stderr,
               "\n  worker   executed     pushed     stolen      tried   injected      slept      woken"
               "   detached      ended\n");
  std::size_t index = 0;
  for (const WorkerView& worker : pool.workers) {
    const blitz::WorkerStats& w = worker.stats;
    std::fprintf(stderr, "  %6zu", index++);
    for (const std::uint64_t count : {w.jobs_executed, w.jobs_pushed, w.jobs_stolen, w.steals_tried, w.injected_taken,
                                      w.times_slept, w.times_woken, worker.detached_begun, worker.detached_ended}) {
      std::fprintf(stderr, " %10" PRIu64, count);
    }
    if (worker.queue > 0) std::fprintf(stderr, "  %zu JOBS IN ITS QUEUE", worker.queue);
    if (worker.posted) std::fprintf(stderr, "  A JOB POSTED TO IT");
    std::fprintf(stderr, "\n");
  }
}

/// Call this with the mutex held.
void Watchdog::bark(std::uint64_t steps, std::chrono::nanoseconds stalled, std::chrono::nanoseconds cpu, bool blocked) {
  std::fprintf(stderr,
               "\n=== watchdog: no progress for %.1f s in \"%s\", after %" PRIu64 " steps; BLITZ_TEST_SEED=%" PRIu64
               "\n%s; %.3f s of CPU time meanwhile\n",
               seconds(stalled), test_.c_str(), steps, test_seed(),
               blocked ? "ALL THREADS ARE BLOCKED: a wake-up was lost" : "SOME THREADS RUN: a livelock, or very slow",
               seconds(cpu));
  for (const Report& report : reports_) report(true);
  for (const ThreadView& thread : other_threads()) {
    std::fprintf(stderr, "thread %ld %s: state %c, %.2f s of CPU time, in %s, syscall %s\n", thread.id,
                 thread.name.c_str(), thread.state, thread.cpu, thread.waits.c_str(), thread.syscall.c_str());
    std::fflush(stderr);
    print_stack_of(thread.id);
  }
  std::fflush(stderr);
  std::abort();
}

}  // namespace blitz_test
