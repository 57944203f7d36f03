// JobGroup, the implementation of a TaskGroup: its count, the threads that wait for it, its exception, and requests to stop. A
// thread that was the only one to wait destroys the group immediately.
#include <cstddef>
#include <exception>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "blitz/detail/task/job_group.hpp"
#include "tests/interleave/tasks.hpp"

namespace interleave_test {
namespace {

using blitz::detail::JobGroup;

/// Imitates blitz::TaskGroup with jobs that the test owns.
class Group final : public Tasks<Group> {
 public:
  Group(Run& run, Pool& pool) : Tasks(pool), group_(std::in_place, pool) { run.name(*group_, "group"); }

  void run(Task<Group>& task) {
    group_->begun();
    send(task);
  }
  /// Returns the message of the wait's exception, or an empty text.
  std::string wait() {
    const std::exception_ptr error = group_->wait();
    if (error == nullptr) return "";
    return thrown_by([&] { std::rethrow_exception(error); });
  }
  void expect_run(std::initializer_list<const Task<Group>*> tasks) {
    for (const auto* const task : tasks) expect(task->runs.read() == 1, "each job of the group has run once and ended");
  }
  /// By a thread that has waited, while no other thread waits.
  void end() { group_.reset(); }

  void keep_exception() noexcept { group_->keep_exception(); }
  void task_ended(WorkerBase& /*worker*/) noexcept { group_->finished(); }
  [[nodiscard]] JobGroup& operator*() noexcept { return *group_; }

 private:
  std::optional<JobGroup> group_;
};

/// A worker that has taken one of the group's jobs before the threads begin, and runs it.
void add_holder(Run& run, const char* name, Pool& pool, std::size_t slot, Group& group, Task<Group>& task) {
  Worker& worker = pool.worker(slot);
  current_worker = &worker;
  group.run(task);
  add_holder(run, name, worker, worker.take_newest());
  current_worker = nullptr;
}
/// Gives `tasks` to the group on worker 0, waits, and destroys the group.
void add_owner(Run& run, Pool& pool, Group& group, std::initializer_list<Task<Group>*> tasks, const char* thrown = "") {
  add_thread(run, "owner", pool.worker(0), [&group, given = std::vector<Task<Group>*>(tasks), thrown] {
    for (Task<Group>* const task : given) group.run(*task);
    expect(group.wait() == thrown, "the exception is the first");
    for (Task<Group>* const task : given) group.expect_run({task});
    group.end();
  });
}

INTERLEAVE_CASE("group: one job", .preemptions = 3, .delays = 2, .spurious = 1, .random_schedules = 1000,
                .fences = true) {
  Pool pool(run, 2);
  Group group(run, pool);
  add_owner(run, pool, group, {&group.task()});
  add_helper(run, "helper", pool, 1);
  run.go();
}

INTERLEAVE_CASE("group: one job, in another's hands", .preemptions = 3, .spurious = 1, .random_schedules = 2000) {
  Pool pool(run, 2);
  Group group(run, pool);
  Task<Group>& task = group.task();
  add_holder(run, "holder", pool, 1, group, task);
  add_thread(run, "owner", pool.worker(0), [&] {
    (void)group.wait();
    group.expect_run({&task});
    group.end();
  });
  run.go();
}

INTERLEAVE_CASE("group: the last two jobs end concurrently", .preemptions = 2, .random_schedules = 2000) {
  Pool pool(run, 3);
  Group group(run, pool);
  Task<Group>& left = group.task();
  Task<Group>& right = group.task();
  add_holder(run, "left", pool, 1, group, left);
  add_holder(run, "right", pool, 2, group, right);
  add_thread(run, "owner", pool.worker(0), [&] {
    (void)group.wait();
    group.expect_run({&left, &right});
    group.end();
  });
  run.go();
}

INTERLEAVE_CASE("group: a job that gives another", .preemptions = 2, .random_schedules = 2000, .fences = true) {
  Pool pool(run, 2);
  Group group(run, pool);
  Task<Group>& inner = group.task();
  Task<Group>& outer = group.task([&] { group.run(inner); });
  add_owner(run, pool, group, {&outer});
  add_helper(run, "helper", pool, 1);
  run.go();
}

INTERLEAVE_CASE("group: waited for, and used again", .preemptions = 2, .random_schedules = 2000) {
  Pool pool(run, 2);
  Group group(run, pool);
  Task<Group>& first = group.task();
  Task<Group>& second = group.task();
  add_thread(run, "owner", pool.worker(0), [&] {
    group.run(first);
    (void)group.wait();
    group.expect_run({&first});
    group.run(second);
    (void)group.wait();
    group.expect_run({&second});
    group.end();
  });
  add_thread(run, "helper", pool.worker(1), [&] {
    for (int i = 0; i < 2; ++i) pool.worker(1).help_once();
  });
  run.go();
}

INTERLEAVE_CASE("group: two waiters", .preemptions = 1, .random_schedules = 2000) {
  Pool pool(run, 3);
  Group group(run, pool);
  Task<Group>& task = group.task();
  add_holder(run, "holder", pool, 2, group, task);
  for (std::size_t slot = 0; slot < 2; ++slot) {
    add_thread(run, slot == 0 ? "waiter 0" : "waiter 1", pool.worker(slot), [&] {
      (void)group.wait();
      group.expect_run({&task});
    });
  }
  run.go();
}

// One thread waits while the other adds a job, and waits for it.
INTERLEAVE_CASE("group: a waiter, and another that gives a job", .preemptions = 1, .random_schedules = 2000) {
  Pool pool(run, 3);
  Group group(run, pool);
  Task<Group>& first = group.task();
  Task<Group>& second = group.task();
  add_holder(run, "holder", pool, 2, group, first);
  add_thread(run, "waiter", pool.worker(0), [&] {
    (void)group.wait();
    group.expect_run({&first});
  });
  add_thread(run, "giver", pool.worker(1), [&] {
    group.run(second);
    (void)group.wait();
    group.expect_run({&second});
  });
  run.go();
}

// The end of one wait must not affect the other, which waits for the second job.
INTERLEAVE_CASE("group: a wait ends while another begins", .preemptions = 1, .random_schedules = 2000) {
  Pool pool(run, 3);
  Group group(run, pool);
  (*group).begun();
  for (std::size_t slot = 0; slot < 2; ++slot) {
    add_thread(run, slot == 0 ? "waiter 0" : "waiter 1", pool.worker(slot), [&] { (void)group.wait(); });
  }
  add_thread(run, "jobs", pool.worker(2), [&] {
    (*group).finished();
    (*group).begun();
    (*group).finished();
  });
  run.go();
}

INTERLEAVE_CASE("group: an outside thread waits", .preemptions = 3, .spurious = 1, .random_schedules = 2000) {
  Pool pool(run, 1);
  Group group(run, pool);
  Task<Group>& inner = group.task();
  Task<Group>& outer = group.task([&] { group.run(inner); });
  run.thread("caller", [&] {
    group.run(outer);
    (void)group.wait();
    group.expect_run({&outer, &inner});
    group.end();
  });
  add_server(run, pool, group);
  run.go();
}

// --- exceptions ---

INTERLEAVE_CASE("group: two jobs throw, and one exception arrives once", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 3);
  Group group(run, pool);
  Task<Group>& left = group.task([] { throw std::runtime_error("left"); });
  Task<Group>& right = group.task([] { throw std::runtime_error("right"); });
  add_holder(run, "left", pool, 1, group, left);
  add_holder(run, "right", pool, 2, group, right);
  add_thread(run, "owner", pool.worker(0), [&] {
    const std::string thrown = group.wait();
    expect(thrown == "left" || thrown == "right", "one of the two is thrown");
    expect(group.wait().empty(), "it is thrown once");
    group.end();
  });
  run.go();
}

INTERLEAVE_CASE("group: the first exception is thrown", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 2);
  Group group(run, pool);
  Task<Group>& second = group.task([] { throw std::runtime_error("second"); });
  // Happens before the other.
  Task<Group>& first = group.task([&] {
    try {
      throw std::runtime_error("first");
    } catch (...) {
      group.keep_exception();
    }
    group.run(second);
  });
  add_owner(run, pool, group, {&first}, "first");
  add_helper(run, "helper", pool, 1);
  run.go();
}

// --- stopping ---

// A wait that began earlier does not end the request to stop of an unfinished job.
INTERLEAVE_CASE("group: a wait ends one request to stop while another is made", .preemptions = 3,
                .random_schedules = 1000) {
  Pool pool(run, 2);
  Group group(run, pool);
  (*group).stop().request();
  add_thread(run, "waiter", pool.worker(0), [&] { (void)group.wait(); });
  add_thread(run, "stopper", pool.worker(1), [&] {
    (*group).begun();
    (*group).stop().request();
    expect((*group).stop().requested(), "a request lasts until no job is unfinished");
    (*group).finished();
    (void)group.wait();
    expect(!(*group).stop().requested(), "a wait that finds no job unfinished ends a request");
  });
  run.go();
}

}  // namespace
}  // namespace interleave_test
