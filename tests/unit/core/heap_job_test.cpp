#include "blitz/core/heap_job.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "fake_worker.hpp"
#include "support/counted.hpp"

using blitz::detail::destroy_heap_job;
using blitz::detail::HeapJobs;
using blitz::detail::make_heap_job;
using blitz::detail::push_token;
using blitz_test::Counted;
using blitz_test::FakePool;
using blitz_test::FakeWorker;
using blitz_test::Job;
using blitz_test::Lives;
using blitz_test::WorkerBase;

namespace {

void never_run(Job* /*job*/, WorkerBase& /*worker*/) noexcept { std::abort(); }

/// A job as the pools have them, and two that their memory has no blocks for.
struct Small : Job {
  explicit Small(Lives& lives, int the_value = 0) noexcept : Job(&never_run), value(lives, the_value) {}
  Counted value;
};
struct Large : Small {
  using Small::Small;
  std::byte bytes[4096];
};
struct alignas(256) Aligned : Small {
  using Small::Small;
};

struct Refusal : std::runtime_error {
  Refusal() : std::runtime_error("one too many") {}
};

/// One of those jobs, whose constructor throws when there are `most` of them.
template <class J>
struct Limited final : J {
  Limited(Lives* lives, int most) : J(*lives, most) {
    if (lives->alive > most) throw Refusal();
  }
};

}  // namespace

TEST_CASE_TEMPLATE("heap job: with a worker's memory or without, of whatever size and alignment", J, Small, Large,
                   Aligned) {
  Lives lives;
  FakeWorker worker;
  for (WorkerBase* const owner : {static_cast<WorkerBase*>(&worker), static_cast<WorkerBase*>(nullptr)}) {
    std::vector<J*> jobs;
    for (int i = 0; i < 100; ++i) jobs.push_back(make_heap_job<J>(owner, lives, i));
    CHECK(lives.alive == 100);
    for (int i = 0; i < 100; ++i) {
      J* const job = jobs[static_cast<std::size_t>(i)];
      CHECK(job->value.value == i);
      CHECK(reinterpret_cast<std::uintptr_t>(job) % alignof(J) == 0);
      destroy_heap_job(job, owner);
    }
    CHECK(lives.alive == 0);
  }
}

TEST_CASE_TEMPLATE("heap job: one whose constructor throws leaves nothing behind", J, Small, Large, Aligned) {
  Lives lives;
  FakeWorker worker;
  for (WorkerBase* const owner : {static_cast<WorkerBase*>(&worker), static_cast<WorkerBase*>(nullptr)}) {
    CHECK_THROWS_AS((void)make_heap_job<Limited<J>>(owner, &lives, 0), Refusal);
    CHECK(lives.alive == 0);
  }
  // The block is the next to be given out.
  if constexpr (blitz::detail::kFromJobMemory<Limited<J>>) {
    constexpr std::size_t kClass = blitz::detail::JobMemory::class_of(sizeof(Limited<J>));
    void* const block = worker.memory().allocate(kClass);
    worker.memory().free(block, kClass);
    CHECK_THROWS_AS((void)make_heap_job<Limited<J>>(&worker, &lives, 0), Refusal);
    CHECK(worker.memory().allocate(kClass) == block);
    worker.memory().free(block, kClass);
  }
}

TEST_CASE_TEMPLATE("heap jobs: one for each worker, and each is sent to its own", J, Small, Large, Aligned) {
  Lives lives;
  FakeWorker worker;
  FakePool pool;
  {
    HeapJobs<Limited<J>> jobs(&worker, pool.num_threads(), &lives, 100);
    jobs.mail(pool);
  }
  CHECK(lives.alive == 4);  // They are the pool's.
  REQUIRE(pool.mail.size() == 4);
  for (std::size_t slot = 0; slot < 4; ++slot) {
    CHECK(pool.mail[slot].first == slot);
    destroy_heap_job(static_cast<Limited<J>*>(pool.mail[slot].second), &worker);
  }
  CHECK(lives.alive == 0);
}

TEST_CASE_TEMPLATE("heap jobs: all are made, or none", J, Small, Large, Aligned) {
  Lives lives;
  FakeWorker worker;
  for (WorkerBase* const owner : {static_cast<WorkerBase*>(&worker), static_cast<WorkerBase*>(nullptr)}) {
    for (int most = 0; most < 4; ++most) {
      CAPTURE(most);
      lives.made = 0;
      CHECK_THROWS_AS((HeapJobs<Limited<J>>(owner, 4, &lives, most)), Refusal);
      CHECK(lives.made == most + 1);
      CHECK(lives.alive == 0);
    }
  }
}

TEST_CASE("heap job: a token goes to the worker, and where there is none or it has no room, to the injector") {
  Lives lives;
  FakeWorker worker;
  FakePool pool;
  Small token(lives);

  push_token(&worker, pool, &token);
  CHECK(worker.take_newest() == &token);
  CHECK(pool.injected.empty());

  worker.failing_push = worker.pushes + 1;
  push_token(&worker, pool, &token);
  CHECK(worker.take_newest() == nullptr);
  CHECK(pool.injected == std::vector<Job*>{&token});

  push_token(nullptr, pool, &token);
  CHECK(pool.injected == std::vector<Job*>{&token, &token});
}
