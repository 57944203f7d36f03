// IdleState and its words, with small queues to watch: no job is left while a slot is parked and nobody searches, no
// latch is set unnoticed, no claim of a slot is lost, no slot has two runners.
#include "blitz/async/idle_state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "blitz/async/global_queue.hpp"
#include "blitz/async/work_steal_queue.hpp"
#include "tests/interleave/idle_pool.hpp"

namespace interleave_test {
namespace {

using blitz::detail::Atomic;
using blitz::detail::GlobalQueue;
using blitz::detail::WorkStealQueue;
using blitz::detail::yield_thread;

/// Rings of four and an injector, searched as AsyncFinder does, but for its randomness and patience.
class SmallQueues {
 public:
  SmallQueues(Run& run, std::size_t count) : rings_(count) {
    run.name(injector_, "injector");
    for (std::size_t slot = 0; slot < count; ++slot) run.name(rings_[slot], "ring " + std::to_string(slot));
  }

  void push(std::size_t slot, Job* job) noexcept { rings_[slot].push(job, injector_); }
  void inject(Job* job) noexcept { injector_.push(job); }
  [[nodiscard]] Job* find(std::size_t slot, bool searching) noexcept {
    if (Job* const job = rings_[slot].pop()) return job;
    if (Job* const job = injector_.take()) return job;
    if (Job* const job = steal(slot, searching ? Ring::kHalf : 1)) return job;
    return injector_.take();
  }
  /// The owner's.
  [[nodiscard]] Job* take_newest(std::size_t slot) noexcept { return rings_[slot].take_newest(); }

  [[nodiscard]] bool empty(std::size_t slot) const noexcept { return rings_[slot].empty(); }
  [[nodiscard]] bool empty() const noexcept {
    for (const Ring& ring : rings_) {
      if (!ring.empty()) return false;
    }
    return true;
  }
  [[nodiscard]] bool injector_empty() const noexcept { return injector_.empty(); }

 private:
  using Ring = WorkStealQueue<Job, 4>;

  Job* steal(std::size_t slot, std::size_t most) noexcept {
    for (bool lost = true; lost; yield_thread()) {
      lost = false;
      for (std::size_t i = 1; i < rings_.size(); ++i) {
        const auto loot = rings_[(slot + i) % rings_.size()].steal_into(rings_[slot], most);
        if (loot.item != nullptr) return loot.item;
        lost |= loot.outcome == decltype(loot)::Outcome::kLost;
      }
      if (!lost) return nullptr;
    }
    return nullptr;
  }

  GlobalQueue<Job> injector_;
  std::deque<Ring> rings_;
};

using Pool = IdlePool<SmallQueues>;

// --- a poster that does not take back what it pushes ---

void one_post(Run& run, bool awake) {
  Pool pool(run, 2);
  pool.lend(0);
  pool.start(1, awake);
  TestJob& job = pool.job();
  run.thread("poster", [&] { pool.push(0, job); });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("post: a vacant slot", .preemptions = 3, .random_schedules = 500, .fences = true) {
  one_post(run, false);
}
INTERLEAVE_CASE("post: a searcher on its way to park", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  one_post(run, true);
}

INTERLEAVE_CASE("post: two in a row", .preemptions = 2, .random_schedules = 2000, .fences = true) {
  Pool pool(run, 2);
  pool.lend(0);
  pool.start(1, true);
  TestJob& first = pool.job();
  TestJob& second = pool.job();
  run.thread("poster", [&] {
    pool.push(0, first);
    pool.push(0, second);
  });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("post: two posters, one searcher", .preemptions = 2, .random_schedules = 2000, .fences = true) {
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

// --- one is woken, and each that finds work wakes the next ---

void two_long_jobs(Run& run, bool awake) {
  Pool pool(run, 3);
  pool.lend(0);
  pool.start(1, awake);
  pool.start(2, awake);
  TestJob& first = pool.long_job();
  TestJob& second = pool.long_job();
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

// A searcher that is one too many moves a job to its own ring, and says so, while another, who found nothing a moment
// ago, parks and looks for the last time.
INTERLEAVE_CASE("cascade: jobs moved by one who is not counted", .preemptions = 0, .random_schedules = 3000,
                .fences = true) {
  Pool pool(run, 4);
  for (std::size_t slot = 0; slot < 4; ++slot) pool.lend(slot);
  CoreLatch latches[4];
  Pool::Search first = pool.idle().start_looking(1);
  Pool::Search second = pool.idle().start_looking(2);
  Pool::Search mover = pool.idle().start_looking(3);
  expect(first.counted && second.counted && !mover.counted, "half of the slots search");
  const auto nothing = []() noexcept { return false; };
  pool.idle().no_work_found(first, latches[1], Rest::kWait, nothing);
  while (!second.parked) pool.idle().no_work_found(second, latches[2], Rest::kWait, nothing);
  pool.push(0, pool.long_job());
  pool.push(0, pool.long_job());
  TestJob& last = pool.job();
  pool.push(0, last);
  run.thread("owner", [&] {
    if (pool.queues().take_newest(0) != nullptr) last.runs.write(1);
  });
  pool.continue_as("mover", mover, latches[3], Rest::kWait);
  pool.continue_idle("first", first, latches[1], Rest::kWait);
  pool.continue_idle("second", second, latches[2], Rest::kWait);
  run.settle();
  pool.expect_nothing_left();
  for (std::size_t slot = 1; slot < 4; ++slot) pool.set(latches[slot], slot);
  pool.finish();
}

// Each of the two sees the other's word, and the later one that nobody searches any more.
INTERLEAVE_CASE("cascade: the last two searchers are of different words", .preemptions = 1, .random_schedules = 1500,
                .fences = true) {
  constexpr std::size_t kSlots = blitz::detail::IdleWord::kSlots + 1;  // slot 0 has the last place
  Pool pool(run, kSlots, 4);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    if (slot != 3) pool.lend(slot);
  }
  CoreLatch latches[2];
  Pool::Search searches[2] = {pool.idle().start_looking(0), pool.idle().start_looking(1)};
  for (int i = 0; i < 3; ++i) pool.push(2, pool.long_job());
  for (std::size_t slot = 0; slot < 2; ++slot) {
    pool.continue_as("worker " + std::to_string(slot), searches[slot], latches[slot], Rest::kWait);
  }
  pool.start(3);
  run.settle();
  pool.expect_nothing_left();
  for (std::size_t slot = 0; slot < 2; ++slot) pool.set(latches[slot], slot);
  pool.finish();
}

// --- from outside ---

void injected(Run& run, bool awake) {
  Pool pool(run, 1);
  pool.start(0, awake);
  TestJob& job = pool.job();
  run.thread("outside", [&] { pool.inject(job); });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("inject: a vacant slot", .preemptions = 3, .random_schedules = 500, .fences = true) {
  injected(run, false);
}
INTERLEAVE_CASE("inject: a worker on its way to park", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  injected(run, true);
}

INTERLEAVE_CASE("inject: two posters, one worker", .preemptions = 2, .random_schedules = 2000, .fences = true) {
  Pool pool(run, 1);
  pool.start(0, true);
  TestJob& first = pool.job();
  TestJob& second = pool.job();
  run.thread("outside 1", [&] { pool.inject(first); });
  run.thread("outside 2", [&] { pool.inject(second); });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("inject: two long jobs, two workers", .preemptions = 1, .random_schedules = 1000, .fences = true) {
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

INTERLEAVE_CASE("inject: another worker is taking", .preemptions = 2, .random_schedules = 2000, .fences = true) {
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

// --- waiting for a latch ---

INTERLEAVE_CASE("latch: set by another worker", .preemptions = 3, .spurious = 1, .random_schedules = 2000,
                .fences = true) {
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

INTERLEAVE_CASE("latch: set, and a job pushed", .preemptions = 2, .random_schedules = 2000, .fences = true) {
  Pool pool(run, 2);
  pool.lend(0);
  pool.lend(1);
  CoreLatch latch;
  run.name(latch, "latch");
  TestJob& first = pool.job();
  TestJob& last = pool.job([&](std::size_t) { pool.set(latch, 1); });
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
    first.function = [&never](std::size_t) { (void)never.set(); };
    pool.wait(0, never);
  }
  pool.expect_stopped();
}

// A poster wakes the waiter for a job that another has taken by then; it sleeps again, and its latch still wakes it.
INTERLEAVE_CASE("latch: woken for nothing first", .preemptions = 2, .random_schedules = 2000, .fences = true) {
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

// --- borrowing ---

INTERLEAVE_CASE("borrow: one slot, an injected job", .preemptions = 2, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 1);
  pool.start(0);
  TestJob& job = pool.job();
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

INTERLEAVE_CASE("borrow: leaves a job behind", .preemptions = 1, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 2);
  pool.start(0);
  pool.start(1);
  TestJob& job = pool.job();
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

INTERLEAVE_CASE("borrow: leaves a job behind, and nobody else is there", .preemptions = 2, .random_schedules = 1000,
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

// Slot 1 is at work and nobody is parked when it pushes; the caller gives its slot back, and must not leave the job
// alone.
INTERLEAVE_CASE("borrow: given back while another pushes", .preemptions = 2, .random_schedules = 2000, .fences = true) {
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

INTERLEAVE_CASE("borrow: given back while another injects", .preemptions = 2, .random_schedules = 2000,
                .fences = true) {
  Pool pool(run, 1);
  pool.lend(0);
  pool.start(0);
  TestJob& job = pool.job();
  run.thread("caller", [&] { pool.give_back(0); });
  run.thread("outside", [&] { pool.inject(job); });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("borrow: against a waker", .preemptions = 2, .random_schedules = 3000, .fences = true) {
  Pool pool(run, 2);
  pool.start(0);
  pool.lend(1);
  TestJob& job = pool.job();
  run.thread("caller", [&] {
    if (pool.idle().try_borrow(0)) pool.give_back(0);
  });
  run.thread("poster", [&] { pool.push(1, job); });
  run.settle();
  pool.stop();
}

// A guest that waits is woken, not its resident; and the slot is not lent a second time meanwhile.
INTERLEAVE_CASE("borrow: a guest that waits", .preemptions = 1, .random_schedules = 5000, .fences = true) {
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
  run.thread("caller 2", [&] {
    if (pool.idle().try_borrow(0)) pool.give_back(0);
  });
  run.thread("outside", [&] { pool.inject(job); });
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

// --- the counts ---

INTERLEAVE_CASE("counts: never out of bounds", .preemptions = 1, .random_schedules = 1000) {
  Pool pool(run, 2);
  pool.start(0);
  pool.start(1, true);
  TestJob& job = pool.job();
  run.thread("outside", [&] { pool.inject(job); });
  run.thread("checker", [&] {
    for (int i = 0; i < 2; ++i) {
      expect(pool.idle().num_searching() <= 2, "no more search than there are");
      expect(pool.idle().num_parked() <= 2, "no more are parked than there are");
    }
  });
  run.settle();
  pool.stop();
}

INTERLEAVE_CASE("everything at once", .systematic = false, .random_schedules = 5000, .fences = true) {
  Pool pool(run, 3);
  pool.start(0);
  pool.start(1, true);
  pool.start(2);
  TestJob& inner = pool.job();
  TestJob& outer = pool.job([&](std::size_t slot) { pool.push(slot, inner); });
  TestJob& long_one = pool.long_job();
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
}  // namespace interleave_test
