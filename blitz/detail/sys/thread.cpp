#include "blitz/detail/sys/thread.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "blitz/detail/sys/windows.hpp"

#if !defined(BLITZ_PORTABLE) && (defined(__unix__) || defined(__APPLE__))
#define BLITZ_POSIX_THREADS 1
#include <vector>

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>
#elif defined(BLITZ_WINDOWS)
#include <limits>

#include <process.h>
#endif

#include "blitz/detail/base/atomic.hpp"

namespace blitz::detail {

// Here, because <thread> takes long to compile.
void yield_thread() noexcept { std::this_thread::yield(); }

namespace {

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), "blitz: cannot start a thread: " + what);
}

/// What the new thread needs to start; it takes ownership.
struct Start {
  Thread::Entry entry;
  void* argument;
  std::string name;
};

[[maybe_unused]] void run(void* raw, void (*set_own_name)(const std::string& name)) {
  const Start start = std::move(*std::unique_ptr<Start>(static_cast<Start*>(raw)));
  if (!start.name.empty()) set_own_name(start.name);
  start.entry(start.argument);
}

}  // namespace

#if defined(BLITZ_POSIX_THREADS)

struct Thread::Impl {
  pthread_t id;
};

namespace {

void set_own_name([[maybe_unused]] const std::string& name) {
  [[maybe_unused]] constexpr std::size_t kLongest = 15;
#if defined(__linux__)
  pthread_setname_np(pthread_self(), name.substr(0, kLongest).c_str());
#elif defined(__APPLE__)
  pthread_setname_np(name.substr(0, kLongest).c_str());
#endif
}

extern "C" void* blitz_thread_main(void* raw) {
  run(raw, set_own_name);
  return nullptr;
}

void set_stack_size(pthread_attr_t& attributes, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t whole = std::max(bytes, (bytes + page - 1) / page * page);  // What wraps around is refused.
  if (const int error = pthread_attr_setstacksize(&attributes, whole)) {
    fail(error, "a stack_size of " + std::to_string(bytes) + " bytes is refused; the least is " +
                    std::to_string(PTHREAD_STACK_MIN));
  }
}

void set_processor([[maybe_unused]] pthread_attr_t& attributes, unsigned processor) {
#if defined(__GLIBC__)
  constexpr unsigned kMostProcessors = 1U << 16;
  if (processor >= kMostProcessors) {
    fail(EINVAL, "affinity to processor " + std::to_string(processor) + ", which no machine has");
  }
  constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask(processor / kWordBits + 1);
  mask[processor / kWordBits] = 1UL << (processor % kWordBits);
  const auto* set = reinterpret_cast<const cpu_set_t*>(mask.data());
  if (const int error = pthread_attr_setaffinity_np(&attributes, mask.size() * sizeof(unsigned long), set)) {
    fail(error, "affinity to processor " + std::to_string(processor) + " is refused");
  }
#else
  fail(ENOTSUP, "affinity to processor " + std::to_string(processor) + " is not supported on this system");
#endif
}

/// The system's error number has many possible causes, so the message names all that was requested.
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

Thread::Thread(Entry entry, void* argument, const ThreadOptions& options) {
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes)) fail(error, "no attributes");
  const std::unique_ptr<pthread_attr_t, int (*)(pthread_attr_t*)> owner(&attributes, pthread_attr_destroy);
  if (options.stack_size != 0) set_stack_size(attributes, options.stack_size);
  if (options.processor) set_processor(attributes, *options.processor);
  auto impl = std::make_unique<Impl>();
  auto start = std::make_unique<Start>(Start{entry, argument, options.name});

  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  for (const int kept : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) sigdelset(&blocked, kept);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);  // The new thread inherits it.
  const int error = pthread_create(&impl->id, &attributes, blitz_thread_main, start.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) fail(error, explain_refusal(options));
  static_cast<void>(start.release());
  impl_ = std::move(impl);
}

void Thread::join() noexcept {
  assert(joinable());
  [[maybe_unused]] const int error = pthread_join(impl_->id, nullptr);
  assert(error == 0);
  impl_.reset();
}

// A pthread_t owns nothing.
void Thread::abandon() noexcept { impl_.reset(); }

#elif defined(BLITZ_WINDOWS)

struct Thread::Impl {
  HANDLE handle;
};

namespace {

/// Since Windows 10 1607. UTF-8, as a name of Linux would be.
void set_own_name(const std::string& name) {
  static auto* const set = system_function<HRESULT WINAPI(HANDLE, PCWSTR)>(L"kernel32.dll", "SetThreadDescription");
  if (set == nullptr) return;
  wchar_t wide[64] = {};  // what is longer is left out
  const int longest = static_cast<int>(std::size(wide)) - 1;
  if (::MultiByteToWideChar(CP_UTF8, 0, name.data(), static_cast<int>(name.size()), wide, longest) > 0) {
    static_cast<void>(set(::GetCurrentThread(), wide));
  }
}

unsigned __stdcall thread_main(void* raw) {
  run(raw, set_own_name);
  return 0;
}

/// Processors are numbered through all groups, 64 to a group: see allowed_processors().
bool set_processor(HANDLE thread, unsigned processor) noexcept {
  constexpr unsigned kGroup = MAXIMUM_PROC_PER_GROUP;
  GROUP_AFFINITY affinity{};
  if (processor / kGroup > std::numeric_limits<WORD>::max()) return false;
  affinity.Group = static_cast<WORD>(processor / kGroup);
  affinity.Mask = KAFFINITY{1} << processor % kGroup;
  return ::SetThreadGroupAffinity(thread, &affinity, nullptr) != 0;
}

}  // namespace

Thread::Thread(Entry entry, void* argument, const ThreadOptions& options) {
  if (options.stack_size > std::numeric_limits<unsigned>::max()) {
    fail(EINVAL, "a stack_size of " + std::to_string(options.stack_size) + " bytes is refused; the most is 4 GiB");
  }
  auto impl = std::make_unique<Impl>();
  auto start = std::make_unique<Start>(Start{entry, argument, options.name});
  const auto thread = ::_beginthreadex(nullptr, static_cast<unsigned>(options.stack_size), thread_main, start.get(),
                                       CREATE_SUSPENDED | STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (thread == 0) {
    fail(errno, "there are too many threads, or there is no room for a stack_size of " +
                    std::to_string(options.stack_size) + " bytes");
  }
  impl->handle = reinterpret_cast<HANDLE>(thread);
  const bool placed = !options.processor || set_processor(impl->handle, *options.processor);
  if (!placed) *start = Start{[](void*) {}, nullptr, {}};  // It cannot be ended before it has run.
  ::ResumeThread(impl->handle);
  static_cast<void>(start.release());
  impl_ = std::move(impl);
  if (!placed) {
    join();
    fail(EINVAL, "affinity to processor " + std::to_string(*options.processor) +
                     " is refused: it must exist and be allowed to this process");
  }
}

void Thread::join() noexcept {
  assert(joinable());
  [[maybe_unused]] const DWORD ended = ::WaitForSingleObject(impl_->handle, INFINITE);
  assert(ended == WAIT_OBJECT_0);
  abandon();
}

void Thread::abandon() noexcept {
  ::CloseHandle(impl_->handle);
  impl_.reset();
}

#else  // std::thread

struct Thread::Impl {
  std::thread thread;
};

Thread::Thread(Entry entry, void* argument, const ThreadOptions& options) {
  if (options.stack_size != 0) fail(ENOTSUP, "stack_size cannot be chosen on this system");
  if (options.processor) fail(ENOTSUP, "affinity cannot be chosen on this system");
  auto impl = std::make_unique<Impl>();
  try {
    impl->thread = std::thread(entry, argument);
  } catch (const std::system_error& error) {
    throw std::system_error(error.code(), "blitz: cannot start a thread: there are too many threads: ask for fewer");
  }
  impl_ = std::move(impl);
}

void Thread::join() noexcept {
  assert(joinable());
  impl_->thread.join();
  impl_.reset();
}

void Thread::abandon() noexcept {
  impl_->thread.detach();
  impl_.reset();
}

#endif

Thread::Thread() noexcept = default;
Thread::Thread(Thread&& other) noexcept = default;

Thread& Thread::operator=(Thread&& other) noexcept {
  assert(!joinable());
  impl_ = std::move(other.impl_);
  return *this;
}

Thread::~Thread() { assert(!joinable()); }

std::size_t default_stack_size() noexcept {
  std::size_t bytes = 0;
#if defined(BLITZ_POSIX_THREADS)
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return 0;
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
#endif
  return bytes;
}

}  // namespace blitz::detail
