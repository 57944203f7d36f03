// A pool as a scheduler with the concepts of C++26, and with receivers of this test: the completion function that is called,
// its thread, and that nothing is allocated. stdexec is tested by hand: docs/senders.md.
#include "blitz/adaptor/sender.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/fail_each.hpp"
#include "support/failing_new.hpp"

using blitz::AsyncThreadPool;
using blitz::PoolScheduler;
using blitz::ThreadPool;

namespace {

/// How an operation completes. It may be destroyed as soon as wait() has returned.
struct Outcome {
  void wait() {
    std::unique_lock lock(mutex);
    completed.wait(lock, [this] { return !what.empty(); });
  }

  std::mutex mutex;
  std::condition_variable completed;
  std::string what;
  bool in_pool = false;
  int value = 0;
};

/// A receiver for operations of a pool, with a stop token.
template <class Pool>
struct Receiver {
  template <class... Values>
  void set_value(Values... values) && noexcept {
    ((outcome->value = values), ...);
    end("value");
  }
  void set_error(std::exception_ptr error) && noexcept {
    try {
      std::rethrow_exception(std::move(error));
    } catch (const std::exception& exception) {
      end(exception.what());
    }
  }
  void set_stopped() && noexcept { end("stopped"); }

  struct Env {
    [[nodiscard]] std::stop_token query(blitz::GetStopToken) const noexcept { return stop; }
    std::stop_token stop;
  };
  [[nodiscard]] Env get_env() const noexcept { return {stop}; }

  void end(const char* what) const {
    const std::lock_guard lock(outcome->mutex);
    outcome->in_pool = pool->current_thread_index().has_value();
    outcome->what = what;
    outcome->completed.notify_one();  // Under the mutex: afterwards both may be destroyed.
  }

  Outcome* outcome;
  Pool* pool;
  std::stop_token stop{};
};

/// A sender that completes immediately, with 7.
struct Seven {
  template <class R>
  struct Operation {
    void start() & noexcept { std::move(receiver).set_value(7); }
    R receiver;
  };
  template <class R>
  [[nodiscard]] Operation<R> connect(R receiver) const {
    return {std::move(receiver)};
  }
};

template <class Pool, class Sender>
void run(Pool& pool, Sender&& sender, Outcome& outcome, std::stop_token stop = {}) {
  auto operation = std::forward<Sender>(sender).connect(Receiver<Pool>{&outcome, &pool, std::move(stop)});
  operation.start();
  outcome.wait();
}

}  // namespace

TEST_CASE_TEMPLATE("sender: a schedule completes on a worker", Pool, ThreadPool, AsyncThreadPool) {
  Pool pool({.num_threads = 2});
  Pool other({.num_threads = 2});
  const PoolScheduler scheduler(pool);
  CHECK(scheduler == PoolScheduler(pool));
  CHECK(scheduler != PoolScheduler(other));
  for (int i = 0; i < 1000; ++i) {
    Outcome outcome;
    run(pool, scheduler.schedule(), outcome);
    CHECK(outcome.what == "value");
    CHECK(outcome.in_pool);
  }
}

TEST_CASE("sender: schedule completes with stopped after a stop request") {
  AsyncThreadPool pool({.num_threads = 2});
  std::stop_source source;
  Outcome before;
  run(pool, PoolScheduler(pool).schedule(), before, source.get_token());
  CHECK(before.what == "value");
  source.request_stop();
  Outcome after;
  run(pool, PoolScheduler(pool).schedule(), after, source.get_token());
  CHECK(after.what == "stopped");
  CHECK(after.in_pool);
}

TEST_CASE("sender: schedule completes with an error if the pool was shut down") {
  AsyncThreadPool pool({.num_threads = 1});
  const PoolScheduler scheduler(pool);
  pool.shutdown();
  Outcome outcome;
  run(pool, scheduler.schedule(), outcome);
  CHECK(outcome.what.find("shut down") != std::string::npos);
}

TEST_CASE("sender: the end of the pool waits for operations") {
  std::array<Outcome, 100> outcomes;
  {
    AsyncThreadPool pool({.num_threads = 2});
    using Operation = decltype(PoolScheduler(pool).schedule().connect(Receiver<AsyncThreadPool>{}));
    std::vector<std::unique_ptr<Operation>> operations;
    for (Outcome& outcome : outcomes) {
      operations.emplace_back(
          new Operation(PoolScheduler(pool).schedule().connect(Receiver<AsyncThreadPool>{&outcome, &pool})));
      operations.back()->start();
    }
    pool.shutdown();
  }
  for (const Outcome& outcome : outcomes) CHECK(outcome.what == "value");
}

TEST_CASE_TEMPLATE("sender: bulk calls its body for each integer, and passes values on", Pool, ThreadPool,
                   AsyncThreadPool) {
  Pool pool({.num_threads = 3});
  const PoolScheduler scheduler(pool);
  std::vector<int> calls(10'000, 0);
  std::atomic<int> elsewhere = 0;
  Outcome outcome;
  run(pool,
      blitz::bulk(scheduler.schedule(), 10'000,
                  [&](int i) {
                    ++calls[static_cast<std::size_t>(i)];
                    elsewhere += !pool.current_thread_index();
                  }),
      outcome);
  CHECK(outcome.what == "value");
  CHECK(calls == std::vector<int>(10'000, 1));
  CHECK(elsewhere == 0);

  // After another bulk, and after a sender with a value.
  Outcome none;
  run(pool,
      blitz::bulk(blitz::bulk(scheduler.schedule(), -1, [&](int) { ++elsewhere; }), 5U,
                  [&](unsigned i) { ++calls[i]; }),
      none);
  CHECK(elsewhere == 0);
  CHECK(calls[4] == 2);
  CHECK(calls[5] == 1);
  Outcome seven;
  std::atomic<int> sum = 0;
  const auto add = blitz::bulk(Seven(), 10, [&](int i, int& value) { sum += i * value; });
  pool.install([&] { run(pool, add, seven); });
  CHECK(sum == 315);
  CHECK(seven.value == 7);
}

TEST_CASE("sender: an exception of the body and a stop request end a bulk") {
  AsyncThreadPool pool({.num_threads = 2});
  const PoolScheduler scheduler(pool);
  Outcome thrown;
  run(pool,
      blitz::bulk(scheduler.schedule(), 1000,
                  [](int i) {
                    if (i == 500) throw std::runtime_error("thrown");
                  }),
      thrown);
  CHECK(thrown.what == "thrown");

  std::stop_source source;
  std::atomic<int> calls = 0;
  Outcome stopped;
  run(pool,
      blitz::bulk(scheduler.schedule(), 1'000'000,
                  [&](int) {
                    ++calls;
                    source.request_stop();
                  }),
      stopped, source.get_token());
  CHECK(stopped.what == "stopped");
  CHECK(calls < 1'000'000);

  Outcome before;
  run(pool, blitz::bulk(scheduler.schedule(), 10, [&](int) { calls = -1; }), before, source.get_token());
  CHECK(before.what == "stopped");
  CHECK(calls > 0);
}

#if defined(BLITZ_TEST_COUNTS_ALLOCATIONS)
TEST_CASE("sender: calls allocate no memory besides the operation state") {
  AsyncThreadPool pool({.num_threads = 1});
  const PoolScheduler scheduler(pool);
  std::atomic<long> calls = 0;
  std::size_t before = 0;
  for (int round = 0; round < 3; ++round) {
    before = blitz_test::allocations();
    Outcome outcome;
    run(pool, blitz::bulk(scheduler.schedule(), 1000, [&](int) { ++calls; }), outcome);
  }
  CHECK(blitz_test::allocations() == before);
  CHECK(calls == 3000);
}

TEST_CASE_TEMPLATE("sender: bulk completes with bad_alloc or runs fully when each allocation fails", Pool, ThreadPool,
                   AsyncThreadPool) {
  if (!blitz_test::allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  for (const std::size_t size : {1, 2, 4}) {
    CAPTURE(size);
    blitz_test::fail_each([size](std::size_t nth) {
      Pool pool({.num_threads = size});
      const PoolScheduler scheduler(pool);
      std::atomic<int> calls = 0;
      bool failed = false;
      std::string what;
      {
        Outcome outcome;
        blitz_test::fail_allocation_after(nth);
        run(pool, blitz::bulk(scheduler.schedule(), 1000, [&](int) { ++calls; }), outcome);
        failed = blitz_test::stop_failing();
        what = outcome.what;
      }
      if (what == "value") {
        CHECK(calls == 1000);
      } else {
        CHECK(failed);
        CHECK(what == std::bad_alloc().what());
      }
      Outcome after;
      run(pool, scheduler.schedule(), after);
      CHECK(after.what == "value");
      return failed;
    });
  }
}
#endif
