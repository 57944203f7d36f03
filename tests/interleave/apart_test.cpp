// What is beside the idle protocol: the sleep apart, the count of those who stand apart, and the end of the pool, which
// waits for detached jobs.
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "tests/interleave/pool.hpp"

namespace interleave_test {
namespace {

/// A job that is sent to a worker.
struct Sent final : Job {
  explicit Sent(std::function<void()> f = {}) : Job(&execute_it), function(std::move(f)) {}

  static void execute_it(Job* job, WorkerBase& /*worker*/) noexcept {
    auto& self = *static_cast<Sent*>(job);
    expect(self.letter.read() == 1, "what the sender wrote has come with the job");
    self.runs.write(self.runs.read() + 1);
    if (self.function) self.function();
  }

  void mail_to(Worker& worker) {
    letter.write(1);
    worker.mail(this);
  }

  std::function<void()> function;
  Plain<int> letter{"the letter", 0};
  Plain<int> runs{"runs", 0};
};

/// Waits for the latch, asleep apart, and does what is sent meanwhile.
void wait_apart(Worker& worker, CoreLatch& latch) {
  while (!latch.probe()) {
    if (Job* const job = worker.take_mail()) {
      worker.execute(job);
    } else {
      worker.sleep_apart(latch, [&]() noexcept { return worker.has_mail(); });
    }
  }
}

// --- sleep_apart ---

INTERLEAVE_CASE("apart: a latch set by another", .preemptions = 3, .delays = 2, .spurious = 1,
                .random_schedules = 1000) {
  Pool pool(run, 1);
  CoreLatch latch;
  run.name(latch, "latch");
  Plain<int> result{"result", 0};
  run.thread("sleeper", [&] {
    wait_apart(pool.worker(0), latch);
    expect(result.read() == 7, "what came before set has come");
  });
  run.thread("setter", [&] {
    result.write(7);
    if (latch.set()) pool.worker(0).wake();
  });
  run.go();
}

INTERLEAVE_CASE("apart: a job is sent", .preemptions = 3, .delays = 2, .spurious = 1, .random_schedules = 1000) {
  Pool pool(run, 1);
  CoreLatch latch;
  run.name(latch, "latch");
  // It alone ends the wait, on the sleeper itself.
  Sent job([&] { (void)latch.set(); });
  run.thread("sleeper", [&] { wait_apart(pool.worker(0), latch); });
  run.thread("sender", [&] { job.mail_to(pool.worker(0)); });
  run.go();
  expect(job.runs.read() == 1, "the job has run once");
}

INTERLEAVE_CASE("apart: two jobs are sent, and the latch is set", .preemptions = 2, .random_schedules = 2000) {
  Pool pool(run, 1);
  CoreLatch latch;
  CoreLatch more;
  run.name(latch, "latch");
  Sent first;
  Sent second([&] { (void)more.set(); });
  run.thread("sleeper", [&] {
    wait_apart(pool.worker(0), latch);
    wait_apart(pool.worker(0), more);
  });
  run.thread("sender", [&] {
    first.mail_to(pool.worker(0));
    second.mail_to(pool.worker(0));
  });
  run.thread("setter", [&] {
    if (latch.set()) pool.worker(0).wake();
  });
  run.go();
  expect(first.runs.read() + second.runs.read() == 2, "each job has run once");
}

// One reason calls the sleeper away from its sleep apart. It goes on to the ordinary one: whoever saw its flag then, and
// no more than told it to look up, must have been seen, too.
INTERLEAVE_CASE("apart: from one sleep to the other", .preemptions = 3, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 1);
  CoreLatch away;
  CoreLatch end;
  run.name(away, "away");
  run.name(end, "end");
  Worker& worker = pool.worker(0);
  Sent job([&] { (void)end.set(); });
  run.thread("sleeper", [&] {
    // No look at what was sent: so the resident that sits out leaves when it is wanted again.
    while (!away.probe()) worker.sleep_apart(away, []() noexcept { return false; });
    worker.work_until(end, Rest::kVacate);
  });
  run.thread("setter", [&] {
    if (away.set()) worker.wake();
  });
  run.thread("sender", [&] { job.mail_to(worker); });
  run.go();
  expect(job.runs.read() == 1, "the job has run once");
}

/// The least that an idle protocol is: a flag, a look, and a sleep. It has no fences that help the sleep before it.
class OtherSleep {
 public:
  template <class Test>
  void sleep_unless(Test&& test) noexcept {
    asleep_.store(true, std::memory_order_seq_cst);
    if (!test()) parker_.park();
    asleep_.store(false, std::memory_order_seq_cst);
  }
  void try_wake() noexcept {
    if (asleep_.load(std::memory_order_seq_cst)) parker_.unpark();
  }

 private:
  blitz::detail::Atomic<bool> asleep_{false};
  blitz::detail::Parker parker_;
};

INTERLEAVE_CASE("apart: from one sleep to a simpler one", .preemptions = 3, .random_schedules = 3000) {
  Pool pool(run, 1);
  OtherSleep other;
  CoreLatch away;
  run.name(away, "away");
  Worker& worker = pool.worker(0);
  blitz::detail::Atomic<bool> reason{false};
  run.thread("sleeper", [&] {
    while (!away.probe()) worker.sleep_apart(away, []() noexcept { return false; });
    while (!reason.load(std::memory_order_seq_cst)) {
      other.sleep_unless([&]() noexcept { return reason.load(std::memory_order_seq_cst); });
    }
  });
  run.thread("setter", [&] {
    if (away.set()) (void)worker.wake_if_apart();
  });
  run.thread("giver", [&] {
    reason.store(true, std::memory_order_seq_cst);
    if (!worker.wake_if_apart()) other.try_wake();
  });
  run.go();
}

INTERLEAVE_CASE("apart: a resident that sits out is wanted again", .preemptions = 2, .random_schedules = 2000) {
  Pool pool(run, 2);
  pool.set_max_concurrency(1);
  CoreLatch end;
  Worker& worker = pool.worker(1);
  run.thread("resident", [&] {
    while (worker.index() >= pool.max_concurrency()) {
      worker.sleep_apart(end, [&]() noexcept { return worker.index() < pool.max_concurrency(); });
    }
  });
  run.thread("asker", [&] { pool.set_max_concurrency(2); });
  run.go();
}

// --- standing apart ---

/// As a worker that waits at its limit of nested waits: apart, unless nobody else is left, and else as any other.
void wait_at_limit(Pool& pool, std::size_t slot, CoreLatch& latch) {
  Worker& worker = pool.worker(slot);
  if (pool.try_stand_apart()) {
    while (!latch.probe() && !pool.all_stand_apart()) {
      worker.sleep_apart(latch, [&]() noexcept { return pool.all_stand_apart(); });
    }
    pool.stand_apart_no_more();
  }
  worker.wait_until(latch);
}

/// As a confined worker: apart, whatever the others do.
void wait_confined(Pool& pool, std::size_t slot, CoreLatch& latch) {
  pool.stand_apart();
  while (!latch.probe()) pool.worker(slot).sleep_apart(latch, []() noexcept { return false; });
  pool.stand_apart_no_more();
}

/// All workers wait for one job, which comes from outside, and which one of them must run.
class Waited {
 public:
  Waited(Run& run, std::size_t slots) : pool(run, slots), latches(slots) {
    for (std::size_t slot = 0; slot < slots; ++slot) run.name(latches[slot], "latch " + std::to_string(slot));
    job.letter.write(1);
  }

  void expect_done() {
    expect(job.runs.read() == 1, "the job has run once");
    expect(pool.try_stand_apart(), "nobody is counted any more");
  }

  Pool pool;
  std::deque<CoreLatch> latches;
  Sent job{[this] {
    for (std::size_t slot = 0; slot < latches.size(); ++slot) {
      if (latches[slot].set()) pool.worker(slot).wake();
    }
  }};
};

INTERLEAVE_CASE("stand: two at their limit", .preemptions = 2, .random_schedules = 2000) {
  Waited all(run, 2);
  all.pool.inject(&all.job);
  for (std::size_t slot = 0; slot < 2; ++slot) {
    run.thread("worker " + std::to_string(slot), [&all, slot] { wait_at_limit(all.pool, slot, all.latches[slot]); });
  }
  run.go();
  all.expect_done();
}

INTERLEAVE_CASE("stand: the last is confined", .preemptions = 2, .random_schedules = 2000) {
  Waited all(run, 2);
  all.pool.inject(&all.job);
  run.thread("at its limit", [&] { wait_at_limit(all.pool, 0, all.latches[0]); });
  run.thread("confined", [&] { wait_confined(all.pool, 1, all.latches[1]); });
  run.go();
  all.expect_done();
}

INTERLEAVE_CASE("stand: three, and the job comes late", .preemptions = 1, .random_schedules = 3000) {
  Waited all(run, 3);
  run.thread("at its limit 1", [&] { wait_at_limit(all.pool, 0, all.latches[0]); });
  run.thread("at its limit 2", [&] { wait_at_limit(all.pool, 1, all.latches[1]); });
  run.thread("confined", [&] { wait_confined(all.pool, 2, all.latches[2]); });
  run.thread("outside", [&] { all.pool.inject(&all.job); });
  run.go();
  all.expect_done();
}

// --- the end of a pool ---

/// Detached jobs: the worker in whose thread this is called begins one, or has run one.
class Detached {
 public:
  Detached(Run& run, std::size_t slots) : pool(run, slots) {}

  void begin(std::size_t slot) {
    ++begun_;
    pool.worker(slot).detached_begun();
  }
  void end(std::size_t slot) {
    traces_[ended_].write(1);
    ++ended_;
    pool.worker(slot).detached_ended();
  }
  /// By the thread that stops the pool.
  void drain() {
    pool.drain();
    expect(ended_ == begun_, "all detached jobs have ended");
    for (std::size_t i = 0; i < ended_; ++i) expect(traces_[i].read() == 1, "what a detached job wrote is seen");
  }

  Pool pool;

 private:
  // Not watched for races: one thread runs at a time.
  std::size_t begun_ = 0;
  std::size_t ended_ = 0;
  Plain<int> traces_[4] = {Plain<int>("what a detached job wrote"), Plain<int>("what a detached job wrote"),
                           Plain<int>("what a detached job wrote"), Plain<int>("what a detached job wrote")};
};

INTERLEAVE_CASE("drain: one job", .preemptions = 3, .delays = 2, .spurious = 1, .random_schedules = 1000,
                .fences = true) {
  Detached detached(run, 1);
  detached.begin(0);
  run.thread("worker", [&] { detached.end(0); });
  run.thread("stopper", [&] { detached.drain(); });
  run.go();
}

INTERLEAVE_CASE("drain: the last two jobs end at once", .preemptions = 2, .delays = 2, .random_schedules = 2000,
                .fences = true) {
  Detached detached(run, 2);
  detached.begin(0);
  detached.begin(1);
  run.thread("worker 0", [&] { detached.end(0); });
  run.thread("worker 1", [&] { detached.end(1); });
  run.thread("stopper", [&] { detached.drain(); });
  run.go();
}

INTERLEAVE_CASE("drain: a job that spawns another", .preemptions = 2, .delays = 2, .random_schedules = 2000,
                .fences = true) {
  Detached detached(run, 2);
  CoreLatch spawned;
  detached.begin(0);
  run.thread("worker 0", [&] {
    detached.begin(0);
    (void)spawned.set();  // Stands for the queue, through which another worker gets it.
    detached.end(0);
  });
  run.thread("worker 1", [&] {
    while (!spawned.probe()) blitz::detail::yield_thread();
    detached.end(1);
  });
  run.thread("stopper", [&] { detached.drain(); });
  run.go();
}

INTERLEAVE_CASE("drain: a job from outside", .preemptions = 2, .delays = 2, .random_schedules = 1000, .fences = true) {
  Detached detached(run, 1);
  CoreLatch come;
  bool ended = false;
  run.thread("worker", [&] {
    while (!come.probe()) blitz::detail::yield_thread();
    ended = true;
    detached.pool.worker(0).detached_ended();
  });
  run.thread("stopper", [&] {
    detached.pool.detached_begun_outside();
    (void)come.set();
    detached.drain();
    expect(ended, "the job has ended");
  });
  run.go();
}

}  // namespace
}  // namespace interleave_test
