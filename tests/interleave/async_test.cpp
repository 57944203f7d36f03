// The shipped async policy: AsyncQueue, AsyncInjector, AsyncFinder and IdleState together. No job is left in a slot, a ring,
// among fetched jobs or in the injector while a slot is parked and no worker searches.
#include <array>
#include <cstddef>
#include <deque>
#include <string>

#include "blitz/detail/async/async_policy.hpp"
#include "tests/interleave/idle_cases.hpp"

namespace interleave_test {
namespace {

using blitz::detail::AsyncFinder;
using blitz::detail::AsyncInjector;
using blitz::detail::AsyncQueue;

class ShippedQueues {
 public:
  ShippedQueues(Run& run, std::size_t count) : queues_(count) {
    run.name(injector_, "injector");
    for (std::size_t slot = 0; slot < count; ++slot) {
      run.name(queues_[slot], "queue " + std::to_string(slot));
      run.name(finders_.emplace_back(slot), "finder " + std::to_string(slot));
    }
  }

  void push(std::size_t slot, Job* job) noexcept { queues_[slot].push(job, injector_); }
  void inject(Job* job) noexcept { injector_.push(job); }
  [[nodiscard]] Job* find(std::size_t slot, bool searching) noexcept {
    AsyncFinder::Sources sources{slot, queues_.size(), queues_[slot], injector_, this, &queue_of, searching};
    return finders_[slot].find_work(sources);
  }
  /// Only by the owner.
  [[nodiscard]] Job* take_newest(std::size_t slot) noexcept { return queues_[slot].take_newest(); }

  [[nodiscard]] bool empty(std::size_t slot) const noexcept { return queues_[slot].empty(); }
  [[nodiscard]] bool injector_empty() const noexcept { return injector_.empty(); }

 private:
  static AsyncQueue& queue_of(void* pool, std::size_t slot) noexcept {
    return static_cast<ShippedQueues*>(pool)->queues_[slot];
  }

  AsyncInjector injector_;
  std::deque<AsyncQueue> queues_;
  std::deque<AsyncFinder> finders_;
};

using Pool = IdlePool<blitz::detail::IdleState, ShippedQueues>;

const IdleCases<Pool> cases;

// One worker holds the batch when the other searches.
INTERLEAVE_CASE("async: a batch of long jobs from outside", .preemptions = 1, .random_schedules = 1000,
                .fences = true) {
  Pool pool(run, 2);
  pool.start(0);
  pool.start(1, true);
  TestJob& first = pool.long_job();
  TestJob& second = pool.long_job();
  run.thread("outside", [&] {
    pool.inject(first);
    pool.inject(second);
  });
  run.settle();
  pool.stop();
}

// One thief copies half of a ring while another, which has just found nothing, searches for the last time.
INTERLEAVE_CASE("async: a theft under way in the last check", .preemptions = 1, .random_schedules = 1000) {
  Pool pool(run, 3);
  for (std::size_t slot = 0; slot < 3; ++slot) pool.lend(slot);
  std::array<CoreLatch, 3> latches;
  Pool::Search thief = pool.idle().start_looking(1);
  Pool::Search last = pool.idle().start_looking(2);
  pool.idle().no_work_found(last, latches[2], Rest::kWait, []() noexcept { return false; });
  for (int i = 0; i < 3; ++i) pool.push(0, pool.long_job());
  TestJob& newest = pool.job();
  pool.push(0, newest);
  expect(pool.queues().take_newest(0) == &newest, "it is the owner's");
  newest.runs.write(1);
  pool.continue_as("thief", thief, latches[1], Rest::kWait);
  pool.continue_idle("last", last, latches[2], Rest::kWait);
  run.settle();
  pool.expect_nothing_left();
  // One of the three jobs may be left if both workers are busy.
  for (std::size_t slot = 0; slot < 3; ++slot) {
    while (Job* const job = pool.queues().take_newest(slot)) static_cast<TestJob*>(job)->runs.write(1);
  }
  for (std::size_t slot = 1; slot < 3; ++slot) pool.set(latches[slot], slot);
  pool.finish();
}

// A worker that is not counted as searching does not announce the jobs that it moves. So it moves none, and fetches only jobs
// that others can see.

/// Slot 1 has just run a job; slot 2 has searched `searches` times without success, and parks. `post` is called in between.
template <class Post>
void unannounced(Run& run, int searches, Post&& post) {
  Pool pool(run, 3);
  for (std::size_t slot = 0; slot < 3; ++slot) pool.lend(slot);
  std::array<CoreLatch, 3> latches;
  Pool::Search last = pool.idle().start_looking(2);
  for (int i = 0; i < searches; ++i) expect(pool.queues().find(2, true) == nullptr, "nothing is there");
  pool.idle().no_work_found(last, latches[2], Rest::kWait, []() noexcept { return false; });
  post(pool);
  run.thread("busy", [&] { pool.wait(1, latches[1]); });
  pool.continue_idle("last", last, latches[2], Rest::kWait);
  run.settle();
  pool.expect_nothing_left();
  for (std::size_t slot = 1; slot < 3; ++slot) pool.set(latches[slot], slot);
  pool.finish();
}

INTERLEAVE_CASE("async: a batch is fetched unannounced", .preemptions = 2, .random_schedules = 1000, .fences = true) {
  unannounced(run, 1, [](Pool& pool) {
    for (int i = 0; i < 2; ++i) pool.inject(pool.long_job());
  });
}

INTERLEAVE_CASE("async: a job is stolen unannounced, and one is left", .preemptions = 2, .random_schedules = 1000,
                .fences = true) {
  unannounced(run, 1, [](Pool& pool) {
    for (int i = 0; i < 2; ++i) pool.push(0, pool.long_job());
    TestJob& newest = pool.job();
    pool.push(0, newest);
    expect(pool.queues().take_newest(0) == &newest, "it is the owner's");
    newest.runs.write(1);
  });
}

/// Slot 1 takes the oldest job, and the owner takes all others except one. The number of searches determines whether slot 2
/// looks at the thief before the victim, and so misses the jobs that move between them.
void stolen_unannounced(Run& run, int searches) {
  unannounced(run, searches, [&run](Pool& pool) {
    for (int i = 0; i < 2; ++i) pool.push(0, pool.long_job());
    for (int i = 0; i < 2; ++i) pool.push(0, pool.job());
    run.thread("owner", [&pool] {
      for (int i = 0; i < 2; ++i) {
        Job* const job = pool.queues().take_newest(0);
        if (job != nullptr) static_cast<TestJob*>(job)->runs.write(1);
      }
    });
  });
}

INTERLEAVE_CASE("async: a job is stolen unannounced, 1", .preemptions = 1, .random_schedules = 500, .fences = true) {
  stolen_unannounced(run, 1);
}
INTERLEAVE_CASE("async: a job is stolen unannounced, 2", .preemptions = 1, .random_schedules = 500, .fences = true) {
  stolen_unannounced(run, 2);
}
INTERLEAVE_CASE("async: a job is stolen unannounced, 3", .preemptions = 1, .random_schedules = 500, .fences = true) {
  stolen_unannounced(run, 3);
}
INTERLEAVE_CASE("async: a job is stolen unannounced, 4", .preemptions = 1, .random_schedules = 500, .fences = true) {
  stolen_unannounced(run, 4);
}

INTERLEAVE_CASE("async: a latch is set, and a job pushed", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  Pool pool(run, 2);
  pool.lend(0);
  pool.lend(1);
  CoreLatch latch;
  run.name(latch, "latch");
  TestJob& job = pool.job([&](std::size_t) { pool.set(latch, 1); });
  // Only the waiter can run the job that it waits for.
  run.thread("waiter", [&] { pool.wait(1, latch); });
  run.thread("poster", [&] { pool.push(0, job); });
  run.go();
  pool.expect_stopped();
}

INTERLEAVE_CASE("async: all operations concurrently", .systematic = false, .random_schedules = 4000, .fences = true) {
  IdleCases<Pool>::everything_at_once(run, 2);
}

}  // namespace
}  // namespace interleave_test
