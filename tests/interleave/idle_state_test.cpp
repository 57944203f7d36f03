// IdleState and its words, with small queues: the cases of every idle protocol, the last searcher, the counts.
#include "blitz/detail/async/idle_state.hpp"

#include <cstddef>
#include <deque>
#include <string>

#include "blitz/detail/queue/global_queue.hpp"
#include "blitz/detail/queue/work_steal_queue.hpp"
#include "tests/interleave/idle_cases.hpp"

namespace interleave_test {
namespace {

using blitz::detail::GlobalQueue;
using blitz::detail::IdleState;
using blitz::detail::WorkStealQueue;
using blitz::detail::yield_thread;

/// Rings of four and an injector, searched as AsyncFinder does, without its randomness and patience.
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
  /// Only by the owner.
  [[nodiscard]] Job* take_newest(std::size_t slot) noexcept { return rings_[slot].take_newest(); }

  [[nodiscard]] bool empty(std::size_t slot) const noexcept { return rings_[slot].empty(); }
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

using Pool = IdlePool<IdleState, SmallQueues>;

const IdleCases<Pool> cases;

// A surplus searcher moves a job to its own ring, and announces it, while another searcher, which has just found nothing, parks
// and looks for the last time.
INTERLEAVE_CASE("cascade: jobs moved by a searcher that is not counted", .preemptions = 0, .random_schedules = 3000,
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

// Each of the two sees the other's word, and the later one sees that no worker searches.
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

}  // namespace
}  // namespace interleave_test
