#include "blitz/detail/sys/thread.hpp"

#include <atomic>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

#include "blitz/detail/sys/cpu_count.hpp"
#include "blitz/detail/sys/windows.hpp"
#include "support/failing_thread.hpp"

#if defined(__unix__) && !defined(BLITZ_PORTABLE)
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>
#endif

using blitz::detail::Thread;
using blitz::detail::ThreadOptions;

namespace {

/// Runs `body` on a Thread created with `options`, and joins it.
void run(const ThreadOptions& options, std::function<void()> body) {
  Thread thread([](void* argument) { (*static_cast<std::function<void()>*>(argument))(); }, &body, options);
  thread.join();
}

/// The exception on creating a thread with `options`. The thread must not start.
std::system_error error_of(const ThreadOptions& options) {
  bool ran = false;
  try {
    run(options, [&ran] { ran = true; });
  } catch (const std::system_error& error) {
    CHECK_FALSE(ran);
    return error;
  }
  FAIL("the thread was made");
  return std::system_error(std::error_code());
}

bool mentions(const std::system_error& error, const std::string& word) {
  return std::string(error.what()).find(word) != std::string::npos;
}

}  // namespace

TEST_CASE("thread: runs the entry in another thread and passes the argument") {
  std::thread::id id;
  run({}, [&id] { id = std::this_thread::get_id(); });
  CHECK(id != std::thread::id());
  CHECK(id != std::this_thread::get_id());
}

TEST_CASE("thread: is joinable until it is joined or moved from") {
  std::atomic<int> runs{0};
  const auto entry = [](void* argument) { static_cast<std::atomic<int>*>(argument)->fetch_add(1); };
  Thread none;
  CHECK_FALSE(none.joinable());

  Thread first(entry, &runs, {});
  CHECK(first.joinable());
  Thread second(std::move(first));
  CHECK_FALSE(first.joinable());
  CHECK(second.joinable());
  none = std::move(second);
  CHECK_FALSE(second.joinable());
  CHECK(none.joinable());
  none.join();
  CHECK_FALSE(none.joinable());
  CHECK(runs.load() == 1);
}

TEST_CASE("thread: a refused thread throws resource_unavailable_try_again and the next one works") {
  int ran = 0;
  {
    const blitz_test::ThreadLimit limit(1);
    run({}, [&ran] { ++ran; });
    const std::system_error error = error_of({});
    CHECK(error.code() == std::errc::resource_unavailable_try_again);
    CHECK(mentions(error, "too many threads"));
  }
  run({}, [&ran] { ++ran; });
  CHECK(ran == 2);
}

#if defined(BLITZ_PORTABLE)

TEST_CASE("thread: options that std::thread lacks throw not_supported") {
  CHECK(error_of({.stack_size = 1 << 20}).code() == std::errc::not_supported);
  CHECK(error_of({.processor = 0}).code() == std::errc::not_supported);
}

#elif defined(BLITZ_WINDOWS)

TEST_CASE("thread: gets the requested name") {
  const auto get =
      blitz::detail::system_function<HRESULT WINAPI(HANDLE, PWSTR*)>(L"kernel32.dll", "GetThreadDescription");
  REQUIRE((get != nullptr));
  const auto name_of = [get](const std::string& asked) {
    std::wstring name;
    run({.name = asked}, [&] {
      wchar_t* own = nullptr;
      if (get(GetCurrentThread(), &own) >= 0) name = own;
      LocalFree(own);
    });
    return name;
  };
  CHECK((name_of("blitz-7") == L"blitz-7"));
  CHECK((name_of("l\xc3\xa4nger als f\xc3\xbcnfzehn Zeichen") == L"l\u00e4nger als f\u00fcnfzehn Zeichen"));
  CHECK((name_of("") == L""));
}

TEST_CASE("thread: gets the requested stack size") {
  for (const std::size_t asked : {std::size_t{1} << 20, std::size_t{16} << 20, (std::size_t{64} << 20) + 1}) {
    CAPTURE(asked);
    std::size_t got = 0;
    run({.stack_size = asked}, [&got] {
      ULONG_PTR low = 0;
      ULONG_PTR high = 0;
      GetCurrentThreadStackLimits(&low, &high);
      got = high - low;
    });
    CHECK(got >= asked);
    CHECK(got <= 2 * asked);
  }
}

TEST_CASE("thread: a stack larger than the system allows throws invalid_argument") {
  for (const std::size_t absurd : {std::size_t{1} << 32, std::numeric_limits<std::size_t>::max()}) {
    CAPTURE(absurd);
    const std::system_error error = error_of({.stack_size = absurd});
    CHECK(error.code() == std::errc::invalid_argument);
    CHECK(mentions(error, "stack_size of " + std::to_string(absurd)));
  }
}

TEST_CASE("thread: runs only on the requested processor") {
  for (const unsigned processor : blitz::detail::allowed_processors()) {
    CAPTURE(processor);
    GROUP_AFFINITY own{};
    run({.processor = processor}, [&own] { GetThreadGroupAffinity(GetCurrentThread(), &own); });
    CHECK(own.Group == processor / 64);
    CHECK(own.Mask == KAFFINITY{1} << processor % 64);
  }
}

TEST_CASE("thread: a processor that does not exist throws invalid_argument") {
  for (const unsigned processor : {1023U, 60000U, 1U << 16, std::numeric_limits<unsigned>::max()}) {
    CAPTURE(processor);
    const std::system_error error = error_of({.processor = processor});
    CHECK(error.code() == std::errc::invalid_argument);
    CHECK(mentions(error, "processor " + std::to_string(processor)));
  }
}

#elif defined(__linux__)

namespace {

std::string own_name() {
  std::ifstream comm("/proc/self/task/" + std::to_string(gettid()) + "/comm");
  std::string name;
  std::getline(comm, name);
  return name;
}

}  // namespace

TEST_CASE("thread: gets the requested name up to 15 bytes") {
  std::string name;
  run({.name = "blitz-7"}, [&name] { name = own_name(); });
  CHECK(name == "blitz-7");

  SUBCASE("15 bytes fit") {
    run({.name = "123456789012345"}, [&name] { name = own_name(); });
    CHECK(name == "123456789012345");
  }
  SUBCASE("a longer one is cut") {
    run({.name = "1234567890123456"}, [&name] { name = own_name(); });
    CHECK(name == "123456789012345");
  }
  SUBCASE("an empty one leaves the program's") {
    const std::string callers = own_name();
    run({}, [&name] { name = own_name(); });
    CHECK(name == callers);
  }
}

#if defined(__GLIBC__)
TEST_CASE("thread: gets a stack of at least the requested size") {
  const auto stack_size_of = [](std::size_t asked) {
    std::size_t got = 0;
    run({.stack_size = asked}, [&got] {
      pthread_attr_t attributes;
      if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstacksize(&attributes, &got);
        pthread_attr_destroy(&attributes);
      }
    });
    return got;
  };
  // Sizes far from the usual default of 8 MiB: glibc may reuse a cached stack that is up to four times as large as requested.
  for (const std::size_t asked : {std::size_t{256} << 10, std::size_t{16} << 20, (std::size_t{64} << 20) + 1}) {
    CAPTURE(asked);
    const std::size_t got = stack_size_of(asked);
    CHECK(got >= asked);
    CHECK(got <= 4 * asked);
  }
}
#endif

TEST_CASE("thread: a stack of one byte throws invalid_argument") {
  const std::system_error error = error_of({.stack_size = 1});
  CHECK(error.code() == std::errc::invalid_argument);
  CHECK(mentions(error, "stack_size of 1 bytes"));
}

TEST_CASE("thread: a stack larger than the address space throws") {
  for (const std::size_t absurd :
       {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 8 * 7}) {
    CAPTURE(absurd);
    const std::system_error error = error_of({.stack_size = absurd});
    CHECK(error.code());
    CHECK(mentions(error, "stack_size of " + std::to_string(absurd)));
  }
}

#if defined(__GLIBC__)
TEST_CASE("thread: starts and stays on the requested processor") {
  cpu_set_t allowed;
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  int tried = 0;
  for (unsigned processor = 0; processor < CPU_SETSIZE && tried < 4; ++processor) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    ++tried;
    int at_start = -1;
    cpu_set_t own;
    run({.processor = processor}, [&] {
      at_start = sched_getcpu();
      sched_getaffinity(0, sizeof own, &own);
    });
    CHECK(at_start == static_cast<int>(processor));
    CHECK(CPU_COUNT(&own) == 1);
    CHECK(CPU_ISSET(processor, &own));
  }
}

TEST_CASE("thread: a processor that does not exist throws invalid_argument") {
  for (const unsigned processor : {1023U, 60000U, 1U << 16, std::numeric_limits<unsigned>::max()}) {
    CAPTURE(processor);
    const std::system_error error = error_of({.processor = processor});
    CHECK(error.code() == std::errc::invalid_argument);
    CHECK(mentions(error, "processor " + std::to_string(processor)));
  }
}
#endif

TEST_CASE("thread: blocks asynchronous signals and the caller's mask is unchanged") {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  sigset_t inside;
  run({}, [&inside] { pthread_sigmask(SIG_SETMASK, nullptr, &inside); });
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);

  for (const int blocked : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD, SIGPIPE, SIGRTMIN}) {
    CAPTURE(blocked);
    CHECK(sigismember(&inside, blocked) == 1);
  }
  for (const int kept : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) {
    CAPTURE(kept);
    CHECK(sigismember(&inside, kept) == 0);
  }
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    CAPTURE(signal);
    CHECK(sigismember(&before, signal) == sigismember(&after, signal));
  }
}

TEST_CASE("thread: a failed start leaves the caller's signal mask unchanged") {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  error_of({.stack_size = std::numeric_limits<std::size_t>::max() / 8 * 7});
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    CAPTURE(signal);
    CHECK(sigismember(&before, signal) == sigismember(&after, signal));
  }
}

#endif
