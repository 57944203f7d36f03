#include "blitz/detail/worker/confinement.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

#include "blitz/detail/worker/worker.hpp"
#include "unit/fake_worker.hpp"

using blitz::detail::Confinement;
using blitz::detail::CoreLatch;
using blitz::detail::Job;
using blitz::detail::Region;
using blitz::detail::WorkerBase;
using blitz_test::FakePool;

namespace {

/// A worker without a policy's queue.
class RegionWorker final : public blitz_test::BareWorker {
 public:
  explicit RegionWorker(FakePool& pool, std::size_t index = 0) : BareWorker(index, &pool) {}
  ~RegionWorker() { CHECK(confined_jobs().deque.empty()); }

  void push(Job* job) override { push_confined(job); }
  Job* take_newest() noexcept override { return confined_jobs().take_newest(region()); }
  Job* find_work() noexcept override { return region() != 0 ? find_confined() : find_left(); }
  void wait_until(CoreLatch& latch) noexcept override { pool()->home().isolation.wait(*this, latch); }
  Job* take_mail() noexcept override { return posted.exchange(nullptr); }
  bool has_mail() const noexcept override {
    if (on_falling_asleep) std::exchange(on_falling_asleep, nullptr)();
    return posted != nullptr;
  }
  std::size_t offered() const noexcept override { return confined_jobs().empty(region()) ? 0 : 1; }
  blitz::detail::Audience audience(std::size_t /*offered*/) const noexcept override {
    return blitz::detail::Audience::kSearches;
  }
  void wake() noexcept override { pool()->home().apart.wake(index()); }

  using WorkerBase::confined_stolen;

  /// Returns false if it finds no job.
  bool run_one() {
    Job* const job = find_work();
    if (job != nullptr) job->execute(job, *this);
    return job != nullptr;
  }

  std::atomic<Job*> posted{nullptr};
  /// Called once, by the worker itself, when another thread can already call it to a job and it is still awake.
  mutable std::function<void()> on_falling_asleep;
};

/// Appends its name to the log and records the worker's region.
struct Step final : Job {
  explicit Step(std::string& the_log, char the_name, std::function<void(WorkerBase&)> the_body = nullptr)
      : Job([](Job* job, WorkerBase& worker) noexcept {
          auto& self = *static_cast<Step*>(job);
          self.log += self.name;
          self.region = worker.region();
          if (self.body) self.body(worker);
        }),
        log(the_log),
        name(the_name),
        body(std::move(the_body)) {}

  std::string& log;
  char name;
  std::function<void(WorkerBase&)> body;
  Region region = ~Region{0};
};

struct SetLatch final : Job {
  SetLatch(CoreLatch& the_latch, RegionWorker& the_waiter)
      : Job([](Job* job, WorkerBase&) noexcept {
          auto& self = *static_cast<SetLatch*>(job);
          if (self.latch.set()) self.waiter.wake();
        }),
        latch(the_latch),
        waiter(the_waiter) {}

  CoreLatch& latch;
  RegionWorker& waiter;
};

}  // namespace

TEST_CASE("confinement: its worker takes the newest job of its region") {
  FakePool pool;
  RegionWorker worker(pool);
  std::string log;
  Step a(log, 'a');
  Step b(log, 'b');
  {
    const Confinement confinement(worker);
    CHECK(worker.region() != 0);
    CHECK(worker.offered() == 0);
    worker.push(&a);
    worker.push(&b);
    CHECK(worker.offered() == 1);
    CHECK(worker.take_newest() == &b);
    CHECK(worker.take_newest() == &a);
    CHECK(worker.take_newest() == nullptr);
    CHECK(worker.offered() == 0);
  }
  CHECK(worker.region() == 0);
}

TEST_CASE("confinement: an inner region takes no job of the outer one") {
  FakePool pool;
  RegionWorker worker(pool);
  std::string log;
  Step a(log, 'a');
  Step b(log, 'b');
  const Confinement outer(worker);
  const Region region = worker.region();
  worker.push(&a);
  {
    const Confinement inner(worker);
    CHECK(worker.region() != region);
    CHECK(worker.offered() == 0);
    CHECK(worker.find_work() == nullptr);
    worker.push(&b);
    CHECK(worker.find_work() == &b);
    CHECK(worker.find_work() == nullptr);
  }
  CHECK(worker.region() == region);
  CHECK(worker.find_work() == &a);
}

TEST_CASE("confinement: a free worker steals the oldest job and is confined while it runs it") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker helper(pool, 1);
  std::string log;
  Step c(log, 'c');
  Step a(log, 'a', [&](WorkerBase& here) {
    here.push(&c);  // in the region, too
  });
  Step b(log, 'b');
  const Confinement confinement(worker);
  worker.push(&a);
  worker.push(&b);
  CHECK(helper.run_one());
  CHECK(log == "a");
  CHECK(a.region == worker.region());
  CHECK(helper.region() == 0);
  CHECK(helper.confined_stolen() == 1);
  // The job's own pushes come before another theft.
  CHECK(helper.run_one());
  CHECK(log == "ac");
  CHECK(c.region == worker.region());
  CHECK(helper.confined_stolen() == 1);
  CHECK(helper.run_one());
  CHECK(log == "acb");
  CHECK_FALSE(helper.run_one());
}

TEST_CASE("confinement: a confined worker takes only jobs of its region from any worker") {
  FakePool pool;
  RegionWorker first(pool);
  RegionWorker second(pool, 1);
  RegionWorker third(pool, 2);
  std::string log;
  Step a(log, 'a');
  Step b(log, 'b');
  const Confinement one(first);
  const Confinement same(second, first.region());
  const Confinement other(third);
  first.push(&a);
  third.push(&b);
  CHECK(second.find_work() == &a);
  CHECK(second.find_work() == nullptr);
  CHECK(third.find_work() == &b);
  // Below a job of another region it is not seen.
  {
    const Confinement inner(first);
    first.push(&a);
    const Confinement too(second, first.region());
    CHECK(second.find_work() == &a);
    CHECK_FALSE(second.run_one());
  }
  CHECK(log.empty());
}

TEST_CASE("confinement: free workers take jobs that are left after its end") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker helper(pool, 1);
  std::string log;
  Step a(log, 'a');
  Step b(log, 'b');
  Region region = 0;
  {
    const Confinement confinement(worker);
    region = worker.region();
    worker.push(&a);
    worker.push(&b);
  }
  {
    const Confinement another(worker);
    CHECK_FALSE(worker.run_one());
  }
  CHECK(helper.run_one());
  CHECK(worker.run_one());
  CHECK(log == "ab");
  CHECK(a.region == region);
  CHECK(b.region == region);
}

TEST_CASE("confinement: the outer region takes jobs that an inner one leaves") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker helper(pool, 1);
  std::string log;
  Step a(log, 'a');
  Step b(log, 'b');
  Step c(log, 'c');
  const Confinement outer(worker);
  {
    const Confinement inner(worker);
    const Confinement innermost(worker);
    for (Step* step : {&a, &b, &c}) worker.push(step);
  }
  const Confinement same(helper, worker.region());
  CHECK(helper.find_work() == &a);
  CHECK(worker.find_work() == &c);
  CHECK(worker.find_work() == &b);
}

// Other workers of the outer region could recognize this job only by its label, and cannot tell it from an unrelated region's.
TEST_CASE("confinement: the worker that began an inner region runs the jobs that its thief left") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker helper(pool, 1);
  RegionWorker other(pool, 2);
  std::string log;
  Step left(log, 'l');
  Step stolen(log, 's', [&](WorkerBase& thief) { thief.push(&left); });
  const Confinement outer(worker);
  Region region = 0;
  {
    const Confinement inner(worker);
    region = worker.region();
    worker.push(&stolen);
    CHECK(helper.run_one());
  }
  const Confinement same(other, worker.region());
  CHECK_FALSE(other.run_one());
  {
    const Confinement later(worker);
    CHECK_FALSE(worker.run_one());
  }
  CHECK(worker.run_one());
  CHECK(log == "sl");
  CHECK(left.region == region);
}

TEST_CASE("confinement: no two regions of a pool ever have the same number") {
  FakePool pool(2);
  RegionWorker first(pool);
  RegionWorker second(pool, 1);
  Region before = 0;
  for (int i = 0; i < 100; ++i) {
    const Confinement one(first);
    const Confinement other(second);
    CHECK(first.region() > before);
    CHECK(second.region() > first.region());
    before = second.region();
  }
}

// --- waiting ---

TEST_CASE("confinement: a waiting worker runs only jobs of its region and its mail") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker other(pool, 1);
  std::string log;
  CoreLatch latch;
  Step stranger(log, 's');
  Step a(log, 'a');
  Step posted(log, 'p');
  SetLatch last(latch, worker);
  {
    const Confinement elsewhere(other);
    other.push(&stranger);
    const Confinement confinement(worker);
    worker.push(&last);
    worker.push(&a);
    worker.posted = &posted;
    worker.wait_until(latch);
  }
  CHECK(log.find('a') != std::string::npos);
  CHECK(log.find('s') == std::string::npos);
  if (Job* const job = worker.take_mail()) job->execute(job, worker);
  CHECK(log == "ap");
  CHECK(other.run_one());
}

TEST_CASE("confinement: a sleeping worker wakes for its latch and pushes and mail and inherited jobs") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker other(pool, 1);
  for (int round = 0; round < 200; ++round) {
    CoreLatch latch;
    std::atomic<bool> asleep{false};
    SetLatch last(latch, worker);
    const Confinement confinement(worker);
    const Confinement same(other, worker.region());
    worker.on_falling_asleep = [&] { asleep = true; };
    std::thread waiter([&] { worker.wait_until(latch); });
    while (!asleep) std::this_thread::yield();
    for (int i = 0; i < round % 20; ++i) std::this_thread::yield();
    if (round % 4 == 0) {
      last.execute(&last, other);
    } else if (round % 4 == 1) {
      other.push(&last);
    } else if (round % 4 == 2) {
      worker.posted = &last;
      worker.wake();
    } else {
      const Confinement inner(other);
      other.push(&last);
    }
    waiter.join();
    CHECK(latch.probe());
  }
}

TEST_CASE("confinement: a worker called to a job that another took is called to the next one") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker pusher(pool, 1);
  for (int round = 0; round < 100; ++round) {
    std::string log;
    CoreLatch latch;
    Step gone(log, 'g');
    SetLatch last(latch, worker);
    const Confinement confinement(worker);
    const Confinement same(pusher, worker.region());
    std::atomic<bool> taken{false};
    worker.on_falling_asleep = [&] {
      // The waiter can already be called, and is not yet asleep.
      pusher.push(&gone);
      CHECK(pusher.take_newest() == &gone);
      taken = true;
    };
    std::thread waiter([&] { worker.wait_until(latch); });
    while (!taken) std::this_thread::yield();
    for (int i = 0; i < round % 50; ++i) std::this_thread::yield();
    pusher.push(&last);
    waiter.join();
    CHECK(latch.probe());
  }
}
