// The shipped Worker and Registry: a pool that starts its own, simulated threads. Surplus threads beyond the pool's
// concurrency, waiting apart, and the end.
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "blitz/async_handle.hpp"
#include "blitz/detail/worker/confinement.hpp"
#include "blitz/join.hpp"
#include "blitz/parallel_for_each.hpp"
#include "tests/interleave/residents.hpp"

namespace interleave_test {
namespace {

using blitz::detail::CallPlain;
using blitz::detail::Confinement;
using blitz::detail::join_on;
using blitz::detail::yield_thread;

// --- one too many ---

INTERLEAVE_CASE("stay apart: what is posted is run", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 2, 1);
  Task first;
  Task second;
  run.thread("sender", [&] {
    pool.post(1, first);
    pool.post(1, second);
  });
  run.settle();
  expect(first.has_run() && second.has_run(), "each has run once");
  pool.expect_one_apart();
}

INTERLEAVE_CASE("stay apart: what is injected is for others", .preemptions = 2, .random_schedules = 1000) {
  Pool pool(run, 2, 1);
  Task posted;
  Task injected([](Worker& worker) { expect(worker.index() == 0, "a worker that stands apart runs its mail"); });
  run.thread("sender", [&] {
    pool.post(1, posted);
    pool.inject(injected);
  });
  run.settle();
  expect(posted.has_run() && injected.has_run(), "each has run once");
  pool.expect_one_apart();
}

INTERLEAVE_CASE("stay apart: wanted again", .preemptions = 1, .random_schedules = 2000) {
  Pool pool(run, 2, 1);
  Task posted;
  Parker parker;
  Task injected([&](Worker&) { parker.unpark(); });
  Task waiting([&](Worker&) {
    pool.registry->set_max_concurrency(2);
    pool.inject(injected);
    parker.park();
  });
  pool.post(1, posted);
  pool.post(0, waiting);
  run.settle();
  expect(posted.has_run() && waiting.has_run() && injected.has_run(), "each has run once");
  expect(pool.registry->home().apart.count() == 0, "nobody stands apart");
}

// The surplus worker runs a posted job that waits for a part that another worker has taken.
INTERLEAVE_CASE("stay apart: a posted job waits", .preemptions = 1, .random_schedules = 1000) {
  Pool pool(run, 2, 1);
  Parker begun;
  Task stranger([](Worker& worker) { expect(worker.index() == 0, "one too many, it runs none but its own"); });
  Task posted([&](Worker& worker) {
    join_on<CallPlain>(
        hot(worker), [&] { begun.park(); },
        [&] {
          pool.inject(stranger);
          begun.unpark();
          for (int i = 0; i < 2; ++i) yield_thread();
        });
  });
  run.thread("sender", [&] { pool.post(1, posted); });
  run.settle();
  expect(posted.has_run() && stranger.has_run(), "each has run once");
  pool.expect_one_apart();
}

INTERLEAVE_CASE("stay apart: the pool ends", .preemptions = 1, .random_schedules = 1000) {
  Pool pool(run, 2, 1);
  Task posted;
  pool.post(1, posted);
  run.thread("stopper", [&] { pool.end(); });
  run.go();
  expect(posted.has_run(), "it has run once");
}

// --- waiting apart ---

// A job that runs in a wait lowers the concurrency: it was the last job of another worker for this worker.
INTERLEAVE_CASE("wait: a surplus worker", .preemptions = 1, .random_schedules = 2000) {
  Pool pool(run, 2, 2);
  Parker begun;
  Task second([](Worker& worker) { expect(worker.index() == 0, "one too many, it runs none but its own"); });
  Task first([&](Worker& worker) {
    if (worker.index() == 0) return;
    pool.registry->set_max_concurrency(1);
    pool.inject(second);
  });
  Task waiting([&](Worker& worker) {
    join_on<CallPlain>(
        hot(worker), [&] { begun.park(); },
        [&] {
          pool.inject(first);
          begun.unpark();
        });
  });
  run.thread("sender", [&] { pool.post(1, waiting); });
  run.settle();
  expect(waiting.has_run() && first.has_run(), "each has run once");
  expect(second.has_run() == (pool.registry->max_concurrency() == 1), "what was injected has run");
}

INTERLEAVE_CASE("wait: jobs posted in the meantime", .preemptions = 1, .random_schedules = 1000) {
  Pool pool(run, 2, 1);
  Parker begun;
  Parker answered;
  Task posted([&](Worker&) { answered.unpark(); });
  Task waiting([&](Worker& worker) {
    join_on<CallPlain>(
        hot(worker), [&] { begun.park(); },
        [&] {
          begun.unpark();
          for (int i = 0; i < 2; ++i) yield_thread();
          pool.post(1, posted);
          answered.park();
        });
  });
  pool.post(1, waiting);
  run.settle();
  expect(waiting.has_run() && posted.has_run(), "each has run once");
  pool.expect_one_apart();
}

// Worker 0 is at its limit of nested waits, worker 1 in a region. One of them must take jobs from outside.
INTERLEAVE_CASE("wait: all apart", .preemptions = 2, .delays = 0, .random_schedules = 1000) {
  Pool pool(run, 2, 2, {.max_nested_waits = 0});
  CoreLatch latches[2];
  Task at_its_limit([&](Worker& worker) { worker.wait_until(latches[0]); });
  Task confined([&](Worker& worker) {
    const Confinement confinement(worker);
    worker.wait_until(latches[1]);
  });
  Task waited([&](Worker&) {
    for (std::size_t slot = 0; slot < 2; ++slot) {
      if (latches[slot].set()) pool.worker(slot).wake();
    }
  });
  pool.inject(waited);
  pool.post(0, at_its_limit);
  pool.post(1, confined);
  run.settle();
  expect(at_its_limit.has_run() && confined.has_run() && waited.has_run(), "each has run once");
  expect(pool.registry->home().apart.count() == 0, "nobody stands apart");
}

// The limit applies to waits within waits. The other worker is busy.
INTERLEAVE_CASE("wait: one after another", .preemptions = 1, .random_schedules = 500) {
  Pool pool(run, 2, 2, {.max_nested_waits = 1});
  Parker done;
  Plain<int> waits("waits that have ended", 0);
  Task busy([&](Worker&) { done.park(); });
  Task waiting([&](Worker& worker) {
    for (int i = 0; i < 2; ++i) {
      CoreLatch latch;
      Task waited([&](Worker&) { static_cast<void>(latch.set()); });
      pool.inject(waited);
      worker.wait_until(latch);
      waits.write(waits.read() + 1);
    }
    done.unpark();
  });
  pool.post(1, busy);
  run.settle();
  pool.post(0, waiting);
  run.settle();
  expect(waits.read() == 2, "both waits have ended");
}

// --- forks that wake no worker ---

/// While the object exists, forks wake no worker, and are timed.
struct ShortForks {
  ShortForks() { set(true); }
  ShortForks(const ShortForks&) = delete;
  ShortForks& operator=(const ShortForks&) = delete;
  ~ShortForks() { set(false); }
  static void set(bool are_short) {
    blitz::detail::ForkHistory::are_short = are_short;
    blitz::detail::ForkHistory::are_timed = are_short;
    blitz::detail::ForkHistory::ended = 0;
  }
};

INTERLEAVE_CASE("withheld: nobody comes", .preemptions = 2, .random_schedules = 500) {
  const ShortForks short_forks;
  Pool pool(run, 2, 2);
  Plain<int> calls("what both wrote", 0);
  run.thread("caller", [&] {
    auto& worker = static_cast<Worker&>(*pool.registry->borrow());
    const auto call = [&] { calls.write(calls.read() + 1); };
    const auto inner = [&] { join_on<CallPlain>(hot(worker), call, call); };  // It does not ask.
    blitz::detail::ForkHistory::skipped = 1;
    join_on<CallPlain>(hot(worker), inner, call);
    blitz::detail::ForkHistory::skipped = 0;
    expect(calls.read() == 3, "each was called once");
    expect(blitz::detail::ForkHistory::ended == 1, "the end of the fork was told");
    pool.registry->give_back(worker);
  });
  run.settle();
  expect(pool.registry->stats(1).times_woken == 0, "nobody was woken");
}

// The worker's half is withheld. Jobs that it pushes and does not take back itself still wake the other worker.
INTERLEAVE_CASE("withheld: a waits for what it has pushed", .preemptions = 2, .random_schedules = 1000) {
  const ShortForks short_forks;
  Pool pool(run, 2, 2);
  Parker done;
  Task pushed([&](Worker& worker) {
    expect(worker.index() == 1, "it was stolen");
    done.unpark();
  });
  Plain<int> calls("what b wrote", 0);
  run.thread("caller", [&] {
    auto& worker = static_cast<Worker&>(*pool.registry->borrow());
    join_on<CallPlain>(
        hot(worker),
        [&] {
          worker.push(&pushed);
          done.park();
        },
        [&] { calls.write(calls.read() + 1); });
    expect(calls.read() == 1, "b was called once");
    expect(blitz::detail::ForkHistory::ended == 1, "the end of the fork was told");
    pool.registry->give_back(worker);
  });
  run.settle();
  expect(pushed.has_run(), "it has run once");
}

// --- a work list ---

/// Numbers that are made when they are read.
class Counted {
 public:
  explicit Counted(int count) : count_(count) {}

  struct Iterator {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    int operator*() const { return from->next_.read(); }
    Iterator& operator++() {
      from->next_.write(from->next_.read() + 1);
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return from->next_.read() == from->count_; }
    Counted* from;
  };
  Iterator begin() { return {this}; }
  static std::default_sentinel_t end() { return {}; }

 private:
  Plain<int> next_{"what is read next", 0};
  int count_;
};

// First single entries, because they may be long, then batches: the workers take turns reading.
INTERLEAVE_CASE("work list: two readers", .preemptions = 1, .random_schedules = 2000) {
  constexpr int kItems = 5;
  Pool pool(run, 2, 2);
  Counted numbers(kItems);
  std::vector<Plain<int>> calls;
  for (int i = 0; i < kItems; ++i) calls.emplace_back("calls", 0);
  run.thread("caller", [&] {
    auto& worker = static_cast<Worker&>(*pool.registry->borrow());
    auto body = [&](int i) { calls[static_cast<std::size_t>(i)].write(calls[static_cast<std::size_t>(i)].read() + 1); };
    blitz::detail::for_each_of({}, numbers, body);
    for (const auto& each : calls) expect(each.read() == 1, "the body was called once with each");
    pool.registry->give_back(worker);
  });
  run.settle();
}

// --- handles ---

/// A thread outside all pools calls get() on a handle, while another thread ends the pool.
void ask_and_end(Run& run, std::size_t slots) {
  Pool pool(run, slots, slots);
  Plain<int> calls("calls", 0);
  auto handle = blitz::detail::async_in(*pool.registry, [&] { calls.write(calls.read() + 1); });
  run.thread("caller", [&] { handle.get(); });
  run.thread("stopper", [&] {
    pool.registry->detached_jobs().drain();
    expect(calls.read() == 1, "the job was called once, and its end counted after that");
    pool.registry->stop();
    pool.registry = {};
  });
  run.go();
}

// A resident runs the job, or the caller does, in slot 0.
INTERLEAVE_CASE("handle: a vacant slot, and the pool ends", .preemptions = 1, .delays = 0, .random_schedules = 2000,
                .models = interleave::kSequential | interleave::kWeak) {
  ask_and_end(run, 2);
}

// The resident is awake, so the caller may be a guest.
INTERLEAVE_CASE("handle: in a guest's team, and the pool ends", .preemptions = 1, .random_schedules = 2000) {
  ask_and_end(run, 1);
}

// --- the end ---

// A confined worker blocks until another, which sleeps, has run the job that it offers.
INTERLEAVE_CASE("end: what a region offers", .preemptions = 1, .random_schedules = 1000) {
  Pool pool(run, 2, 2);
  Parker done;
  Parker pushed;
  Task last([&](Worker&) {
    pushed.unpark();
    done.unpark();
  });
  Task isolated([&](Worker& worker) {
    const Confinement confinement(worker);
    worker.push(&last);
    pushed.park();
  });
  pool.inject(isolated);
  run.thread("stopper", [&] {
    done.park();
    pool.end();
  });
  run.go();
  expect(isolated.has_run() && last.has_run(), "each has run once");
}

// A borrower gives back its slot with such a job in it, and blocks until the job has run.
INTERLEAVE_CASE("end: what a borrower leaves", .preemptions = 1, .random_schedules = 1000) {
  Pool pool(run, 1, 1);
  Parker done;
  Task last([&](Worker&) { done.unpark(); });
  run.thread("borrower", [&] {
    WorkerBase* const worker = pool.registry->borrow();
    expect(worker != nullptr, "the slot is vacant");
    {
      const Confinement confinement(*worker);
      worker->push(&last);
    }
    pool.registry->give_back(*worker);
    done.park();
    pool.end();
  });
  run.go();
  expect(last.has_run(), "it has run once");
}

/// A borrower gives back slot 0 after it has posted `job` to `slot`.
void post_and_leave(Run& run, Pool& pool, std::size_t slot, Task& job) {
  run.thread("borrower", [&pool, slot, &job] {
    WorkerBase* const worker = pool.registry->borrow();
    expect(worker != nullptr && worker->index() == 0, "slot 0 is vacant");
    pool.post(slot, job);
    pool.registry->give_back(*worker);
  });
  run.settle();
}

INTERLEAVE_CASE("end: a borrower leaves as its slot is posted a job", .preemptions = 1) {
  Pool pool(run, 2, 2);
  Task posted([](Worker& worker) { expect(worker.index() == 0, "it runs where it was posted"); });
  post_and_leave(run, pool, 0, posted);
  expect(posted.has_run(), "it has run once");
}

// The other worker offers a job while no worker sleeps, and blocks until the job has run.
INTERLEAVE_CASE("end: a borrower leaves as a region offers", .preemptions = 1, .random_schedules = 1000) {
  Pool pool(run, 2, 2);
  Parker done;
  Task last([&](Worker&) { done.unpark(); });
  Task isolated([&](Worker& worker) {
    const Confinement confinement(worker);
    worker.push(&last);
    done.park();
  });
  post_and_leave(run, pool, 1, isolated);
  expect(isolated.has_run() && last.has_run(), "each has run once");
}

INTERLEAVE_CASE("end: a borrower leaves as the pool ends", .preemptions = 2) {
  Pool pool(run, 1, 1);
  run.thread("borrower", [&] {
    if (WorkerBase* const worker = pool.registry->borrow()) pool.registry->give_back(*worker);
  });
  run.thread("stopper", [&] { pool.end(); });
  run.go();
}

}  // namespace
}  // namespace interleave_test
