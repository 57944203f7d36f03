// The shipped Isolation: a sleeping confined worker is woken for every job that no other worker would run, and no worker takes
// a job outside its region.
#include "blitz/detail/worker/confinement.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "tests/interleave/pool.hpp"

namespace interleave_test {
namespace {

using blitz::detail::Confinement;
using blitz::detail::Parker;
using blitz::detail::Region;
using blitz::detail::yield_thread;

/// A job of a region, or a posted job.
struct Member final : Job {
  explicit Member(std::function<void(WorkerBase&)> f) : Job(&execute_it), function(std::move(f)) {}
  explicit Member(std::function<void()> f = [] {}) : Member([f = std::move(f)](WorkerBase&) { f(); }) {}

  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto& self = *static_cast<Member*>(job);
    expect(self.letter.read() == 1, "what the sender wrote has come with the job");
    expect(self.region == 0 || worker.region() == self.region, "a job runs confined to its region");
    self.runs.write(self.runs.read() + 1);
    self.function(worker);
  }
  [[nodiscard]] bool has_run() const { return runs.read() == 1; }

  std::function<void(WorkerBase&)> function;
  Region region = 0;  // it must run in this region; 0: any
  Plain<int> letter{"the letter", 1};
  Plain<int> runs{"runs", 0};
};

void expect_none_left(Pool& pool) {
  for (std::size_t slot = 0; slot < pool.num_threads(); ++slot) {
    expect(pool.worker(slot).confined_jobs().deque.empty(), "no job is left");
  }
}

/// A pool with all workers in one region, which slot 0 has begun: slot 0 makes jobs, and the others wait.
class Together {
 public:
  Together(Run& run, std::size_t slots) : pool(run, slots) {
    for (std::size_t slot = 0; slot < slots; ++slot) {
      run.name(latches[slot], "latch " + std::to_string(slot));
      run.name(pool.home().isolation.jobs(slot), "jobs " + std::to_string(slot));
      if (slot == 0) {
        confinements.emplace_back(pool.worker(0));
      } else {
        confinements.emplace_back(pool.worker(slot), pool.worker(0).region());
      }
    }
  }
  ~Together() {
    expect_none_left(pool);
    expect(pool.home().apart.count() == 0, "nobody is counted any more");
    expect(!pool.home().isolation.any_asleep(), "nobody is counted as asleep");
  }
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;

  /// Adds a thread that waits for the latch of its slot.
  void add_waiter(Run& run, std::size_t slot) {
    run.thread("waiter " + std::to_string(slot), [this, slot] { pool.worker(slot).wait_until(latches[slot]); });
  }
  void end_wait(std::size_t slot) {
    if (latches[slot].set()) pool.worker(slot).wake();
  }
  void push(Member& job) { pool.worker(0).push(&job); }

  Pool pool;
  CoreLatch latches[3];
  std::deque<Confinement> confinements;
};

/// One waiter, and another thread that ends the wait through `end`, either directly or by the job, which ends it.
void end_wait_by(Run& run, const std::function<void(Together&, Member&)>& end) {
  Together all(run, 2);
  Member job([&] { all.end_wait(1); });
  all.add_waiter(run, 1);
  run.thread("other", [&] { end(all, job); });
  run.go();
}

INTERLEAVE_CASE("confined: a latch", .preemptions = 2, .random_schedules = 1000) {
  end_wait_by(run, [](Together& all, Member&) { all.end_wait(1); });
}
INTERLEAVE_CASE("confined: a job", .preemptions = 3, .random_schedules = 1000) {
  end_wait_by(run, [](Together& all, Member& job) { all.push(job); });
}
INTERLEAVE_CASE("confined: a job is posted", .preemptions = 2, .random_schedules = 1000) {
  end_wait_by(run, [](Together& all, Member& job) { all.pool.worker(1).mail(&job); });
}

// The first push may call a waiter that is still awake, and the job may have been taken by then.
INTERLEAVE_CASE("confined: a job that is taken back, and another", .preemptions = 3, .random_schedules = 1000) {
  Together all(run, 2);
  Member first;
  Member second([&] { all.end_wait(1); });
  all.add_waiter(run, 1);
  run.thread("pusher", [&] {
    Worker& worker = all.pool.worker(0);
    all.push(first);
    if (worker.take_newest() == &first) worker.execute(&first);
    all.push(second);
  });
  run.go();
}

/// Each job blocks until the other runs: each needs a wake-up, for a different waiter. `push` pushes both.
template <class Push>
void meet_two(Run& run, const Push& push) {
  Together all(run, 3);
  Parker parkers[2];
  int begun = 0;
  int ended = 0;
  const auto meet = [&](std::size_t mine) {
    if (++begun == 1) {
      parkers[mine].park();
    } else {
      parkers[1 - mine].unpark();
    }
    if (++ended == 1) return;
    all.end_wait(1);
    all.end_wait(2);
  };
  Member jobs[2] = {Member([&] { meet(0); }), Member([&] { meet(1); })};
  all.add_waiter(run, 1);
  all.add_waiter(run, 2);
  run.settle();  // They are asleep.
  run.thread("pusher", [&] {
    push(all, [&] {
      for (Member& job : jobs) all.push(job);
    });
  });
  run.go();
}

INTERLEAVE_CASE("confined: two jobs, two waiters", .preemptions = 1, .random_schedules = 2000) {
  meet_two(run, [](Together&, const auto& push_both) { push_both(); });
}
INTERLEAVE_CASE("confined: an inner region leaves two jobs", .preemptions = 1, .random_schedules = 2000) {
  meet_two(run, [](Together& all, const auto& push_both) {
    const Confinement inner(all.pool.worker(0));
    push_both();
  });
}

/// Two waiters sleep. The wait of the one that is woken first ends, before or after the job is pushed. The pusher blocks until
/// the job has run.
void call_away(Run& run, bool before) {
  Together all(run, 3);
  Parker pusher;
  Member job([&] {
    all.end_wait(2);
    pusher.unpark();
  });
  all.add_waiter(run, 2);
  all.add_waiter(run, 1);
  run.settle();  // They are asleep.
  if (before) {
    all.end_wait(1);
    run.settle();
  }
  run.thread("pusher", [&] {
    all.push(job);
    if (!before) all.end_wait(1);
    pusher.park();
  });
  run.go();
}

INTERLEAVE_CASE("confined: called away", .preemptions = 2, .random_schedules = 3000) { call_away(run, false); }
// A waiter that leaves is no longer called.
INTERLEAVE_CASE("confined: one leaves before the job comes", .preemptions = 1, .random_schedules = 1000) {
  call_away(run, true);
}

/// A job is pushed in an inner region that has ended where it began. Two workers sleep: one has begun that region and is now in
/// the outer one, the other is in the inner one. The wait of slot 0, which is called first, ends; slot 1 runs the job. The
/// pusher blocks until it has run.
void call_from_ended_region(Run& run, std::size_t home) {
  Pool pool(run, 3);
  CoreLatch latches[2];
  Parker pusher;
  const auto end_wait = [&](std::size_t slot) {
    if (latches[slot].set()) pool.worker(slot).wake();
  };
  Member job([&] {
    end_wait(1);
    pusher.unpark();
  });
  {
    const Confinement outer(pool.worker(home));
    { const Confinement inner(pool.worker(home)); }
    job.region = pool.worker(home).region() + pool.num_threads();
    const Confinement same(pool.worker(1 - home), job.region);
    const Confinement pushes(pool.worker(2), job.region);
    for (std::size_t slot = 0; slot < 2; ++slot) {
      run.thread("waiter " + std::to_string(slot), [&, slot] { pool.worker(slot).wait_until(latches[slot]); });
    }
    run.settle();  // They are asleep.
    run.thread("pusher", [&] {
      pool.worker(2).push(&job);
      pusher.park();
    });
    run.thread("setter", [&] { end_wait(0); });
    run.go();
  }
  expect(job.has_run(), "it has run once");
}

// The call does not end with the worker that began the region, which is called in addition to one that is in the region.
INTERLEAVE_CASE("confined: the worker that began an inner region is called away", .preemptions = 1,
                .random_schedules = 2000) {
  call_from_ended_region(run, 0);
}
// The call is passed on to that worker.
INTERLEAVE_CASE("confined: called away, and only the worker that began the region is left", .preemptions = 2,
                .random_schedules = 2000) {
  call_from_ended_region(run, 1);
}

// The outer region's worker is woken for the job that the inner one leaves; the worker that left it there blocks.
INTERLEAVE_CASE("confined: what an inner region leaves", .preemptions = 2, .random_schedules = 2000) {
  Together all(run, 2);
  Parker pusher;
  Member job([&] {
    all.end_wait(1);
    pusher.unpark();
  });
  all.add_waiter(run, 1);
  run.thread("pusher", [&] {
    {
      const Confinement inner(all.pool.worker(0));
      all.push(job);
    }
    pusher.park();
  });
  run.go();
}

// A free worker runs a job of an inner region that has ended, or is about to. Jobs that this job leaves are for the worker that
// began the region. The thief blocks until they have run.
INTERLEAVE_CASE("confined: what a thief leaves of an inner region", .preemptions = 2, .random_schedules = 3000) {
  Pool pool(run, 2);
  CoreLatch latch;
  Parker thief;
  Worker& home = pool.worker(0);
  Member left([&] {
    thief.unpark();
    if (latch.set()) home.wake();
  });
  Member stolen([&](WorkerBase& worker) { worker.push(&left); });
  run.thread("home", [&] {
    const Confinement outer(home);
    {
      const Confinement inner(home);
      stolen.region = left.region = home.region();
      home.push(&stolen);
      for (int i = 0; i < 2; ++i) yield_thread();
      if (home.take_newest() == &stolen) {
        stolen.execute(&stolen, home);
        left.region = 0;  // It moves to the outer region.
      }
    }
    home.wait_until(latch);
  });
  run.thread("thief", [&] {
    Worker& worker = pool.worker(1);
    if (Job* const job = worker.find_work()) {
      worker.execute(job);
      thief.park();
    }
  });
  run.go();
  expect(left.has_run() && stolen.has_run(), "each has run once");
  expect_none_left(pool);
}

// While a worker that stays in the region looks for its jobs, the owner ends the region, and begins another in the same deque.
INTERLEAVE_CASE("confined: a region ends and another begins", .preemptions = 2, .random_schedules = 3000) {
  Pool pool(run, 3);
  Worker& owner = pool.worker(0);
  Member first;
  Member second([](WorkerBase& worker) { expect(worker.index() == 0, "a worker in another region takes none"); });
  const Region region = owner.next_region();
  first.region = region;
  second.region = region + pool.num_threads();
  run.thread("owner", [&] {
    {
      const Confinement confinement(owner);
      owner.push(&first);
      if (Job* const job = owner.take_newest()) owner.execute(job);
    }
    const Confinement confinement(owner);
    owner.push(&second);
    if (Job* const job = owner.take_newest()) owner.execute(job);
  });
  run.thread("same region", [&] {
    Worker& worker = pool.worker(1);
    const Confinement confinement(worker, region);
    for (int i = 0; i < 2; ++i) {
      if (Job* const job = worker.find_work()) worker.execute(job);
    }
  });
  run.go();
  expect(first.has_run() && second.has_run(), "each has run once");
}

// A free worker, too, runs a job that it takes in the job's region.
INTERLEAVE_CASE("confined: a free thief", .preemptions = 1, .random_schedules = 4000) {
  Pool pool(run, 3);
  Worker& owner = pool.worker(0);
  Member jobs[2];
  jobs[0].region = owner.next_region();
  jobs[1].region = owner.next_region() + pool.num_threads();
  run.thread("owner", [&] {
    const Confinement outer(owner);
    owner.push(&jobs[0]);
    {
      const Confinement inner(owner);
      owner.push(&jobs[1]);
      if (Job* const job = owner.take_newest()) owner.execute(job);
    }
    while (Job* const job = owner.take_newest()) owner.execute(job);
  });
  for (std::size_t slot = 1; slot < 3; ++slot) {
    run.thread("thief " + std::to_string(slot), [&, slot] {
      Worker& worker = pool.worker(slot);
      if (Job* const job = worker.find_work()) worker.execute(job);
      expect(worker.region() == 0, "it is free again");
    });
  }
  run.go();
  expect(jobs[0].has_run() && jobs[1].has_run(), "each has run once");
}

// Two jobs for two workers. The worker that loses the race for the first job must look again: the first job blocks until the
// second has run.
INTERLEAVE_CASE("confined: a theft that is lost", .preemptions = 2, .random_schedules = 2000) {
  Pool pool(run, 3);
  CoreLatch latch;
  Parker parker;
  Member first([&] { parker.park(); });
  Member second([&] {
    parker.unpark();
    if (latch.set()) pool.worker(1).wake();
  });
  {
    const Confinement confinement(pool.worker(0));
    first.region = second.region = pool.worker(0).region();
    pool.worker(0).push(&first);
    pool.worker(0).push(&second);
    run.thread("free", [&] { pool.worker(1).wait_until(latch); });
    run.thread("same region", [&] {
      const Confinement same(pool.worker(2), first.region);
      if (Job* const job = pool.worker(2).find_work()) pool.worker(2).execute(job);
    });
    run.go();
  }
  expect(first.has_run() && second.has_run(), "each has run once");
}

// A worker that sleeps in the policy's protocol is woken for a confined job; the pusher blocks until the job has run.
INTERLEAVE_CASE("confined: a free worker asleep", .preemptions = 2, .random_schedules = 2000) {
  Pool pool(run, 2);
  CoreLatch latch;
  Parker pusher;
  Member job([&] {
    pusher.unpark();
    static_cast<void>(latch.set());
  });
  run.thread("free", [&] { pool.worker(1).wait_until(latch); });
  run.thread("pusher", [&] {
    Worker& worker = pool.worker(0);
    const Confinement confinement(worker);
    job.region = worker.region();
    worker.push(&job);
    pusher.park();
  });
  run.go();
  expect(job.has_run(), "it has run once");
}

}  // namespace
}  // namespace interleave_test
