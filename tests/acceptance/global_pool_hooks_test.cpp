// Allowed and refused calls in hooks of the global pool: the hooks run before it has started, or after its end, and the thread
// that starts or ends it waits for them.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/child_process.hpp"
#include "support/emulated.hpp"

namespace {

using blitz::ThreadPoolError;

/// Every call that uses the global pool.
const std::vector<std::function<void()>> kUses = {
    [] { (void)blitz::current_num_threads(); },
    [] { (void)blitz::global_pool(); },
    [] { blitz::join([] {}, [] {}); },
    [] { blitz::parallel_for(0, 10, [](int) {}); },
    [] { blitz::scope([](blitz::Scope&) {}); },
    [] { blitz::in_place_scope([](blitz::Scope&) {}); },
    [] { blitz::spawn([] {}); },
    [] { blitz::async([] {}).get(); },
    [] { blitz::broadcast([](blitz::BroadcastContext) {}); },
    [] { blitz::init_global_pool({.num_threads = 2}); },
    [] { blitz::shutdown_global_pool(); },
};

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const ThreadPoolError& error) {
    return error.what();
  }
  return "";
}

/// How many of the uses the calling thread is refused, with a message that contains `says`.
std::size_t refusals(const std::string& says) {
  std::size_t count = 0;
  for (const auto& use : kUses) count += message_of(use).find(says) != std::string::npos ? 1 : 0;
  return count;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

// In this order: none of the first test cases starts the pool permanently.
TEST_CASE("hooks of the global pool: init_global_pool throws if on_thread_start uses the pool") {
  for (const auto& use : kUses) {
    const std::string message = message_of(
        [&] { blitz::init_global_pool({.num_threads = 3, .on_thread_start = [&](std::size_t) { use(); }}); });
    CHECK(contains(message, "on_thread_start threw on worker"));
    CHECK(contains(message, "which has not started yet"));
  }
}

TEST_CASE("hooks of the global pool: init_global_pool throws if thread_name uses the pool") {
  for (const auto& use : kUses) {
    const std::string message = message_of([&] {
      blitz::init_global_pool({.num_threads = 3, .thread_name = [&](std::size_t) {
                                 use();
                                 return std::string("never");
                               }});
    });
    CHECK(contains(message, "which has not started yet"));
  }
}

TEST_CASE("hooks of the global pool: on_thread_exit runs if the start fails and cannot use the pool") {
  std::atomic<std::size_t> exits{0};
  std::atomic<std::size_t> refused{0};
  CHECK_THROWS_AS(blitz::init_global_pool(
                      {.num_threads = 3,
                       .on_thread_start =
                           [](std::size_t slot) {
                             if (slot == 0) throw std::runtime_error("not today");
                           },
                       .on_thread_exit =
                           [&](std::size_t) {
                             ++exits;
                             refused += refusals("which has not started yet");
                             throw std::runtime_error("for the handler");
                           },
                       .exception_handler = [&](std::exception_ptr) { refused += refusals("not started yet"); }}),
                  ThreadPoolError);
  CHECK(exits == 2);
  CHECK(refused == 2 * 2 * kUses.size());
}

// ThreadSanitizer starts no threads in such a child, and AddressSanitizer may leave it with a lock that is taken.
#if defined(__unix__) && !defined(BLITZ_PORTABLE) && !defined(BLITZ_THREAD_SANITIZER) && \
    !defined(BLITZ_ADDRESS_SANITIZER)
TEST_CASE("hooks of the global pool: a child forked in on_thread_start has its own global pool") {
  if (blitz_test::emulated()) {
    MESSAGE("skipped: under qemu");
    return;
  }
  std::atomic<int> right{0};
  CHECK_THROWS_AS(
      blitz::init_global_pool({.num_threads = 2,
                               .on_thread_start =
                                   [&](std::size_t slot) {
                                     const auto use = [] { return blitz::join([] {}, [] { return 5; }).second; };
                                     const auto child = blitz_test::start_child(use, std::chrono::minutes(1));
                                     right += static_cast<int>(blitz_test::wait_for(child) == 5);
                                     if (slot == 0) throw std::runtime_error("not today");
                                   }}),
      ThreadPoolError);
  CHECK(right == 2);
}
#endif

TEST_CASE("hooks of the global pool: a hook may catch the error of a use and the pool then works") {
  std::atomic<std::size_t> refused{0};
  std::atomic<std::size_t> answered{0};
  std::atomic<std::size_t> ended{0};
  blitz::init_global_pool({.num_threads = 3,
                           .on_thread_start =
                               [&](std::size_t) {
                                 refused += refusals("which has not started yet");
                                 answered += blitz::current_thread_index() == std::nullopt ? 1 : 0;
                                 blitz::ThreadPool other({.num_threads = 2});
                                 answered += other.join([] { return 1; }, [] { return 2; }).first;
                               },
                           .on_thread_exit =
                               [&](std::size_t) {
                                 // The pool still exists, but runs nothing any more.
                                 ended += blitz::current_num_threads() == 3 ? 1 : 0;
                                 ended += refusals("blitz: ");
                               }});
  CHECK(refused == 3 * kUses.size());
  CHECK(answered == 3 * 2);
  CHECK(blitz::join([] { return blitz::current_num_threads(); }, [] { return 2; }) ==
        std::pair<std::size_t, int>(3, 2));

  // Hooks of other pools use the global pool, at start and at exit.
  std::atomic<int> uses{0};
  const auto use = [&](std::size_t) {
    blitz::parallel_for(0, 10, [&](int) { ++uses; });
    uses += static_cast<int>(blitz::current_num_threads());
  };
  { const blitz::AsyncThreadPool other({.num_threads = 2, .on_thread_start = use, .on_thread_exit = use}); }
  CHECK(uses == 2 * 2 * 13);

  blitz::shutdown_global_pool();
  CHECK(ended == 3 * (1 + kUses.size() - 2));
}
