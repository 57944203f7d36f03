#include "blitz/detail/task/heap_job.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "support/counted.hpp"
#include "unit/fake_worker.hpp"

using blitz::detail::destroy_heap_job;
using blitz::detail::make_heap_job;
using blitz_test::Counted;
using blitz_test::FakeWorker;
using blitz_test::Job;
using blitz_test::Lives;
using blitz_test::WorkerBase;

namespace {

void never_run(Job* /*job*/, WorkerBase& /*worker*/) noexcept { std::abort(); }

/// A job of typical size, and two that do not fit the blocks of the workers' memory.
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

/// A job with a constructor that throws if there are already `most` of them.
template <class J>
struct Limited final : J {
  Limited(Lives* lives, int most) : J(*lives, most) {
    if (lives->alive > most) throw Refusal();
  }
};

}  // namespace

TEST_CASE_TEMPLATE("heap job: any size and alignment works with a worker's memory and without", J, Small, Large,
                   Aligned) {
  Lives lives;
  FakeWorker worker;
  for (WorkerBase* const owner : {static_cast<WorkerBase*>(&worker), static_cast<WorkerBase*>(nullptr)}) {
    std::vector<J*> jobs;
    for (int i = 0; i < 100; ++i) jobs.push_back(make_heap_job<J>(owner, lives, i).release());
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

TEST_CASE_TEMPLATE("heap job: a constructor that throws leaves nothing behind", J, Small, Large, Aligned) {
  Lives lives;
  FakeWorker worker;
  for (WorkerBase* const owner : {static_cast<WorkerBase*>(&worker), static_cast<WorkerBase*>(nullptr)}) {
    CHECK_THROWS_AS((void)make_heap_job<Limited<J>>(owner, &lives, 0), Refusal);
    CHECK(lives.alive == 0);
  }
  // The next job gets its block.
  if constexpr (blitz::detail::kFromJobMemory<Limited<J>>) {
    constexpr std::size_t kClass = blitz::detail::JobMemory::class_of(sizeof(Limited<J>));
    void* const block = worker.memory().allocate(kClass);
    worker.memory().free(block, kClass);
    CHECK_THROWS_AS((void)make_heap_job<Limited<J>>(&worker, &lives, 0), Refusal);
    CHECK(worker.memory().allocate(kClass) == block);
    worker.memory().free(block, kClass);
  }
}

TEST_CASE_TEMPLATE("heap job: a job that no pool got is destroyed and its memory freed", J, Small, Large, Aligned) {
  Lives lives;
  FakeWorker worker;
  for (WorkerBase* const owner : {static_cast<WorkerBase*>(&worker), static_cast<WorkerBase*>(nullptr)}) {
    const auto job = make_heap_job<J>(owner, lives);
    CHECK(lives.alive == 1);
  }
  CHECK(lives.alive == 0);
  if constexpr (blitz::detail::kFromJobMemory<J>) {
    const void* const block = make_heap_job<J>(&worker, lives).get();
    CHECK(make_heap_job<J>(&worker, lives).get() == block);
  }
}
