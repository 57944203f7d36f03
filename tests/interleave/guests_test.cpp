// Guests, on the shipped Worker and Registry: outside callers that find slot 0 of the pool's own team taken, and the residents
// that are summoned to their teams.
#include <cstddef>
#include <optional>
#include <utility>

#include "blitz/detail/task/job_group.hpp"
#include "blitz/detail/task/outside_job.hpp"
#include "blitz/detail/task/spawned_job.hpp"
#include "blitz/detail/worker/confinement.hpp"
#include "tests/interleave/residents.hpp"

namespace interleave_test {
namespace {

using blitz::detail::call_on_worker;
using blitz::detail::Confinement;
using blitz::detail::Detached;
using blitz::detail::JobGroup;
using blitz::detail::OutsideJob;

/// A pool with a caller in slot 0, which executes a long job.
class PoolWithCaller : public Pool {
 public:
  PoolWithCaller(Run& run, std::size_t slots, std::size_t concurrency = 0)
      : Pool(run, slots, concurrency == 0 ? slots : concurrency) {
    run.thread("first caller", [this] {
      WorkerBase* const worker = registry->borrow();
      expect(worker->at_home() == worker && worker->index() == 0, "slot 0 was vacant");
      over_.park();
      registry->give_back(*worker);
    });
    run.settle();
  }

  /// A guest arrives, calls `f` in its team, and leaves.
  template <class F>
  void visit(F&& f) {
    auto& worker = static_cast<Worker&>(*registry->borrow());
    expect(worker.at_home() == nullptr && worker.index() == 0, "a guest has slot 0 of a team of its own");
    f(worker);
    registry->give_back(worker);
  }

  /// A guest offers `task`, and waits for `done` without running it.
  void offer(Task& task, Parker& done) {
    visit([&](Worker& worker) {
      worker.push(&task);
      done.park();
    });
  }
  /// A guest leaves all three jobs in its team, two of them made in a region.
  void leave(Task& left, Task (&left_in_region)[2]) {
    visit([&](Worker& worker) {
      worker.push(&left);
      const Confinement confinement(worker);
      for (Task& task : left_in_region) worker.push(&task);
    });
  }

  void first_leaves() { over_.unpark(); }

 private:
  Parker over_;
};

/// Checks that `worker`, not the guest, runs this job of a guest's team.
void expect_summoned(Worker& worker) {
  const WorkerBase* const home = worker.at_home();
  expect(home != nullptr && home != &worker && worker.index() != 0, "a resident was summoned");
  expect(home == nullptr || home->index() != 0, "slot 0 is left to callers");
}

INTERLEAVE_CASE("guest: a resident is summoned", .preemptions = 2, .random_schedules = 1000,
                .models = interleave::kSequential | interleave::kWeak) {
  PoolWithCaller pool(run, 2);
  Parker done;
  Task pushed([&](Worker& worker) {
    expect_summoned(worker);
    done.unpark();
  });
  run.thread("guest", [&] { pool.offer(pushed, done); });
  run.settle();
  expect(pushed.has_run(), "it has run once");
}

// The resident is on its way home, or going to sleep.
INTERLEAVE_CASE("guest: one job after another", .preemptions = 2, .random_schedules = 1000) {
  PoolWithCaller pool(run, 2);
  Parker done;
  Task first([&](Worker&) { done.unpark(); });
  Task second([&](Worker&) { done.unpark(); });
  run.thread("guest", [&] {
    pool.visit([&](Worker& worker) {
      worker.push(&first);
      done.park();
      worker.push(&second);
      done.park();
    });
  });
  run.settle();
  expect(first.has_run() && second.has_run(), "each has run once");
}

// The second job must begin while the first one runs.
INTERLEAVE_CASE("guest: two residents are summoned", .preemptions = 1, .delays = 0, .random_schedules = 1000) {
  PoolWithCaller pool(run, 3);
  Parker begun;
  Parker done;
  Task first([&](Worker& worker) {
    expect_summoned(worker);
    begun.park();
    done.unpark();
  });
  Task second([&](Worker& worker) {
    expect_summoned(worker);
    begun.unpark();
  });
  run.thread("guest", [&] {
    pool.visit([&](Worker& worker) {
      worker.push(&first);
      worker.push(&second);
      done.park();
    });
  });
  run.settle();
  expect(first.has_run() && second.has_run(), "each has run once");
}

// One resident helps both guests.
INTERLEAVE_CASE("guest: two of them", .preemptions = 1, .delays = 0, .random_schedules = 1000) {
  PoolWithCaller pool(run, 2);
  Parker done[2];
  Task pushed[2] = {Task([&](Worker&) { done[0].unpark(); }), Task([&](Worker&) { done[1].unpark(); })};
  run.thread("guest", [&] { pool.offer(pushed[0], done[0]); });
  run.thread("another", [&] { pool.offer(pushed[1], done[1]); });
  run.settle();
  expect(pushed[0].has_run() && pushed[1].has_run(), "each has run once");
}

/// A resident waits in a guest's team for its mail, which is posted while it waits, or at any time. It runs the mail as its own
/// worker, and leaves a job there.
void send_mail(Run& run, bool when_it_waits) {
  PoolWithCaller pool(run, 2);
  CoreLatch latch;
  Parker begun;
  Parker done;
  Task left([](Worker&) {});
  Task posted([&](Worker& worker) {
    expect(worker.at_home() == &worker && worker.index() == 1, "mail is run at home");
    expect(blitz::detail::current_worker == &worker, "mail is run at home");
    expect(pool.registry->home().apart.count() == 0, "a resident is at home then");
    worker.push(&left);
    static_cast<void>(latch.set());
  });
  Task pushed([&](Worker& worker) {
    expect_summoned(worker);
    begun.unpark();
    worker.wait_until(latch);
    done.unpark();
  });
  run.thread("guest", [&] { pool.offer(pushed, done); });
  run.thread("sender", [&] {
    if (when_it_waits) begun.park();
    pool.post(1, posted);
  });
  run.settle();
  expect(pushed.has_run() && posted.has_run() && left.has_run(), "each has run once");
}

INTERLEAVE_CASE("guest: mail for a resident that is away", .preemptions = 2, .random_schedules = 1000,
                .models = interleave::kSequential) {
  send_mail(run, true);
}

INTERLEAVE_CASE("guest: mail at any time", .preemptions = 1, .random_schedules = 2000) { send_mail(run, false); }

// The first job waits for a job that the mail leaves in the queue of the resident's own worker.
INTERLEAVE_CASE("guest: mail leaves a job", .preemptions = 1, .random_schedules = 1000) {
  PoolWithCaller pool(run, 2);
  CoreLatch latch;
  Parker begun;
  Parker done;
  Task left([&](Worker& worker) {
    expect(worker.at_home() == &worker && worker.index() == 1, "it is run at home");
    static_cast<void>(latch.set());
  });
  Task posted([&](Worker& worker) { worker.push(&left); });
  Task pushed([&](Worker& worker) {
    begun.unpark();
    worker.wait_until(latch);
    done.unpark();
  });
  run.thread("guest", [&] { pool.offer(pushed, done); });
  run.thread("sender", [&] {
    begun.park();
    pool.post(1, posted);
  });
  run.settle();
  expect(pushed.has_run() && posted.has_run() && left.has_run(), "each has run once");
}

/// A pool of two threads. A caller in slot 0 waits at its limit of nested waits. While the other thread is busy elsewhere, it
/// must run the job that ends the waits of both.
class PoolAtLimit : public Pool {
 public:
  explicit PoolAtLimit(Run& run) : Pool(run, 2, 2, {.max_nested_waits = 0}) {
    run.thread("first caller", [this] {
      WorkerBase* const own = registry->borrow();
      expect(own->at_home() == own, "slot 0 was vacant");
      waits_.park();
      own->wait_until(ended_);
      registry->give_back(*own);
    });
    run.settle();
  }

  void let_first_wait() { waits_.unpark(); }

  Task injected{[this](Worker& own) {
    expect(own.at_home() == &own, "it is for the pool's own team");
    when_run();
    if (ended_.set()) worker(0).wake();
  }};
  std::function<void()> when_run;

 private:
  Parker waits_;
  CoreLatch ended_;
};

INTERLEAVE_CASE("guest: a caller at its limit while the resident helps", .preemptions = 1, .random_schedules = 2000,
                .models = interleave::kSequential | interleave::kWeak) {
  PoolAtLimit pool(run);
  Parker ran;
  Parker done;
  pool.when_run = [&] { ran.unpark(); };
  Task pushed([&](Worker& worker) {
    expect_summoned(worker);
    ran.park();
    done.unpark();
  });
  run.thread("guest", [&] {
    WorkerBase* const guest = pool.registry->borrow();
    pool.let_first_wait();
    guest->push(&pushed);
    done.park();
    pool.registry->give_back(*guest);
  });
  run.thread("sender", [&] { pool.inject(pool.injected); });
  run.settle();
  expect(pushed.has_run() && pool.injected.has_run(), "each has run once");
}

INTERLEAVE_CASE("guest: jobs from outside in the meantime", .preemptions = 1, .random_schedules = 1000) {
  PoolWithCaller pool(run, 2);
  Parker done;
  Task pushed([&](Worker&) { done.unpark(); });
  Task injected([](Worker& worker) { expect(worker.at_home() == &worker, "it is for the pool's own team"); });
  run.thread("guest", [&] { pool.offer(pushed, done); });
  run.thread("sender", [&] { pool.inject(injected); });
  run.settle();
  expect(pushed.has_run() && injected.has_run(), "each has run once");
}

// The resident goes to sleep when the guest offers its job.
INTERLEAVE_CASE("guest: it comes as the resident falls asleep", .preemptions = 2, .delays = 0,
                .random_schedules = 1000) {
  PoolWithCaller pool(run, 2);
  Parker begin;
  Parker done;
  Task injected([&](Worker&) { begin.unpark(); });
  Task pushed([&](Worker&) { done.unpark(); });
  run.thread("guest", [&] {
    begin.park();
    pool.offer(pushed, done);
  });
  pool.inject(injected);
  run.settle();
  expect(pushed.has_run(), "it has run once");
}

INTERLEAVE_CASE("guest: what it leaves", .preemptions = 1, .random_schedules = 1000) {
  PoolWithCaller pool(run, 2);
  Task left;
  Task left_in_region[2];
  run.thread("guest", [&] { pool.leave(left, left_in_region); });
  run.thread("another", [&] { pool.visit([](Worker&) {}); });
  run.settle();
  expect(left.has_run() && left_in_region[0].has_run() && left_in_region[1].has_run(), "each has run once");
}

// In a pool of one thread no resident visits its team.
INTERLEAVE_CASE("guest: what it leaves, alone in its team", .preemptions = 1, .random_schedules = 1000) {
  PoolWithCaller pool(run, 1);
  Task left;
  Task left_in_region[2];
  run.thread("guest", [&] {
    pool.leave(left, left_in_region);
    pool.first_leaves();
  });
  run.settle();
  expect(left.has_run() && left_in_region[0].has_run() && left_in_region[1].has_run(), "each has run once");
}

/// Offers a job that a visitor's queue refuses, as a full queue does.
void offer_refused(Worker& visitor, Task& task) {
  auto& team = static_cast<blitz::detail::GuestTeam<ForkJoinPolicy>&>(visitor.team());
  team.injector.push(&task);
  team.idle.new_jobs();
}

// A job at home waits for the refused job and needs the visitor. The guest may have left.
INTERLEAVE_CASE("guest: a visitor's queue refuses a job", .preemptions = 2, .random_schedules = 2000) {
  PoolWithCaller pool(run, 2);
  CoreLatch latch;
  Parker begun;
  Task refused([&](Worker&) {
    if (latch.set()) pool.worker(1).wake();
  });
  Task injected([&](Worker& worker) { worker.wait_until(latch); });
  Task pushed([&](Worker& visitor) {
    expect_summoned(visitor);
    begun.unpark();
    pool.inject(injected);
    offer_refused(visitor, refused);
  });
  run.thread("guest", [&] { pool.offer(pushed, begun); });
  run.settle();
  expect(pushed.has_run() && injected.has_run() && refused.has_run(), "each has run once");
}

// The next guest may or may not reuse its team.
INTERLEAVE_CASE("guest: one comes as another leaves", .preemptions = 2, .random_schedules = 1000) {
  PoolWithCaller pool(run, 2);
  Plain<int> writes[2] = {Plain<int>("writes in the first team", 0), Plain<int>("writes in the second team", 0)};
  const auto write = [&] {
    pool.visit([&](Worker& worker) {
      Plain<int>& mine = writes[worker.team().number];
      mine.write(mine.read() + 1);
    });
  };
  run.thread("guest", write);
  run.thread("another", write);
  run.settle();
  expect(writes[0].read() + writes[1].read() == 2, "each was alone in its team");
}

INTERLEAVE_CASE("guest: statistics are read as teams are made", .preemptions = 1, .delays = 0, .random_schedules = 500,
                .models = interleave::kSequential | interleave::kWeak) {
  PoolWithCaller pool(run, 1);
  const auto guest = [&] { pool.visit([](Worker&) {}); };
  run.thread("first", guest);
  run.thread("another", guest);
  run.thread("reader", [&] { expect(pool.registry->stats(0).jobs_stolen == 0, "nothing was stolen"); });
  run.settle();
}

// The count of detached jobs begins to include the jobs of the new team.
INTERLEAVE_CASE("guest: a drain as a team is made", .preemptions = 1, .delays = 0, .random_schedules = 500,
                .models = interleave::kSequential | interleave::kWeak) {
  PoolWithCaller pool(run, 1);
  run.thread("guest", [&] {
    pool.visit([](Worker& worker) {
      worker.detached_begun();
      worker.detached_ended();
    });
  });
  run.thread("stopper", [&] { pool.registry->detached_jobs().drain(); });
  run.settle();
}

INTERLEAVE_CASE("guest: a resident may work again", .preemptions = 2, .random_schedules = 1000) {
  PoolWithCaller pool(run, 2, 1);
  Parker done;
  Task pushed([&](Worker& worker) {
    expect_summoned(worker);
    done.unpark();
  });
  run.thread("guest", [&] { pool.offer(pushed, done); });
  run.thread("setter", [&] { pool.registry->set_max_concurrency(2); });
  run.settle();
  expect(pushed.has_run(), "it has run once");
}

// Resident 1 is busy at first. The resident of slot 0 is awake, but takes no summons.
INTERLEAVE_CASE("guest: slot 0 is vacant again", .preemptions = 1, .random_schedules = 1000) {
  PoolWithCaller pool(run, 2);
  Parker over;
  Parker done;
  Task busy([&](Worker&) { over.park(); });
  Task injected;
  Task pushed([&](Worker& worker) {
    expect_summoned(worker);
    done.unpark();
  });
  pool.post(1, busy);
  run.settle();
  run.thread("guest", [&] {
    pool.visit([&](Worker& worker) {
      worker.push(&pushed);
      pool.first_leaves();
      pool.inject(injected);
      over.unpark();
      done.park();
    });
  });
  run.settle();
  expect(pushed.has_run() && injected.has_run() && busy.has_run(), "each has run once");
}

INTERLEAVE_CASE("guest: the pool ends after it", .preemptions = 1, .random_schedules = 1000) {
  PoolWithCaller pool(run, 2);
  Task left;
  run.thread("guest", [&] {
    pool.visit([&](Worker& worker) { worker.push(&left); });
    pool.first_leaves();
    pool.end();
  });
  run.go();
  expect(left.has_run(), "it has run once");
}

// --- a group that it waits for ---

/// A group of the pool. Outside threads add jobs to it.
class Group {
 public:
  Group(Run& run, Pool& pool) : pool_(*pool.registry), group_(std::in_place, pool_) { run.name(*group_, "group"); }

  struct Job final : OutsideJob {
    explicit Job(Group& its_group) : OutsideJob(&run_it, &free_it), group(its_group) {}
    static void run_it(OutsideJob& job, WorkerBase& worker) noexcept {
      auto& self = static_cast<Job&>(job);
      self.runs.write(self.runs.read() + 1);
      self.closure.write(1);
      self.group->finished();
      Detached::finished(worker);
    }
    static void free_it(OutsideJob& job, WorkerBase* /*worker*/) noexcept {
      auto& self = static_cast<Job&>(job);
      self.closure.write(0);  // Another object may use its memory now.
      self.frees.write(self.frees.read() + 1);
    }
    Group& group;
    Plain<int> runs{"runs", 0};
    Plain<int> frees{"frees", 0};
    Plain<int> closure{"closure", 0};
  };

  /// Like TaskGroup::run, on an outside thread.
  void run(Job& job) {
    group_->begun();
    pool_.detached_jobs().begin_outside();
    group_->inject(&job);
  }
  void wait() { expect(group_->wait() == nullptr, "no job throws"); }
  void end() { group_.reset(); }
  JobGroup* operator->() noexcept { return &*group_; }

 private:
  Registry& pool_;
  std::optional<JobGroup> group_;
};

/// A guest runs a job in its group, waits, and destroys the group.
void run_own_job(Run& run, std::size_t slots) {
  PoolWithCaller pool(run, slots);
  Group group(run, pool);
  Group::Job job(group);
  bool ended = false;
  run.thread("guest", [&] {
    group.run(job);
    group.wait();
    expect(job.runs.read() == 1, "it has run once");
    ended = true;
    group.end();
    pool.first_leaves();
  });
  run.settle();
  expect(ended, "the wait has ended");
  expect(job.frees.read() == 1, "it was freed once");
}

// No thread of the pool takes the job before the first caller leaves.
INTERLEAVE_CASE("guest: runs the job of its group", .preemptions = 1, .random_schedules = 1000) { run_own_job(run, 1); }

// A resident takes the job from the injector.
INTERLEAVE_CASE("guest: and a resident for one job of a group", .preemptions = 1, .random_schedules = 1000) {
  run_own_job(run, 2);
}

// The guest waits for a job that is added later.
INTERLEAVE_CASE("guest: a job for its group while it waits", .preemptions = 2, .random_schedules = 1000,
                .models = interleave::kSequential | interleave::kWeak) {
  PoolWithCaller pool(run, 1);
  Group group(run, pool);
  Group::Job job(group);
  bool ended = false;
  group->begun();
  run.thread("guest", [&] {
    group.wait();
    expect(job.runs.read() == 1, "it has run once");
    ended = true;
    pool.first_leaves();
  });
  run.thread("outside", [&] {
    group.run(job);
    group->finished();
  });
  run.settle();
  expect(ended, "the wait has ended");
  group.end();
  expect(job.frees.read() == 1, "it was freed once");
}

INTERLEAVE_CASE("guest: two threads give its group the first jobs", .preemptions = 1, .random_schedules = 1000) {
  PoolWithCaller pool(run, 1);
  Group group(run, pool);
  Group::Job jobs[2] = {Group::Job(group), Group::Job(group)};
  bool ended = false;
  for (int i = 0; i < 2; ++i) group->begun();
  run.thread("guest", [&] {
    group.wait();
    expect(jobs[0].runs.read() == 1 && jobs[1].runs.read() == 1, "each has run once");
    ended = true;
    pool.first_leaves();
  });
  for (Group::Job& job : jobs) {
    run.thread("outside", [&] {
      group.run(job);
      group->finished();
    });
  }
  run.settle();
  expect(ended, "the wait has ended");
  group.end();
  expect(jobs[0].frees.read() == 1 && jobs[1].frees.read() == 1, "each was freed once");
}

// A waiter in the pool's own team takes the job from the injector, or a resident does.
INTERLEAVE_CASE("guest: a group that the first caller waits for", .preemptions = 1, .random_schedules = 1000) {
  Pool pool(run, 2, 2);
  Group group(run, pool);
  Group::Job job(group);
  bool ended = false;
  run.thread("caller", [&] {
    group.run(job);
    group.wait();
    expect(job.runs.read() == 1, "it has run once");
    ended = true;
  });
  run.settle();
  expect(ended, "the wait has ended");
  group.end();
  expect(job.frees.read() == 1, "it was freed once");
}

// --- from another pool ---

/// A caller of `pool` calls `other`, and waits there after `begin` was called with the guest.
template <class F>
void wait_elsewhere(Pool& pool, Pool& other, CoreLatch& latch, F&& begin) {
  call_on_worker(pool.registry.get(), [&](WorkerBase&) {
    call_on_worker(other.registry.get(), [&](WorkerBase& guest) {
      begin(guest);
      guest.wait_until(latch);
    });
  });
}

// The thread of `pool` is in a call of `other`, and must run the job that ends its wait.
INTERLEAVE_CASE("elsewhere: a wait runs its own pool's jobs", .preemptions = 2, .models = interleave::kSequential) {
  Pool pool(run, 1, 1);
  Pool other(run, 1, 1);
  CoreLatch latch;
  WorkerBase* guest = nullptr;
  Task injected([&](Worker& worker) {
    expect(worker.pool() == pool.registry.get(), "it is the pool's");
    if (latch.set()) guest->wake();
  });
  run.thread("caller", [&] {
    call_on_worker(pool.registry.get(), [&](WorkerBase& host) {
      call_on_worker(other.registry.get(), [&](WorkerBase& worker) {
        expect(worker.at_home() == nullptr, "it is a guest");
        guest = &worker;
        call_on_worker(pool.registry.get(),
                       [&](WorkerBase& back) { expect(&back == &host, "it is that worker again"); });
        pool.inject(injected);
        worker.wait_until(latch);
      });
    });
  });
  run.settle();
  expect(injected.has_run(), "it has run once");
}

// Another thread of `pool` sets the latch, and must wake the waiting thread as a worker of that pool.
INTERLEAVE_CASE("elsewhere: a thread of its own pool ends a wait", .preemptions = 2, .delays = 0,
                .random_schedules = 1000) {
  Pool pool(run, 2, 2);
  Pool other(run, 1, 1);
  CoreLatch latch;
  bool ended = false;
  WorkerBase* guest = nullptr;
  Task posted([&](Worker&) {
    if (latch.set()) guest->wake();
  });
  run.thread("caller", [&] {
    wait_elsewhere(pool, other, latch, [&](WorkerBase& worker) {
      guest = &worker;
      pool.post(1, posted);
    });
    ended = true;
  });
  run.settle();
  expect(ended && posted.has_run(), "the wait has ended");
}

// The job that the thread runs in its wait calls `other` again, and waits there in a region.
INTERLEAVE_CASE("elsewhere: a confined wait on top of another", .preemptions = 1, .delays = 0) {
  Pool pool(run, 2, 2);
  Pool other(run, 1, 1);
  CoreLatch outer;
  CoreLatch inner;
  bool ended = false;
  WorkerBase* guest = nullptr;
  Task posted([&](Worker&) {
    expect(guest->team().apart.count() <= 1, "it counts as apart once");
    if (inner.set()) guest->wake();
  });
  Task on_top([&](Worker&) {
    call_on_worker(other.registry.get(), [&](WorkerBase& worker) {
      expect(&worker == guest, "it is that guest again");
      const Confinement confinement(worker);
      pool.post(1, posted);
      worker.wait_until(inner);
    });
    if (outer.set()) guest->wake();
  });
  run.thread("caller", [&] {
    wait_elsewhere(pool, other, outer, [&](WorkerBase& worker) {
      guest = &worker;
      pool.post(0, on_top);
    });
    ended = true;
  });
  run.settle();
  expect(ended && posted.has_run() && on_top.has_run(), "the wait has ended");
}

// No other thread looks for the job of that call while the guest waits as a worker of `pool`.
INTERLEAVE_CASE("elsewhere: a call on top of a wait leaves a job", .preemptions = 1, .delays = 0) {
  Pool pool(run, 1, 1);
  Pool other(run, 1, 1);
  CoreLatch latch;
  bool ended = false;
  WorkerBase* guest = nullptr;
  Task left([&](Worker&) {
    if (latch.set()) guest->wake();
  });
  Task on_top([&](Worker&) {
    call_on_worker(other.registry.get(), [&](WorkerBase& worker) {
      expect(&worker == guest, "it is that guest again");
      worker.push(&left);
    });
  });
  run.thread("caller", [&] {
    wait_elsewhere(pool, other, latch, [&](WorkerBase& worker) {
      guest = &worker;
      pool.post(0, on_top);
    });
    ended = true;
  });
  run.settle();
  expect(ended && on_top.has_run() && left.has_run(), "the wait has ended");
}

// A job at home waits for the refused job and needs the visitor. The guest waits as a worker of `pool`, or is about to.
INTERLEAVE_CASE("elsewhere: a visitor's queue refuses a job", .preemptions = 1, .delays = 0, .random_schedules = 2000) {
  Pool pool(run, 1, 1);
  PoolWithCaller other(run, 2);
  CoreLatch at_home;
  CoreLatch elsewhere;
  Parker begun;
  bool ended = false;
  WorkerBase* guest = nullptr;
  Task refused([&](Worker&) {
    if (at_home.set()) other.worker(1).wake();
    if (elsewhere.set()) guest->wake();
  });
  Task injected([&](Worker& worker) { worker.wait_until(at_home); });
  Task pushed([&](Worker& visitor) {
    begun.unpark();
    other.inject(injected);
    offer_refused(visitor, refused);
  });
  run.thread("caller", [&] {
    wait_elsewhere(pool, other, elsewhere, [&](WorkerBase& worker) {
      guest = &worker;
      worker.push(&pushed);
      begun.park();
    });
    ended = true;
  });
  run.settle();
  expect(ended && pushed.has_run() && injected.has_run() && refused.has_run(), "the wait has ended");
}

// The region may prevent the other thread of `pool` from running the job.
INTERLEAVE_CASE("elsewhere: a caller at its limit while the resident is in a region there", .preemptions = 1,
                .delays = 0, .random_schedules = 2000) {
  PoolAtLimit pool(run);
  Pool other(run, 1, 1);
  CoreLatch latch;
  Parker begun;
  WorkerBase* guest = nullptr;
  pool.when_run = [&] {
    if (latch.set()) guest->wake();
  };
  Task posted([&](Worker&) {
    call_on_worker(other.registry.get(), [&](WorkerBase& worker) {
      guest = &worker;
      const Confinement confinement(worker);
      begun.unpark();
      worker.wait_until(latch);
    });
  });
  pool.post(1, posted);
  run.thread("sender", [&] {
    begun.park();
    pool.let_first_wait();
    pool.inject(pool.injected);
  });
  run.settle();
  expect(posted.has_run() && pool.injected.has_run(), "each has run once");
}

// Its thread is already a worker of `other`, deeper in its stack. That worker runs jobs that the region excludes.
INTERLEAVE_CASE("elsewhere: a call from a region", .preemptions = 1, .delays = 0) {
  Pool pool(run, 1, 1);
  Pool other(run, 1, 1);
  Pool third(run, 1, 1);
  const auto call = [](Pool& in, const std::function<void(WorkerBase&)>& f) { call_on_worker(in.registry.get(), f); };
  bool ended = false;
  run.thread("caller", [&] {
    call(pool, [&](WorkerBase& worker) {
      call(other, [&](WorkerBase& guest) {
        const auto is_another = [&](WorkerBase& inside) {
          expect(&inside != &guest, "what was there before is excluded");
          call(pool, [&](WorkerBase& back) { expect(&back == &worker, "it is in its region again"); });
        };
        call(pool, [&](WorkerBase& again) {
          expect(&again == &worker, "it is that worker again");
          const Confinement confinement(again);
          call(other, is_another);
          call(third, [&](WorkerBase&) { call(other, is_another); });
        });
      });
    });
    ended = true;
  });
  run.settle();
  expect(ended, "the calls have ended");
}

}  // namespace
}  // namespace interleave_test
