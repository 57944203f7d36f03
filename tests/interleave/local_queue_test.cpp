// The shipped AsyncQueue: slot, ring and fetched jobs together, against thieves; its empty(), and its counts.
#include "blitz/detail/async/local_queue.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/support/interleave/explore.hpp"

namespace {

using blitz::detail::AsyncInjector;
using blitz::detail::AsyncQueue;
using blitz::detail::Job;
using blitz::detail::yield_thread;
using interleave::expect;
using interleave::Plain;
using interleave::Run;
using Loot = blitz::detail::StealResult<Job>;

/// A job that is found and never run.
struct Found final : Job {
  Found() : Job(nullptr) {}
  Plain<int> payload{"payload", 0};
  Plain<int> taken{"taken", 0};
};

/// The queues of a pool without threads, and the counts that its finders would keep.
class Queues {
 public:
  static constexpr std::size_t kSlots = 3;
  static constexpr std::size_t kMost = 64;

  explicit Queues(Run& run) {
    run.name(injector_, "injector");
    run.name(jobs_, "jobs");
    for (std::size_t slot = 0; slot < kSlots; ++slot) run.name(slots_[slot].queue, "queue " + std::to_string(slot));
  }

  // --- by the runner of `slot` ---

  AsyncQueue::Place push(std::size_t slot) { return slots_[slot].queue.push(made(), injector_); }
  bool take_newest(std::size_t slot) { return took(slot, slots_[slot].queue.take_newest()); }
  bool take_oldest(std::size_t slot) { return took(slot, slots_[slot].queue.take_oldest()); }
  bool poll_slot(std::size_t slot) { return took(slot, slots_[slot].queue.poll_slot()); }
  bool take_fetched(std::size_t slot) { return took(slot, slots_[slot].queue.take_fetched()); }
  bool take_back(std::size_t slot, AsyncQueue::Place place) {
    return slots_[slot].queue.take_if_newest(place) && took(slot, place);
  }
  bool fetch(std::size_t slot, std::size_t workers = 1) {
    std::size_t taken = 0;
    Job* const job = slots_[slot].queue.fetch(injector_, workers, taken);
    expect((job != nullptr) == (taken > 0), "the first of what was taken is returned");
    slots_[slot].come += taken;
    return took(slot, job);
  }
  Loot::Outcome steal(std::size_t slot, std::size_t victim, std::size_t most = kMost) {
    const Loot loot = slots_[slot].queue.steal_from(slots_[victim].queue, most);
    if (loot.outcome == Loot::Outcome::kItem) {
      slots_[slot].come += 1 + loot.moved;
      took(slot, loot.item);
    }
    return loot.outcome;
  }
  bool steal_newest(std::size_t slot, std::size_t victim) {
    Job* const job = AsyncQueue::steal_newest_from(slots_[victim].queue);
    if (job != nullptr) ++slots_[slot].come;
    return took(slot, job);
  }
  /// Like a finder: false means that no job was there.
  bool steal_hard(std::size_t slot, std::size_t victim) {
    for (;;) {
      const Loot::Outcome outcome = steal(slot, victim, 1);
      if (outcome == Loot::Outcome::kItem || steal_newest(slot, victim)) return true;
      if (outcome == Loot::Outcome::kEmpty) return false;
      yield_thread();
    }
  }

  // --- by anyone ---

  void inject() { injector_.push(made()); }
  [[nodiscard]] bool nothing_anywhere() const noexcept {
    return injector_.empty() && slots_[0].queue.empty() && slots_[1].queue.empty() && slots_[2].queue.empty();
  }
  [[nodiscard]] const AsyncQueue& queue(std::size_t slot) const noexcept { return slots_[slot].queue; }

  // --- in the body, at the end ---

  void expect_all_taken() {
    expect_counts();
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      while (take_newest(slot) || take_fetched(slot)) {
      }
    }
    while (fetch(0) || take_fetched(0)) {
    }
    std::size_t taken = 0;
    for (const Found& job : jobs_) taken += job.taken.read() == 1 ? 1 : 0;
    expect(taken == made_, "each job has been taken");
    expect(nothing_anywhere(), "nothing is left");
    expect_counts();
  }

 private:
  struct Slot {
    AsyncQueue queue;
    std::size_t come = 0;  // thefts, of any number of jobs, and jobs from the injector
    std::size_t took = 0;  // by its runner
  };

  /// As in a worker's statistics: jobs that have come, have not moved elsewhere and do not wait were taken by the runner.
  void expect_counts() const {
    for (const Slot& slot : slots_) {
      const std::uint64_t left = slot.queue.pushed() + slot.come - slot.queue.taken() - slot.queue.size();
      expect(left == slot.took, "the counts of a queue are right");
    }
  }

  Found* made() {
    Found& job = jobs_[made_++];
    job.payload.write(1);
    return &job;
  }

  bool took(std::size_t slot, Job* found) {
    if (found == nullptr) return false;
    auto* const job = static_cast<Found*>(found);
    expect(job->payload.read() == 1, "what the poster wrote has come with the job");
    expect(job->taken.read() == 0, "nobody has taken it before");
    job->taken.write(1);
    ++slots_[slot].took;
    return true;
  }

  AsyncInjector injector_;
  std::array<Slot, kSlots> slots_;
  std::array<Found, 8> jobs_;
  std::size_t made_ = 0;
};

// As in a join.
INTERLEAVE_CASE("local: two pushes taken back", .preemptions = 3, .random_schedules = 1000) {
  Queues queues(run);
  run.thread("owner", [&] {
    const auto outer = queues.push(0);
    const auto inner = queues.push(0);
    queues.take_back(0, inner);
    queues.take_back(0, outer);
  });
  run.thread("thief", [&] {
    queues.steal(1, 0, 1);
    queues.steal_newest(1, 0);
  });
  run.go();
  queues.expect_all_taken();
}

INTERLEAVE_CASE("local: newest and oldest, against a thief", .preemptions = 3, .random_schedules = 1000) {
  Queues queues(run);
  queues.push(0);
  queues.push(0);
  run.thread("owner", [&] {
    queues.push(0);
    queues.poll_slot(0);
    queues.take_newest(0);
    queues.take_oldest(0);
  });
  run.thread("thief", [&] {
    queues.steal(1, 0);
    queues.steal_newest(1, 0);
  });
  run.go();
  queues.expect_all_taken();
}

INTERLEAVE_CASE("local: fetched jobs are stolen", .preemptions = 3, .random_schedules = 1000) {
  Queues queues(run);
  for (int i = 0; i < 4; ++i) queues.inject();
  run.thread("owner", [&] {
    queues.fetch(0);
    queues.take_fetched(0);
  });
  run.thread("thief", [&] {
    queues.steal(1, 0);
    queues.take_newest(1);
  });
  run.go();
  queues.expect_all_taken();
}

INTERLEAVE_CASE("local: two thieves, and their counts", .preemptions = 3, .random_schedules = 2000) {
  Queues queues(run);
  for (int i = 0; i < 4; ++i) queues.push(0);
  run.thread("thief 1", [&] {
    queues.steal(1, 0);
    queues.steal_newest(1, 0);
  });
  run.thread("thief 2", [&] {
    queues.steal(2, 0);
    queues.steal(2, 1);
  });
  run.go();
  queues.expect_all_taken();
}

// A queue with a job that stays is never reported as empty.
INTERLEAVE_CASE("local: a thief does not find it empty while a job is left", .preemptions = 3,
                .random_schedules = 1000) {
  Queues queues(run);
  for (int i = 0; i < 4; ++i) queues.push(0);
  queues.poll_slot(0);
  bool stolen = false;
  run.thread("thief 1", [&] { queues.steal(1, 0); });
  run.thread("thief 2", [&] { stolen = queues.steal_hard(2, 0); });
  run.go();
  expect(stolen, "of three the first thief takes two at most");
  queues.expect_all_taken();
}

// The owner of a batch has begun its first job, which may take an hour.
INTERLEAVE_CASE("local: another worker gets one of several fetched jobs", .preemptions = 3, .random_schedules = 1000) {
  Queues queues(run);
  for (int i = 0; i < 3; ++i) queues.inject();
  int stolen = 0;
  run.thread("owner", [&] { queues.fetch(0); });
  run.thread("thief", [&] {
    for (int i = 0; i < 2; ++i) stolen += queues.fetch(1) || queues.steal_hard(1, 0) ? 1 : 0;
  });
  run.go();
  expect(stolen > 0, "there was one for the thief");
  queues.expect_all_taken();
}

INTERLEAVE_CASE("local: a fetched batch is always visible", .preemptions = 3, .delays = 2, .random_schedules = 1000) {
  Queues queues(run);
  for (int i = 0; i < 2; ++i) queues.inject();
  bool out_of_sight = false;
  run.thread("worker", [&] { queues.fetch(0); });
  run.thread("checker", [&] { out_of_sight = queues.nothing_anywhere(); });
  run.go();
  expect(!out_of_sight, "one of the two is not taken");
  queues.expect_all_taken();
}

INTERLEAVE_CASE("local: fetched from and stolen", .preemptions = 2, .random_schedules = 2000) {
  Queues queues(run);
  for (int i = 0; i < 3; ++i) queues.inject();
  int found = 0;
  for (std::size_t slot = 0; slot < 2; ++slot) {
    run.thread("worker " + std::to_string(slot), [&, slot] {
      for (int i = 0; i < 3; ++i) {
        if (queues.take_fetched(slot) || queues.fetch(slot) || queues.steal_hard(slot, 1 - slot)) ++found;
      }
    });
  }
  run.go();
  expect(found == 3, "each of the three has gone to somebody");
  queues.expect_all_taken();
}

INTERLEAVE_CASE("local: all operations concurrently", .systematic = false, .random_schedules = 5000) {
  Queues queues(run);
  for (int i = 0; i < 2; ++i) queues.inject();
  run.thread("owner", [&] {
    queues.push(0);
    queues.push(0);
    queues.fetch(0, 2);
    const auto place = queues.push(0);
    queues.take_back(0, place);
    queues.push(0);
    queues.take_oldest(0);
    queues.push(0);
    queues.take_newest(0);
    queues.take_fetched(0);
  });
  for (std::size_t slot = 1; slot < 3; ++slot) {
    run.thread("worker " + std::to_string(slot), [&, slot] {
      queues.fetch(slot, 2);
      queues.steal(slot, 0);
      queues.steal_newest(slot, 0);
      queues.steal(slot, 3 - slot);
      queues.take_newest(slot);
      queues.steal_hard(slot, 0);
    });
  }
  run.go();
  queues.expect_all_taken();
}

}  // namespace
