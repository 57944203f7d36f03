#include "blitz/detail/task/spawned_job.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "support/counted.hpp"
#include "unit/fake_worker.hpp"

using blitz::detail::JobFifo;
using blitz::detail::PoolBase;
using blitz::detail::push_or_inject;
using blitz::detail::spawn_job;
using blitz::detail::spawn_job_fifo;
using blitz::detail::spawn_job_on_each;
using blitz::detail::SpawnedJob;
using blitz_test::Counted;
using blitz_test::FakePool;
using blitz_test::FakeWorker;
using blitz_test::Job;
using blitz_test::Lives;
using blitz_test::WorkerBase;

namespace {

/// The history of an owner's jobs.
struct Account {
  int begun = 0;
  int failed = 0;
  int finished = 0;
  bool refuses = false;
  Lives lives;  // of the closures
  int alive_at_last_end = 0;
};

struct Refusal : std::runtime_error {
  Refusal() : std::runtime_error("refused") {}
};

struct Owner {
  void begun(WorkerBase* /*spawner*/, PoolBase& /*pool*/) const {
    if (account.refuses) throw Refusal();
    ++account.begun;
  }
  template <class F>
  void call(F& f) const {
    f();
  }
  void failed(WorkerBase& /*worker*/) const noexcept {
    CHECK_THROWS_AS(throw, std::logic_error);
    ++account.failed;
  }
  void finished(WorkerBase& /*worker*/) const noexcept {
    ++account.finished;
    account.alive_at_last_end = account.lives.alive;
  }

  Account& account;
};

struct Spawning {
  Account account;
  FakeWorker worker;
  FakePool pool;
};

/// A closure that lives as long as its job.
auto closure(Account& account, int& calls) {
  return [life = Counted(account.lives, 1), &calls] { ++calls; };
}

void run(std::vector<Job*>& jobs, WorkerBase& worker) {
  for (Job* const job : std::exchange(jobs, {})) job->execute(job, worker);
}

}  // namespace

TEST_CASE("spawned job: has the size of its closure and owner and a job") {
  const auto f = [p = static_cast<void*>(nullptr)] { static_cast<void>(p); };
  CHECK(sizeof(SpawnedJob<decltype(f), blitz::detail::Detached>) == sizeof(Job) + sizeof(void*));
  CHECK(sizeof(SpawnedJob<decltype(f), Owner>) == sizeof(Job) + 2 * sizeof(void*));
}

TEST_CASE_FIXTURE(Spawning, "spawned job: runs once and tells its owner after the closure is destroyed") {
  int calls = 0;
  spawn_job(&worker, pool, Owner{account}, closure(account, calls));
  spawn_job(static_cast<WorkerBase*>(nullptr), pool, Owner{account}, closure(account, calls));
  CHECK(account.begun == 2);
  CHECK(account.lives.alive == 2);
  REQUIRE(worker.jobs.size() == 1);
  REQUIRE(pool.injected.size() == 1);
  CHECK(calls == 0);
  run(worker.jobs, worker);
  CHECK(account.finished == 1);
  CHECK(account.alive_at_last_end == 1);
  run(pool.injected, worker);
  CHECK(calls == 2);
  CHECK(account.finished == 2);
  CHECK(account.alive_at_last_end == 0);
  CHECK(account.failed == 0);
}

TEST_CASE_FIXTURE(Spawning, "spawned job: its owner gets the exception of the closure") {
  spawn_job(&worker, pool, Owner{account}, [life = Counted(account.lives, 1)] { throw std::logic_error("mine"); });
  run(worker.jobs, worker);
  CHECK(account.failed == 1);
  CHECK(account.finished == 1);
}

TEST_CASE_FIXTURE(Spawning, "spawned job: a job without room or with a refusing owner is not spawned") {
  int calls = 0;
  worker.failing_push = 1;
  CHECK_THROWS_AS(spawn_job(&worker, pool, Owner{account}, [&calls] { ++calls; }), std::bad_alloc);
  CHECK(account.begun == 1);
  CHECK(account.finished == 1);
  account.refuses = true;
  JobFifo fifo;
  for (WorkerBase* const spawner : {static_cast<WorkerBase*>(&worker), static_cast<WorkerBase*>(nullptr)}) {
    CHECK_THROWS_AS(spawn_job(spawner, pool, Owner{account}, closure(account, calls)), Refusal);
    CHECK_THROWS_AS(spawn_job_fifo(spawner, pool, fifo, Owner{account}, closure(account, calls)), Refusal);
    CHECK_THROWS_AS(spawn_job_on_each(spawner, pool, Owner{account}, [&calls] { ++calls; }), Refusal);
  }
  CHECK(account.lives.alive == 0);
  CHECK(account.begun == 1);
  CHECK(calls == 0);
}

TEST_CASE_FIXTURE(Spawning, "spawned job: each token of a list runs its oldest job") {
  JobFifo fifo;
  std::vector<int> order;
  worker.failing_push = 2;
  for (int i = 0; i < 4; ++i) {
    WorkerBase* const spawner = i < 3 ? &worker : nullptr;
    spawn_job_fifo(spawner, pool, fifo, Owner{account},
                   [i, &order, life = Counted(account.lives, 1)] { order.push_back(i); });
  }
  CHECK(worker.jobs.size() == 2);
  CHECK(pool.injected.size() == 2);  // There was no memory for the second, and the last has no worker.
  run(pool.injected, worker);
  CHECK(order == std::vector<int>{0, 1});
  CHECK(account.finished == 2);
  while (Job* const newest = worker.take_newest()) newest->execute(newest, worker);
  CHECK(order == std::vector<int>{0, 1, 2, 3});
  CHECK(account.finished == 4);
  CHECK(account.lives.alive == 0);
}

TEST_CASE_FIXTURE(Spawning, "spawned job: the list may be destroyed when its last job runs") {
  auto fifo = std::make_unique<JobFifo>();
  spawn_job_fifo(&worker, pool, *fifo, Owner{account}, [&fifo, life = Counted(account.lives, 1)] { fifo.reset(); });
  run(worker.jobs, worker);
  CHECK(fifo == nullptr);
  CHECK(account.finished == 1);
}

TEST_CASE_FIXTURE(Spawning, "spawned job: spawn_job_on_each sends one job to each worker") {
  int calls = 0;
  spawn_job_on_each(&worker, pool, Owner{account}, [&calls] { ++calls; });
  CHECK(account.begun == 4);
  REQUIRE(pool.mail.size() == 4);
  for (std::size_t slot = 0; slot < 4; ++slot) {
    CHECK(pool.mail[slot].first == slot);
    Job* const job = pool.mail[slot].second;
    job->execute(job, worker);
  }
  pool.mail.clear();
  CHECK(calls == 4);
  CHECK(account.finished == 4);
}

TEST_CASE("spawned job: spawn_job_on_each spawns nothing if one copy throws") {
  FakeWorker worker;
  FakePool pool;
  struct Limited {
    Limited(int& copies, int most) : copies_(copies), most_(most) {}
    Limited(const Limited& other) : copies_(other.copies_), most_(other.most_) {
      if (copies_ == most_) throw Refusal();
      ++copies_;
    }
    ~Limited() { --copies_; }
    void operator()() const {}
    int& copies_;
    int most_;
  };
  for (int most = 0; most < 4; ++most) {
    CAPTURE(most);
    Account account;
    int copies = 0;
    const Limited limited(copies, most);
    CHECK_THROWS_AS(spawn_job_on_each(&worker, pool, Owner{account}, limited), Refusal);
    CHECK(copies == 0);
    CHECK(account.begun == 0);
  }
}

TEST_CASE("spawned job: push_or_inject injects a job if the worker has no room") {
  FakeWorker worker;
  FakePool pool;
  Job job(nullptr);
  push_or_inject(&worker, pool, &job);
  CHECK(worker.take_newest() == &job);
  worker.failing_push = 2;
  push_or_inject(&worker, pool, &job);
  push_or_inject(nullptr, pool, &job);
  CHECK(worker.jobs.empty());
  CHECK(pool.injected == std::vector<Job*>{&job, &job});
  pool.injected.clear();
}
