/// Jobs that an owner counts, for the suites of ScopeState and JobGroup.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "tests/interleave/pool.hpp"

namespace interleave_test {

using blitz::detail::current_worker;

/// A job owned by the test. It reports to its owner its begin, the exception of its function, and its end.
template <class Owner>
struct Task final : Job {
  Task(Owner& its_owner, std::function<void()> f) : Job(&execute_it), owner(its_owner), function(std::move(f)) {}

  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto& self = *static_cast<Task*>(job);
    Owner& owner = self.owner;
    owner.task_begins();
    self.runs.write(self.runs.read() + 1);
    try {
      if (self.function) self.function();
    } catch (...) {
      owner.keep_exception();
    }
    owner.task_ended(worker);
  }

  Owner& owner;
  std::function<void()> function;
  Plain<int> runs{"what a job wrote", 0};
};

/// Base class of an owner.
template <class Owner>
class Tasks {
 public:
  explicit Tasks(Pool& pool) : pool_(pool) {}

  Task<Owner>& task(std::function<void()> f = {}) {
    return tasks_.emplace_back(static_cast<Owner&>(*this), std::move(f));
  }
  /// The number of tasks that have not begun; orders nothing.
  [[nodiscard]] std::size_t to_begin() const noexcept { return tasks_.size() - begun_; }
  void task_begins() noexcept { ++begun_; }

 protected:
  ~Tasks() = default;

  [[nodiscard]] Pool& pool() noexcept { return pool_; }
  [[nodiscard]] const std::deque<Task<Owner>>& tasks() const noexcept { return tasks_; }
  /// The calling thread's worker in the pool; null if it is none.
  [[nodiscard]] Worker* here() const noexcept {
    auto* const worker = static_cast<Worker*>(current_worker);
    return worker != nullptr && worker->pool() == &pool_ ? worker : nullptr;
  }
  /// Sends a task from the calling thread.
  void send(Task<Owner>& task) {
    if (Worker* const worker = here()) {
      worker->offer_half(&task);
    } else {
      pool_.inject(&task);
    }
  }

 private:
  Pool& pool_;
  std::deque<Task<Owner>> tasks_;
  std::size_t begun_ = 0;
};

/// The message of the exception that `f` throws; empty if there is none.
template <class F>
std::string thrown_by(F&& f) {
  try {
    f();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// The runner of a worker of the pool.
inline void add_thread(Run& run, const std::string& name, Worker& worker, std::function<void()> body) {
  run.thread(name, [&worker, body = std::move(body)] {
    current_worker = &worker;
    body();
  });
}
inline void add_helper(Run& run, const std::string& name, Pool& pool, std::size_t slot) {
  Worker& worker = pool.worker(slot);
  add_thread(run, name, worker, [&worker] { worker.help_once(); });
}
/// Runs jobs until `done`.
inline void add_busy_helper(Run& run, const std::string& name, Worker& worker, const bool& done) {
  add_thread(run, name, worker, [&worker, &done] {
    while (!done) {
      worker.help_once();
      blitz::detail::yield_thread();
    }
  });
}
/// Worker 0, which runs all jobs from outside.
template <class Owner>
void add_server(Run& run, Pool& pool, Owner& owner) {
  add_thread(run, "server", pool.worker(0), [&] {
    while (owner.to_begin() > 0) {
      pool.worker(0).help_once();
      blitz::detail::yield_thread();
    }
  });
}
/// The runner of a worker that already holds `job` when the threads begin, and runs it.
inline void add_holder(Run& run, const std::string& name, Worker& worker, Job* job) {
  add_thread(run, name, worker, [&worker, job] { worker.execute(job); });
}

}  // namespace interleave_test
