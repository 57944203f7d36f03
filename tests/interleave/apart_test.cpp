// Waits outside the idle protocol: workers that are apart, and the end of the pool, which waits for detached jobs.
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "blitz/detail/worker/detached_jobs.hpp"
#include "tests/interleave/pool.hpp"

namespace interleave_test {
namespace {

using blitz::detail::current_worker;
using blitz::detail::DetachedCount;
using blitz::detail::DetachedJobs;
using blitz::detail::Parker;
using blitz::detail::RunAs;
using blitz::detail::stay_apart;
using blitz::detail::wait_apart;

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

/// The worker of the slot is apart until the latch is set, and runs its mail.
void wait_for_mail(Pool& pool, std::size_t slot, CoreLatch& latch) {
  Worker& worker = pool.worker(slot);
  while (!latch.probe()) {
    if (Job* const job = worker.take_mail()) {
      worker.execute(job);
    } else {
      pool.home().apart.sleep(slot, latch, [&]() noexcept { return worker.has_mail(); });
    }
  }
}

// --- waits as another worker ---

/// Waits as a guest, on a thread of `host`.
void wait_as_guest(Worker& guest, Worker& host, CoreLatch& latch) {
  current_worker = &host;
  {
    const RunAs as(guest);
    guest.stay_over(&host);
    guest.wait_until(latch);
    guest.stay_over(nullptr);
  }
  current_worker = nullptr;
}

// After the wait has ended, the thread that sets the latch may not touch the host: its pool may have ended. The host may see
// the latch before it is woken, because it is awake for a job.
INTERLEAVE_CASE("below: a wait ends, and then its host's pool", .preemptions = 2, .random_schedules = 1000,
                .models = interleave::kSequential | interleave::kWeak) {
  Pool pool(run, 2);
  CoreLatch latch;
  run.name(latch, "latch");
  Plain<int> host_pool{"the host's pool", 0};
  Worker& guest = pool.worker(0);
  Worker& host = pool.worker(1);
  host.when_woken = [&] { static_cast<void>(host_pool.read()); };
  run.thread("guest", [&] {
    wait_as_guest(guest, host, latch);
    host_pool.write(1);
  });
  run.thread("setter", [&] {
    if (latch.set()) guest.wake();
  });
  Sent job;
  job.letter.write(1);
  run.thread("sender", [&] { pool.inject(&job); });
  run.settle();
  if (Job* const left = host.take_injected()) host.execute(left);
  expect(host_pool.read() == 1, "the wait has ended");
  expect(pool.home().apart.count() == 0, "nobody stands apart");
}

INTERLEAVE_CASE("below: a wait on top of another", .preemptions = 1, .random_schedules = 2000) {
  Pool pool(run, 2);
  CoreLatch outer;
  CoreLatch inner;
  run.name(outer, "outer latch");
  run.name(inner, "inner latch");
  Parker ran;
  Worker& guest = pool.worker(0);
  Worker& host = pool.worker(1);
  Sent job([&] {
    const RunAs as(guest);
    guest.wait_until(inner);
    expect(pool.home().apart.count() == 1, "the wait below stands apart, once");
    ran.unpark();
  });
  bool ended = false;
  run.thread("guest", [&] {
    wait_as_guest(guest, host, outer);
    ended = true;
  });
  run.thread("sender", [&] {
    job.mail_to(host);
    if (inner.set()) guest.wake();
    ran.park();
    if (outer.set()) guest.wake();
  });
  run.settle();
  expect(ended, "the wait has ended");
  expect(pool.home().apart.count() == 0, "nobody stands apart");
}

// --- ApartSlot ---

INTERLEAVE_CASE("apart: a latch set by another", .preemptions = 3, .delays = 2, .spurious = 1,
                .random_schedules = 1000) {
  Pool pool(run, 1);
  CoreLatch latch;
  run.name(latch, "latch");
  Plain<int> result{"result", 0};
  run.thread("sleeper", [&] {
    wait_for_mail(pool, 0, latch);
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
  // Only the job ends the wait, on the sleeper itself.
  Sent job([&] { (void)latch.set(); });
  run.thread("sleeper", [&] { wait_for_mail(pool, 0, latch); });
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
    wait_for_mail(pool, 0, latch);
    wait_for_mail(pool, 0, more);
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

// One reason ends the sleep apart, and the sleeper goes on to the ordinary sleep. A signaller that saw its flag of the sleep
// apart sends no other wake-up. So the sleeper must see that signaller's reason, too.
INTERLEAVE_CASE("apart: from one sleep to the other", .preemptions = 3, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 1);
  CoreLatch away;
  CoreLatch end;
  run.name(away, "away");
  run.name(end, "end");
  Worker& worker = pool.worker(0);
  Sent job([&] { (void)end.set(); });
  run.thread("sleeper", [&] {
    // It ignores its mail, like a resident that is no longer surplus.
    while (!away.probe()) pool.home().apart.sleep(0, away, []() noexcept { return false; });
    worker.work_until(end, Rest::kVacate);
  });
  run.thread("setter", [&] {
    if (away.set()) worker.wake();
  });
  run.thread("sender", [&] { job.mail_to(worker); });
  run.go();
  expect(job.runs.read() == 1, "the job has run once");
}

/// A minimal idle protocol: a flag, a check, and a sleep. It has no fences that help the previous sleep.
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
  blitz::detail::Atomic<bool> reason{false};
  run.thread("sleeper", [&] {
    while (!away.probe()) pool.home().apart.sleep(0, away, []() noexcept { return false; });
    while (!reason.load(std::memory_order_seq_cst)) {
      other.sleep_unless([&]() noexcept { return reason.load(std::memory_order_seq_cst); });
    }
  });
  run.thread("setter", [&] {
    if (away.set()) pool.home().apart.wake(0);
  });
  run.thread("giver", [&] {
    reason.store(true, std::memory_order_seq_cst);
    if (!pool.home().apart.wake(0)) other.try_wake();
  });
  run.go();
}

INTERLEAVE_CASE("apart: a resident is wanted again", .preemptions = 2, .random_schedules = 2000) {
  Pool pool(run, 2);
  pool.set_max_concurrency(1);
  CoreLatch end;
  run.thread("resident", [&] { stay_apart(pool.worker(1), end); });
  run.thread("asker", [&] { pool.set_max_concurrency(2); });
  run.go();
}

// --- ApartWorkers ---

/// Like a worker at its limit of nested waits: apart, unless all others are; then like any other worker.
void wait_at_limit(Pool& pool, std::size_t slot, CoreLatch& latch) {
  Worker& worker = pool.worker(slot);
  if (!wait_apart(worker, latch)) worker.wait_until(latch);
}

/// Like a confined worker: apart, whatever the others do.
void wait_confined(Pool& pool, std::size_t slot, CoreLatch& latch) {
  while (!latch.probe()) pool.home().apart.sleep(slot, latch, []() noexcept { return false; });
}

/// All workers wait for one job from outside. One of them must run it.
class Waited {
 public:
  Waited(Run& run, std::size_t slots) : pool(run, slots), latches(slots) {
    for (std::size_t slot = 0; slot < slots; ++slot) run.name(latches[slot], "latch " + std::to_string(slot));
    job.letter.write(1);
  }

  void expect_done() {
    expect(job.runs.read() == 1, "the job has run once");
    expect(pool.home().apart.count() == 0, "nobody is counted any more");
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

void call_from_full_count(Run& run, std::size_t at_limit) {
  Waited all(run, 2);
  all.pool.inject(&all.job);
  run.thread("at its limit", [&] { wait_at_limit(all.pool, at_limit, all.latches[at_limit]); });
  run.thread("confined", [&] { wait_confined(all.pool, 1 - at_limit, all.latches[1 - at_limit]); });
  run.go();
  all.expect_done();
}
INTERLEAVE_CASE("stand: the last is confined", .preemptions = 2, .random_schedules = 2000) {
  call_from_full_count(run, 0);
}
INTERLEAVE_CASE("stand: the last is confined, in the first slot", .preemptions = 2, .random_schedules = 2000) {
  call_from_full_count(run, 1);
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

INTERLEAVE_CASE("stand: all are confined", .preemptions = 2, .random_schedules = 1000) {
  Waited all(run, 2);
  for (std::size_t slot = 0; slot < 2; ++slot) {
    run.thread("confined " + std::to_string(slot), [&all, slot] { wait_confined(all.pool, slot, all.latches[slot]); });
  }
  run.settle();  // They sleep, and do not wake each other.
  run.thread("outside", [&] { all.pool.worker(0).execute(&all.job); });
  run.go();
  all.expect_done();
}

// The other worker is busy, and is not apart.
INTERLEAVE_CASE("stand: what a region has left in the queue", .preemptions = 1) {
  Pool pool(run, 2);
  CoreLatch latch;
  Worker& worker = pool.worker(0);
  Sent job([&] { (void)latch.set(); });
  job.letter.write(1);
  {
    const blitz::detail::Confinement confinement(worker);
    worker.push(&job);
  }
  run.thread("at its limit", [&] { expect(wait_apart(worker, latch), "the latch is set"); });
  run.go();
  expect(job.runs.read() == 1, "the job has run once");
}

// --- the end of a pool ---

/// Detached jobs: the worker of the calling thread begins one, or has run one.
class Detached {
 public:
  Detached(Run& run, std::size_t slots) {
    for (std::size_t slot = 0; slot < slots; ++slot) {
      counts.emplace_back(jobs).enlist();
      run.name(counts.back(), "count " + std::to_string(slot));
    }
  }

  void begin(std::size_t slot) {
    ++begun_;
    counts[slot].begin();
  }
  void end(std::size_t slot) {
    traces_[ended_].write(1);
    ++ended_;
    counts[slot].end();
  }
  /// Call this on the thread that stops the pool.
  void drain() {
    jobs.drain();
    expect(ended_ == begun_, "all detached jobs have ended");
    for (std::size_t i = 0; i < ended_; ++i) expect(traces_[i].read() == 1, "what a detached job wrote is seen");
  }

  DetachedJobs jobs;
  std::deque<DetachedCount> counts;

 private:
  // Not checked for races: one thread runs at a time.
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

INTERLEAVE_CASE("drain: the last two jobs end concurrently", .preemptions = 2, .delays = 2, .random_schedules = 2000,
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
    (void)spawned.set();  // Replaces the queue that passes it to another worker.
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
    detached.counts[0].end();
  });
  run.thread("stopper", [&] {
    detached.jobs.begin_outside();
    (void)come.set();
    detached.drain();
    expect(ended, "the job has ended");
  });
  run.go();
}

// The pool sees all threads here as one, so it can be closed although another thread has called it.
INTERLEAVE_CASE("close: a thread that is refused", .preemptions = 3) {
  Pool pool(run, 1);
  Plain<int> reason("why the pool is closed", 0);
  run.thread("closer", [&] {
    reason.write(1);
    expect(pool.close_if_alone(), "no other thread has called");
  });
  run.thread("caller", [&] {
    if (!pool.try_admit()) expect(reason.read() == 1, "a caller that is refused can tell why");
  });
  run.go();
}

}  // namespace
}  // namespace interleave_test
