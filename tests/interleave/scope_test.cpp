// ScopeState, the inside of a scope: its count in two parts, its wait, its exception; and CallerLatch, which ends the
// wait for whoever waits.
#include <cstddef>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "blitz/core/scope_state.hpp"
#include "tests/interleave/pool.hpp"

namespace interleave_test {
namespace {

using blitz::detail::current_worker;
using blitz::detail::ScopeState;

class Scope;

/// A spawned job.
struct Task final : Job {
  Task(Scope& its_scope, std::function<void()> f) : Job(&execute_it), scope(its_scope), function(std::move(f)) {}

  static void execute_it(Job* job, WorkerBase& worker) noexcept;

  Scope& scope;
  std::function<void()> function;
  Plain<int> runs{"what a job of the scope wrote", 0};
};

/// What blitz::Scope does with a state, for jobs that the test keeps.
class Scope {
 public:
  explicit Scope(Pool& pool) : pool_(pool) {}

  Task& task(std::function<void()> f = {}) { return tasks_.emplace_back(*this, std::move(f)); }

  /// By the owner, which is a worker of the pool, or none of it.
  void open(WorkerBase* owner) { state_.emplace(pool_, owner, std::stop_token()); }
  void spawn(Task& task) {
    auto* const here = static_cast<Worker*>(current_worker);
    if (here != nullptr && here->pool() == &pool_) {
      state_->begun(here);
      here->offer(&task);
    } else {
      state_->begun(nullptr);
      pool_.inject(&task);
    }
  }
  /// By the owner. Returns what the scope throws, if it does.
  std::string close() {
    state_->wait();
    std::string thrown;
    try {
      state_->rethrow();
    } catch (const std::runtime_error& error) {
      thrown = error.what();
    }
    for (const Task& task : tasks_) expect(task.runs.read() == 1, "each job of the scope has run once and ended");
    state_.reset();
    return thrown;
  }

  [[nodiscard]] ScopeState& state() noexcept { return *state_; }
  /// How many of its jobs have still to begin; orders nothing.
  [[nodiscard]] std::size_t to_begin() const noexcept { return tasks_.size() - begun_; }
  void task_begins() noexcept { ++begun_; }

 private:
  Pool& pool_;
  std::deque<Task> tasks_;
  std::size_t begun_ = 0;
  std::optional<ScopeState> state_;
};

void Task::execute_it(Job* job, WorkerBase& worker) noexcept {
  auto& self = *static_cast<Task*>(job);
  ScopeState& state = self.scope.state();
  self.scope.task_begins();
  self.runs.write(self.runs.read() + 1);
  try {
    if (self.function) self.function();
  } catch (...) {
    state.keep_exception();
  }
  state.finished(worker);
}

/// The runner of a worker of the pool.
void add_thread(Run& run, const char* name, Worker& worker, std::function<void()> body) {
  run.thread(name, [&worker, body = std::move(body)] {
    current_worker = &worker;
    body();
  });
}
void add_helper(Run& run, const char* name, Pool& pool, std::size_t slot) {
  Worker& worker = pool.worker(slot);
  add_thread(run, name, worker, [&worker] { worker.help_once(); });
}

/// Opens a scope on worker 0, spawns `tasks`, and closes it.
void add_owner(Run& run, Pool& pool, Scope& scope, std::initializer_list<Task*> tasks, const char* thrown = "") {
  add_thread(run, "owner", pool.worker(0), [&pool, &scope, spawned = std::vector<Task*>(tasks), thrown] {
    scope.open(&pool.worker(0));
    for (Task* const task : spawned) scope.spawn(*task);
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

// The helpers have the jobs in hand when the owner comes to its wait.
INTERLEAVE_CASE("scope: the last two jobs end at once", .preemptions = 2, .random_schedules = 1000) {
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
    Job* const job = worker.take_any();
    add_thread(run, slot == 1 ? "helper 1" : "helper 2", worker, [&worker, job] { worker.execute(job); });
  }
  run.go();
}

// What a helper spawns lies in its queue, where the owner, once it waits, is the thief.
INTERLEAVE_CASE("scope: a job that spawns", .preemptions = 2, .random_schedules = 2000, .fences = true) {
  Pool pool(run, 2);
  Scope scope(pool);
  Task& inner = scope.task();
  Task& outer = scope.task([&] { scope.spawn(inner); });
  add_owner(run, pool, scope, {&outer});
  add_helper(run, "helper", pool, 1);
  run.go();
}

INTERLEAVE_CASE("scope: jobs that spawn, two helpers", .preemptions = 1, .random_schedules = 2000) {
  Pool pool(run, 3);
  Scope scope(pool);
  Task& last = scope.task();
  Task& inner = scope.task([&] { scope.spawn(last); });
  Task& outer = scope.task([&] { scope.spawn(inner); });
  add_owner(run, pool, scope, {&outer, &scope.task()});
  add_helper(run, "helper 1", pool, 1);
  add_helper(run, "helper 2", pool, 2);
  run.go();
}

// --- exceptions ---

INTERLEAVE_CASE("scope: two jobs throw", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 2);
  Scope scope(pool);
  Task& second = scope.task([] { throw std::runtime_error("second"); });
  // Happens before the other.
  Task& first = scope.task([&] {
    try {
      throw std::runtime_error("first");
    } catch (...) {
      scope.state().keep_exception();
    }
    scope.spawn(second);
  });
  add_owner(run, pool, scope, {&first}, "first");
  add_helper(run, "helper", pool, 1);
  run.go();
}

INTERLEAVE_CASE("scope: two jobs throw at once", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 2);
  Scope scope(pool);
  Task& left = scope.task([] { throw std::runtime_error("left"); });
  Task& right = scope.task([] { throw std::runtime_error("right"); });
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

/// A worker that does all that comes from outside.
void add_server(Run& run, Pool& pool, Scope& scope) {
  add_thread(run, "server", pool.worker(0), [&] {
    while (scope.to_begin() > 0) {
      pool.worker(0).help_once();
      blitz::detail::yield_thread();
    }
  });
}

INTERLEAVE_CASE("caller: an outside thread", .preemptions = 3, .spurious = 1, .random_schedules = 1000) {
  Pool pool(run, 1);
  Scope scope(pool);
  Task& inner = scope.task();
  Task& outer = scope.task([&] { scope.spawn(inner); });
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
  Task& left = scope.task();
  Task& right = scope.task();
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

// As soon as the latch is set the caller may go on, to the end of its own pool, while the setter has still to wake it.
// Somebody else may have woken it, too.
INTERLEAVE_CASE("caller: a worker of another pool, which ends", .preemptions = 1, .random_schedules = 4000) {
  Pool pool(run, 1);
  Scope scope(pool);
  Task& task = scope.task();
  auto callers = std::make_shared<Pool>(run, 1);
  callers->owned_by(callers);
  const std::weak_ptr<Pool> others = callers;
  run.thread("caller", [&] {
    current_worker = &callers->worker(0);
    scope.open(nullptr);
    scope.spawn(task);
    (void)scope.close();
    current_worker = nullptr;
    callers.reset();
  });
  run.thread("disturber", [&] {
    if (const auto pool_of_caller = others.lock()) pool_of_caller->idle().try_wake(0);
  });
  add_server(run, pool, scope);
  run.go();
}

}  // namespace
}  // namespace interleave_test
