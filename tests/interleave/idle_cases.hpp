/// The cases that every idle protocol must pass: no job is left while a slot sleeps and no worker searches, no set latch is
/// missed, no claim of a slot is lost, no slot has two runners. `Pool` is an IdlePool.
#pragma once

#include <cstddef>
#include <optional>

#include "tests/interleave/idle_pool.hpp"

namespace interleave_test {

/// An object of this type adds the cases to the program.
template <class Pool>
struct IdleCases {
  /// Two jobs are pushed in a row, on slot 0.
  static void post(Run& run, Pool& pool, TestJob& first, TestJob& second) {
    run.thread("poster", [&] {
      pool.push(0, first);
      pool.push(0, second);
    });
    run.settle();
    pool.stop();
  }

  /// The poster does not take back the job that it pushes.
  static void one_post(Run& run, bool awake) {
    Pool pool(run, 2);
    pool.lend(0);
    pool.start(1, awake);
    TestJob& job = pool.job();
    run.thread("poster", [&] { pool.push(0, job); });
    run.settle();
    pool.stop();
  }

  /// Like one_post(), with a queue that the protocol does not see: see new_jobs in blitz/policy.hpp.
  static void one_unseen(Run& run) {
    Pool pool(run, 2);
    pool.lend(0);
    pool.start(1, true);
    TestJob& job = pool.job();
    run.thread("poster", [&] { pool.push_unseen(0, job); });
    run.settle();
    pool.stop();
  }

  /// Two workers are about to sleep. Only the last one must see the job.
  static void one_post_two_searchers(Run& run) {
    Pool pool(run, 3);
    pool.lend(0);
    pool.start_drowsy(1);
    pool.start_drowsy(2);
    TestJob& job = pool.job();
    run.thread("poster", [&] { pool.push(0, job); });
    run.settle();
    pool.stop();
  }

  /// Two workers are about to sleep, and neither job returns: both workers must run one. If one of them sleeps, the other one
  /// must wake it when it finds its job.
  static void two_long_jobs_two_searchers(Run& run) {
    Pool pool(run, 3);
    pool.lend(0);
    pool.start_drowsy(1);
    pool.start_drowsy(2);
    TestJob& first = pool.long_job();
    TestJob& second = pool.long_job();
    post(run, pool, first, second);
  }

  static void two_posts(Run& run) {
    Pool pool(run, 2);
    pool.lend(0);
    pool.start(1, true);
    TestJob& first = pool.job();
    TestJob& second = pool.job();
    post(run, pool, first, second);
  }

  /// One worker is woken, and each worker that finds work wakes the next.
  static void two_long_jobs(Run& run, bool awake) {
    Pool pool(run, 3);
    pool.lend(0);
    pool.start(1, awake);
    pool.start(2, awake);
    TestJob& first = pool.long_job();
    TestJob& second = pool.long_job();
    post(run, pool, first, second);
  }

  static void injected(Run& run, bool awake) {
    Pool pool(run, 1);
    pool.start(0, awake);
    TestJob& job = pool.job();
    run.thread("outside", [&] { pool.inject(job); });
    run.settle();
    pool.stop();
  }

  /// For a protocol that withholds halves. A worker on its way to sleep need not see the half, but must find a job that is
  /// posted after it, and then finds both.
  static void after_withheld(Run& run, bool taken_back) {
    Pool pool(run, 2);
    pool.lend(0);
    pool.start(1, true);
    TestJob& half = pool.job();
    TestJob& job = pool.job();
    run.thread("poster", [&, taken_back] {
      pool.push_withheld(0, half);
      if (taken_back) pool.take_back(0);
      pool.push(0, job);
    });
    run.settle();
    pool.stop();
  }

  static void visit(Pool& pool) {
    if (pool.idle().try_borrow(0)) pool.give_back(0);
  }

  /// A guest pushes if it gets the slot; otherwise it injects.
  static void push_as_guest(Pool& pool, TestJob& job) {
    if (pool.idle().try_borrow(0)) {
      pool.push(0, job);
      pool.give_back(0);
    } else {
      pool.inject(job);
    }
  }

  /// Slot 1 works, and no slot sleeps when it pushes. The caller gives its slot back, and must not leave the job without a
  /// worker.
  static void given_back_while_another_pushes(Run& run) {
    Pool pool(run, 2);
    pool.lend(0);
    pool.lend(1);
    pool.start(0);
    TestJob& job = pool.job();
    run.thread("caller", [&] { pool.give_back(0); });
    run.thread("at work", [&] { pool.push(1, job); });
    run.settle();
    pool.stop();
  }

  /// Each job source makes `jobs` jobs.
  static void everything_at_once(Run& run, int jobs = 1) {
    Pool pool(run, 3);
    pool.start(0);
    pool.start(1, true);
    pool.start(2);
    TestJob& outer = pool.job([&](std::size_t slot) {
      for (int i = 0; i < jobs; ++i) pool.push(slot, pool.job());
    });
    run.thread("caller", [&] { push_as_guest(pool, outer); });
    run.thread("outside", [&] {
      for (int i = 0; i < jobs; ++i) pool.inject(pool.long_job());
    });
    run.settle();
    pool.stop();
  }

#define IDLE_CASE(name, ...)                                                                                   \
  const interleave::Registered INTERLEAVE_JOIN(registered_, __LINE__){name, interleave::Settings{__VA_ARGS__}, \
                                                                      INTERLEAVE_JOIN(run_, __LINE__)};        \
  static void INTERLEAVE_JOIN(run_, __LINE__)(Run & run)

  IDLE_CASE("post: a vacant slot", .preemptions = 3, .random_schedules = 500, .fences = true) { one_post(run, false); }
  IDLE_CASE("post: a searcher on its way to sleep", .preemptions = 3, .random_schedules = 1000, .fences = true) {
    one_post(run, true);
  }
  IDLE_CASE("post: without a look before", .preemptions = 3, .random_schedules = 1000, .fences = true) {
    one_unseen(run);
  }
  IDLE_CASE("post: two in a row", .preemptions = 2, .random_schedules = 2000, .fences = true) { two_posts(run); }

  IDLE_CASE("post: two posters, one searcher", .preemptions = 2, .random_schedules = 2000, .fences = true) {
    Pool pool(run, 3);
    pool.lend(0);
    pool.lend(2);
    pool.start(1, true);
    TestJob& first = pool.job();
    TestJob& second = pool.job();
    run.thread("poster 0", [&] { pool.push(0, first); });
    run.thread("poster 2", [&] { pool.push(2, second); });
    run.settle();
    pool.stop();
  }

  IDLE_CASE("post: by a caller that comes while all are idle", .preemptions = 3, .random_schedules = 1000,
            .fences = true) {
    Pool pool(run, 2);
    pool.start(1, true);
    TestJob& job = pool.job();
    run.thread("caller", [&] {
      expect(pool.idle().try_borrow(0), "the slot was vacant");
      pool.push(0, job);
    });
    run.settle();
    pool.stop();
  }

  IDLE_CASE("cascade: two sleepers, two long jobs", .preemptions = 1, .random_schedules = 1500, .fences = true) {
    two_long_jobs(run, false);
  }
  IDLE_CASE("cascade: two searchers, two long jobs", .preemptions = 1, .random_schedules = 1500, .fences = true) {
    two_long_jobs(run, true);
  }

  IDLE_CASE("cascade: a job that pushes and does not return", .preemptions = 1, .random_schedules = 1500,
            .fences = true) {
    Pool pool(run, 3);
    pool.lend(0);
    pool.start(1, true);
    pool.start(2);
    Parker gate;
    TestJob& inner = pool.long_job();
    TestJob& outer = pool.job([&](std::size_t slot) {
      pool.push(slot, inner);
      gate.park();
    });
    run.thread("poster", [&] { pool.push(0, outer); });
    run.settle();
    pool.expect_nothing_left();
    gate.unpark();
    pool.stop();
  }

  IDLE_CASE("inject: a vacant slot", .preemptions = 3, .random_schedules = 500, .fences = true) {
    injected(run, false);
  }
  IDLE_CASE("inject: a worker on its way to sleep", .preemptions = 3, .random_schedules = 1000, .fences = true) {
    injected(run, true);
  }

  IDLE_CASE("inject: two posters, one worker", .preemptions = 2, .random_schedules = 2000, .fences = true) {
    Pool pool(run, 1);
    pool.start(0, true);
    TestJob& first = pool.job();
    TestJob& second = pool.job();
    run.thread("outside 1", [&] { pool.inject(first); });
    run.thread("outside 2", [&] { pool.inject(second); });
    run.settle();
    pool.stop();
  }

  IDLE_CASE("inject: two long jobs, two workers", .preemptions = 1, .random_schedules = 1000, .fences = true) {
    Pool pool(run, 2);
    pool.start(0);
    pool.start(1, true);
    TestJob& first = pool.long_job();
    TestJob& second = pool.long_job();
    run.thread("outside 1", [&] { pool.inject(first); });
    run.thread("outside 2", [&] { pool.inject(second); });
    run.settle();
    pool.stop();
  }

  IDLE_CASE("inject: another worker is taking", .preemptions = 2, .random_schedules = 3000, .fences = true) {
    Pool pool(run, 2);
    pool.lend(0);
    pool.start(1, true);
    pool.inject(pool.long_job());
    pool.inject(pool.long_job());
    CoreLatch latch;
    run.name(latch, "latch");
    run.thread("waiter", [&] { pool.wait(0, latch); });
    run.settle();
    pool.expect_nothing_left();
    pool.set(latch, 0);
    pool.finish();
  }

  IDLE_CASE("latch: set by another worker", .preemptions = 3, .spurious = 1, .random_schedules = 2000, .fences = true) {
    Pool pool(run, 2);
    pool.lend(0);
    pool.lend(1);
    auto latch = std::make_optional<CoreLatch>();
    CoreLatch* const address = &*latch;
    run.name(*latch, "latch");
    Plain<int> result{"result", 0};
    run.thread("waiter", [&] {
      pool.wait(1, *latch);
      expect(result.read() == 7, "what came before set has come");
      latch.reset();
    });
    run.thread("setter", [&] {
      result.write(7);
      pool.set(*address, 1);
    });
    run.go();
    pool.expect_stopped();
  }

  IDLE_CASE("latch: set, and a job pushed", .preemptions = 2, .random_schedules = 3000, .fences = true) {
    Pool pool(run, 2);
    pool.lend(0);
    pool.lend(1);
    CoreLatch latch;
    run.name(latch, "latch");
    TestJob& first = pool.job();
    TestJob& last = pool.job([&](std::size_t) { pool.set(latch, 1); });
    // Only the waiter can run the job that it waits for.
    run.thread("waiter", [&] { pool.wait(1, latch); });
    run.thread("poster", [&] {
      pool.push(0, first);
      pool.inject(last);
    });
    run.go();
    // The first job may be left: a set latch ends the wait, and only the poster runs the poster's queue.
    CoreLatch never;
    while (first.runs.read() == 0) {
      first.function = [&never](std::size_t) { (void)never.set(); };
      pool.wait(0, never);
    }
    pool.expect_stopped();
  }

  // A poster wakes the waiter for a job that another worker has already taken. The waiter sleeps again, and its latch still
  // wakes it.
  IDLE_CASE("latch: woken for nothing first", .preemptions = 2, .random_schedules = 2000, .fences = true) {
    Pool pool(run, 2);
    pool.lend(0);
    pool.lend(1);
    CoreLatch latch;
    run.name(latch, "latch");
    run.thread("waiter", [&] { pool.wait(1, latch); });
    run.thread("poster", [&] {
      pool.idle().new_jobs();
      pool.idle().new_injected_jobs();
    });
    run.thread("setter", [&] { pool.set(latch, 1); });
    run.go();
    pool.expect_stopped();
  }

  IDLE_CASE("borrow: one slot, an injected job", .preemptions = 2, .random_schedules = 3000, .fences = true) {
    Pool pool(run, 1);
    pool.start(0);
    TestJob& job = pool.job();
    run.thread("caller", [&] { visit(pool); });
    run.thread("outside", [&] { pool.inject(job); });
    run.settle();
    pool.stop();
  }

  IDLE_CASE("borrow: two callers, one slot", .preemptions = 2, .random_schedules = 3000, .fences = true) {
    Pool pool(run, 1);
    pool.start(0, true);
    Plain<int> inside{"inside", 0};
    for (const char* name : {"caller 1", "caller 2"}) {
      TestJob& job = pool.job([&](std::size_t) { inside.write(inside.read() + 1); });
      run.thread(name, [&pool, &job] {
        if (pool.idle().try_borrow(0)) {
          job.payload.write(1);
          job.runs.write(1);
          job.function(0);
          pool.give_back(0);
        } else {
          pool.inject(job);
        }
      });
    }
    run.settle();
    pool.stop();
    expect(inside.read() == 2, "one at a time");
  }

  IDLE_CASE("borrow: leaves a job behind", .preemptions = 1, .random_schedules = 3000, .fences = true) {
    Pool pool(run, 2);
    pool.start(0);
    pool.start(1);
    TestJob& job = pool.job();
    run.thread("caller", [&] { push_as_guest(pool, job); });
    run.settle();
    pool.stop();
  }

  IDLE_CASE("borrow: leaves a job behind, and nobody else is there", .preemptions = 2, .random_schedules = 1000,
            .fences = true) {
    Pool pool(run, 1);
    pool.start(0);
    TestJob& job = pool.job();
    run.thread("caller", [&] {
      expect(pool.idle().try_borrow(0), "the slot is vacant");
      pool.push(0, job);
      pool.give_back(0);
    });
    run.settle();
    pool.stop();
  }

  IDLE_CASE("borrow: given back while another pushes", .preemptions = 2, .random_schedules = 3000, .fences = true) {
    given_back_while_another_pushes(run);
  }

  IDLE_CASE("borrow: given back while another injects", .preemptions = 2, .random_schedules = 2000, .fences = true) {
    Pool pool(run, 1);
    pool.lend(0);
    pool.start(0);
    TestJob& job = pool.job();
    run.thread("caller", [&] { pool.give_back(0); });
    run.thread("outside", [&] { pool.inject(job); });
    run.settle();
    pool.stop();
  }

  IDLE_CASE("borrow: against a waker", .preemptions = 2, .random_schedules = 3000, .fences = true) {
    Pool pool(run, 2);
    pool.start(0);
    pool.lend(1);
    TestJob& job = pool.job();
    run.thread("caller", [&] { visit(pool); });
    run.thread("poster", [&] { pool.push(1, job); });
    run.settle();
    pool.stop();
  }

  IDLE_CASE("borrow: against a waker without a job", .preemptions = 2, .random_schedules = 500, .fences = true) {
    Pool pool(run, 1);
    pool.start(0);
    run.thread("caller", [&] { visit(pool); });
    run.thread("waker", [&] { (void)pool.idle().try_wake(0); });
    run.settle();
    pool.stop();
  }

  // The guest that waits is woken, not its resident, and the slot is not lent again in the meantime.
  IDLE_CASE("borrow: a guest that waits", .preemptions = 1, .random_schedules = 5000, .fences = true) {
    Pool pool(run, 1);
    pool.start(0);
    CoreLatch latch;
    run.name(latch, "latch");
    TestJob& job = pool.job([&](std::size_t) { pool.set(latch, 0); });
    run.thread("caller 1", [&] {
      if (!pool.idle().try_borrow(0)) return;
      pool.wait(0, latch);
      pool.give_back(0);
    });
    run.thread("caller 2", [&] { visit(pool); });
    run.thread("outside", [&] { pool.inject(job); });
    run.settle();
    pool.stop();
  }

  IDLE_CASE("borrow: against termination", .preemptions = 3, .random_schedules = 3000, .fences = true) {
    Pool pool(run, 1);
    pool.start(0);
    run.thread("caller", [&] { visit(pool); });
    run.thread("stopper", [&] { pool.terminate(); });
    run.go();
  }

  IDLE_CASE("terminate: workers in any state", .preemptions = 1, .random_schedules = 3000, .fences = true) {
    Pool pool(run, 2);
    pool.start(0, true);
    pool.start(1);
    run.thread("stopper", [&] { pool.terminate(); });
    run.go();
    pool.expect_stopped();
  }

  IDLE_CASE("terminate: a worker that has just done a job", .preemptions = 2, .random_schedules = 1000,
            .fences = true) {
    Pool pool(run, 1);
    Parker done;
    pool.inject(pool.job([&](std::size_t) { done.unpark(); }));
    pool.start(0);
    run.thread("stopper", [&] {
      done.park();
      pool.terminate();
    });
    run.go();
    pool.expect_stopped();
  }

  IDLE_CASE("all operations concurrently", .systematic = false, .random_schedules = 5000, .fences = true) {
    everything_at_once(run);
  }

#undef IDLE_CASE
};

}  // namespace interleave_test
