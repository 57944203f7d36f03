// Ways for a program to end that a test cannot survive: ending_test.py runs each, by its name, and looks at what is left.
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>

#include <blitz/blitz.hpp>

#include "support/reference_policy.hpp"

namespace {

template <class Pool>
void destroy_on_own_worker() {
  auto pool = std::make_unique<Pool>(blitz::ThreadPoolOptions{.num_threads = 2});
  pool->install([&] { pool.reset(); });
}

template <class Pool>
void destroy_on_own_worker_from_another_pool() {
  // Here it is a resident that destroys it, not an outside caller.
  auto pool = std::make_unique<Pool>(blitz::ThreadPoolOptions{.num_threads = 2});
  Pool other({.num_threads = 1});
  other.install([&] { pool->install([&] { pool.reset(); }); });
}

template <class Pool>
void throw_on_exit() {
  Pool pool({.num_threads = 1, .on_thread_exit = [](std::size_t) { throw std::runtime_error("on my way out"); }});
}

/// The global pool's threads end with the program, after main.
void leave_global_pool() {
  blitz::init_global_pool({.num_threads = 3, .on_thread_exit = [](std::size_t) { std::puts("a thread ended"); }});
  blitz::parallel_for(0, 1000, [](int) {});
  std::puts("main ends");
}

/// Used by a static object's destructor, which may run after the pool's.
struct LateUser {
  ~LateUser() {
    try {
      (void)blitz::join([] {}, [] {});
      std::puts("late use worked");
    } catch (const blitz::ThreadPoolError& error) {
      std::puts(error.what());
    }
  }
};
void use_global_pool_late() {
  static std::optional<LateUser> user;
  user.emplace();  // registered for destruction before the pool's first use, so it goes after the pool
  (void)blitz::join([] {}, [] {});
}

struct Scenario {
  const char* name;
  void (*run)();
};

constexpr Scenario kScenarios[] = {
    {"destroy_on_own_worker", destroy_on_own_worker<blitz::ThreadPool>},
    {"destroy_on_own_worker_reference", destroy_on_own_worker<blitz::BasicThreadPool<blitz_test::ReferencePolicy>>},
    {"destroy_on_own_resident", destroy_on_own_worker_from_another_pool<blitz::ThreadPool>},
    {"throw_on_exit", throw_on_exit<blitz::ThreadPool>},
    {"leave_global_pool", leave_global_pool},
    {"use_global_pool_late", use_global_pool_late},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Scenario& scenario : kScenarios) {
    if (argc == 2 && std::strcmp(argv[1], scenario.name) == 0) {
      scenario.run();
      return 0;
    }
  }
  return 2;
}
