/// The watchdog: its report about a test that hangs, one that runs in circles, and one that is only slow.

#include <chrono>
#include <csignal>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "stress.hpp"
#include "support/child_process.hpp"

#if defined(__linux__)
#include <unistd.h>
#endif

namespace blitz_test {
namespace {

using namespace std::chrono_literals;

#if defined(__linux__)

struct Death {
  int status;  // as returned by wait_for()
  std::string words;
};

/// Runs `body` in a child process and reads its standard error.
Death in_child(const std::function<void()>& body) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = fork_child(100s);
  REQUIRE(child >= 0);
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    body();
    ::_exit(0);
  }
  ::close(ends[1]);
  Death death{};
  char buffer[4096];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    death.words.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  death.status = wait_for(child);
  REQUIRE(death.status != kNoChild);
  return death;
}

bool says(const Death& death, const char* what) { return death.words.find(what) != std::string::npos; }

TEST_CASE("watchdog: reports a hang with the state of the threads") {
  const Death death = in_child([] {
    Watchdog dog("the test", 200ms);
    blitz::ThreadPool pool({.num_threads = 2});
    dog.watch(pool);
    pool.install([] { Flag().wait(Flag::Wait::kBlock); });
  });
  CAPTURE(death.words);
  CHECK(death.status == -SIGABRT);
  CHECK(says(death, "the test"));
  CHECK(says(death, ("BLITZ_TEST_SEED=" + std::to_string(test_seed())).c_str()));
  CHECK(says(death, "ALL THREADS ARE BLOCKED"));
  CHECK(says(death, "sleeping 1, searching 0"));
#if defined(BLITZ_PORTABLE)
  CHECK(says(death, ": state S"));  // The threads have no names there.
#else
  CHECK(says(death, "blitz-1: state S"));
#endif
}

TEST_CASE("watchdog: reports the queues and the limit of a pool") {
  const Death death = in_child([] {
    Watchdog dog("the test", 200ms);
    blitz::AsyncThreadPool pool({.num_threads = 3});
    dog.watch(pool);
    pool.set_max_concurrency(1);
    pool.install([] {
      for (int i = 0; i < 5; ++i) blitz::spawn([] {});
      blitz::spawn_broadcast([](blitz::BroadcastContext) {});
      Flag().wait(Flag::Wait::kBlock);
    });
  });
  CAPTURE(death.words);
  CHECK(death.status == -SIGABRT);
  CHECK(says(death, "blitz::AsyncPolicy>: 3 workers"));
  CHECK(says(death, "at most 1 at work"));
  CHECK(says(death, "5 JOBS IN ITS QUEUE"));
  CHECK(says(death, "A JOB POSTED TO IT"));
  CHECK(says(death, "s of CPU time, in "));
#if !defined(BLITZ_PORTABLE) && !defined(BLITZ_THREAD_SANITIZER)
  // The stacks of the pool's threads. ThreadSanitizer delays a signal until the thread wakes up.
  CHECK(says(death, "blitz_thread_main"));
#endif
}

TEST_CASE("watchdog: reports a pool whose end does not come") {
  const Death death = in_child([] {
    Watchdog dog("the test", 200ms);
    blitz::ThreadPool pool({.num_threads = 1});
    dog.watch(pool);
    pool.spawn([] { Flag().wait(Flag::Wait::kBlock); });
  });
  CAPTURE(death.words);
  CHECK(death.status == -SIGABRT);
  CHECK(says(death, "blitz::ForkJoinPolicy>: 1 workers"));
  CHECK(says(death, "being shut down"));
}

TEST_CASE("watchdog: reports a livelock only after a longer time") {
  const auto begin = Clock::now();
  const Death death = in_child([] {
    Watchdog dog("the test", 100ms);
    blitz::ThreadPool pool({.num_threads = 2});
    dog.watch(pool);
    pool.install([] { Flag().wait(Flag::Wait::kYield); });
  });
  CAPTURE(death.words);
  CHECK(death.status == -SIGABRT);
  CHECK(says(death, "SOME THREADS RUN"));
  CHECK(Clock::now() - begin >= 400ms);
}

TEST_CASE("watchdog: is silent about a slow test and a quick one") {
  const Death death = in_child([] {
    Watchdog dog("the test", 300ms);
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(100ms);
      dog.progress();
    }
    Watchdog("another", 300ms).progress();
  });
  CAPTURE(death.words);
  CHECK(death.status == 0);
  CHECK(death.words.empty());
}

#endif

}  // namespace
}  // namespace blitz_test
