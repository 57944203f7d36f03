/// For the suites of the idle protocols: slots with residents and guests around a protocol, with any queues. The workers here
/// imitate Worker in blitz/detail/worker and blitz/detail/pool.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "blitz/detail/job/latch.hpp"
#include "blitz/detail/sys/parker.hpp"
#include "blitz/detail/wake/fork_history.hpp"
#include "blitz/policy.hpp"
#include "tests/support/interleave/explore.hpp"

namespace interleave_test {

using blitz::detail::CoreLatch;
using blitz::detail::Job;
using blitz::detail::Parker;
using blitz::detail::Rest;
using interleave::expect;
using interleave::Plain;
using interleave::Run;

struct TestJob final : Job {
  explicit TestJob(std::function<void(std::size_t slot)> f) : Job(nullptr), function(std::move(f)) {}

  std::function<void(std::size_t)> function;
  Plain<int> payload{"payload", 0};
  Plain<int> runs{"runs", 0};
};

/// `Protocol` is an idle protocol with num_searching() and num_parked(). `Queues(run, count)` has, for each slot below count,
/// push(slot, job) and find(slot, searching), both only for its runner, and empty(slot). Any thread may call inject(job) and
/// injector_empty().
template <class Protocol, class Queues>
class IdlePool {
 public:
  using Search = typename Protocol::Search;

  /// A pool of `slots` vacant slots. A slot without a queue has no runner except the test's body.
  IdlePool(Run& run, std::size_t slots, std::size_t queues) : run_(run), idle_(slots), queues_(run, queues) {
    run.name(idle_, "idle");
    for (std::size_t slot = 0; slot < queues; ++slot) {
      terminate_.emplace_back();
      run.name(terminate_.back(), "terminate " + std::to_string(slot));
      runner_state_.emplace_back("what only the slot's runner uses");
    }
  }
  IdlePool(Run& run, std::size_t slots) : IdlePool(run, slots, slots) {}

  [[nodiscard]] Protocol& idle() noexcept { return idle_; }
  [[nodiscard]] Queues& queues() noexcept { return queues_; }

  /// A thread for the resident of `slot`. `awake`: when the other threads start, it has been woken to search. Otherwise its
  /// slot is vacant.
  void start(std::size_t slot, bool awake = false) {
    if (awake) {
      expect(idle_.try_wake(slot), "the slot was vacant");
      continue_as("worker " + std::to_string(slot), idle_.first_search(slot), terminate_[slot], Rest::kVacate);
      return;
    }
    run_.thread("worker " + std::to_string(slot), [this, slot] {
      Search search = idle_.first_search(slot);
      resume(search, terminate_[slot], Rest::kVacate);
    });
  }
  /// A thread for a resident that is awake. It has searched so long that it announces itself next.
  void start_drowsy(std::size_t slot) {
    expect(idle_.try_wake(slot), "the slot was vacant");
    Search search = idle_.first_search(slot);
    search.idling.rounds = 1000;
    continue_idle("worker " + std::to_string(slot), search, terminate_[slot], Rest::kVacate);
  }
  /// In the body: a guest in this slot executes a job.
  void lend(std::size_t slot) { expect(idle_.try_borrow(slot), "the slot was vacant"); }
  /// A thread that continues a search.
  void continue_as(std::string name, Search search, CoreLatch& latch, Rest rest) {
    run_.thread(std::move(name), [this, search, &latch, rest]() mutable { resume(search, latch, rest); });
  }
  /// Like continue_as(), for a thread that has just found nothing.
  void continue_idle(std::string name, Search search, CoreLatch& latch, Rest rest) {
    run_.thread(std::move(name), [this, search, &latch, rest]() mutable {
      no_work_found(search, latch, rest);
      resume(search, latch, rest);
    });
  }

  TestJob& job(std::function<void(std::size_t)> f = {}) { return jobs_.emplace_back(std::move(f)); }
  /// A job that does not end before stop().
  TestJob& long_job() {
    Parker& gate = gates_.emplace_back();
    run_.name(gate, "gate");
    return job([&gate](std::size_t) { gate.park(); });
  }

  // --- by the runner of `slot` ---

  void push(std::size_t slot, TestJob& job) {
    job.payload.write(1);
    runs(slot);
    queues_.push(slot, &job);
    if (!idle_.all_awake()) idle_.new_jobs();
  }
  /// Like push(), by a confined worker.
  void push_unseen(std::size_t slot, TestJob& job) {
    job.payload.write(1);
    runs(slot);
    queues_.push(slot, &job);
    idle_.new_jobs();
  }
  /// A half that wakes no worker.
  void push_withheld(std::size_t slot, TestJob& half) {
    half.payload.write(1);
    runs(slot);
    queues_.push(slot, &half);
    blitz::detail::ForkHistory::are_short = true;
    if (!idle_.all_awake()) expect(!idle_.new_half(slot, &half, 0).woke, "it wakes nobody");
    blitz::detail::ForkHistory::are_short = false;
  }
  /// Takes the newest job back, unless it was stolen, and runs it.
  void take_back(std::size_t slot) {
    runs(slot);
    if (Job* const job = queues_.find(slot, false)) execute(slot, job);
  }
  /// Waits in the middle of a job.
  void wait(std::size_t slot, CoreLatch& latch) {
    if (!latch.probe()) work_until(slot, latch, Rest::kWait);
  }
  /// A guest leaves.
  void give_back(std::size_t slot) {
    runs(slot);
    idle_.give_back(
        slot, queues_.empty(slot), terminate_[slot], [this]() noexcept { return !queues_.injector_empty(); },
        [this]() noexcept { return queues_empty(); });
  }

  // --- by anyone ---

  void inject(TestJob& job) {
    job.payload.write(1);
    queues_.inject(&job);
    idle_.new_injected_jobs();
  }
  /// The runner of `slot` waits for the latch.
  void set(CoreLatch& latch, std::size_t slot) {
    if (latch.set()) idle_.try_wake(slot);
  }
  /// Ends the residents when they run out of work.
  void terminate() {
    for (std::size_t slot = 0; slot < terminate_.size(); ++slot) {
      (void)terminate_[slot].set();
      idle_.try_wake(slot);
    }
  }

  // --- in the body, when no thread can continue ---

  /// No job is left that a parked slot could run, and no worker that has found nothing is counted as searching.
  void expect_nothing_left() {
    expect(idle_.num_searching() == 0, "nobody is counted as searching");
    if (idle_.num_parked() == 0) return;
    expect(queues_empty(), "no job lies in a queue while a slot is parked");
    expect(queues_.injector_empty(), "no job lies in the injector while a slot is parked");
  }
  void stop() {
    expect_nothing_left();
    finish();
  }
  /// Ends all jobs and all threads.
  void finish() {
    for (Parker& gate : gates_) gate.unpark();
    terminate();
    run_.go();
    expect_stopped();
  }
  void expect_stopped() {
    for (const TestJob& job : jobs_) expect(job.runs.read() == 1, "each job has run once");
    expect(idle_.num_searching() == 0, "nobody is counted as searching");
    expect(idle_.num_parked() == 0, "nobody is counted as parked");
  }

 private:
  void resume(Search& search, CoreLatch& latch, Rest rest) {
    const std::size_t slot = search.slot;
    if (Job* const job = search_until(latch, rest, search)) {
      execute(slot, job);
      work_until(slot, latch, rest);
    }
  }

  void work_until(std::size_t slot, CoreLatch& latch, Rest rest) {
    while (!latch.probe()) {
      Job* job = find(slot, false);
      if (job == nullptr) {
        Search search = idle_.start_looking(slot);
        job = search_until(latch, rest, search);
        if (job == nullptr) return;
      }
      execute(slot, job);
    }
  }

  Job* search_until(CoreLatch& latch, Rest rest, Search& search) {
    Job* job = nullptr;
    while (!latch.probe()) {
      job = find(search.slot, true);
      if (job != nullptr) break;
      no_work_found(search, latch, rest);
    }
    idle_.work_found(search);
    return job;
  }

  void no_work_found(Search& search, CoreLatch& latch, Rest rest) {
    idle_.no_work_found(search, latch, rest, [this]() noexcept { return !queues_.injector_empty(); });
  }

  Job* find(std::size_t slot, bool searching) {
    runs(slot);
    return queues_.find(slot, searching);
  }

  void execute(std::size_t slot, Job* found) {
    auto& job = static_cast<TestJob&>(*found);
    runs(slot);
    expect(job.payload.read() == 1, "what the poster wrote has come with the job");
    job.runs.write(job.runs.read() + 1);
    if (job.function) job.function(slot);
  }

  [[nodiscard]] bool queues_empty() const noexcept {
    for (std::size_t slot = 0; slot < terminate_.size(); ++slot) {
      if (!queues_.empty(slot)) return false;
    }
    return true;
  }

  /// One thread at a time runs a slot, and sees the writes of the previous one.
  void runs(std::size_t slot) { runner_state_[slot].write(1); }

  Run& run_;
  Protocol idle_;
  Queues queues_;
  std::deque<CoreLatch> terminate_;
  std::deque<Plain<int>> runner_state_;
  std::deque<TestJob> jobs_;
  std::deque<Parker> gates_;
};

}  // namespace interleave_test
