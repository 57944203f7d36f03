// Region::wait, as it is shipped: a confined worker asleep is woken for every job that would otherwise lie where it is.
#include "blitz/core/region.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "tests/interleave/pool.hpp"

namespace interleave_test {
namespace {

using blitz::detail::JobMemory;
using blitz::detail::Parker;
using blitz::detail::Region;

/// A job of the region, or one that is posted.
struct Member final : Job {
  explicit Member(std::function<void()> f = {}) : Job(&execute_it), function(std::move(f)) {}

  static void execute_it(Job* job, WorkerBase& /*worker*/) noexcept {
    auto& self = *static_cast<Member*>(job);
    expect(self.letter.read() == 1, "what the sender wrote has come with the job");
    self.runs.write(self.runs.read() + 1);
    if (self.function) self.function();
  }

  std::function<void()> function;
  Plain<int> letter{"the letter", 1};
  Plain<int> runs{"runs", 0};
};

/// A pool of which slot 0 makes jobs in a region, and the others wait in it.
class Confined {
 public:
  Confined(Run& run, std::size_t slots) : pool(run, slots), region(*new Region(pool)) {
    run.name(region, "region");
    for (std::size_t slot = 0; slot < slots; ++slot) {
      run.name(latches[slot], "latch " + std::to_string(slot));
      pool.worker(slot).confine(&region);
    }
    // The depot keeps its blocks from one schedule to the next: no thread goes there.
    JobMemory& memory = pool.worker(0).memory();
    for (std::size_t size = 0; size < JobMemory::kClasses; ++size) memory.free(memory.allocate(size), size);
  }
  ~Confined() {
    expect(region.empty(), "no job is left");
    for (std::size_t slot = 0; slot < pool.num_threads(); ++slot) {
      Worker& worker = pool.worker(slot);
      worker.confine(nullptr);
      while (Job* const token = worker.take_newest_own()) worker.execute(token);
    }
    region.release();
    expect(pool.apart().count() == 0, "nobody is counted any more");
  }
  Confined(const Confined&) = delete;
  Confined& operator=(const Confined&) = delete;

  /// A thread that waits for the latch of its slot.
  void add_waiter(Run& run, std::size_t slot) {
    run.thread("waiter " + std::to_string(slot), [this, slot] { region.wait(pool.worker(slot), latches[slot]); });
  }
  void end_wait(std::size_t slot) {
    if (latches[slot].set()) pool.worker(slot).wake();
  }
  void push(Member& job) { region.push(pool.worker(0), &job); }

  Pool pool;
  Region& region;
  CoreLatch latches[3];
};

/// One waiter, and another thread, which ends the wait by what `end` does: as it is, or by the job, which does so.
void end_wait_by(Run& run, const std::function<void(Confined&, Member&)>& end) {
  Confined all(run, 2);
  Member job([&] { all.end_wait(1); });
  all.add_waiter(run, 1);
  run.thread("other", [&] { end(all, job); });
  run.go();
}

INTERLEAVE_CASE("region: a latch", .preemptions = 2, .random_schedules = 1000) {
  end_wait_by(run, [](Confined& all, Member&) { all.end_wait(1); });
}
INTERLEAVE_CASE("region: a job", .preemptions = 3, .random_schedules = 1000) {
  end_wait_by(run, [](Confined& all, Member& job) { all.push(job); });
}
INTERLEAVE_CASE("region: a job is posted", .preemptions = 2, .random_schedules = 1000) {
  end_wait_by(run, [](Confined& all, Member& job) { all.pool.worker(1).mail(&job); });
}

// The first push may take a waiter off the list that is still awake, and then its job is gone.
INTERLEAVE_CASE("region: a job that is taken back, and another", .preemptions = 3, .random_schedules = 1000) {
  Confined all(run, 2);
  Member first;
  Member second([&] { all.end_wait(1); });
  all.add_waiter(run, 1);
  run.thread("pusher", [&] {
    Worker& worker = all.pool.worker(0);
    all.push(first);
    if (all.region.remove(worker, first)) worker.execute(&first);
    all.push(second);
  });
  run.go();
}

// Each job blocks until the other runs: a wake-up for each, and for one waiter each.
INTERLEAVE_CASE("region: two jobs, two waiters", .preemptions = 1, .random_schedules = 2000) {
  Confined all(run, 3);
  Parker parkers[2];
  int begun = 0;
  int ended = 0;
  const auto meet = [&](std::size_t mine) {
    if (++begun == 1) {
      parkers[mine].park();
    } else {
      parkers[1 - mine].unpark();
    }
    if (++ended == 1) return;
    all.end_wait(1);
    all.end_wait(2);
  };
  Member jobs[2] = {Member([&] { meet(0); }), Member([&] { meet(1); })};
  all.add_waiter(run, 1);
  all.add_waiter(run, 2);
  run.settle();  // They are asleep.
  run.thread("pusher", [&] {
    for (Member& job : jobs) all.push(job);
  });
  run.go();
}

/// Two waiters asleep, of which the one that is woken first is called away: its own wait ends, before the job is pushed or
/// after. The pusher blocks until the job has run.
void call_away(Run& run, bool before) {
  Confined all(run, 3);
  Parker pusher;
  Member job([&] {
    all.end_wait(2);
    pusher.unpark();
  });
  all.add_waiter(run, 2);
  all.add_waiter(run, 1);
  run.settle();  // They are asleep.
  if (before) {
    all.end_wait(1);
    run.settle();
  }
  run.thread("pusher", [&] {
    all.push(job);
    if (!before) all.end_wait(1);
    pusher.park();
  });
  run.go();
}

INTERLEAVE_CASE("region: called away", .preemptions = 2, .random_schedules = 3000) { call_away(run, false); }
// A waiter that leaves removes itself from the list.
INTERLEAVE_CASE("region: one leaves before the job comes", .preemptions = 1, .random_schedules = 1000) {
  call_away(run, true);
}

INTERLEAVE_CASE("region: freed by the last of two", .preemptions = 2) {
  Pool pool(run, 1);
  auto& region = *new blitz::detail::Region(pool);
  region.hold();
  for (const char* const owner : {"isolate", "token"}) {
    run.thread(owner, [&region] {
      expect(region.empty(), "the region has no jobs");
      region.release();
    });
  }
  run.go();
}

}  // namespace
}  // namespace interleave_test
