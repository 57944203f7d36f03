// Threads and forks on POSIX systems.
#include "blitz/detail/sys/system.hpp"

#if defined(BLITZ_POSIX)

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "blitz/detail/sys/fork.hpp"
#include "blitz/detail/sys/thread.hpp"
#include "blitz/detail/sys/thread_start.hpp"

namespace blitz::detail {
namespace {

static_assert(sizeof(pthread_t) <= sizeof(ThreadHandle));

void set_own_name([[maybe_unused]] const std::string& name) {
  [[maybe_unused]] constexpr std::size_t kLongest = 15;
#if defined(BLITZ_LINUX)
  pthread_setname_np(pthread_self(), name.substr(0, kLongest).c_str());
#elif defined(__APPLE__)
  pthread_setname_np(name.substr(0, kLongest).c_str());
#endif
}

extern "C" void* blitz_thread_main(void* raw) {
  run_thread(raw, set_own_name);
  return nullptr;
}

void set_stack_size(pthread_attr_t& attributes, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t whole = std::max(bytes, (bytes + page - 1) / page * page);  // A sum that wraps around is refused.
  if (const int error = pthread_attr_setstacksize(&attributes, whole)) {
    refuse_thread(error, "a stack_size of " + std::to_string(bytes) + " bytes is refused; the least is " +
                             std::to_string(PTHREAD_STACK_MIN));
  }
}

void set_processor([[maybe_unused]] pthread_attr_t& attributes, unsigned processor) {
#if defined(__GLIBC__)
  constexpr unsigned kMostProcessors = 1U << 16;
  if (processor >= kMostProcessors) {
    refuse_thread(EINVAL, "affinity to processor " + std::to_string(processor) + ", which no machine has");
  }
  constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask(processor / kWordBits + 1);
  mask[processor / kWordBits] = 1UL << (processor % kWordBits);
  const auto* set = reinterpret_cast<const cpu_set_t*>(mask.data());
  if (const int error = pthread_attr_setaffinity_np(&attributes, mask.size() * sizeof(unsigned long), set)) {
    refuse_thread(error, "affinity to processor " + std::to_string(processor) + " is refused");
  }
#else
  refuse_thread(ENOTSUP, "affinity to processor " + std::to_string(processor) + " is not supported on this system");
#endif
}

/// The system's error number has many possible causes, so the message names all requested options.
std::string explain_refusal(const ThreadOptions& options) {
  std::string what;
  if (options.processor) {
    what += "the system refused processor " + std::to_string(*options.processor) +
            ": it must exist, be online and be allowed to this process; or ";
  }
  if (options.stack_size != 0) {
    what += "there is no room for a stack_size of " + std::to_string(options.stack_size) +
            " bytes, or it is too small for the program's thread-local data; or ";
  }
  return what +
         "there are too many threads: ask for fewer, or raise the limits (ulimit -u, ulimit -v, the cgroup's pids.max)";
}

}  // namespace

ThreadHandle start_thread(ThreadEntry entry, void* argument, const ThreadOptions& options) {
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes)) refuse_thread(error, "no attributes");
  const std::unique_ptr<pthread_attr_t, int (*)(pthread_attr_t*)> owner(&attributes, pthread_attr_destroy);
  if (options.stack_size != 0) set_stack_size(attributes, options.stack_size);
  if (options.processor) set_processor(attributes, *options.processor);
  auto start = std::make_unique<ThreadStart>(ThreadStart{entry, argument, options.name});

  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  for (const int kept : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) sigdelset(&blocked, kept);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);  // The new thread inherits it.
  pthread_t id;
  const int error = pthread_create(&id, &attributes, blitz_thread_main, start.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) refuse_thread(error, explain_refusal(options));
  static_cast<void>(start.release());
  ThreadHandle handle = 0;
  std::memcpy(&handle, &id, sizeof id);
  return handle;
}

void join_thread(ThreadHandle handle) noexcept {
  pthread_t id;
  std::memcpy(&id, &handle, sizeof id);
  [[maybe_unused]] const int error = pthread_join(id, nullptr);
  assert(error == 0);
}

// A pthread_t owns nothing.
void forget_thread(ThreadHandle /*handle*/) noexcept {}

std::size_t default_stack_size() noexcept {
  std::size_t bytes = 0;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return 0;
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

bool at_fork(const ForkHandlers& handlers) noexcept {
  // Registered once, with the first handlers.
  static const bool counted =
      pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1, std::memory_order_relaxed); }) == 0;
  return counted && pthread_atfork(handlers.prepare, handlers.parent, handlers.child) == 0;
}

}  // namespace blitz::detail

#endif
