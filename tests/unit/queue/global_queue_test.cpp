// The queue's size and its batches. public/job_injector_test.cpp tests the contract of an injector.
#include "blitz/detail/queue/global_queue.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "unit/injected_jobs.hpp"

using blitz::policy::Job;
using blitz_test::injected_jobs;
using blitz_test::InjectedJob;
using blitz_test::number_of;

namespace {

using Queue = blitz::detail::GlobalQueue<Job>;

}  // namespace

TEST_CASE("global queue: begins empty and has no batch") {
  Queue queue;
  CHECK(queue.size() == 0);
  CHECK(queue.take_batch(1, 32, [](Job*) {}) == nullptr);
}

TEST_CASE("global queue: takes return the oldest job after single pushes and batches") {
  auto jobs = injected_jobs(7);
  Queue queue;
  queue.push(&jobs[0]);
  const std::array<Job*, 3> batch{&jobs[1], &jobs[2], &jobs[3]};
  queue.push_batch(batch);
  CHECK(number_of(queue.take()) == 0);
  queue.push_batch(std::span<Job* const>());
  queue.push(&jobs[4]);
  for (int i = 1; i < 5; ++i) CHECK(number_of(queue.take()) == i);
  CHECK(queue.take() == nullptr);
  queue.push(&jobs[5]);
  queue.push(&jobs[6]);
  CHECK(queue.size() == 2);
  CHECK(number_of(queue.take()) == 5);
  CHECK(number_of(queue.take()) == 6);
  CHECK(queue.empty());
}

TEST_CASE("global queue: a share is 4 to 64 jobs and never more than there are") {
  CHECK(Queue::share(1, 8) == 1);
  CHECK(Queue::share(3, 1) == 3);
  CHECK(Queue::share(4, 8) == 4);
  CHECK(Queue::share(31, 8) == 4);
  CHECK(Queue::share(40, 8) == 5);
  CHECK(Queue::share(320, 8) == 40);
  CHECK(Queue::share(512, 8) == 64);
  CHECK(Queue::share(100'000, 8) == 64);
  CHECK(Queue::share(50, 1) == 50);
  CHECK(Queue::share(10, 300) == 4);
}

TEST_CASE("global queue: take_batch returns the first job and keeps the rest of the share") {
  struct Case {
    int length;
    std::size_t workers;
    std::size_t most;
    int expected;
  };
  for (const Case c : {Case{100, 4, 32, 25}, Case{100, 1, 33, 33}, Case{1000, 4, 100, 64}, Case{6, 4, 32, 4},
                       Case{2, 4, 32, 2}, Case{100, 4, 1, 1}, Case{5, 1, 32, 5}}) {
    CAPTURE(c.length);
    CAPTURE(c.workers);
    CAPTURE(c.most);
    auto jobs = injected_jobs(c.length);
    Queue queue;
    for (InjectedJob& job : jobs) queue.push(&job);
    std::vector<int> kept;
    const Job* const first = queue.take_batch(c.workers, c.most, [&](Job* job) {
      // Counted until the worker has it.
      CHECK(queue.size() == jobs.size());
      kept.push_back(number_of(job));
    });
    REQUIRE(first != nullptr);
    CHECK(number_of(first) == 0);
    REQUIRE(kept.size() == static_cast<std::size_t>(c.expected - 1));
    for (int i = 1; i < c.expected; ++i) CHECK(kept[static_cast<std::size_t>(i - 1)] == i);
    CHECK(queue.size() == jobs.size() - static_cast<std::size_t>(c.expected));
    for (int i = c.expected; i < c.length; ++i) REQUIRE(number_of(queue.take()) == i);
    CHECK(queue.empty());
  }
}

TEST_CASE("global queue: a job of a batch may be pushed again immediately") {
  auto jobs = injected_jobs(4);
  Queue queue;
  Queue other;
  for (InjectedJob& job : jobs) queue.push(&job);
  Job* const first = queue.take_batch(1, 32, [&](Job* job) { other.push(job); });
  other.push(first);
  CHECK(queue.empty());
  for (const int i : {1, 2, 3, 0}) CHECK(number_of(other.take()) == i);
}

TEST_CASE("global queue: several threads take each job of batches once in producer order") {
  constexpr int kEach = 30'000;
  Queue queue;
  blitz_test::each_job_once(
      kEach,
      [&](int number, InjectedJob* job) {
        thread_local std::vector<Job*> batch;
        batch.push_back(job);
        if (number % 5 == 0 || number == kEach - 1) {
          queue.push_batch(batch);
          batch.clear();
        }
      },
      [&](std::vector<Job*>& taken) {
        if (Job* const job = queue.take()) taken.push_back(job);
        std::vector<Job*> kept;
        if (Job* const first = queue.take_batch(2, 8, [&](Job* job) { kept.push_back(job); })) {
          taken.push_back(first);
          taken.insert(taken.end(), kept.begin(), kept.end());
        }
      });
  CHECK(queue.empty());
}
