/// Jobs that know their number, for tests of injectors; and a test with two producers and two consumers.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/policy.hpp"

namespace blitz_test {

struct InjectedJob : blitz::policy::Job {
  InjectedJob() : Job([](Job*, blitz::detail::WorkerBase&) noexcept {}) {}
  int number = 0;
  int producer = 0;
};

/// `count` jobs with the numbers 0, 1, and so on.
inline std::vector<InjectedJob> injected_jobs(int count) {
  std::vector<InjectedJob> jobs(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) jobs[static_cast<std::size_t>(i)].number = i;
  return jobs;
}

/// The number of a job; -1 for null.
inline int number_of(const blitz::policy::Job* job) {
  return job == nullptr ? -1 : static_cast<const InjectedJob*>(job)->number;
}

/// Two producers call `push(number, job)` for each of their `each` jobs, in order. Concurrently two consumers call
/// `take(taken)`, which appends the jobs that it takes. Checks that each job is taken once, and that each consumer takes the
/// jobs of a producer in order.
template <class Push, class Take>
void each_job_once(int each, Push&& push, Take&& take) {
  constexpr int kProducers = 2;
  constexpr int kConsumers = 2;
  std::vector<InjectedJob> jobs(static_cast<std::size_t>(kProducers * each));
  std::atomic<int> left{kProducers * each};
  std::array<std::vector<blitz::policy::Job*>, kConsumers> taken;
  std::vector<std::thread> threads;
  for (int p = 0; p < kProducers; ++p) {
    threads.emplace_back([&, p] {
      for (int i = 0; i < each; ++i) {
        InjectedJob& job = jobs[static_cast<std::size_t>(p * each + i)];
        job.number = i;
        job.producer = p;
        push(i, &job);
      }
    });
  }
  for (auto& mine : taken) {
    threads.emplace_back([&] {
      while (left.load() > 0) {
        const std::size_t before = mine.size();
        take(mine);
        if (mine.size() == before) std::this_thread::yield();
        left -= static_cast<int>(mine.size() - before);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::vector<int> times(jobs.size());
  for (const auto& mine : taken) {
    std::array<int, kProducers> latest{-1, -1};
    for (const blitz::policy::Job* taken_job : mine) {
      const auto* const job = static_cast<const InjectedJob*>(taken_job);
      int& before = latest[static_cast<std::size_t>(job->producer)];
      REQUIRE(job->number > before);
      before = job->number;
      ++times[static_cast<std::size_t>(job - jobs.data())];
    }
  }
  CHECK(times == std::vector<int>(jobs.size(), 1));
}

}  // namespace blitz_test
