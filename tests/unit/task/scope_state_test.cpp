#include "blitz/detail/task/scope_state.hpp"

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

#include "unit/fake_worker.hpp"

using blitz::detail::current_worker;
using blitz::detail::ScopeState;
using blitz_test::FakePool;
using blitz_test::FakeWorker;
using blitz_test::Job;
using blitz_test::WorkerBase;

namespace {

/// A job of the scope, in some queue.
struct Member final : Job {
  explicit Member(ScopeState& the_state)
      : Job([](Job* job, WorkerBase& worker) noexcept {
          auto& self = *static_cast<Member*>(job);
          ++self.runs;
          self.state.finished(worker);
        }),
        state(the_state) {}
  ScopeState& state;
  int runs = 0;
};

/// Makes `worker` the current worker of this thread while the object exists.
struct AsWorker {
  explicit AsWorker(WorkerBase& worker) { current_worker = &worker; }
  ~AsWorker() { current_worker = nullptr; }
};

void keep(ScopeState& state, const char* message) {
  try {
    throw std::runtime_error(message);
  } catch (...) {
    state.keep_exception();
  }
}

}  // namespace

TEST_CASE("scope state: wait returns immediately without jobs") {
  FakePool pool;
  FakeWorker owner;
  for (WorkerBase* const opener : {static_cast<WorkerBase*>(&owner), static_cast<WorkerBase*>(nullptr)}) {
    ScopeState state(pool, opener, {});
    CHECK(&state.pool() == &pool);
    state.wait();
    state.rethrow();
  }
  CHECK(owner.waits == 0);
}

TEST_CASE("scope state: the owner runs its newest jobs until the scope's jobs have ended") {
  FakePool pool;
  FakeWorker owner;
  ScopeState state(pool, &owner, {});
  struct Stranger final : Job {
    Stranger() : Job([](Job* job, WorkerBase&) noexcept { static_cast<Stranger*>(job)->run = true; }) {}
    bool run = false;
  };
  Stranger below;
  Stranger between;
  Member first(state);
  Member second(state);
  owner.push(&below);
  state.begun(&owner);
  owner.push(&first);
  owner.push(&between);
  state.begun(&owner);
  owner.push(&second);
  state.wait();
  CHECK(first.runs == 1);
  CHECK(second.runs == 1);
  CHECK(between.run);
  CHECK_FALSE(below.run);  // The scope had ended.
  CHECK(owner.take_newest() == &below);
  CHECK(owner.waits == 0);
}

TEST_CASE("scope state: counts jobs that other workers begin and end") {
  FakePool pool;
  FakeWorker owner;
  FakeWorker thief(1);
  {
    ScopeState state(pool, &owner, {});
    for (int i = 0; i < 3; ++i) state.begun(&owner);
    for (int i = 0; i < 3; ++i) state.finished(thief);
    state.wait();
  }
  {
    ScopeState state(pool, &owner, {});
    for (int i = 0; i < 3; ++i) state.begun(&thief);
    for (int i = 0; i < 2; ++i) state.begun(nullptr);
    for (int i = 0; i < 5; ++i) state.finished(owner);
    state.wait();
  }
  {
    ScopeState state(pool, nullptr, {});
    state.begun(nullptr);
    state.begun(&owner);
    state.finished(owner);
    state.finished(thief);
    state.wait();
  }
  CHECK(owner.waits == 0);
}

TEST_CASE("scope state: the owner waits as a worker for jobs that others run") {
  FakePool pool;
  FakeWorker owner;
  FakeWorker thief(1);
  const AsWorker as_worker(owner);
  ScopeState state(pool, &owner, {});
  for (int i = 0; i < 2; ++i) state.begun(&owner);
  owner.on_wait = [&] {
    state.finished(thief);
    state.begun(&owner);  // By a job that the owner runs while it waits.
    state.finished(owner);
    state.begun(&thief);
    state.finished(thief);
    state.finished(owner);  // The last: the latch is set, or FakeWorker::wait_until complains.
  };
  state.wait();
  CHECK(owner.waits == 1);
}

TEST_CASE("scope state: a thread outside the pool blocks until all jobs have ended") {
  FakePool pool;
  for (int round = 0; round < 200; ++round) {
    std::vector<int> written(3);
    std::optional<ScopeState> state(std::in_place, pool, nullptr, std::stop_token());
    std::latch begun(1);
    for (std::size_t i = 0; i < written.size(); ++i) state->begun(nullptr);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < written.size(); ++i) {
      threads.emplace_back([&, i] {
        FakeWorker worker(i);
        begun.wait();
        written[i] = 1;
        state->finished(worker);  // The state may have been destroyed.
      });
    }
    begun.count_down();
    state->wait();
    CHECK(written == std::vector<int>{1, 1, 1});
    state.reset();
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_CASE("scope state: keeps the first exception") {
  FakePool pool;
  FakeWorker owner;
  ScopeState state(pool, &owner, {});
  keep(state, "first");
  keep(state, "second");
  state.wait();
  CHECK_THROWS_WITH_AS(state.rethrow(), "first", std::runtime_error);
}

TEST_CASE("scope state: an exception of another thread is visible after the wait") {
  FakePool pool;
  for (int round = 0; round < 100; ++round) {
    ScopeState state(pool, nullptr, {});
    state.begun(nullptr);
    std::thread other([&] {
      FakeWorker worker(1);
      keep(state, "from there");
      state.finished(worker);
    });
    state.wait();
    CHECK_THROWS_WITH_AS(state.rethrow(), "from there", std::runtime_error);
    other.join();
  }
}

TEST_CASE("scope state: a stop from inside or outside happens once and reaches the tokens") {
  FakePool pool;
  FakeWorker owner;
  std::stop_source outer;
  ScopeState state(pool, &owner, outer.get_token());
  CHECK_FALSE(state.stop().requested());
  const std::stop_token token = state.stop().token();
  CHECK(token == state.stop().token());
  int calls = 0;
  const std::stop_callback callback(token, [&] { ++calls; });

  SUBCASE("by itself") {
    state.stop().request();
    CHECK_FALSE(outer.stop_requested());
    state.stop().request();
    outer.request_stop();
  }
  SUBCASE("from outside") {
    outer.request_stop();
    state.stop().request();
  }
  CHECK(state.stop().requested());
  CHECK(token.stop_requested());
  CHECK(state.stop().token().stop_requested());
  CHECK(calls == 1);
  state.wait();
}

TEST_CASE("scope state: starts stopped after an earlier stop and ignores a stop after its end") {
  FakePool pool;
  FakeWorker owner;
  std::stop_source outer;
  std::optional<ScopeState> state(std::in_place, pool, &owner, outer.get_token());
  state->wait();
  outer.request_stop();
  CHECK_FALSE(state->stop().requested());
  state.reset();

  ScopeState late(pool, &owner, outer.get_token());
  CHECK(late.stop().requested());
  CHECK(late.stop().token().stop_requested());
  late.wait();
}

TEST_CASE("scope state: a token requested during a stop is stopped") {
  FakePool pool;
  for (int round = 0; round < 500; ++round) {
    FakeWorker owner;
    ScopeState state(pool, &owner, {});
    std::latch both(2);
    std::thread stopper([&] {
      both.arrive_and_wait();
      state.stop().request();
    });
    both.arrive_and_wait();
    const std::stop_token token = state.stop().token();
    stopper.join();
    CHECK(token.stop_requested());
    state.wait();
  }
}
