#include "blitz/core/task_group.hpp"

#include <cstddef>
#include <exception>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "fake_worker.hpp"

using blitz::detail::current_worker;
using blitz::detail::PoolBase;
using blitz::detail::TaskGroup;
using blitz_test::FakeWorker;
using blitz_test::Job;
using blitz_test::WorkerBase;

namespace {

/// A pool that nobody works for: a group only asks which it is.
class FakePool final : public PoolBase {
 public:
  FakePool() : PoolBase({}, 1) {}
  std::size_t num_threads() const noexcept override { return 1; }
  WorkerBase& worker_base(std::size_t) noexcept override { std::terminate(); }
  void inject(Job*) noexcept override { std::terminate(); }
  void post_to(std::size_t, Job*) noexcept override { std::terminate(); }
  std::shared_ptr<void> keep_alive() noexcept override { return nullptr; }
};

/// A job of the group, in somebody's queue.
struct Member final : Job {
  explicit Member(TaskGroup& the_group)
      : Job([](Job* job, WorkerBase& worker) noexcept {
          auto& self = *static_cast<Member*>(job);
          ++self.runs;
          self.group.finished(worker);
        }),
        group(the_group) {}
  TaskGroup& group;
  int runs = 0;
};

/// Makes a worker the calling thread's while this object lives.
struct AsWorker {
  explicit AsWorker(WorkerBase& worker) { current_worker = &worker; }
  ~AsWorker() { current_worker = nullptr; }
};

void keep(TaskGroup& group, const char* message) {
  try {
    throw std::runtime_error(message);
  } catch (...) {
    group.keep_exception();
  }
}

}  // namespace

TEST_CASE("task group: without a job there is nothing to wait for") {
  FakePool pool;
  FakeWorker owner;
  for (WorkerBase* const who : {static_cast<WorkerBase*>(&owner), static_cast<WorkerBase*>(nullptr)}) {
    TaskGroup group(pool, who, {});
    CHECK(&group.pool() == &pool);
    group.wait();
    group.rethrow();
  }
  CHECK(owner.waits == 0);
}

TEST_CASE("task group: the owner runs what is in its queue, newest first, until all have ended") {
  FakePool pool;
  FakeWorker owner;
  TaskGroup group(pool, &owner, {});
  struct Stranger final : Job {
    Stranger() : Job([](Job* job, WorkerBase&) noexcept { static_cast<Stranger*>(job)->run = true; }) {}
    bool run = false;
  };
  Stranger below;
  Stranger between;
  Member first(group);
  Member second(group);
  owner.push(&below);
  group.begun(&owner);
  owner.push(&first);
  owner.push(&between);
  group.begun(&owner);
  owner.push(&second);
  group.wait();
  CHECK(first.runs == 1);
  CHECK(second.runs == 1);
  CHECK(between.run);
  CHECK_FALSE(below.run);  // The group had ended.
  CHECK(owner.take_newest() == &below);
  CHECK(owner.waits == 0);
}

TEST_CASE("task group: jobs that others end, or begin, are counted with the owner's") {
  FakePool pool;
  FakeWorker owner;
  FakeWorker thief(1);
  {
    TaskGroup group(pool, &owner, {});
    for (int i = 0; i < 3; ++i) group.begun(&owner);
    for (int i = 0; i < 3; ++i) group.finished(thief);
    group.wait();
  }
  {
    TaskGroup group(pool, &owner, {});
    for (int i = 0; i < 3; ++i) group.begun(&thief);
    for (int i = 0; i < 2; ++i) group.begun(nullptr);
    for (int i = 0; i < 5; ++i) group.finished(owner);
    group.wait();
  }
  {
    TaskGroup group(pool, nullptr, {});
    group.begun(nullptr);
    group.begun(&owner);
    group.finished(owner);
    group.finished(thief);
    group.wait();
  }
  CHECK(owner.waits == 0);
}

TEST_CASE("task group: a job that has not come about is not waited for") {
  FakePool pool;
  FakeWorker owner;
  FakeWorker other(1);
  TaskGroup group(pool, &owner, {});
  for (const WorkerBase* const worker : {static_cast<const WorkerBase*>(&owner), static_cast<const WorkerBase*>(&other),
                                         static_cast<const WorkerBase*>(nullptr)}) {
    group.begun(worker);
    group.withdrawn(worker);
  }
  group.wait();
  CHECK(owner.waits == 0);
}

TEST_CASE("task group: the owner waits as a worker for what others run, and may have a part in it") {
  FakePool pool;
  FakeWorker owner;
  FakeWorker thief(1);
  const AsWorker as_worker(owner);
  TaskGroup group(pool, &owner, {});
  for (int i = 0; i < 2; ++i) group.begun(&owner);
  owner.on_wait = [&] {
    group.finished(thief);
    group.begun(&owner);  // By a job that the owner runs while it waits.
    group.finished(owner);
    group.begun(&thief);
    group.finished(thief);
    group.finished(owner);  // The last: the latch is set, or FakeWorker::wait_until complains.
  };
  group.wait();
  CHECK(owner.waits == 1);
}

TEST_CASE("task group: a thread that is no worker blocks until all have ended") {
  FakePool pool;
  for (int round = 0; round < 200; ++round) {
    std::vector<int> written(3);
    std::optional<TaskGroup> group(std::in_place, pool, nullptr, std::stop_token());
    std::latch begun(1);
    for (std::size_t i = 0; i < written.size(); ++i) group->begun(nullptr);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < written.size(); ++i) {
      threads.emplace_back([&, i] {
        FakeWorker worker(i);
        begun.wait();
        written[i] = 1;
        group->finished(worker);  // The group may be gone.
      });
    }
    begun.count_down();
    group->wait();
    CHECK(written == std::vector<int>{1, 1, 1});
    group.reset();
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_CASE("task group: the first exception is kept") {
  FakePool pool;
  FakeWorker owner;
  TaskGroup group(pool, &owner, {});
  keep(group, "first");
  keep(group, "second");
  group.wait();
  CHECK_THROWS_WITH_AS(group.rethrow(), "first", std::runtime_error);
}

TEST_CASE("task group: an exception of another thread is there after the wait") {
  FakePool pool;
  for (int round = 0; round < 100; ++round) {
    TaskGroup group(pool, nullptr, {});
    group.begun(nullptr);
    std::thread other([&] {
      FakeWorker worker(1);
      keep(group, "from there");
      group.finished(worker);
    });
    group.wait();
    CHECK_THROWS_WITH_AS(group.rethrow(), "from there", std::runtime_error);
    other.join();
  }
}

TEST_CASE("task group: a stop is asked for once, by itself or from outside, and its tokens know") {
  FakePool pool;
  FakeWorker owner;
  std::stop_source outer;
  TaskGroup group(pool, &owner, outer.get_token());
  CHECK_FALSE(group.stop_requested());
  const std::stop_token token = group.stop_token();
  CHECK(token == group.stop_token());
  int calls = 0;
  const std::stop_callback callback(token, [&] { ++calls; });

  SUBCASE("by itself") {
    group.request_stop();
    CHECK_FALSE(outer.stop_requested());
    group.request_stop();
    outer.request_stop();
  }
  SUBCASE("from outside") {
    outer.request_stop();
    group.request_stop();
  }
  CHECK(group.stop_requested());
  CHECK(token.stop_requested());
  CHECK(group.stop_token().stop_requested());
  CHECK(calls == 1);
  group.wait();
}

TEST_CASE("task group: a stop that came before the group, and one that comes after its end") {
  FakePool pool;
  FakeWorker owner;
  std::stop_source outer;
  std::optional<TaskGroup> group(std::in_place, pool, &owner, outer.get_token());
  group->wait();
  outer.request_stop();
  CHECK_FALSE(group->stop_requested());
  group.reset();

  TaskGroup late(pool, &owner, outer.get_token());
  CHECK(late.stop_requested());
  CHECK(late.stop_token().stop_requested());
  late.wait();
}

TEST_CASE("task group: a token asked for while the stop comes, is stopped") {
  FakePool pool;
  for (int round = 0; round < 500; ++round) {
    FakeWorker owner;
    TaskGroup group(pool, &owner, {});
    std::latch both(2);
    std::thread stopper([&] {
      both.arrive_and_wait();
      group.request_stop();
    });
    both.arrive_and_wait();
    const std::stop_token token = group.stop_token();
    stopper.join();
    CHECK(token.stop_requested());
    group.wait();
  }
}
