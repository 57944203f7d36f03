// System events in a program that uses a pool: signals, stops, changed affinity masks, refused system calls. Each test runs in
// a child process, which must compute the right results and end.
#include "blitz/detail/base/atomic.hpp"

#if defined(__linux__) && !defined(BLITZ_PORTABLE)

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "blitz/detail/job/job_memory.hpp"
#include "blitz/detail/sys/futex.hpp"
#include "blitz/detail/sys/kept_memory.hpp"
#include "support/child_process.hpp"
#include "support/fib.hpp"
#include "support/policies.hpp"
#include "support/refused_syscall.hpp"
#include "support/watchdog.hpp"

using namespace blitz_test;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

/// The exit status of a child that could not set up its test.
constexpr int kCannot = 77;

/// Runs `run` in a child process. The parent does not wait for it.
pid_t in_child(int (*run)()) { return start_child(run, 100s); }

/// True if the child succeeded or could not set up its test. The second case is reported.
bool went_well(pid_t child) {
  const int status = wait_for(child);
  if (status == kCannot) MESSAGE("skipped: the system does not allow it");
  CAPTURE(status);
  CHECK((status == 0 || status == kCannot));
  return status == 0;
}

/// Uses a pool in all ways, with pauses that let its workers go to sleep. Returns 0, or the number of the failed check.
int work(Pool& pool, std::chrono::milliseconds time) {
  std::minstd_rand random(7);
  const auto end = Clock::now() + time;
  do {
    if (pool.install([] { return fib(12); }) != 144) return 1;
    std::atomic<int> sum{0};
    blitz::parallel_for({.pool = &pool}, 0, 100, [&](int i) {
      if (i % 50 == 0) std::this_thread::yield();
      sum += i;
    });
    if (sum != 4950) return 2;
    pool.scope([&](blitz::Scope& scope) {
      for (int i = 0; i < 20; ++i) scope.spawn([&] { ++sum; });
    });
    if (sum != 4970) return 3;
    auto handle = pool.async([] { return fib(8); });
    if (handle.get() != 21) return 4;
    if (pool.broadcast([](blitz::BroadcastContext) {}); pool.num_threads() == 0) return 5;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 400));
  } while (Clock::now() < end);
  return 0;
}

std::vector<pid_t> threads_of_this_process() {
  std::vector<pid_t> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    all.push_back(static_cast<pid_t>(std::stol(entry.path().filename().string())));
  }
  return all;
}

/// Calls `pest` repeatedly for each other thread while `work` runs.
template <class Pest>
int work_under(Pest&& pest) {
  Pool pool({.num_threads = 4});
  std::atomic<bool> over{false};
  std::thread thread([&] {
    const auto self = static_cast<pid_t>(::syscall(SYS_gettid));
    for (unsigned round = 0; !over; ++round) {
      for (const pid_t id : threads_of_this_process()) {
        if (id != self) pest(id, round);
      }
      std::this_thread::sleep_for(50us);
    }
  });
  const int wrong = work(pool, 500ms);
  over = true;
  thread.join();
  return wrong;
}

std::atomic<int> signals{0};

template <int kFlags>
int work_under_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { signals.fetch_add(1, std::memory_order_relaxed); };
  action.sa_flags = kFlags;
  if (sigaction(SIGUSR1, &action, nullptr) != 0) return kCannot;
  // On a busy machine one run delivers few signals.
  while (signals <= 100) {
    const int wrong = work_under([](pid_t thread, unsigned) { ::syscall(SYS_tgkill, ::getpid(), thread, SIGUSR1); });
    if (wrong != 0) return wrong;
  }
  return 0;
}

std::vector<int> allowed_processors() {
  cpu_set_t all;
  std::vector<int> list;
  if (sched_getaffinity(0, sizeof all, &all) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &all)) list.push_back(i);
    }
  }
  return list;
}

void pin(pid_t thread, int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  sched_setaffinity(thread, sizeof one, &one);
}

int work_while_pinned_here_and_there() {
  const auto processors = allowed_processors();
  if (processors.size() < 2) return kCannot;
  return work_under([&](pid_t thread, unsigned round) { pin(thread, processors[round % processors.size()]); });
}

/// An affinity mask that is set while the pool is idle is still in effect after the pool has worked.
int keep_a_mask() {
  const auto processors = allowed_processors();
  if (processors.empty()) return kCannot;
  Pool pool({.num_threads = 4});
  if (const int wrong = work(pool, 50ms)) return wrong;
  std::this_thread::sleep_for(100ms);
  for (const pid_t thread : threads_of_this_process()) pin(thread, processors.back());
  if (const int wrong = work(pool, 100ms)) return wrong;
  for (const pid_t thread : threads_of_this_process()) {
    cpu_set_t mask;
    if (sched_getaffinity(thread, sizeof mask, &mask) != 0) return 51;
    if (CPU_COUNT(&mask) != 1 || !CPU_ISSET(processors.back(), &mask)) return 52;
  }
  return 0;
}

template <long kNumber, int kError>
int work_without() {
  if (!refuse_syscall(kNumber, kError)) return kCannot;
  Pool pool({.num_threads = 4});
  return work(pool, 300ms);
}

/// The call is refused from the program's first instruction on.
template <int kError>
int start_without_membarrier() {
  if (!refuse_syscall(SYS_membarrier, kError)) return kCannot;
  execl("/proc/self/exe", "faults_linux", "--no-skip", "--test-case=child:*", nullptr);
  return kCannot;
}

void spawn_for_ever(Pool& pool) {
  pool.spawn([&pool] { spawn_for_ever(pool); });
}

/// Ends by exit(3), on the main thread or another, while detached jobs run. exit() waits for the jobs of the global pool. It
/// does not wait for the jobs of a pool that is never destroyed.
template <bool kOnMainThread>
int exit_at_work() {
  constexpr int kJobs = 500;
  static std::atomic<int> done{0};
  // Runs after the destruction of the global pool, which is created below.
  static const struct LastWord {
    ~LastWord() { ::_exit(done == kJobs ? 0 : 54); }
  } last_word;
  const auto job = [] {
    std::this_thread::sleep_for(20us);
    ++done;
  };
  static_cast<void>(blitz::global_pool());
  auto* const pool = new Pool({.num_threads = 4});
  for (int i = 0; i < 8; ++i) spawn_for_ever(*pool);
  for (int i = 0; i < kJobs; ++i) blitz::spawn(job);
  if (!kOnMainThread) std::thread([] { std::exit(55); }).join();
  std::exit(55);
}

int lose_membarrier() {
  if (!blitz::detail::asymmetric_fences_available()) return kCannot;
  silence();
  Pool pool({.num_threads = 4});
  if (!refuse_syscall(SYS_membarrier, EPERM)) return kCannot;
  blitz::detail::asymmetric_heavy_fence();
  return 53;
}

}  // namespace

BACKEND_TEST_CASE("faults: a pool works under signals with system calls restarted or not") {
  went_well(in_child(work_under_signals<SA_RESTART>));
  went_well(in_child(work_under_signals<0>));
}

BACKEND_TEST_CASE("faults: a pool works in a process that is stopped and continued") {
  const pid_t child = in_child([] {
    Pool pool({.num_threads = 4});
    return work(pool, 1000ms);
  });
  std::minstd_rand random(3);
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5'000));
    kill(child, SIGSTOP);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 2'000));
    kill(child, SIGCONT);
  }
  went_well(child);
}

BACKEND_TEST_CASE("faults: a program may exit while detached jobs run") {
  for (int i = 0; i < 10; ++i) {
    went_well(in_child(exit_at_work<true>));
    went_well(in_child(exit_at_work<false>));
  }
}

BACKEND_TEST_CASE("faults: a pool works while affinity masks change and leaves a mask unchanged") {
  went_well(in_child(work_while_pinned_here_and_there));
  went_well(in_child(keep_a_mask));
}

// A sanitizer's runtime maps memory, too, and ends a program if these calls, or address space, are refused.
#if !defined(BLITZ_THREAD_SANITIZER) && !defined(BLITZ_ADDRESS_SANITIZER)
namespace {

/// In bytes.
rlim_t address_space_in_use() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// The system provides memory for the stacks of no thread, one thread, two threads, and so on.
int make_pools_in_little_memory() {
  constexpr std::size_t kThreads = 8;
  constexpr std::size_t kStack = std::size_t{64} << 20;
  rlimit whole{};
  if (::getrlimit(RLIMIT_AS, &whole) != 0) return kCannot;
  std::size_t refusals = 0;
  for (std::size_t stacks = 0; stacks <= kThreads; ++stacks) {
    const rlimit limit{address_space_in_use() + stacks * kStack + kStack / 2, whole.rlim_max};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) return kCannot;
    try {
      Pool pool({.num_threads = kThreads, .stack_size = kStack});
      if (const int wrong = work(pool, 1ms)) return wrong;
    } catch (const blitz::ThreadPoolError&) {
      ++refusals;
    } catch (const std::bad_alloc&) {
      ++refusals;
    }
    if (!threads_come_down_to(1)) return 56;
    if (::setrlimit(RLIMIT_AS, &whole) != 0) return kCannot;
    Pool pool({.num_threads = kThreads});
    if (const int wrong = work(pool, 1ms)) return wrong;
  }
  return refusals >= kThreads / 2 ? 0 : 57;
}

}  // namespace

BACKEND_TEST_CASE("faults: a pool whose threads get no memory throws and the next pool works") {
  went_well(in_child(make_pools_in_little_memory));
}

BACKEND_TEST_CASE("faults: a pool works if affinity system calls are refused") {
  went_well(in_child(work_without<SYS_sched_setaffinity, EPERM>));
  went_well(in_child(work_without<SYS_sched_getaffinity, EPERM>));
}

TEST_CASE("faults: large arrays get memory without madvise") {
  went_well(in_child([] {
    if (!refuse_syscall(SYS_madvise, EINVAL)) return kCannot;
    // Kept memory uses large pages from 4 MiB on, and MADV_FREE from 16 MiB on.
    for (const std::size_t size : {std::size_t{1} << 22, std::size_t{40} << 20}) {
      for (int i = 0; i < 2; ++i) {
        void* const memory = blitz::detail::allocate_kept(size, 8);
        if (memory == nullptr) return 57;
        static_cast<char*>(memory)[size - 1] = 1;
        blitz::detail::free_kept(memory, size, 8);
      }
    }
    return 0;
  }));
}

TEST_CASE("faults: kept memory without mmap comes from malloc or is null") {
  went_well(in_child([] {
    if (!refuse_syscall(SYS_mmap, ENOMEM)) return kCannot;
    for (const std::size_t size : {std::size_t{1} << 16, std::size_t{1} << 22, std::size_t{40} << 20}) {
      void* const memory = blitz::detail::allocate_kept(size, 8);
      if (memory != nullptr) static_cast<char*>(memory)[size - 1] = 1;
      blitz::detail::free_kept(memory, size, 8);
    }
    blitz::detail::free_all_kept();
    return 0;
  }));
}

// The C library ends a program if a thread must wait for a mutex and cannot. So no pool works without futex(2).
TEST_CASE("faults: blitz's waits return without futex") {
  went_well(in_child([] {
    if (!refuse_syscall(SYS_futex, EPERM)) return kCannot;
    blitz::detail::Atomic<std::uint32_t> word{1};
    errno = 7;
    blitz::detail::futex_wait(word, 1);
    blitz::detail::futex_wake_one(&word);
    return errno == 7 ? 0 : 54;
  }));
}
#endif

#if !defined(BLITZ_THREAD_SANITIZER)
TEST_CASE("faults: pools work if membarrier is refused from the start") {
  went_well(in_child(start_without_membarrier<ENOSYS>));
  went_well(in_child(start_without_membarrier<EPERM>));
}

TEST_CASE("child: works without membarrier" * doctest::skip()) {
  CHECK_FALSE(blitz::detail::asymmetric_fences_available());
  for (const TestedPolicy policy : {TestedPolicy::kForkJoin, TestedPolicy::kAsync}) {
    Pool pool = pool_of(policy, {.num_threads = 4});
    CHECK(work(pool, 300ms) == 0);
  }
}

// A pool that has relied on membarrier cannot continue.
BACKEND_TEST_CASE("faults: the program aborts if membarrier is refused after it was used") {
  const int status = wait_for(in_child(lose_membarrier));
  CHECK((status == -SIGABRT || status == kCannot));
}
#endif

#endif
