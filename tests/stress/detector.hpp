/// The detector of missed wake-ups: jobs that only another worker can finish, after idle gaps of all lengths.
///
/// A worker pushes a job on its own queue and then blocks without looking at the queue again. If no other worker takes the job,
/// the test hangs, and the watchdog reports it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "stress.hpp"
#include "support/asleep.hpp"

namespace blitz_test {

/// On a worker: pushes a job and blocks until another worker has run it. `depth` of these calls are nested, each in the job of
/// the previous one, so up to `depth` workers block at the same time. One more worker must be free.
template <class Join>
void block_until_stolen(const Join& join, Random& random, std::size_t depth) {
  Flag begun;
  const Flag::Wait how = random_wait(random);
  Random inner(random.next());
  const bool linger = random.one_in(4);
  join([&] { begun.wait(how); },
       [&] {
         if (depth > 1) block_until_stolen(join, inner, depth - 1);
         begun.set();
         // Now the pusher waits for the end of this job, and may fall asleep: W4.
         if (linger) random_gap(inner);
       });
}

/// Admits at most `most` threads at the same time.
class Gate {
 public:
  explicit Gate(std::size_t most) : free_(most) {}
  void enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return free_ > 0; });
    --free_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    ++free_;
    changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t free_;
};

/// Rounds of one outside thread, which borrows a slot for each round.
template <class Pool>
void detect_from_one_thread(Pool& pool, Watchdog& dog, Random& random) {
  random_gap(random);
  const std::size_t most = pool.num_threads() - 1;
  const std::size_t depth = random.one_in(4) ? random.between(1, most) : 1;
  block_until_stolen([&](auto&& a, auto&& b) { pool.join(a, b); }, random, depth);
  if (random.one_in(200)) wait_until_all_sleep(pool);
  dog.progress();
}

/// Like detect_from_one_thread(), with more outside threads than the pool has slots, but at most nine: a tenth gets no help.
template <class Pool>
void detect_from_many_threads(Pool& pool, Watchdog& dog, std::size_t threads, std::uint64_t stream,
                              const Deadline& deadline) {
  // A round blocks one worker. At least one worker must remain to finish it.
  Gate blocking(pool.num_threads() - 1);
  in_threads(threads, [&](std::size_t thread) {
    Random random(stream + thread);
    while (!deadline.passed()) {
      random_gap(random);
      if (random.one_in(3)) {
        int answer = 0;
        pool.install([&] {
          if (random.one_in(4)) random_gap(random);
          answer = 42;
        });
        if (answer != 42) std::abort();
      } else {
        blocking.enter();
        block_until_stolen([&](auto&& a, auto&& b) { pool.join(a, b); }, random, 1);
        blocking.leave();
      }
      dog.progress();
    }
  });
}

}  // namespace blitz_test
