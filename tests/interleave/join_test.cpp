// A join with thieves: which worker runs the second callable, when the owner may continue, and the writes that it then sees.
#include "blitz/join.hpp"

#include <bit>
#include <stdexcept>
#include <string>

#include "tests/interleave/pool.hpp"

namespace interleave_test {
namespace {

using blitz::JoinContext;
using blitz::Unit;
using blitz::detail::Branch;
using blitz::detail::BranchCall;
using blitz::detail::BranchJob;
using blitz::detail::CallPlain;
using blitz::detail::CallWithContext;
using blitz::detail::join_on;
using blitz::detail::run_branches_on;

/// A call that must be made once, leaves a trace, and has a result.
class Call {
 public:
  Call(const char* name, int result) : calls_(name, 0), result_(result) {}

  int operator()() {
    calls_.write(calls_.read() + 1);
    return result_;
  }
  [[nodiscard]] int calls() const { return calls_.read(); }

 private:
  Plain<int> calls_;
  int result_;
};

/// Joins both calls on this worker. They have run once when this returns, and all their writes are visible.
void join_both(Worker& worker, Call& a, Call& b) {
  const auto [x, y] = join_on<CallPlain>(worker, a, b);
  expect(x == 1 && y == 2, "each result is the call's");
  expect(a.calls() == 1 && b.calls() == 1, "each call was made once");
}

INTERLEAVE_CASE("join: one thief", .preemptions = 3, .delays = 2, .spurious = 1, .random_schedules = 2000,
                .fences = true) {
  Pool pool(run, 2);
  Call a("what a wrote", 1);
  Call b("what b wrote", 2);
  run.thread("owner", [&] { join_both(pool.worker(0), a, b); });
  run.thread("thief", [&] { pool.worker(1).help_once(); });
  run.go();
}

INTERLEAVE_CASE("join: one after the other", .preemptions = 2, .random_schedules = 2000, .fences = true) {
  Pool pool(run, 2);
  Call a[2] = {{"what a wrote", 1}, {"what the second a wrote", 1}};
  Call b[2] = {{"what b wrote", 2}, {"what the second b wrote", 2}};
  run.thread("owner", [&] {
    for (int i = 0; i < 2; ++i) join_both(pool.worker(0), a[i], b[i]);
  });
  run.thread("thief", [&] { pool.worker(1).help_once(); });
  run.go();
}

INTERLEAVE_CASE("join: timed", .preemptions = 3, .random_schedules = 2000, .fences = true) {
  Pool pool(run, 2);
  Worker& worker = pool.worker(0);
  worker.times_forks = true;
  Call a("what a wrote", 1);
  Call b("what b wrote", 2);
  run.thread("owner", [&] {
    join_both(worker, a, b);
    expect(worker.forks_ended == 1, "the end of the fork was told");
  });
  run.thread("thief", [&] { pool.worker(1).help_once(); });
  run.go();
}

// A thief takes the outer b while the owner runs a; the inner b is above it, or was stolen, too.
INTERLEAVE_CASE("join: nested in a", .preemptions = 2, .random_schedules = 1500, .fences = true) {
  Pool pool(run, 3);
  Call a("what a wrote", 1);
  Call inner("what the inner b wrote", 2);
  Call outer("what the outer b wrote", 3);
  run.thread("owner", [&] {
    Worker& worker = pool.worker(0);
    const auto [x, y] = join_on<CallPlain>(
        worker, [&] { join_both(worker, a, inner); }, outer);
    expect(x == Unit{} && y == 3, "the result is the outer call's");
    expect(inner.calls() == 1 && outer.calls() == 1, "each call was made once");
  });
  run.thread("thief 1", [&] { pool.worker(1).help_once(); });
  run.thread("thief 2", [&] { pool.worker(2).help_once(); });
  run.go();
}

// The thief joins, too, and while its owner waits, the owner may steal from it.
INTERLEAVE_CASE("join: nested in b", .preemptions = 2, .random_schedules = 1500, .fences = true) {
  Pool pool(run, 2);
  Call first("what the inner a wrote", 1);
  Call second("what the inner b wrote", 2);
  run.thread("owner", [&] {
    blitz::detail::current_worker = &pool.worker(0);
    join_on<CallPlain>(
        pool.worker(0), [] {},
        [&] {
          auto& here = static_cast<Worker&>(*blitz::detail::current_worker);
          join_both(here, first, second);
        });
    expect(first.calls() == 1 && second.calls() == 1, "each call was made once");
  });
  run.thread("thief", [&] {
    blitz::detail::current_worker = &pool.worker(1);
    pool.worker(1).help_once();
  });
  run.go();
}

/// A job without a waiter.
struct Left final : Job {
  Left() : Job(&execute_it) {}
  static void execute_it(Job* job, WorkerBase& /*worker*/) noexcept {
    auto& runs = static_cast<Left*>(job)->runs;
    runs.write(runs.read() + 1);
  }
  Plain<int> runs{"what the job left behind wrote", 0};
};

/// In a, the owner calls `before`, and leaves a job in its queue. The queue had a job before the join, too, so that a place in
/// the queue may be used again.
template <class Before>
void leave_behind(Run& run, Before&& before) {
  Pool pool(run, 2);
  Left left[2];
  Call b("what b wrote", 2);
  run.thread("owner", [&] {
    Worker& worker = pool.worker(0);
    const auto a = [&] {
      before(worker);
      worker.push(&left[1]);
    };
    worker.push(&left[0]);
    const auto [x, y] = join_on<CallPlain>(worker, a, b);
    expect(x == Unit{} && y == 2 && b.calls() == 1, "b was called once");
  });
  run.thread("thief", [&] { pool.worker(1).help_once(); });
  run.go();
  while (Job* const job = pool.worker(0).take_newest()) pool.worker(0).execute(job);
  for (const Left& job : left) expect(job.runs.read() == 1, "each job left behind has run once");
}

// After a, the owner's newest job is not always b: another job is above it.
INTERLEAVE_CASE("join: a leaves a job behind", .preemptions = 2, .random_schedules = 1000, .fences = true) {
  leave_behind(run, [](Worker& /*worker*/) {});
}
// Another job is in its place.
INTERLEAVE_CASE("join: a runs b, and leaves a job behind", .preemptions = 2, .random_schedules = 1000) {
  leave_behind(run, [](Worker& worker) {
    if (Job* const b = worker.take_newest()) worker.execute(b);
  });
}

INTERLEAVE_CASE("join: knows which worker runs b", .preemptions = 2, .random_schedules = 500) {
  Pool pool(run, 2);
  bool stolen = false;
  run.thread("owner", [&] {
    blitz::detail::current_worker = &pool.worker(0);
    join_on<CallWithContext>(
        pool.worker(0), [](JoinContext context) { expect(!context.migrated(), "a stays"); },
        [&](JoinContext context) {
          stolen = blitz::detail::current_worker == &pool.worker(1);
          expect(context.migrated() == stolen, "b says whether it was stolen");
        });
  });
  run.thread("thief", [&] {
    blitz::detail::current_worker = &pool.worker(1);
    pool.worker(1).help_once();
  });
  run.go();
}

// --- three ---

/// Like join_branches, for the simulated worker: with the callables' types, or without, as in the library.
template <bool kTyped, class A, class B, class C>
void join_three(Worker& worker, A&& a, B&& b, C&& c) {
  BranchCall<CallPlain, A> first(a);
  Branch<CallPlain, B> second(b);
  Branch<CallPlain, C> third(c);
  if constexpr (kTyped) {
    run_branches_on(worker, first, second, third);
  } else {
    BranchJob* const rest[] = {&second, &third};
    run_branches_on(
        worker, [](void* data) { static_cast<decltype(first)*>(data)->run_here(); }, &first, rest, 2);
  }
  expect(first.value() == 1 && second.value() == 2 && third.value() == 3, "each result is the call's");
}

template <bool kTyped>
void join_calls(Run& run, bool timed = false) {
  Pool pool(run, 2);
  pool.worker(0).times_forks = timed;
  Call calls[3] = {{"what a wrote", 1}, {"what b wrote", 2}, {"what c wrote", 3}};
  run.thread("owner", [&] {
    join_three<kTyped>(pool.worker(0), calls[0], calls[1], calls[2]);
    for (const Call& call : calls) expect(call.calls() == 1, "each call was made once");
    expect(!timed || pool.worker(0).forks_ended == 2, "the end of each fork was told");
  });
  run.thread("thief", [&] { pool.worker(1).help_once(); });
  run.go();
}

INTERLEAVE_CASE("join: three", .preemptions = 3, .delays = 2, .spurious = 1, .random_schedules = 2000, .fences = true) {
  join_calls<true>(run);
}
INTERLEAVE_CASE("join: three, without their types", .preemptions = 2, .random_schedules = 2000, .fences = true) {
  join_calls<false>(run);
}

INTERLEAVE_CASE("join: three, timed", .preemptions = 2, .random_schedules = 1000, .fences = true) {
  join_calls<true>(run, true);
}

// The owner runs the newest job in a, and leaves another in its place.
INTERLEAVE_CASE("join: three, the first runs the second, and leaves a job behind", .preemptions = 2,
                .random_schedules = 1000) {
  Pool pool(run, 2);
  Left left;
  Call b("what b wrote", 2);
  Call c("what c wrote", 3);
  run.thread("owner", [&] {
    Worker& worker = pool.worker(0);
    const auto a = [&] {
      if (Job* const job = worker.take_newest()) worker.execute(job);
      worker.push(&left);
      return 1;
    };
    join_three<true>(worker, a, b, c);
    expect(b.calls() == 1 && c.calls() == 1, "each was called once");
  });
  run.thread("thief", [&] { pool.worker(1).help_once(); });
  run.go();
  while (Job* const job = pool.worker(0).take_newest()) pool.worker(0).execute(job);
  expect(left.runs.read() == 1, "the job left behind has run once");
}

/// Joins three calls. Those with a bit in `throws` throw their number.
template <bool kTyped>
void three_throwing(Run& run, unsigned throws, bool timed = false) {
  Pool pool(run, 2);
  pool.worker(0).times_forks = timed;
  Plain<int> written[2] = {Plain<int>("what b wrote", 0), Plain<int>("what c wrote", 0)};
  run.thread("owner", [&] {
    const auto call = [&](unsigned i) {
      if (i > 0) written[i - 1].write(written[i - 1].read() + 1);
      if ((throws >> i & 1) != 0) throw static_cast<int>(i);
      return static_cast<int>(i) + 1;
    };
    int caught = -1;
    try {
      join_three<kTyped>(
          pool.worker(0), [&] { return call(0); }, [&] { return call(1); }, [&] { return call(2); });
    } catch (int i) {
      caught = i;
    }
    expect(caught == std::countr_zero(throws), "the exception furthest left arrives");
    for (const auto& times : written) expect(times.read() == 1, "each was called once, and has ended");
    expect(!timed || pool.worker(0).forks_ended == 2, "the end of each fork was told");
  });
  run.thread("thief", [&] { pool.worker(1).help_once(); });
  run.go();
}

INTERLEAVE_CASE("join: of three the first throws", .preemptions = 2, .random_schedules = 1000, .fences = true) {
  three_throwing<true>(run, 1);
}
INTERLEAVE_CASE("join: of three the third throws", .preemptions = 2, .random_schedules = 1000, .fences = true) {
  three_throwing<true>(run, 4);
}
INTERLEAVE_CASE("join: of three the second and the third throw", .preemptions = 2, .random_schedules = 1000,
                .fences = true) {
  three_throwing<true>(run, 6);
}
INTERLEAVE_CASE("join: of three the first and the third throw, without their types", .preemptions = 2,
                .random_schedules = 1000, .fences = true) {
  three_throwing<false>(run, 5);
}

INTERLEAVE_CASE("join: of three, timed, the first throws", .preemptions = 2, .random_schedules = 500) {
  three_throwing<true>(run, 1, true);
}
INTERLEAVE_CASE("join: of three, timed, the second throws", .preemptions = 2, .random_schedules = 500) {
  three_throwing<false>(run, 2, true);
}

// --- exceptions ---

enum Throws : unsigned { kA = 1, kB = 2 };

/// Joins two calls. Those in `throws` throw.
void join_throwing(Run& run, unsigned throws, bool timed = false) {
  Pool pool(run, 2);
  pool.worker(0).times_forks = timed;
  Plain<int> written("what b wrote", 0);
  run.thread("owner", [&] {
    std::string caught;
    try {
      join_on<CallPlain>(
          pool.worker(0),
          [&] {
            if ((throws & kA) != 0) throw std::runtime_error("a");
          },
          [&] {
            written.write(written.read() + 1);
            if ((throws & kB) != 0) throw std::runtime_error("b");
          });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    expect(caught == ((throws & kA) != 0 ? "a" : "b"), "the exception furthest left arrives");
    expect(written.read() == 1, "b was called once, and has ended");
    expect(!timed || pool.worker(0).forks_ended == 1, "the end of the fork was told");
  });
  run.thread("thief", [&] { pool.worker(1).help_once(); });
  run.go();
}

INTERLEAVE_CASE("join: a throws", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  join_throwing(run, kA);
}
INTERLEAVE_CASE("join: b throws", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  join_throwing(run, kB);
}
INTERLEAVE_CASE("join: both throw", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  join_throwing(run, kA | kB);
}
INTERLEAVE_CASE("join: timed, a throws", .preemptions = 2, .random_schedules = 500) { join_throwing(run, kA, true); }
INTERLEAVE_CASE("join: timed, b throws", .preemptions = 2, .random_schedules = 500) { join_throwing(run, kB, true); }

}  // namespace
}  // namespace interleave_test
