// Sleep, with the queues it watches: no job is left while a slot sleeps, no latch is set unnoticed, no claim of a slot
// is lost. The workers here do what Worker in core/ does, without its finder's randomness and patience.
#include "blitz/fork_join/sleep.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "blitz/core/core_latch.hpp"
#include "blitz/fork_join/chase_lev_deque.hpp"
#include "blitz/fork_join/treiber_stack.hpp"
#include "tests/support/interleave/explore.hpp"

namespace {

using blitz::detail::ChaseLevDeque;
using blitz::detail::CoreLatch;
using blitz::detail::Parker;
using blitz::detail::Rest;
using blitz::detail::Sleep;
using blitz::detail::StealResult;
using blitz::detail::TreiberStack;
using interleave::expect;
using interleave::Plain;
using interleave::Run;

struct Job {
  explicit Job(std::function<void(std::size_t)> f = {}) : function(std::move(f)) {}

  Job* next = nullptr;
  std::function<void(std::size_t slot)> function;
  Plain<int> payload{"payload", 0};
  Plain<int> runs{"runs", 0};
};

/// Slots, their residents, their queues.
class Pool {
 public:
  Pool(Run& run, std::size_t slots, std::uint32_t first_jec = 0) : run_(run), slots_(slots), idle_(slots, first_jec) {
    run.name(idle_, "idle");
    run.name(injector_, "injector");
    for (std::size_t i = 0; i < slots; ++i) {
      queues_.emplace_back(2);
      terminate_.emplace_back();
      run.name(queues_.back(), "queue " + std::to_string(i));
      run.name(terminate_.back(), "terminate " + std::to_string(i));
    }
  }

  [[nodiscard]] Sleep& idle() noexcept { return idle_; }

  /// A thread for the resident of `slot`. `awake`: it has just done a job when the others start; else its slot is
  /// vacant.
  void start(std::size_t slot, bool awake = false) {
    if (awake) {
      idle_.try_wake(slot);
      Sleep::Search search = idle_.first_search(slot);
      idle_.work_found(search);
    }
    run_.thread("worker " + std::to_string(slot), [this, slot, awake] {
      if (!awake) first_search(slot);
      work_until(slot, terminate_[slot], Rest::kVacate);
    });
  }

  Job& job(std::function<void(std::size_t)> f = {}) {
    jobs_.emplace_back(std::move(f));
    return jobs_.back();
  }
  /// A job that does not end before stop().
  Job& long_job() {
    gates_.emplace_back();
    Parker& gate = gates_.back();
    run_.name(gate, "gate");
    return job([&gate](std::size_t) { gate.park(); });
  }

  /// By the runner of `slot`.
  void push(std::size_t slot, Job& job) {
    job.payload.write(1);
    queues_[slot].push(&job);
    idle_.new_jobs();
  }
  /// By anyone.
  void inject(Job& job) {
    job.payload.write(1);
    injector_.push(&job);
    idle_.new_injected_jobs();
  }

  /// The runner of `slot` waits for a latch in the middle of a job.
  void wait(std::size_t slot, CoreLatch& latch) {
    if (!latch.probe()) work_until(slot, latch, Rest::kWait);
  }

  void give_back(std::size_t slot) {
    idle_.give_back(
        slot, queues_[slot].empty(), terminate_[slot], [this]() noexcept { return !injector_.empty(); },
        [this]() noexcept { return queues_empty(); });
  }

  /// Sends the residents home when they run dry.
  void terminate() {
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      (void)terminate_[slot].set();
      idle_.try_wake(slot);
    }
  }

  /// In the body, when nobody can go on: nothing is left that a sleeping slot could do.
  void expect_nothing_left() {
    if (idle_.counters().sleeping() == 0) return;
    expect(queues_empty(), "no job lies in a queue while a slot sleeps");
    expect(injector_.empty(), "no job lies in the injector while a slot sleeps");
  }

  /// In the body, after settle.
  void stop() {
    expect_nothing_left();
    for (Parker& gate : gates_) gate.unpark();
    terminate();
    run_.go();
    expect_stopped();
  }

  void expect_stopped() {
    for (const Job& job : jobs_) expect(job.runs.read() == 1, "each job has run once");
    // Of the slots whose resident never started, only those that somebody borrowed are not vacant.
    const auto counters = idle_.counters();
    expect(counters.sleeping() == 0, "nobody is counted as sleeping");
    expect(counters.inactive() == 0, "nobody is counted as inactive");
  }

 private:
  void first_search(std::size_t slot) {
    Sleep::Search search = idle_.first_search(slot);
    if (Job* const job = search_until(slot, terminate_[slot], Rest::kVacate, search)) execute(slot, job);
  }

  void work_until(std::size_t slot, CoreLatch& latch, Rest rest) {
    while (!latch.probe()) {
      Job* job = find(slot);
      if (job == nullptr) {
        Sleep::Search search = idle_.start_looking(slot);
        job = search_until(slot, latch, rest, search);
        if (job == nullptr) return;
      }
      execute(slot, job);
    }
  }

  Job* search_until(std::size_t slot, CoreLatch& latch, Rest rest, Sleep::Search& search) {
    Job* job = nullptr;
    while (!latch.probe()) {
      job = find(slot);
      if (job != nullptr) break;
      idle_.no_work_found(search, latch, rest, [this]() noexcept { return !injector_.empty(); });
    }
    idle_.work_found(search);
    return job;
  }

  Job* find(std::size_t slot) {
    if (Job* const job = queues_[slot].pop()) return job;
    bool lost = true;
    while (lost) {
      lost = false;
      for (std::size_t victim = 0; victim < slots_; ++victim) {
        if (victim == slot) continue;
        const auto result = queues_[victim].steal();
        if (result.item != nullptr) return result.item;
        lost |= result.outcome == StealResult<Job>::Outcome::kLost;
      }
    }
    return injector_.take();
  }

  static void execute(std::size_t slot, Job* job) {
    expect(job->payload.read() == 1, "what the poster wrote has come with the job");
    job->runs.write(job->runs.read() + 1);
    if (job->function) job->function(slot);
  }

  [[nodiscard]] bool queues_empty() const noexcept {
    for (const auto& queue : queues_) {
      if (!queue.empty()) return false;
    }
    return true;
  }

  Run& run_;
  std::size_t slots_;
  Sleep idle_;
  TreiberStack<Job> injector_;
  std::deque<ChaseLevDeque<Job>> queues_;
  std::deque<CoreLatch> terminate_;
  std::deque<Job> jobs_;
  std::deque<Parker> gates_;
};

// --- a poster that does not take back what it pushes ---

void one_post(Run& run, bool awake, std::uint32_t first_jec) {
  Pool pool(run, 2, first_jec);
  expect(pool.idle().try_borrow(0), "slot 0 is the poster's");
  pool.start(1, awake);
  Job& job = pool.job();
  run.thread("poster", [&] { pool.push(0, job); });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("post: a vacant slot", .preemptions = 3, .random_schedules = 500, .fences = true) {
  one_post(run, false, 0);
}
INTERLEAVE_CASE("post: a worker on its way to sleep", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  one_post(run, true, 0);
}
INTERLEAVE_CASE("post: active at first", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  one_post(run, true, 1);
}
INTERLEAVE_CASE("post: the events counter wraps around", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  one_post(run, true, 0xffff'ffff);
}

void two_posts(Run& run, std::uint32_t first_jec) {
  Pool pool(run, 2, first_jec);
  expect(pool.idle().try_borrow(0), "slot 0 is the poster's");
  pool.start(1, true);
  Job& first = pool.job();
  Job& second = pool.job();
  run.thread("poster", [&] {
    pool.push(0, first);
    pool.push(0, second);
  });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("posts: two in a row", .preemptions = 2, .random_schedules = 2000, .fences = true) {
  two_posts(run, 0);
}
INTERLEAVE_CASE("posts: two in a row, the counter wraps around", .preemptions = 2, .random_schedules = 2000,
                .fences = true) {
  two_posts(run, 0xffff'fffe);
}

// --- wake one, and each that finds work wakes the next ---

void two_long_jobs(Run& run, bool awake) {
  Pool pool(run, 3);
  expect(pool.idle().try_borrow(0), "slot 0 is the poster's");
  pool.start(1, awake);
  pool.start(2, awake);
  Job& first = pool.long_job();
  Job& second = pool.long_job();
  run.thread("poster", [&] {
    pool.push(0, first);
    pool.push(0, second);
  });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("cascade: two sleepers, two long jobs", .preemptions = 1, .random_schedules = 1500, .fences = true) {
  two_long_jobs(run, false);
}
INTERLEAVE_CASE("cascade: two searchers, two long jobs", .preemptions = 1, .random_schedules = 1500, .fences = true) {
  two_long_jobs(run, true);
}

INTERLEAVE_CASE("cascade: a job that pushes and does not return", .preemptions = 1, .random_schedules = 1500,
                .fences = true) {
  Pool pool(run, 3);
  expect(pool.idle().try_borrow(0), "slot 0 is the poster's");
  pool.start(1, true);
  pool.start(2);
  Parker gate;
  Job& inner = pool.long_job();
  Job& outer = pool.job([&](std::size_t slot) {
    pool.push(slot, inner);
    gate.park();
  });
  run.thread("poster", [&] { pool.push(0, outer); });
  run.settle();
  pool.expect_nothing_left();
  gate.unpark();
  pool.stop();
}

// --- from outside ---

void injected(Run& run, bool awake, std::uint32_t first_jec) {
  Pool pool(run, 1, first_jec);
  pool.start(0, awake);
  Job& job = pool.job();
  run.thread("outside", [&] { pool.inject(job); });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("inject: a vacant slot", .preemptions = 3, .random_schedules = 500, .fences = true) {
  injected(run, false, 0);
}
INTERLEAVE_CASE("inject: a worker on its way to sleep", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  injected(run, true, 0);
}
INTERLEAVE_CASE("inject: the events counter wraps around", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  injected(run, true, 0xffff'ffff);
}

INTERLEAVE_CASE("inject: two posters, one worker", .preemptions = 2, .random_schedules = 2000, .fences = true) {
  Pool pool(run, 1);
  pool.start(0, true);
  Job& first = pool.job();
  Job& second = pool.job();
  run.thread("outside 1", [&] { pool.inject(first); });
  run.thread("outside 2", [&] { pool.inject(second); });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("inject: two long jobs, two workers", .preemptions = 1, .random_schedules = 1000, .fences = true) {
  Pool pool(run, 2);
  pool.start(0);
  pool.start(1, true);
  Job& first = pool.long_job();
  Job& second = pool.long_job();
  run.thread("outside 1", [&] { pool.inject(first); });
  run.thread("outside 2", [&] { pool.inject(second); });
  run.settle();
  pool.stop();
}

// A worker whose last search found nothing because another was just taking from the injector must not sleep while there
// is more in it.
INTERLEAVE_CASE("inject: another worker is taking", .preemptions = 2, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 2);
  expect(pool.idle().try_borrow(0), "slot 0 is at work");
  pool.start(1, true);
  pool.inject(pool.long_job());
  pool.inject(pool.long_job());
  CoreLatch latch;
  run.name(latch, "latch");
  run.thread("waiter", [&] { pool.wait(0, latch); });
  run.settle();
  pool.expect_nothing_left();
  if (latch.set()) pool.idle().try_wake(0);
  pool.stop();
}

// --- waiting for a latch ---

INTERLEAVE_CASE("latch: set by another worker", .preemptions = 3, .spurious = 1, .random_schedules = 2000,
                .fences = true) {
  Pool pool(run, 2);
  expect(pool.idle().try_borrow(0) && pool.idle().try_borrow(1), "both are at work");
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
    if (address->set()) pool.idle().try_wake(1);
  });
  run.go();
  pool.expect_stopped();
}

INTERLEAVE_CASE("latch: set, and a job posted", .preemptions = 2, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 2);
  expect(pool.idle().try_borrow(0) && pool.idle().try_borrow(1), "both are at work");
  CoreLatch latch;
  run.name(latch, "latch");
  Job& first = pool.job();
  Job& last = pool.job([&](std::size_t) {
    if (latch.set()) pool.idle().try_wake(1);
  });
  // The waiter alone can run what it waits for.
  run.thread("waiter", [&] { pool.wait(1, latch); });
  run.thread("poster", [&] {
    pool.push(0, first);
    pool.inject(last);
  });
  run.go();
  // The first may have been left: a latch that is set ends the wait, and the poster's queue is the poster's.
  CoreLatch never;
  while (first.runs.read() == 0) {
    CoreLatch* const end = &never;
    first.function = [end](std::size_t) { (void)end->set(); };
    pool.wait(0, never);
  }
  pool.expect_stopped();
}

// --- borrowing ---

INTERLEAVE_CASE("borrow: one slot, an injected job", .preemptions = 2, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 1);
  pool.start(0);
  Job& job = pool.job();
  run.thread("caller", [&] {
    if (pool.idle().try_borrow(0)) pool.give_back(0);
  });
  run.thread("outside", [&] { pool.inject(job); });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("borrow: two callers, one slot", .preemptions = 2, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 1);
  pool.start(0, true);
  Plain<int> inside{"inside", 0};
  for (const char* name : {"caller 1", "caller 2"}) {
    Job& job = pool.job([&](std::size_t) { inside.write(inside.read() + 1); });
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

INTERLEAVE_CASE("borrow: leaves a job behind", .preemptions = 1, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 2);
  pool.start(0);
  pool.start(1);
  Job& job = pool.job();
  run.thread("caller", [&] {
    if (pool.idle().try_borrow(0)) {
      pool.push(0, job);
      pool.give_back(0);
    } else {
      pool.inject(job);
    }
  });
  run.settle();
  pool.stop();
}

// Slot 1 is at work and nobody sleeps when it pushes; the caller gives its slot back, and must not leave the job alone.
void given_back_while_another_pushes(Run& run, std::uint32_t first_jec) {
  Pool pool(run, 2, first_jec);
  expect(pool.idle().try_borrow(0) && pool.idle().try_borrow(1), "both are at work");
  pool.start(0);
  Job& job = pool.job();
  run.thread("caller", [&] { pool.give_back(0); });
  run.thread("at work", [&] { pool.push(1, job); });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("borrow: given back while another pushes, sleepy", .preemptions = 2, .random_schedules = 3000,
                .fences = true) {
  given_back_while_another_pushes(run, 0);
}
INTERLEAVE_CASE("borrow: given back while another pushes, active", .preemptions = 2, .random_schedules = 3000,
                .fences = true) {
  given_back_while_another_pushes(run, 1);
}

INTERLEAVE_CASE("borrow: against a waker", .preemptions = 2, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 2);
  pool.start(0);
  expect(pool.idle().try_borrow(1), "slot 1 is the poster's");
  Job& job = pool.job();
  run.thread("caller", [&] {
    if (pool.idle().try_borrow(0)) pool.give_back(0);
  });
  run.thread("poster", [&] { pool.push(1, job); });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("borrow: against termination", .preemptions = 3, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 1);
  pool.start(0);
  run.thread("caller", [&] {
    if (pool.idle().try_borrow(0)) pool.give_back(0);
  });
  run.thread("stopper", [&] { pool.terminate(); });
  run.go();
}

INTERLEAVE_CASE("terminate: workers in any state", .preemptions = 1, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 2);
  pool.start(0, true);
  pool.start(1);
  run.thread("stopper", [&] { pool.terminate(); });
  run.go();
  pool.expect_stopped();
}

INTERLEAVE_CASE("everything at once", .systematic = false, .random_schedules = 10000, .fences = true) {
  Pool pool(run, 3, 0xffff'fffd);
  pool.start(0);
  pool.start(1, true);
  pool.start(2);
  Job& inner = pool.job();
  Job& outer = pool.job([&](std::size_t slot) { pool.push(slot, inner); });
  Job& long_one = pool.long_job();
  run.thread("caller", [&] {
    if (pool.idle().try_borrow(0)) {
      pool.push(0, outer);
      pool.give_back(0);
    } else {
      pool.inject(outer);
    }
  });
  run.thread("outside", [&] { pool.inject(long_one); });
  run.settle();
  pool.stop();
}

}  // namespace
