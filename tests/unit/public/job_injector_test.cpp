// The contract JobInjector of blitz/policy.hpp, tested on the injector of each policy.
#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/async/async_policy.hpp"
#include "blitz/detail/fork_join/fork_join_policy.hpp"
#include "support/reference_policy.hpp"
#include "unit/injected_jobs.hpp"

using blitz_test::injected_jobs;
using blitz_test::InjectedJob;
using blitz_test::number_of;

TYPE_TO_STRING_AS("TreiberStack", blitz::ForkJoinPolicy::Injector);
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
