// The contract JobInjector of blitz/policy.hpp, tested on the injector of each policy.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/async/async_policy.hpp"
#include "blitz/detail/fork_join/fork_join_policy.hpp"
#include "blitz/detail/job/job_memory.hpp"
#include "support/reference_policy.hpp"
#include "unit/injected_jobs.hpp"

using blitz_test::injected_jobs;
using blitz_test::InjectedJob;
using blitz_test::number_of;

TYPE_TO_STRING_AS("StackLanes", blitz::ForkJoinPolicy::Injector);
TYPE_TO_STRING_AS("GlobalQueue", blitz::AsyncPolicy::Injector);
TYPE_TO_STRING_AS("ReferenceQueue", blitz_test::ReferencePolicy::Injector);

#define INJECTORS blitz::ForkJoinPolicy::Injector, blitz::AsyncPolicy::Injector, blitz_test::ReferencePolicy::Injector

TEST_CASE_TEMPLATE("injector: begins empty", Injector, INJECTORS) {
  Injector injector;
  CHECK(injector.empty());
  CHECK(injector.take() == nullptr);
  CHECK(injector.empty());
}

TEST_CASE_TEMPLATE("injector: take returns the oldest job", Injector, INJECTORS) {
  auto jobs = injected_jobs(4);
  Injector injector;
  for (auto& job : jobs) injector.push(&job);
  for (int i = 0; i < 4; ++i) CHECK(number_of(injector.take()) == i);
  CHECK(injector.take() == nullptr);
}

TEST_CASE_TEMPLATE("injector: take returns the oldest job after pushes between two takes", Injector, INJECTORS) {
  auto jobs = injected_jobs(6);
  Injector injector;
  injector.push(&jobs[0]);
  injector.push(&jobs[1]);
  injector.push(&jobs[2]);
  CHECK(number_of(injector.take()) == 0);
  injector.push(&jobs[3]);
  injector.push(&jobs[4]);
  CHECK(number_of(injector.take()) == 1);
  CHECK(number_of(injector.take()) == 2);
  injector.push(&jobs[5]);
  for (int i = 3; i < 6; ++i) CHECK(number_of(injector.take()) == i);
  CHECK(injector.empty());
}

TEST_CASE_TEMPLATE("injector: is not empty until the last job is taken", Injector, INJECTORS) {
  auto jobs = injected_jobs(2);
  Injector injector;
  injector.push(&jobs[0]);
  CHECK_FALSE(injector.empty());
  injector.push(&jobs[1]);
  (void)injector.take();
  CHECK_FALSE(injector.empty());
  (void)injector.take();
  CHECK(injector.empty());
}

TEST_CASE_TEMPLATE("injector: a taken job may be pushed again", Injector, INJECTORS) {
  auto jobs = injected_jobs(1);
  Injector injector;
  for (int i = 0; i < 3; ++i) {
    injector.push(&jobs[0]);
    CHECK(injector.take() == &jobs[0]);
    CHECK(injector.empty());
  }
}

TEST_CASE_TEMPLATE("injector: several threads take each job once and each producer's jobs in order", Injector,
                   INJECTORS) {
  Injector injector;
  blitz_test::each_job_once(
      20'000, [&](int /*number*/, InjectedJob* job) { injector.push(job); },
      [&](std::vector<blitz::policy::Job*>& taken) {
        if (blitz::policy::Job* const job = injector.take()) taken.push_back(job);
      });
  CHECK(injector.empty());
}

TEST_CASE("injector: has a lane for each four slots and at least one") {
  for (const std::size_t slots : {1U, 4U, 7U}) CHECK(blitz::ForkJoinPolicy::Injector(slots).count() == 1);
  CHECK(blitz::ForkJoinPolicy::Injector(8).count() == 2);
  CHECK(blitz::ForkJoinPolicy::Injector(67).count() == 16);
}

TEST_CASE("injector: the jobs of one pusher are spread over its lanes") {
  constexpr std::size_t kJobs = 1024;
  blitz::ForkJoinPolicy::Injector injector(64);
  blitz::detail::JobMemory memory;
  std::vector<std::size_t> jobs(injector.count());
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < kJobs; ++i) {
    blocks.push_back(memory.allocate(1));
    ++jobs[injector.lane_of(static_cast<blitz::policy::Job*>(blocks.back()))];
  }
  for (const std::size_t of_lane : jobs) CHECK(of_lane > kJobs / jobs.size() / 2);
  for (void* const block : blocks) memory.free(block, 1);
}

TEST_CASE("injector: several threads take each job of several lanes once") {
  auto jobs = injected_jobs(20'000);
  blitz::ForkJoinPolicy::Injector injector(16);
  std::atomic<std::size_t> taken{0};
  std::vector<std::thread> threads;
  for (std::size_t half = 0; half < 2; ++half) {
    threads.emplace_back([&, half] {
      for (std::size_t i = half; i < jobs.size(); i += 2) injector.push(&jobs[i]);
    });
    threads.emplace_back([&] {
      for (std::uint32_t from = 0; taken.load() < jobs.size(); from = (from + 1) % injector.count()) {
        auto* const job = static_cast<InjectedJob*>(injector.take(from));
        if (job == nullptr) continue;
        ++job->producer;
        ++taken;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(injector.empty());
  CHECK(std::all_of(jobs.begin(), jobs.end(), [](const InjectedJob& job) { return job.producer == 1; }));
}
