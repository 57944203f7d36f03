#include "blitz/detail/worker/worker.hpp"

#include <array>
#include <string>

#include <doctest/doctest.h>

#include "unit/fake_worker.hpp"

using blitz::detail::reclaim;
using blitz::detail::WorkerLatch;
using blitz_test::FakeWorker;
using blitz_test::Job;
using blitz_test::WorkerBase;

namespace {

struct Step final : Job {
  Step(std::string& the_log, char the_name, WorkerBase& owner)
      : Job([](Job* job, WorkerBase&) noexcept {
          auto& self = *static_cast<Step*>(job);
          self.log += self.name;
          self.latch.set();
        }),
        log(the_log),
        name(the_name),
        latch(owner.tag()) {}

  std::string& log;
  char name;
  WorkerLatch latch;
};

}  // namespace

TEST_CASE("reclaim: returns true for a job that is still in the queue") {
  std::string log;
  FakeWorker worker;
  Step mine(log, 'm', worker);
  worker.push(&mine);
  CHECK(reclaim(worker, mine, mine.latch.core()));
  CHECK(log.empty());
  CHECK(worker.waits == 0);
}

TEST_CASE("reclaim: runs the jobs above newest first and leaves those below") {
  std::string log;
  FakeWorker worker;
  Step below(log, 'x', worker);
  Step mine(log, 'm', worker);
  Step older(log, 'a', worker);
  Step newer(log, 'b', worker);
  for (Step* step : {&below, &mine, &older, &newer}) worker.push(step);
  CHECK(reclaim(worker, mine, mine.latch.core()));
  CHECK(log == "ba");
  CHECK(worker.take_newest() == &below);
}

TEST_CASE("reclaim: waits for the worker that stole the job") {
  std::string log;
  FakeWorker worker;
  FakeWorker thief(1);
  Step mine(log, 'm', worker);
  worker.on_wait = [&] { mine.execute(&mine, thief); };
  CHECK_FALSE(reclaim(worker, mine, mine.latch.core()));
  CHECK(log == "m");
  CHECK(worker.waits == 1);
}

TEST_CASE("reclaim: does not search for a finished job") {
  std::string log;
  FakeWorker worker;
  Step mine(log, 'm', worker);
  Step other(log, 'x', worker);
  worker.push(&other);
  mine.execute(&mine, worker);
  CHECK_FALSE(reclaim(worker, mine, mine.latch.core()));
  CHECK(worker.waits == 0);
  CHECK(worker.take_newest() == &other);
  CHECK(log == "m");
}
