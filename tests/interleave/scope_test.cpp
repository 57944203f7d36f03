// ScopeState, the implementation of a scope: its two-part count, its wait, its exception. CallerLatch, which ends the caller's
// wait for a scope, a handle of async or a broadcast.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "blitz/async_handle.hpp"
#include "blitz/broadcast.hpp"
#include "blitz/detail/task/scope_state.hpp"
#include "tests/interleave/tasks.hpp"

namespace interleave_test {
namespace {

using blitz::detail::ScopeState;

/// Imitates blitz::Scope with jobs that the test owns.
class Scope final : public Tasks<Scope> {
 public:
  using Tasks::Tasks;

  /// By the owner, which may be a worker of the pool.
  void open(WorkerBase* owner) { state_.emplace(pool(), owner, std::stop_token()); }
  void spawn(Task<Scope>& task) {
    state_->begun(here());
    send(task);
  }
  /// By the owner. Returns the message of the scope's exception, or an empty text.
  std::string close() {
    state_->wait();
    const std::string thrown = thrown_by([&] { state_->rethrow(); });
    for (const auto& task : tasks()) expect(task.runs.read() == 1, "each job of the scope has run once and ended");
    state_.reset();
    return thrown;
  }

  void keep_exception() noexcept { state_->keep_exception(); }
  void task_ended(WorkerBase& worker) noexcept { state_->finished(worker); }

 private:
  std::optional<ScopeState> state_;
};

/// Opens a scope on worker 0, spawns `tasks`, and closes it.
void add_owner(Run& run, Pool& pool, Scope& scope, std::initializer_list<Task<Scope>*> tasks, const char* thrown = "") {
  add_thread(run, "owner", pool.worker(0), [&pool, &scope, spawned = std::vector<Task<Scope>*>(tasks), thrown] {
    scope.open(&pool.worker(0));
    for (Task<Scope>* const task : spawned) scope.spawn(*task);
    expect(scope.close() == thrown, "the exception is the first");
  });
}

// --- the owner a worker of the pool ---

INTERLEAVE_CASE("scope: one job", .preemptions = 3, .delays = 2, .spurious = 1, .random_schedules = 1000,
                .fences = true) {
  Pool pool(run, 2);
  Scope scope(pool);
  add_owner(run, pool, scope, {&scope.task()});
  add_helper(run, "helper", pool, 1);
  run.go();
}

INTERLEAVE_CASE("scope: two jobs, two helpers", .preemptions = 1, .random_schedules = 2000) {
  Pool pool(run, 3);
  Scope scope(pool);
  add_owner(run, pool, scope, {&scope.task(), &scope.task()});
  add_helper(run, "helper 1", pool, 1);
  add_helper(run, "helper 2", pool, 2);
  run.go();
}

// The helpers hold the jobs when the owner begins its wait.
INTERLEAVE_CASE("scope: the last two jobs end concurrently", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 3);
  Scope scope(pool);
  current_worker = &pool.worker(0);
  scope.open(current_worker);
  scope.spawn(scope.task());
  scope.spawn(scope.task());
  current_worker = nullptr;
  add_thread(run, "owner", pool.worker(0), [&] { (void)scope.close(); });
  for (std::size_t slot = 1; slot < 3; ++slot) {
    Worker& worker = pool.worker(slot);
    add_holder(run, "helper " + std::to_string(slot), worker, worker.take_any());
  }
  run.go();
}

// A helper spawns into its queue, and the owner steals from there when it waits.
INTERLEAVE_CASE("scope: a job that spawns", .preemptions = 2, .random_schedules = 2000, .fences = true) {
  Pool pool(run, 2);
  Scope scope(pool);
  Task<Scope>& inner = scope.task();
  Task<Scope>& outer = scope.task([&] { scope.spawn(inner); });
  add_owner(run, pool, scope, {&outer});
  add_helper(run, "helper", pool, 1);
  run.go();
}

INTERLEAVE_CASE("scope: jobs that spawn, two helpers", .preemptions = 1, .random_schedules = 2000) {
  Pool pool(run, 3);
  Scope scope(pool);
  Task<Scope>& last = scope.task();
  Task<Scope>& inner = scope.task([&] { scope.spawn(last); });
  Task<Scope>& outer = scope.task([&] { scope.spawn(inner); });
  add_owner(run, pool, scope, {&outer, &scope.task()});
  add_helper(run, "helper 1", pool, 1);
  add_helper(run, "helper 2", pool, 2);
  run.go();
}

// --- exceptions ---

INTERLEAVE_CASE("scope: two jobs throw", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 2);
  Scope scope(pool);
  Task<Scope>& second = scope.task([] { throw std::runtime_error("second"); });
  // Happens before the other.
  Task<Scope>& first = scope.task([&] {
    try {
      throw std::runtime_error("first");
    } catch (...) {
      scope.keep_exception();
    }
    scope.spawn(second);
  });
  add_owner(run, pool, scope, {&first}, "first");
  add_helper(run, "helper", pool, 1);
  run.go();
}

INTERLEAVE_CASE("scope: two jobs throw concurrently", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 2);
  Scope scope(pool);
  Task<Scope>& left = scope.task([] { throw std::runtime_error("left"); });
  Task<Scope>& right = scope.task([] { throw std::runtime_error("right"); });
  add_thread(run, "owner", pool.worker(0), [&] {
    scope.open(&pool.worker(0));
    scope.spawn(left);
    scope.spawn(right);
    const std::string thrown = scope.close();
    expect(thrown == "left" || thrown == "right", "one of the two is thrown");
  });
  add_helper(run, "helper", pool, 1);
  run.go();
}

// --- the owner no worker of the pool ---

INTERLEAVE_CASE("caller: an outside thread", .preemptions = 3, .spurious = 1, .random_schedules = 1000) {
  Pool pool(run, 1);
  Scope scope(pool);
  Task<Scope>& inner = scope.task();
  Task<Scope>& outer = scope.task([&] { scope.spawn(inner); });
  run.thread("caller", [&] {
    scope.open(nullptr);
    scope.spawn(outer);
    (void)scope.close();
  });
  add_server(run, pool, scope);
  run.go();
}

INTERLEAVE_CASE("caller: an outside thread, two servers", .preemptions = 1, .random_schedules = 1000) {
  Pool pool(run, 2);
  Scope scope(pool);
  Task<Scope>& left = scope.task();
  Task<Scope>& right = scope.task();
  run.thread("caller", [&] {
    scope.open(nullptr);
    scope.spawn(left);
    scope.spawn(right);
    (void)scope.close();
  });
  add_server(run, pool, scope);
  add_helper(run, "helper", pool, 1);
  run.go();
}

// As soon as the latch is set, the caller may continue to the end of its pool, while the setter still has to wake it. Another
// thread may have woken it, too.
INTERLEAVE_CASE("caller: a worker of another pool, which ends", .preemptions = 1, .random_schedules = 4000) {
  Pool pool(run, 1);
  Scope scope(pool);
  Task<Scope>& task = scope.task();
  blitz::detail::Shared<Pool> callers(new Pool(run, 1));
  auto others = share(*callers);
  run.thread("caller", [&] {
    current_worker = &callers->worker(0);
    scope.open(nullptr);
    scope.spawn(task);
    (void)scope.close();
    current_worker = nullptr;
    callers = {};
  });
  run.thread("disturber", [&] {
    others->idle().try_wake(0);
    others = {};
  });
  add_server(run, pool, scope);
  run.go();
}

// --- handles and broadcasts ---

/// Call this when all threads have ended: runs the jobs left in the queues. Then the pool has counted the end of one job.
void expect_one_ended(Pool& pool) {
  std::uint64_t ended = 0;
  for (std::size_t slot = 0; slot < pool.num_threads(); ++slot) {
    pool.worker(slot).help_once();
    ended += pool.worker(slot).detached().ended();
  }
  expect(ended == 1, "the end of the job is counted once");
}

// The owner takes the job from its queue, unless the helper has stolen it.
INTERLEAVE_CASE("handle: a worker waits", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 2);
  Plain<int> result{"result", 0};
  add_thread(run, "owner", pool.worker(0), [&] {
    auto handle = blitz::detail::async_in(pool, [&] { result.write(result.read() + 7); });
    handle.get();
    expect(result.read() == 7, "what the job wrote is seen");
  });
  add_helper(run, "helper", pool, 1);
  run.go();
  expect_one_ended(pool);
}

// The owner claims the job, unless the helper has begun it.
INTERLEAVE_CASE("handle: a worker waits for a job from outside", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 2);
  Plain<int> result{"result", 0};
  auto handle = blitz::detail::async_in(pool, [&] { result.write(result.read() + 7); });
  add_thread(run, "owner", pool.worker(0), [&] {
    handle.get();
    expect(result.read() == 7, "what the job wrote is seen");
  });
  add_helper(run, "helper", pool, 1);
  run.go();
  expect_one_ended(pool);
}

// No slot is vacant, so it leaves the job to the helper, even if it has claimed the job and the helper has found it empty.
INTERLEAVE_CASE("handle: an outside thread asks, then waits", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 1);
  Plain<int> result{"result", 0};
  bool done = false;
  auto handle = blitz::detail::async_in(pool, [&] { result.write(result.read() + 7); });
  run.thread("caller", [&] {
    if (!handle.ready()) handle.wait();
    expect(result.read() == 7, "what the job wrote is seen");
    done = true;
  });
  add_busy_helper(run, "helper", pool.worker(0), done);
  run.go();
  expect_one_ended(pool);
}

INTERLEAVE_CASE("handle: dropped while the job runs", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 1);
  auto handle = blitz::detail::async_in(pool, [] {});
  run.thread("caller", [&] { handle = {}; });
  add_helper(run, "helper", pool, 0);
  run.go();
}

INTERLEAVE_CASE("broadcast: the last two calls end concurrently", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 2);
  run.thread("caller", [&] {
    Plain<int> results[2] = {Plain<int>("result", 0), Plain<int>("result", 0)};
    blitz::detail::broadcast_in(pool, [&](blitz::BroadcastContext context) { results[context.index()].write(7); });
    expect(results[0].read() + results[1].read() == 14, "what each call wrote is seen");
  });
  for (std::size_t slot = 0; slot < 2; ++slot) {
    Worker& worker = pool.worker(slot);
    add_thread(run, "worker " + std::to_string(slot), worker, [&worker] {
      while (!worker.has_mail()) blitz::detail::yield_thread();
      worker.execute(worker.take_mail());
    });
  }
  run.go();
}

}  // namespace
}  // namespace interleave_test
