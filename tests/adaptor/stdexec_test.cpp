// A pool under stdexec: its algorithms and its bulk, on the threads of the pool. Debian has no package of stdexec:
// docs/senders.md explains how to run this test. Also compiled with stdexec in other namespaces, by STDEXEC_NAMESPACE.
#include "blitz/adaptor/stdexec.hpp"

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>
#include <stdexec/execution.hpp>

#if defined(__cpp_impl_coroutine) && (!defined(__clang__) || __clang_major__ >= 19)
#define BLITZ_TEST_COROUTINES
#include "blitz/adaptor/coroutine.hpp"
#endif

using blitz::AsyncThreadPool;
using blitz::StdexecScheduler;
using namespace STDEXEC;

static_assert(scheduler<StdexecScheduler>);
static_assert(sender<decltype(StdexecScheduler(std::declval<AsyncThreadPool&>()).schedule())>);

TEST_CASE("stdexec: the scheduler and its senders return the scheduler to queries") {
  AsyncThreadPool pool({.num_threads = 2});
  AsyncThreadPool other({.num_threads = 1});
  const StdexecScheduler on_pool(pool);
  CHECK(on_pool == StdexecScheduler(pool));
  CHECK(on_pool != StdexecScheduler(other));
  CHECK(get_forward_progress_guarantee(on_pool) == forward_progress_guarantee::parallel);
  CHECK(get_completion_scheduler<set_value_t>(on_pool) == on_pool);
  const auto attributes = get_env(schedule(on_pool));
  CHECK(get_completion_scheduler<set_value_t>(attributes) == on_pool);
  CHECK(get_completion_scheduler<set_stopped_t>(attributes) == on_pool);
  // The attributes of senders that algorithms make of it.
  CHECK(get_completion_scheduler<set_value_t>(get_env(schedule(on_pool) | then([] {})), env<>{}) == on_pool);
  CHECK(get_completion_scheduler<set_value_t>(get_env(just(1) | continues_on(on_pool)), env<>{}) == on_pool);
}

TEST_CASE("stdexec: algorithms run in the pool of their scheduler") {
  AsyncThreadPool here({.num_threads = 2});
  AsyncThreadPool there({.num_threads = 1});
  const StdexecScheduler on_here(here);
  const StdexecScheduler on_there(there);
  const auto in_here = [&](auto... values) { return here.current_thread_index() ? (1 + ... + values) : 0; };
  const auto in_there = [&](auto... values) { return there.current_thread_index() ? (1 + ... + values) : 0; };

  CHECK(std::get<0>(sync_wait(schedule(on_here) | then(in_here)).value()) == 1);
  CHECK(std::get<0>(sync_wait(starts_on(on_here, just(2)) | then(in_here)).value()) == 3);
  CHECK(std::get<0>(sync_wait(starts_on(on_here, just(2)) | continues_on(on_there) | then(in_there)).value()) == 3);
  CHECK(std::get<0>(sync_wait(on(on_here, just(2) | then(in_here))).value()) == 3);
  const auto again = [&](int value) {
    return schedule(on_there) | then([&in_there, value] { return in_there(value); });
  };
  CHECK(std::get<0>(sync_wait(schedule(on_here) | then(in_here) | let_value(again)).value()) == 2);
  const auto [x, y] =
      sync_wait(when_all(schedule(on_here) | then(in_here), schedule(on_there) | then(in_there))).value();
  CHECK(x + y == 2);
}

TEST_CASE("stdexec: bulk runs as a loop of the pool") {
  AsyncThreadPool pool({.num_threads = 2});
  const StdexecScheduler on_pool(pool);
  std::vector<int> calls(10'000, 0);
  std::atomic<int> elsewhere = 0;
  std::atomic<int> blocks = 0;
  const auto call = [&](std::size_t i) {
    ++calls[i];
    elsewhere += !pool.current_thread_index();
  };
  sync_wait(schedule(on_pool) | bulk(par, calls.size(), call));
  sync_wait(schedule(on_pool) | bulk_unchunked(par_unseq, calls.size(), call));
  const auto in_blocks = [&](std::size_t begin, std::size_t end, int& value) {
    ++blocks;
    for (; begin != end; ++begin) calls[begin] += value;
  };
  const auto [five] =
      sync_wait(schedule(on_pool) | then([] { return 5; }) | bulk_chunked(par, calls.size(), in_blocks)).value();
  CHECK(five == 5);
  CHECK(blocks > 1);
  sync_wait(schedule(on_pool) | bulk(seq, calls.size(), call));
  CHECK(calls == std::vector<int>(calls.size(), 8));
  CHECK(elsewhere == 0);
}

TEST_CASE("stdexec: sync_wait throws exceptions of functions and of a pool that was shut down") {
  AsyncThreadPool pool({.num_threads = 2});
  const StdexecScheduler on_pool(pool);
  const auto fail = [](auto... values) {
    if ((1 + ... + values) != 51) return;
    throw std::runtime_error("thrown");
  };
  CHECK_THROWS_WITH(sync_wait(schedule(on_pool) | bulk(par, 100, fail)), "thrown");
  CHECK_THROWS_WITH(sync_wait(schedule(on_pool) | then([&] { fail(50); })), "thrown");
  pool.shutdown();
  CHECK_THROWS_AS(sync_wait(schedule(on_pool)), blitz::ThreadPoolError);
}

TEST_CASE("stdexec: a stop request ends a bulk and later work") {
  AsyncThreadPool pool({.num_threads = 2});
  const StdexecScheduler on_pool(pool);
  inplace_stop_source source;
  std::atomic<int> calls = 0;
  const auto stop = [&](int) {
    ++calls;
    source.request_stop();
  };
  const prop token{get_stop_token, source.get_token()};
  CHECK_FALSE(sync_wait(write_env(schedule(on_pool) | bulk(par, 1'000'000, stop), token)).has_value());
  CHECK(calls > 0);
  CHECK(calls < 1'000'000);
  CHECK_FALSE(sync_wait(write_env(schedule(on_pool) | then([&] { calls = -1; }), token)).has_value());
  CHECK(calls > 0);
}

#if defined(BLITZ_TEST_COROUTINES)
TEST_CASE("stdexec: a task is a sender") {
  AsyncThreadPool pool({.num_threads = 1});
  const auto task = [](AsyncThreadPool& its_pool) -> blitz::Task<bool> {
    co_await its_pool.schedule();
    co_return its_pool.current_thread_index().has_value();
  };
  CHECK(std::get<0>(sync_wait(task(pool)).value()));
}
#endif
