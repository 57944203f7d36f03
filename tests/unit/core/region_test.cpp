#include "blitz/core/region.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/core/worker.hpp"
#include "fake_worker.hpp"

using blitz::detail::Confinement;
using blitz::detail::CoreLatch;
using blitz::detail::Job;
using blitz::detail::Region;
using blitz::detail::WorkerBase;
using blitz_test::FakePool;

namespace {

/// A worker whose own queue is a list.
class RegionWorker final : public WorkerBase {
 public:
  explicit RegionWorker(FakePool& pool, std::size_t index = 0) : WorkerBase(index, &pool) {}
  ~RegionWorker() { CHECK(own.empty()); }

  void push(Job* job) override { region() != nullptr ? region()->push(*this, job) : push_own(job); }
  bool take_if_newest(Job*) noexcept override { return false; }
  Job* take_newest() noexcept override {
    return region() != nullptr ? region()->take_newest(*this) : take_newest_own();
  }
  Job* find_work() noexcept override { return take_newest(); }
  void run_loop(const blitz::detail::Loop&, void*) override { std::abort(); }
  void wait_until(CoreLatch& latch) noexcept override { region()->wait(*this, latch); }
  Job* take_mail() noexcept override { return posted.exchange(nullptr); }
  bool has_mail() const noexcept override {
    if (on_falling_asleep) std::exchange(on_falling_asleep, nullptr)();
    return posted != nullptr;
  }
  bool queue_empty() const noexcept override { return own.empty(); }
  blitz::detail::Audience audience() const noexcept override { return blitz::detail::Audience::kSearches; }
  bool worth_waking(blitz::detail::Ticks /*work*/) noexcept override { return true; }
  void push_own(Job* job) override {
    if (full) throw std::bad_alloc();
    own.push_back(job);
  }
  Job* take_newest_own() noexcept override {
    if (own.empty()) return nullptr;
    Job* const job = own.back();
    own.pop_back();
    return job;
  }
  void confine(Region* region) noexcept override { set_region(region); }
  void wake() noexcept override { pool()->apart().wake(index()); }

  /// As a free worker does with what it has stolen.
  void run_oldest_of(RegionWorker& victim) {
    REQUIRE_FALSE(victim.own.empty());
    Job* const token = victim.own.front();
    victim.own.erase(victim.own.begin());
    token->execute(token, *this);
  }
  void run_own() {
    while (Job* const job = take_newest_own()) job->execute(job, *this);
  }

  std::vector<Job*> own;
  std::atomic<Job*> posted{nullptr};
  /// Called once, by the worker itself: it is on the list of those who wait in the region, and still awake.
  mutable std::function<void()> on_falling_asleep;
  bool full = false;
};

/// Writes its name, and remembers in which region it ran.
struct Step final : Job {
  Step(std::string& the_log, char the_name)
      : Job([](Job* job, WorkerBase& worker) noexcept {
          auto& self = *static_cast<Step*>(job);
          self.log += self.name;
          self.region = worker.region();
        }),
        log(the_log),
        name(the_name) {}

  std::string& log;
  char name;
  Region* region = nullptr;
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

TEST_CASE("region: what a confined worker offers is in the region, with a token on its own queue") {
  FakePool pool;
  RegionWorker worker(pool);
  std::string log;
  Step a(log, 'a');
  Step b(log, 'b');
  {
    const Confinement confinement(worker);
    worker.push(&a);
    worker.push(&b);
    CHECK(worker.own.size() == 2);
    CHECK_FALSE(worker.region()->empty());
    // Newest first, and each takes its token along.
    CHECK(worker.take_newest() == &b);
    CHECK(worker.own.size() == 1);
    CHECK(worker.take_newest() == &a);
    CHECK(worker.own.empty());
    CHECK(worker.take_newest() == nullptr);
    CHECK(worker.region()->empty());
  }
  CHECK(worker.region() == nullptr);
}

TEST_CASE("region: remove finds a job wherever it lies, until it is taken") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker helper(pool, 1);
  std::string log;
  Step a(log, 'a');
  Step b(log, 'b');
  Step c(log, 'c');
  const Confinement confinement(worker);
  Region& region = *worker.region();
  for (Step* step : {&a, &b, &c}) worker.push(step);
  CHECK(region.remove(worker, b));
  CHECK_FALSE(region.remove(worker, b));
  helper.run_oldest_of(worker);
  CHECK(log == "a");
  CHECK_FALSE(region.remove(worker, a));
  CHECK(region.remove(worker, c));
  CHECK(region.empty());
  worker.run_own();
  CHECK(log == "a");
}

TEST_CASE("region: the holder of a token runs the oldest job, in the region") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker helper(pool, 1);
  std::string log;
  Step a(log, 'a');
  Step b(log, 'b');
  const Confinement confinement(worker);
  worker.push(&a);
  worker.push(&b);
  Job* const newer_token = worker.take_newest_own();
  newer_token->execute(newer_token, helper);
  CHECK(log == "a");
  CHECK(a.region == worker.region());
  CHECK(helper.region() == nullptr);
  helper.run_oldest_of(worker);
  CHECK(log == "ab");
}

TEST_CASE("region: a token may outlive the region's jobs, and its isolate") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker helper(pool, 1);
  std::string log;
  Step a(log, 'a');
  Step b(log, 'b');
  {
    const Confinement confinement(worker);
    worker.push(&a);
    worker.push(&b);
    RegionWorker other(pool, 2);
    other.confine(worker.region());
    CHECK(other.take_newest() == &b);  // Without its token, which is not on this worker's queue.
    other.confine(nullptr);
  }
  // What is left is run by whoever has a token, and the last token stands for nothing.
  helper.run_oldest_of(worker);
  CHECK(log == "a");
  CHECK(a.region != nullptr);
  helper.run_oldest_of(worker);
  CHECK(log == "a");
}

TEST_CASE("region: taking a job leaves what lies on top of the own queue where it is, unless it is a token of it") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker other(pool, 1);
  std::string log;
  Step stranger(log, 's');
  Step a(log, 'a');
  worker.push(&stranger);
  const Confinement confinement(worker);
  other.confine(worker.region());
  other.push(&a);
  CHECK(worker.take_newest() == &a);
  CHECK(worker.own == std::vector<Job*>{&stranger});
  other.confine(nullptr);
  other.run_own();
  CHECK(worker.take_newest_own() == &stranger);
}

TEST_CASE("region: where the own queue has no room, the token goes to the injector") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker helper(pool, 1);
  std::string log;
  Step a(log, 'a');
  worker.full = true;
  {
    const Confinement confinement(worker);
    worker.push(&a);
  }
  REQUIRE(pool.injected.size() == 1);
  pool.injected[0]->execute(pool.injected[0], helper);
  CHECK(log == "a");
}

TEST_CASE("region: at the end of an inner one, what is left is the outer one's, in its order") {
  FakePool pool;
  RegionWorker worker(pool);
  std::string log;
  Step a(log, 'a');
  Step b(log, 'b');
  Step c(log, 'c');
  {
    const Confinement outer(worker);
    Region* const region = worker.region();
    {
      const Confinement inner(worker);
      CHECK(worker.region() != region);
      CHECK(worker.region()->id() != region->id());
      for (Step* step : {&a, &b, &c}) worker.push(step);
      CHECK(region->empty());
    }
    CHECK(worker.region() == region);
    CHECK(worker.take_newest() == &c);
    CHECK(worker.take_newest() == &b);
    CHECK(worker.take_newest() == &a);
  }
  // The tokens of the inner one stand for nothing.
  worker.run_own();
  CHECK(log.empty());
}

TEST_CASE("region: no two have the same number, past ones included") {
  FakePool pool;
  RegionWorker worker(pool);
  std::uint64_t before = 0;
  for (int i = 0; i < 100; ++i) {
    const Confinement confinement(worker);
    CHECK(worker.region()->id() > before);
    before = worker.region()->id();
  }
}

// --- waiting ---

TEST_CASE("region: who waits runs its jobs, and those that were posted to it, and no others") {
  FakePool pool;
  RegionWorker worker(pool);
  std::string log;
  CoreLatch latch;
  Step stranger(log, 's');
  Step a(log, 'a');
  Step posted(log, 'p');
  SetLatch last(latch, worker);
  worker.push(&stranger);
  {
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
  CHECK(worker.take_newest() == &stranger);
}

TEST_CASE("region: who sleeps is woken by its latch, by a push, and by what is posted") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker other(pool, 1);
  for (int round = 0; round < 200; ++round) {
    std::string log;
    CoreLatch latch;
    std::atomic<bool> asleep{false};
    SetLatch last(latch, worker);
    const Confinement confinement(worker);
    other.confine(worker.region());
    worker.on_falling_asleep = [&] { asleep = true; };
    std::thread waiter([&] { worker.wait_until(latch); });
    while (!asleep) std::this_thread::yield();
    for (int i = 0; i < round % 20; ++i) std::this_thread::yield();
    if (round % 3 == 0) {
      last.execute(&last, other);
    } else if (round % 3 == 1) {
      other.push(&last);
    } else {
      worker.posted = &last;
      worker.wake();
    }
    waiter.join();
    CHECK(latch.probe());
    other.confine(nullptr);
    other.run_own();
  }
}

TEST_CASE("region: who was to be woken for a job that another took in the meantime is woken for the next") {
  FakePool pool;
  RegionWorker worker(pool);
  RegionWorker pusher(pool, 1);
  RegionWorker thief(pool, 2);
  for (int round = 0; round < 100; ++round) {
    std::string log;
    CoreLatch latch;
    Step gone(log, 'g');
    SetLatch last(latch, worker);
    const Confinement confinement(worker);
    pusher.confine(worker.region());
    thief.confine(worker.region());
    std::atomic<bool> taken{false};
    worker.on_falling_asleep = [&] {
      // The waiter is on the list, and not yet asleep: the push takes it off, and finds nobody to wake.
      pusher.push(&gone);
      CHECK(thief.take_newest() == &gone);
      taken = true;
    };
    std::thread waiter([&] { worker.wait_until(latch); });
    while (!taken) std::this_thread::yield();
    for (int i = 0; i < round % 50; ++i) std::this_thread::yield();
    pusher.push(&last);
    waiter.join();
    CHECK(latch.probe());
    pusher.confine(nullptr);
    thief.confine(nullptr);
    pusher.run_own();
  }
}
