#include "blitz/core/fifo.hpp"

#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "fake_worker.hpp"

using blitz::detail::FifoJob;
using blitz::detail::JobFifo;
using blitz_test::FakeWorker;
using blitz_test::WorkerBase;

namespace {

struct Log {
  std::vector<int> run;
  std::vector<int> freed;
};

/// Writes its number when it is run, and again when its memory is freed.
struct Step final : FifoJob {
  Step(JobFifo& list, Log& the_log, int the_number)
      : FifoJob(
            list,
            [](FifoJob& self, WorkerBase&) noexcept {
              auto& step = static_cast<Step&>(self);
              step.log.run.push_back(step.number);
            },
            [](FifoJob& self, WorkerBase&) noexcept {
              auto& step = static_cast<Step&>(self);
              step.log.freed.push_back(step.number);
            }),
        log(the_log),
        number(the_number) {}

  Log& log;
  int number;
};

/// Steps 0 to `count` - 1, in the list.
std::vector<std::unique_ptr<Step>> steps(JobFifo& fifo, Log& log, int count) {
  std::vector<std::unique_ptr<Step>> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(std::make_unique<Step>(fifo, log, i));
    fifo.push(all.back().get());
  }
  return all;
}

/// Takes a step's token.
void take(Step& step, FakeWorker& worker) { step.execute(&step, worker); }

}  // namespace

TEST_CASE("fifo: the oldest job is run, whichever token is taken") {
  FakeWorker worker;
  JobFifo fifo;
  Log log;
  const auto all = steps(fifo, log, 4);
  take(*all[3], worker);
  CHECK(log.run == std::vector<int>{0});
  take(*all[1], worker);
  CHECK(log.run == std::vector<int>{0, 1});
  take(*all[2], worker);
  take(*all[0], worker);
  CHECK(log.run == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("fifo: a job's memory is freed when it has been run and its token taken, whichever comes first") {
  FakeWorker worker;
  JobFifo fifo;
  Log log;
  const auto all = steps(fifo, log, 3);
  take(*all[2], worker);  // runs 0
  CHECK(log.freed.empty());
  take(*all[1], worker);  // runs 1
  CHECK(log.freed == std::vector<int>{1});
  take(*all[0], worker);  // runs 2
  CHECK(log.run == std::vector<int>{0, 1, 2});
  CHECK(log.freed == std::vector<int>{1, 2, 0});
}

TEST_CASE("fifo: emptied and filled again, by its own jobs too") {
  FakeWorker worker;
  JobFifo fifo;
  Log log;
  for (int round = 0; round < 3; ++round) {
    const auto one = steps(fifo, log, 1);
    take(*one[0], worker);
  }
  CHECK(log.run == std::vector<int>{0, 0, 0});
  CHECK(log.freed == std::vector<int>{0, 0, 0});

  struct Spawning final : FifoJob {
    Spawning(JobFifo& list, Step& the_next)
        : FifoJob(
              list, [](FifoJob& self, WorkerBase&) noexcept { self.fifo.push(&static_cast<Spawning&>(self).next); },
              [](FifoJob&, WorkerBase&) noexcept {}),
          next(the_next) {}
    Step& next;
  };
  Step next(fifo, log, 5);
  Spawning spawning(fifo, next);
  fifo.push(&spawning);
  spawning.execute(&spawning, worker);
  CHECK(log.run.size() == 3);
  take(next, worker);
  CHECK(log.run.back() == 5);
  CHECK(log.freed.back() == 5);
}

TEST_CASE("fifo: the list may be gone as soon as its last job has run") {
  FakeWorker worker;
  struct Owner final : FifoJob {
    explicit Owner(std::unique_ptr<JobFifo> list)
        : FifoJob(
              *list, [](FifoJob& self, WorkerBase&) noexcept { static_cast<Owner&>(self).owned.reset(); },
              [](FifoJob& self, WorkerBase&) noexcept { static_cast<Owner&>(self).freed = true; }),
          owned(std::move(list)) {
      owned->push(this);
    }
    std::unique_ptr<JobFifo> owned;
    bool freed = false;
  };
  Owner owner(std::make_unique<JobFifo>());
  owner.execute(&owner, worker);
  CHECK(owner.owned == nullptr);
  CHECK(owner.freed);
}

TEST_CASE("fifo: each job is run once, and freed once, whoever takes the tokens") {
  constexpr int kJobs = 2000;
  constexpr std::size_t kThreads = 4;
  JobFifo fifo;
  struct Counting final : FifoJob {
    explicit Counting(JobFifo& list)
        : FifoJob(
              list, [](FifoJob& self, WorkerBase&) noexcept { ++static_cast<Counting&>(self).runs; },
              [](FifoJob& self, WorkerBase&) noexcept {
                auto& counting = static_cast<Counting&>(self);
                counting.frees += counting.runs;  // Not atomic: the run happens before.
              }) {}
    int runs = 0;
    int frees = 0;
  };
  std::vector<std::unique_ptr<Counting>> all;
  for (int i = 0; i < kJobs; ++i) {
    all.push_back(std::make_unique<Counting>(fifo));
    fifo.push(all.back().get());
  }
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      FakeWorker worker(t);
      for (std::size_t i = t; i < all.size(); i += kThreads) {
        Counting& token = *all[all.size() - 1 - i];
        token.execute(&token, worker);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int wrong = 0;
  for (const auto& job : all) wrong += static_cast<int>(job->runs != 1 || job->frees != 1);
  CHECK(wrong == 0);
}
