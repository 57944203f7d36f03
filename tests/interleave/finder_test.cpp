// Finding jobs: ForkJoinFinder with the shipped queues, and the tokens of JobFifo.
#include <array>
#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "blitz/detail/fork_join/fork_join_policy.hpp"
#include "blitz/detail/task/spawned_job.hpp"
#include "blitz/detail/worker/fifo.hpp"
#include "tests/interleave/pool.hpp"

namespace interleave_test {
namespace {

using blitz::detail::current_worker;
using blitz::detail::ForkJoinFinder;
using blitz::detail::ForkJoinInjector;
using blitz::detail::ForkJoinQueue;
using blitz::detail::JobFifo;
using blitz::detail::JobMemory;
using blitz::detail::spawn_job_fifo;

// --- ForkJoinFinder ---

/// A job that is found and never run.
struct Found final : Job {
  Found() : Job(nullptr) {}
  Plain<int> payload{"payload", 0};
  Plain<int> taken{"taken", 0};
};

/// The queues of a pool, with a finder for each.
class Queues {
 public:
  Queues(Run& run, std::size_t slots) : queues_(slots) {
    run.name(injector_, "injector");
    for (std::size_t slot = 0; slot < slots; ++slot) {
      run.name(queues_[slot], "queue " + std::to_string(slot));
      finders_.emplace_back(slot);
    }
  }

  void push(std::size_t slot, Found& job) {
    job.payload.write(1);
    queues_[slot].push(&job, injector_);
  }
  void inject(Found& job) {
    job.payload.write(1);
    injector_.push(&job);
  }
  /// By the runner of `slot`. Returns true if a job was found.
  bool find(std::size_t slot) {
    ForkJoinFinder::Sources sources{slot, queues_.size(), queues_[slot], injector_, this, &queue_of};
    auto* const job = static_cast<Found*>(finders_[slot].find_work(sources));
    if (job == nullptr) return false;
    expect(job->payload.read() == 1, "what the poster wrote has come with the job");
    expect(job->taken.read() == 0, "nobody has taken it before");
    job->taken.write(1);
    return true;
  }
  [[nodiscard]] bool taken_back(std::size_t slot) {
    auto* const job = static_cast<Found*>(queues_[slot].take_newest());
    if (job == nullptr) return false;
    expect(job->taken.read() == 0, "nobody has taken it before");
    job->taken.write(1);
    return true;
  }

 private:
  static ForkJoinQueue& queue_of(void* pool, std::size_t slot) noexcept {
    auto& queues = static_cast<Queues*>(pool)->queues_;
    expect(slot < queues.size(), "there is such a slot");
    return queues[slot];
  }

  ForkJoinInjector injector_;
  std::deque<ForkJoinQueue> queues_;
  std::deque<ForkJoinFinder> finders_;
};

// No thief returns without a job while a job is in a queue that it searched.
INTERLEAVE_CASE("finder: two jobs, two thieves", .preemptions = 2, .random_schedules = 500, .fences = true) {
  Queues queues(run, 3);
  std::array<Found, 2> jobs;
  for (Found& job : jobs) queues.push(0, job);
  for (std::size_t slot = 1; slot < 3; ++slot) {
    run.thread("thief " + std::to_string(slot),
               [&, slot] { expect(queues.find(slot), "there is one for each of the two"); });
  }
  run.go();
}

INTERLEAVE_CASE("finder: a job in any queue", .preemptions = 1, .random_schedules = 500) {
  Queues queues(run, 4);
  std::array<Found, 3> jobs;
  for (std::size_t slot = 0; slot < 3; ++slot) queues.push(slot, jobs[slot]);
  int found = 0;
  bool kept = false;
  run.thread("owner", [&] { kept = queues.taken_back(2); });
  run.thread("thief", [&] {
    for (int i = 0; i < 3; ++i) found += queues.find(3) ? 1 : 0;
    expect(found >= 2, "the owner takes one of the three");
  });
  run.go();
  expect(found + (kept ? 1 : 0) == 3, "each of the three has gone to somebody");
}

INTERLEAVE_CASE("finder: own, stolen, injected", .preemptions = 1, .random_schedules = 500) {
  Queues queues(run, 2);
  std::array<Found, 3> jobs;
  queues.push(0, jobs[0]);
  queues.push(1, jobs[1]);
  queues.inject(jobs[2]);
  int found = 0;
  for (std::size_t slot = 0; slot < 2; ++slot) {
    run.thread("worker " + std::to_string(slot), [&, slot] {
      // While the other worker takes from the injector, null does not mean that it is empty.
      for (int i = 0; i < 3; ++i) found += queues.find(slot) ? 1 : 0;
    });
  }
  run.go();
  expect(found == 3, "each of the three has gone to somebody");
}

// --- JobFifo ---

/// The record of a job in a list.
struct Record {
  Plain<int> closure{"the closure of a job", 0};  // 1: spawned, 2: run, 3: destroyed
  blitz::detail::Atomic<bool> ended{false};
};

/// Jobs that run in the order of a list, and their owner.
class Listing {
 public:
  static constexpr std::size_t kMost = 3;

  Listing(Pool& pool, std::size_t count) : pool_(pool), fifo_(std::in_place), count_(count) {
    // The depot keeps its blocks from one schedule to the next, so no thread may use it.
    JobMemory& memory = pool.worker(0).memory();
    for (std::size_t size = 0; size < JobMemory::kClasses; ++size) memory.free(memory.allocate(size), size);
  }

  void spawn(Worker& worker, std::size_t index) {
    records_[index].closure.write(1);
    spawn_job_fifo(&worker, pool_, *fifo_, Owner{*this, index}, Closure(*this, index));
  }
  [[nodiscard]] bool all_ended() const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!records_[i].ended.load(std::memory_order_acquire)) return false;
    }
    return true;
  }
  /// The list may be destroyed after the jobs have ended, like a scope's.
  void end() {
    fifo_.reset();
    for (std::size_t i = 0; i < count_; ++i) expect(records_[i].closure.read() == 3, "each job has run and is gone");
  }

 private:
  struct Closure {
    Closure(Listing& its_listing, std::size_t its_index) : listing(&its_listing), index(its_index) {}
    Closure(Closure&& other) noexcept : listing(std::exchange(other.listing, nullptr)), index(other.index) {}
    ~Closure() {
      if (listing != nullptr) listing->closure_ends(index);
    }
    void operator()() const { listing->run(index, current_worker->index()); }

    Listing* listing;
    std::size_t index;
  };
  struct Owner {
    void begun(WorkerBase* /*spawner*/, PoolBase& /*pool*/) const {}
    template <class F>
    void call(F& f) const {
      f();
    }
    void failed(WorkerBase& /*worker*/) const noexcept { std::terminate(); }
    void finished(WorkerBase& /*worker*/) const noexcept {
      listing.records_[index].ended.store(true, std::memory_order_release);
    }

    Listing& listing;
    std::size_t index;
  };

  void run(std::size_t index, std::size_t slot) {
    expect(records_[index].closure.read() == 1, "what the spawner wrote has come with the job");
    expect(index >= next_[slot], "each worker runs the oldest first");
    next_[slot] = index + 1;
    records_[index].closure.write(2);
  }
  void closure_ends(std::size_t index) {
    expect(records_[index].closure.read() == 2, "it is destroyed after it has run");
    records_[index].closure.write(3);
  }

  Pool& pool_;
  std::optional<JobFifo> fifo_;
  std::size_t count_;
  std::array<Record, kMost> records_;
  std::array<std::size_t, kMost> next_{};  // of each worker
};

void spawn_in_order(Run& run, std::size_t count, std::size_t helpers) {
  Pool pool(run, 1 + helpers);
  Listing listing(pool, count);
  run.thread("owner", [&] {
    Worker& worker = pool.worker(0);
    current_worker = &worker;
    for (std::size_t i = 0; i < count; ++i) listing.spawn(worker, i);
    while (Job* const token = worker.take_newest()) worker.execute(token);
    while (!listing.all_ended()) blitz::detail::yield_thread();
    listing.end();
  });
  for (std::size_t slot = 1; slot <= helpers; ++slot) {
    run.thread("helper " + std::to_string(slot), [&pool, slot] {
      current_worker = &pool.worker(slot);
      pool.worker(slot).help_once();
    });
  }
  run.go();
}

INTERLEAVE_CASE("fifo: two jobs, one helper", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  spawn_in_order(run, 2, 1);
}
INTERLEAVE_CASE("fifo: three jobs, two helpers", .preemptions = 1, .random_schedules = 3000) {
  spawn_in_order(run, 3, 2);
}

}  // namespace
}  // namespace interleave_test
