// Ways for a program to end that a test cannot survive: ending_test.py runs each by its name, and checks the result.
//
//     ending SCENARIO [THREADS]
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include <blitz/fork_join.hpp>

#include "support/reference_policy.hpp"

namespace {

using ReferencePool = blitz::BasicThreadPool<blitz_test::ReferencePolicy>;

/// The number of threads of the pools that may have any number.
std::size_t threads = 2;

template <class Pool>
void destroy_on_own_worker() {
  auto pool = std::make_unique<Pool>(blitz::ThreadPoolOptions{.num_threads = threads});
  pool->install([&] { pool.reset(); });
}

template <class Pool>
void destroy_on_own_worker_from_another_pool() {
  auto pool = std::make_unique<Pool>(blitz::ThreadPoolOptions{.num_threads = threads});
  Pool other({.num_threads = 1});
  other.install([&] { pool->install([&] { pool.reset(); }); });
}

void destroy_under_a_call_of_another_pool() {
  auto pool = std::make_unique<blitz::AsyncThreadPool>(blitz::ThreadPoolOptions{.num_threads = threads});
  blitz::ThreadPool other({.num_threads = 1});
  pool->install([&] { other.install([&] { pool.reset(); }); });
}

template <class Pool>
void destroy_on_resident() {
  auto pool = std::make_unique<Pool>(blitz::ThreadPoolOptions{.num_threads = threads});
  Pool other({.num_threads = 1});
  // A worker of another pool does not run it.
  other.install([&] { pool->async([&] { pool.reset(); }).get(); });
}

template <class Pool>
void throw_on_exit() {
  Pool pool({.num_threads = threads, .on_thread_exit = [](std::size_t slot) {
               // Only one thread: two concurrent calls of std::terminate would garble its message.
               if (slot == 0) throw std::runtime_error("on my way out");
             }});
}

template <class Pool>
void throw_detached() {
  Pool pool({.num_threads = threads});
  pool.spawn([] { throw std::runtime_error("nobody waits for me"); });
}

template <class Pool>
void throw_detached_broadcast() {
  Pool pool({.num_threads = threads});
  // Only one thread: two concurrent calls of std::terminate would garble its message.
  pool.spawn_broadcast([](blitz::BroadcastContext context) {
    if (context.index() == 0) throw std::runtime_error("nobody waits for us");
  });
}

/// An exception of the handler itself has no other handler.
template <class Pool>
void throw_in_exception_handler() {
  Pool pool({.num_threads = threads,
             .exception_handler = [](std::exception_ptr) { throw std::runtime_error("not from the handler"); }});
  pool.spawn_fifo([] { throw std::runtime_error("nobody waits for me"); });
}

/// The global pool's threads end with the program, after main.
void leave_global_pool() {
  blitz::init_global_pool({.num_threads = 3, .on_thread_exit = [](std::size_t) { std::puts("a thread ended"); }});
  blitz::parallel_for(0, 1000, [](int) {});
  std::puts("main ends");
}

/// Jobs spawned in the global pool are run before the program ends.
void spawn_at_the_end() {
  blitz::init_global_pool({.num_threads = 2});
  blitz::spawn([] {
    for (int i = 0; i < 100; ++i) blitz::spawn([i] { std::printf("job %d\n", i); });
  });
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
  user.emplace();  // registered for destruction before the pool's first use, so it is destroyed after the pool
  (void)blitz::join([] {}, [] {});
}

// --- the global pool ---

/// All spawned jobs are done when the pool has been shut down, and it stays shut down.
void shut_down_global_pool() {
  blitz::spawn([] {
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    // A job of the pool may still ask for it, and spawn.
    blitz::global_pool().spawn([] { std::puts("the last job"); });
  });
  blitz::shutdown_global_pool();
  std::puts("shut down");
  try {
    blitz::join([] {}, [] {});
  } catch (const blitz::ThreadPoolError& error) {
    std::puts(error.what());
  }
  blitz::shutdown_global_pool();
}

/// Called on one of its workers, it refuses, and the pool keeps working.
void shut_down_global_pool_on_its_worker() {
  blitz::join(
      [] {
        try {
          blitz::shutdown_global_pool();
        } catch (const blitz::ThreadPoolError& error) {
          std::puts(error.what());
        }
      },
      [] {});
  blitz::async([] { std::puts("it works on"); }).get();
}

/// The end of main waits for spawned jobs, which ask for the pool.
void use_global_pool_while_it_ends() {
  blitz::spawn([] {
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    std::printf("%d\n", blitz::global_pool().install([] { return 7; }));
  });
}

void exit_in_a_job() {
  blitz::spawn([] { std::exit(3); });
  for (;;) std::this_thread::yield();
}

void exit_in_join() {
  blitz::join([] { std::exit(3); }, [] {});
}

/// Uses the pool when the calling thread ends.
void use_at_end_of_thread() {
  thread_local std::optional<LateUser> user;
  user.emplace();
}

/// Thread-local objects of the main thread are destroyed before the pool, those in other threads when these end.
void use_global_pool_in_thread_local_destructors() {
  use_at_end_of_thread();
  std::thread(use_at_end_of_thread).join();
}

/// Thread-local objects of a worker are destroyed when the pool ends.
void use_global_pool_in_a_workers_thread_local_destructor() {
  blitz::init_global_pool({.num_threads = 2});
  blitz::broadcast([](blitz::BroadcastContext) { use_at_end_of_thread(); });
}

// --- the program's own threads that continue while it ends ---

void loop() {
  blitz::parallel_for(0, 1000, [](int) {});
}
void sum_up() {
  (void)blitz::parallel_reduce(0, 1000, 0, [](int a, int b) { return a + b; });
}
void join_deep() {
  blitz::join([] { blitz::join([] {}, [] {}); }, [] { blitz::join([] {}, [] {}); });
}
void open_scope() {
  blitz::scope([](blitz::Scope& s) {
    for (int i = 0; i < 10; ++i) s.spawn([] {});
  });
}
void open_scope_in_place() {
  blitz::in_place_scope_fifo([](blitz::Scope& s) {
    for (int i = 0; i < 10; ++i) s.spawn([] {});
  });
}
void wait_for_handle() {
  blitz::async([] {}).get();
}
void broadcast() {
  blitz::broadcast([](blitz::BroadcastContext) {});
}
void install_in_global_pool() { blitz::global_pool().install(loop); }
void isolate() { blitz::isolate(loop); }
void call_from_another_pool() {
  static auto& other = *new blitz::AsyncThreadPool({.num_threads = 2});  // Never destroyed: its callers do not end.
  other.install([] { blitz::global_pool().install(loop); });
}
/// Never waits until all have run: some are pending at any time.
void spawn_without_end() {
  static std::atomic<int> on_their_way{0};
  while (on_their_way.load() > 100) std::this_thread::yield();
  ++on_their_way;
  blitz::spawn([] { --on_their_way; });
}
void stay() {
  blitz::global_pool().install([] {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  });
}

/// Jobs spawned by main are run nevertheless.
void spawn_ten() {
  blitz::spawn([] {
    for (int i = 0; i < 10; ++i) blitz::spawn([i] { std::printf("job %d\n", i); });
  });
}

/// main() returns while threads make calls.
template <void (*kCall)()>
void leave_threads() {
  static const LateUser user;  // It learns that the pool has ended, while the threads keep using it.
  blitz::init_global_pool({.num_threads = threads});
  static std::atomic<int> called{0};
  for (int i = 0; i < 3; ++i) {
    std::thread([] {
      for (;;) {
        kCall();
        ++called;
      }
    }).detach();
  }
  while (called.load() < 10) std::this_thread::yield();
  spawn_ten();
}

/// Like leave_threads(), but main does not wait for the first calls.
template <void (*kCall)()>
void leave_new_threads() {
  static const LateUser user;
  for (int i = 0; i < 3; ++i) {
    std::thread([] {
      for (;;) kCall();
    }).detach();
  }
  loop();
  spawn_ten();
}

/// A thread does not return from its call, and keeps a slot for itself.
void leave_thread_in_a_call() {
  blitz::init_global_pool({.num_threads = threads + 1});
  std::thread(stay).detach();
  spawn_ten();
}

void exit_beside_threads() {
  std::thread([] {
    for (;;) loop();
  }).detach();
  loop();
  std::exit(3);
}

/// A static object's thread. Its destructor stops and joins it. The object was made before the pool, so it outlives the pool.
void join_a_thread_late() {
  static std::atomic<int> calls{0};
  static const struct Service {
    ~Service() {
      const int before = calls.load();
      while (calls.load() < before + 10) std::this_thread::yield();
      worker.request_stop();
      worker.join();
      std::puts("served");
    }
    mutable std::jthread worker{[](const std::stop_token& stop) {
      for (; !stop.stop_requested(); ++calls) loop();
    }};
  } service;
  loop();
}

/// A thread makes its first call after the pool was stopped: only main had used the pool before.
void begin_a_thread_late() {
  static const struct Service {
    ~Service() {
      std::thread([] {
        loop();
        std::printf("%zu\n", blitz::join([] { return std::size_t{6}; }, [] {}).first);
      }).join();
    }
  } service;
  loop();
}

/// Like begin_a_thread_late(), with a call of the old pool: the call never returns, and does no harm.
void begin_a_thread_late_in_the_old_pool() {
  static std::atomic<blitz::ThreadPool*> pool{nullptr};
  static const struct Service {
    ~Service() {
      std::thread([] {
        pool.load()->install([] {});
        std::puts("it came back");
      }).detach();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // Time to do harm.
    }
  } service;
  loop();
  pool.store(&blitz::global_pool());
}

/// Hooks of the global pool that end the program, which waits for them.
void exit_in_start_hook() {
  blitz::init_global_pool({.num_threads = threads, .on_thread_start = [](std::size_t slot) {
                             if (slot == 0) std::exit(4);
                           }});
}
void exit_in_exit_hook() {
  blitz::init_global_pool({.num_threads = 1, .on_thread_exit = [](std::size_t) { std::exit(4); }});
  blitz::shutdown_global_pool();
}

/// A static pool, used by a static object that was made after it.
template <class Pool>
void use_static_pool() {
  static Pool pool({.num_threads = threads});
  static const struct User {
    ~User() {
      std::printf("%d\n", pool.install([] { return 8; }));
    }
  } user;
}

/// Recurses `steps` deep, with a page per step.
[[gnu::noinline]] long descend(long steps) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(steps);
  return steps == 0 ? 0 : descend(steps - 1) + frame[0];
}
template <class Pool>
void overflow_stack() {
#if defined(BLITZ_PORTABLE)
  constexpr std::size_t kStackSize = 0;  // It cannot be chosen.
#else
  constexpr std::size_t kStackSize = std::size_t{256} << 10;
#endif
  Pool pool({.num_threads = threads, .stack_size = kStackSize});
  pool.spawn([] { std::printf("%ld\n", descend(1'000'000)); });
}

/// A scope's result that spawns in the scope whenever it is moved, including the move to the caller after the scope has ended,
/// while the Scope object still exists.
struct SpawnsWhenMoved {
  explicit SpawnsWhenMoved(blitz::Scope& s) : scope(s) {}
  SpawnsWhenMoved(SpawnsWhenMoved&& other) : scope(other.scope) {
    scope.spawn([] {});
  }
  blitz::Scope& scope;
};
void spawn_in_an_ended_scope() {
  blitz::scope([](blitz::Scope& s) { return SpawnsWhenMoved(s); });
}
void spawn_in_an_ended_scope_in_place() {
  blitz::in_place_scope([](blitz::Scope& s) { return SpawnsWhenMoved(s); });
}

struct Scenario {
  const char* name;
  void (*run)();
};

/// One for each policy: NAME.fork_join, NAME.async, NAME.reference.
#define BLITZ_ENDING_ON_ALL(name, function)                                                              \
  {name ".fork_join", function<blitz::ThreadPool>}, {name ".async", function<blitz::AsyncThreadPool>}, { \
    name ".reference", function<ReferencePool>                                                           \
  }

/// With threads that make this call: leave_threads.CALL, leave_new_threads.CALL.
#define BLITZ_ENDING_BESIDE_THREADS(call) \
  {"leave_threads." #call, leave_threads<call>}, { "leave_new_threads." #call, leave_new_threads<call> }

constexpr Scenario kScenarios[] = {
    BLITZ_ENDING_ON_ALL("destroy_on_own_worker", destroy_on_own_worker),
    BLITZ_ENDING_ON_ALL("destroy_on_own_worker_from_another_pool", destroy_on_own_worker_from_another_pool),
    {"destroy_under_a_call_of_another_pool", destroy_under_a_call_of_another_pool},
    BLITZ_ENDING_ON_ALL("destroy_on_resident", destroy_on_resident),
    BLITZ_ENDING_ON_ALL("throw_on_exit", throw_on_exit),
    BLITZ_ENDING_ON_ALL("throw_detached", throw_detached),
    BLITZ_ENDING_ON_ALL("throw_detached_broadcast", throw_detached_broadcast),
    BLITZ_ENDING_ON_ALL("throw_in_exception_handler", throw_in_exception_handler),
    BLITZ_ENDING_ON_ALL("use_static_pool", use_static_pool),
    BLITZ_ENDING_ON_ALL("overflow_stack", overflow_stack),
    {"spawn_at_the_end", spawn_at_the_end},
    {"leave_global_pool", leave_global_pool},
    {"use_global_pool_late", use_global_pool_late},
    {"shut_down_global_pool", shut_down_global_pool},
    {"shut_down_global_pool_on_its_worker", shut_down_global_pool_on_its_worker},
    {"use_global_pool_while_it_ends", use_global_pool_while_it_ends},
    {"exit_in_a_job", exit_in_a_job},
    {"exit_in_join", exit_in_join},
    {"use_global_pool_in_thread_local_destructors", use_global_pool_in_thread_local_destructors},
    {"use_global_pool_in_a_workers_thread_local_destructor", use_global_pool_in_a_workers_thread_local_destructor},
    BLITZ_ENDING_BESIDE_THREADS(loop),
    BLITZ_ENDING_BESIDE_THREADS(sum_up),
    BLITZ_ENDING_BESIDE_THREADS(join_deep),
    BLITZ_ENDING_BESIDE_THREADS(open_scope),
    BLITZ_ENDING_BESIDE_THREADS(open_scope_in_place),
    BLITZ_ENDING_BESIDE_THREADS(wait_for_handle),
    BLITZ_ENDING_BESIDE_THREADS(broadcast),
    BLITZ_ENDING_BESIDE_THREADS(install_in_global_pool),
    BLITZ_ENDING_BESIDE_THREADS(isolate),
    BLITZ_ENDING_BESIDE_THREADS(call_from_another_pool),
    BLITZ_ENDING_BESIDE_THREADS(spawn_without_end),
    {"leave_thread_in_a_call", leave_thread_in_a_call},
    {"exit_beside_threads", exit_beside_threads},
    {"join_a_thread_late", join_a_thread_late},
    {"begin_a_thread_late", begin_a_thread_late},
    {"begin_a_thread_late_in_the_old_pool", begin_a_thread_late_in_the_old_pool},
    {"exit_in_start_hook", exit_in_start_hook},
    {"exit_in_exit_hook", exit_in_exit_hook},
    {"spawn_in_an_ended_scope", spawn_in_an_ended_scope},
    {"spawn_in_an_ended_scope_in_place", spawn_in_an_ended_scope_in_place},
};

#undef BLITZ_ENDING_ON_ALL
#undef BLITZ_ENDING_BESIDE_THREADS

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) threads = static_cast<std::size_t>(std::atol(argv[2]));
  for (const Scenario& scenario : kScenarios) {
    if (argc >= 2 && std::strcmp(argv[1], scenario.name) == 0) {
      scenario.run();
      return 0;
    }
  }
  return 2;
}
