// Coroutines: the last of several tasks resumes the coroutine that awaits them, and the end of a job resumes the coroutine that
// awaits its handle; once, and all earlier writes are visible.
#include "blitz/adaptor/coroutine.hpp"

#include <cstdlib>
#include <string>
#include <utility>

#include "tests/interleave/tasks.hpp"

// There is no global pool and no stop request here.
constinit blitz::detail::Atomic<blitz::detail::PoolBase*> blitz::detail::started_global_pool{nullptr};
blitz::detail::PoolBase& blitz::detail::start_global_pool() { std::abort(); }
const char* blitz::Stopped::what() const noexcept { return ""; }

namespace interleave_test {
namespace {

using blitz::sync_wait;

blitz::Task<> write(Plain<int>& result) {
  result.write(7);
  co_return;
}
blitz::Task<> write_elsewhere(Pool& pool, Plain<int>& result) {
  co_await blitz::detail::PoolAwait(pool, {});
  result.write(7);
}

blitz::Task<> both(Plain<int>& first, Plain<int>& second) {
  co_await blitz::when_all(write(first), write(second));
  expect(first.read() + second.read() == 14, "what each task wrote is seen");
}

INTERLEAVE_CASE("coroutine: two tasks, one of them stolen", .preemptions = 2, .random_schedules = 2000) {
  Pool pool(run, 2);
  bool done = false;
  add_thread(run, "owner", pool.worker(0), [&] {
    Plain<int> first{"result", 0};
    Plain<int> second{"result", 0};
    sync_wait(both(first, second));
    done = true;
  });
  add_busy_helper(run, "helper", pool.worker(1), done);
  run.go();
}

blitz::Task<> both_elsewhere(Pool& pool, Plain<int>& first, Plain<int>& second) {
  co_await blitz::when_all(write_elsewhere(pool, first), write_elsewhere(pool, second));
  expect(first.read() + second.read() == 14, "what each task wrote is seen");
}

INTERLEAVE_CASE("coroutine: tasks that end on two other threads concurrently", .preemptions = 1,
                .random_schedules = 4000) {
  Pool pool(run, 3);
  bool done = false;
  add_thread(run, "owner", pool.worker(0), [&] {
    Plain<int> first{"result", 0};
    Plain<int> second{"result", 0};
    sync_wait(both_elsewhere(pool, first, second));
    done = true;
  });
  add_busy_helper(run, "helper 1", pool.worker(1), done);
  add_busy_helper(run, "helper 2", pool.worker(2), done);
  run.go();
}

blitz::Task<> ask(Pool& pool, Plain<int>& result) {
  co_await blitz::detail::async_in(pool, [&] { result.write(7); });
  expect(result.read() == 7, "what the job wrote is seen");
}

INTERLEAVE_CASE("coroutine: a handle whose job ends as it is awaited", .preemptions = 3, .random_schedules = 2000) {
  Pool pool(run, 1);
  bool done = false;
  run.thread("caller", [&] {
    Plain<int> result{"result", 0};
    sync_wait(ask(pool, result));
    done = true;
  });
  add_busy_helper(run, "helper", pool.worker(0), done);
  run.go();
}

}  // namespace
}  // namespace interleave_test
