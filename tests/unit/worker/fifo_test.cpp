#include "blitz/detail/worker/fifo.hpp"

#include <memory>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using blitz::detail::FifoJob;
using blitz::detail::JobFifo;

namespace {

struct Step final : FifoJob {
  Step() : FifoJob(nullptr) {}
  int runs = 0;
};

}  // namespace

TEST_CASE("fifo: pop returns the oldest job") {
  JobFifo fifo;
  Step steps[4];
  for (Step& step : steps) fifo.push(&step);
  for (Step& step : steps) CHECK(fifo.pop(0) == &step);
}

TEST_CASE("fifo: works after it was emptied") {
  JobFifo fifo;
  Step steps[3];
  for (int round = 0; round < 3; ++round) {
    fifo.push(&steps[0]);
    CHECK(fifo.pop(0) == &steps[0]);
  }
  fifo.push(&steps[1]);
  fifo.push(&steps[2]);
  CHECK(fifo.pop(0) == &steps[1]);
  fifo.push(&steps[0]);
  CHECK(fifo.pop(0) == &steps[2]);
  CHECK(fifo.pop(0) == &steps[0]);
}

TEST_CASE("fifo: a token takes the oldest job of its region") {
  JobFifo fifo;
  Step outside[2];
  Step inside[3];
  for (Step& step : inside) step.region = 7;
  fifo.push(&outside[0]);
  for (Step& step : inside) fifo.push(&step);
  fifo.push(&outside[1]);
  CHECK(fifo.pop(7) == &inside[0]);
  CHECK(fifo.pop(7) == &inside[1]);
  CHECK(fifo.pop(0) == &outside[0]);
  CHECK(fifo.pop(0) == &outside[1]);
  CHECK(fifo.pop(7) == &inside[2]);
}

TEST_CASE("fifo: several threads take each job once") {
  constexpr int kJobs = 2000;
  constexpr int kThreads = 4;
  JobFifo fifo;
  std::vector<std::unique_ptr<Step>> steps;
  for (int i = 0; i < kJobs; ++i) steps.push_back(std::make_unique<Step>());
  for (const auto& step : steps) fifo.push(step.get());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kJobs / kThreads; ++i) ++static_cast<Step*>(fifo.pop(0))->runs;
    });
  }
  for (std::thread& thread : threads) thread.join();
  int wrong = 0;
  for (const auto& step : steps) wrong += static_cast<int>(step->runs != 1);
  CHECK(wrong == 0);
}
