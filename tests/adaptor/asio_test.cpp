// A pool under Asio, and, with BLITZ_TEST_BOOST, under Boost.Asio: the threads and the order of handlers, their exceptions, the
// work that join() waits for, and that each handler is called or destroyed exactly once.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <latch>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(BLITZ_TEST_BOOST)
#include <boost/asio.hpp>

#include "blitz/adaptor/boost_asio.hpp"
namespace net = boost::asio;
using Context = blitz::BoostAsioContext;
#if defined(BOOST_ASIO_HAS_CO_AWAIT)
#define BLITZ_TEST_CO_AWAIT
#endif
#else
#include <asio.hpp>

#include "blitz/adaptor/asio.hpp"
namespace net = asio;
using Context = blitz::AsioContext;
#if defined(ASIO_HAS_CO_AWAIT)
#define BLITZ_TEST_CO_AWAIT
#endif
#endif

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#if defined(BLITZ_TEST_COUNTS_ALLOCATIONS)
#include "support/fail_each.hpp"
#endif

using blitz::AsyncThreadPool;
using blitz::ThreadPool;
using Executor = Context::executor_type;
namespace execution = net::execution;

static_assert(execution::is_executor<Executor>::value);
static_assert(std::is_convertible_v<Executor, net::any_io_executor>);
static_assert(net::can_query<Executor, execution::context_t>::value);
static_assert(net::can_require<Executor, execution::blocking_t::never_t>::value);
static_assert(net::can_require<Executor, execution::blocking_t::possibly_t>::value);
static_assert(net::can_require<Executor, execution::blocking_t::always_t>::value);
static_assert(net::can_query<Executor, execution::occupancy_t>::value);
static_assert(net::can_query<Executor, execution::mapping_t>::value);
static_assert(net::can_require<Executor, execution::relationship_t::fork_t>::value);
static_assert(net::can_require<Executor, execution::relationship_t::continuation_t>::value);
static_assert(net::can_require<Executor, execution::outstanding_work_t::tracked_t>::value);
static_assert(net::can_require<Executor, execution::outstanding_work_t::untracked_t>::value);
static_assert(net::can_require<Executor, execution::allocator_t<std::allocator<int>>>::value);

namespace {

/// Counts the living copies.
struct Alive {
  explicit Alive(std::atomic<int>& counter) noexcept : count(&counter) { ++*count; }
  Alive(const Alive& other) noexcept : count(other.count) { ++*count; }
  Alive& operator=(const Alive&) = delete;
  ~Alive() { --*count; }
  std::atomic<int>* count;
};

/// Delays a handler, so that a wrong thread has time to interfere.
void take_time() {
  for (int i = 0; i < 20; ++i) std::this_thread::yield();
}

struct Counts {
  std::atomic<int> allocated = 0;
  std::atomic<int> freed = 0;
};

template <class T>
struct CountingAllocator {
  using value_type = T;
  explicit CountingAllocator(Counts& its_counts) noexcept : counts(&its_counts) {}
  template <class U>
  CountingAllocator(const CountingAllocator<U>& other) noexcept : counts(other.counts) {}
  T* allocate(std::size_t n) {
    ++counts->allocated;
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* memory, std::size_t n) noexcept {
    ++counts->freed;
    std::allocator<T>().deallocate(memory, n);
  }
  template <class U>
  bool operator==(const CountingAllocator<U>& other) const noexcept {
    return counts == other.counts;
  }
  Counts* counts;
};

}  // namespace

TEST_CASE_TEMPLATE("asio: post, dispatch and defer run their handlers in the pool", Pool, ThreadPool, AsyncThreadPool) {
  Pool pool({.num_threads = 3});
  Context context(pool);
  std::atomic<int> in_pool = 0;
  const auto handler = [&] { in_pool += pool.current_thread_index().has_value(); };
  for (int i = 0; i < 1000; ++i) {
    net::post(context, handler);
    net::dispatch(context, handler);
    net::defer(context, handler);
  }
  net::post(context, [value = std::make_unique<int>(1), &in_pool] { in_pool += *value; });
  context.join();
  CHECK(in_pool == 3001);
}

TEST_CASE("asio: on a worker dispatch calls the handler immediately, and post and defer call it later") {
  AsyncThreadPool pool({.num_threads = 1});
  Context context(pool);
  std::string order;
  net::post(context, [&] {
    net::post(context, [&] { order += 'p'; });
    net::defer(context, [&] { order += 'd'; });
    net::dispatch(context, [&] { order += '1'; });
    order += '2';
  });
  context.join();
  CHECK(order.substr(0, 2) == "12");
  CHECK(order.size() == 4);

  AsyncThreadPool other({.num_threads = 1});
  std::optional<std::size_t> where;
  other.install([&] {
    net::dispatch(context, [&] { where = pool.current_thread_index(); });
    context.join();
  });
  CHECK(where.has_value());
}

TEST_CASE("asio: an executor keeps its properties and returns them to queries") {
  AsyncThreadPool pool({.num_threads = 1});
  Context context(pool);
  Context other(pool);
  const Executor executor = context.get_executor();
  CHECK(executor == context.get_executor());
  CHECK(executor != other.get_executor());
  CHECK(&net::query(executor, execution::context) == &context);
  CHECK(net::query(executor, execution::blocking) == execution::blocking.possibly);
  CHECK(net::query(executor, execution::relationship) == execution::relationship.fork);
  CHECK(net::query(executor, execution::outstanding_work) == execution::outstanding_work.untracked);

  const auto never = net::require(executor, execution::blocking.never, execution::relationship.continuation);
  CHECK(net::query(never, execution::blocking) == execution::blocking.never);
  CHECK(net::query(never, execution::relationship) == execution::relationship.continuation);
  CHECK(never != executor);
  CHECK(net::require(never, execution::blocking.possibly, execution::relationship.fork) == executor);

  const auto always = net::require(never, execution::blocking.always);
  CHECK(net::query(always, execution::blocking) == execution::blocking.always);
  CHECK(net::query(always, execution::relationship) == execution::relationship.continuation);
  CHECK(always != never);
  CHECK(always != net::require(always, execution::blocking.possibly));
  CHECK(net::require(always, execution::blocking.never) == never);
  CHECK(net::query(executor, execution::mapping) == execution::mapping.thread);
  CHECK(net::query(executor, execution::occupancy) == 1);
  AsyncThreadPool three({.num_threads = 3});
  Context of_three(three);
  CHECK(&net::query(net::any_io_executor(of_three.get_executor()), execution::context) == &of_three);
  CHECK(net::query(of_three.get_executor(), execution::occupancy) == 3);
  CHECK(context.executor() == executor);

  const auto tracked = net::require(never, execution::outstanding_work.tracked);
  CHECK(net::query(tracked, execution::outstanding_work) == execution::outstanding_work.tracked);
  CHECK(net::query(tracked, execution::blocking) == execution::blocking.never);
  CHECK(net::require(tracked, execution::outstanding_work.untracked) == never);

  Counts counts;
  const auto allocating = net::require(executor, execution::allocator(CountingAllocator<int>(counts)));
  CHECK(net::query(allocating, execution::allocator).counts == &counts);
  CHECK(net::require(allocating, execution::allocator) == executor);
}

TEST_CASE_TEMPLATE("asio: execute with blocking.always returns after its function has ended", Pool, ThreadPool,
                   AsyncThreadPool) {
  for (const std::size_t threads : {1, 2, 3, 16}) {
    CAPTURE(threads);
    std::atomic<int> failed = 0;
    Pool pool({.num_threads = threads, .exception_handler = [&](std::exception_ptr) { ++failed; }});
    Pool other({.num_threads = 2});
    Context context(pool);
    const auto executor = net::require(context.get_executor(), execution::blocking.always);
    CHECK_FALSE(executor.running_in_this_thread());
    int ran = 0;  // not atomic: the call orders the accesses
    const auto handler = [&, own = std::make_unique<int>(1)] { ran += executor.running_in_this_thread() ? *own : 100; };
    executor.execute(std::ref(handler));
    CHECK(ran == 1);
    net::execution::any_executor<execution::context_as_t<net::execution_context&>, execution::blocking_t::always_t>(
        executor)
        .execute(std::ref(handler));
    CHECK(ran == 2);
    // From threads of no pool, of another pool, and of this pool, also in a strand.
    std::vector<std::thread> callers;
    std::atomic<int> calls = 0;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] {
        for (int k = 1; k <= 100; ++k) {
          int mine = 0;
          executor.execute([&] { ++mine; });
          calls += mine;
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(calls == 400);
    other.install([&] { executor.execute(std::ref(handler)); });
    CHECK(ran == 3);
    net::post(net::make_strand(context), [&] {
      const int before = ran;
      executor.execute(std::ref(handler));
      calls += ran == before + 1;
    });
    context.join();
    CHECK(calls == 401);
    executor.execute([] { throw std::runtime_error("in a call that blocks"); });
    CHECK(failed == 1);
    context.stop();
    executor.execute(std::ref(handler));
    CHECK(ran == 4);
  }
}

TEST_CASE("asio: a context without a pool makes one and destroys waiting handlers with it") {
  Context of_default;
  Context of_three(3);
  CHECK(net::query(of_default.get_executor(), execution::occupancy) == ThreadPool().num_threads());
  CHECK(net::query(of_three.get_executor(), execution::occupancy) == 3);
  std::atomic<int> called = 0;
  for (int i = 0; i < 100; ++i) {
    net::post(of_default, [&] { ++called; });
    net::post(of_three, [&] { ++called; });
  }
  of_default.join();
  of_three.wait();
  CHECK(called == 200);
  // The destructor joins the threads, and destroys the handlers that have not begun.
  std::atomic<int> alive = 0;
  for (int round = 0; round < 20; ++round) {
    Context context(2);
    for (int i = 0; i < 10; ++i) net::post(context, [hold = Alive(alive)] { take_time(); });
  }
  CHECK(alive == 0);
}

TEST_CASE("asio: attach returns when another thread has joined or stopped the context") {
  for (const bool stop : {false, true}) {
    CAPTURE(stop);
    AsyncThreadPool pool({.num_threads = 2});
    Context context(pool);
    std::atomic<bool> ended = false;
    std::atomic<bool> too_early = false;
    std::atomic<int> attached = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        ++attached;
        context.attach();
        too_early = too_early || !ended;
      });
    }
    std::atomic<int> called = 0;
    for (int i = 0; i < 100; ++i) net::post(context, [&] { ++called; });
    while (attached != 3 || called != 100) std::this_thread::yield();
    // All handlers have ended, but no thread may return yet.
    take_time();
    ended = true;
    if (stop) {
      context.stop();
    } else {
      context.join();
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_FALSE(too_early);
    context.attach();  // the context has ended, so this returns immediately
  }
}

TEST_CASE("asio: the memory of a handler is freed before the handler is called") {
  AsyncThreadPool pool({.num_threads = 2});
  Context context(pool);
  Counts counts;
  const auto executor = net::require(context.get_executor(), execution::blocking.never,
                                     execution::allocator(CountingAllocator<int>(counts)));
  std::atomic<int> freed_when_called = -1;
  executor.execute([&] { freed_when_called = counts.freed.load(); });
  context.join();
  CHECK(counts.allocated == 1);
  CHECK(freed_when_called == 1);

  // A handler that is never called leaves the memory, too.
  std::atomic<int> alive = 0;
  context.stop();
  executor.execute([&, guard = Alive(alive)] { freed_when_called = -2; });
  context.join();
  CHECK(freed_when_called == 1);
  CHECK(alive == 0);
  CHECK(counts.allocated == 2);
  CHECK(counts.freed == 2);
}

#if defined(BLITZ_TEST_COUNTS_ALLOCATIONS)
// Without strands: Asio cannot make a strand if an allocation fails, because it destroys one that it has not yet written.
TEST_CASE_TEMPLATE("asio: calls throw bad_alloc and lose no handler when each allocation fails", Pool, ThreadPool,
                   AsyncThreadPool) {
  if (!blitz_test::allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  blitz_test::fail_each([](std::size_t nth) {
    Pool pool({.num_threads = 2});
    std::atomic<int> alive = 0;
    std::atomic<int> calls = 0;
    int given = 0;
    bool thrown = false;
    bool failed = false;
    {
      Context context(pool);
      const auto handler = [&calls, life = Alive(alive)] { ++calls; };
      blitz_test::fail_allocation_after(nth);
      try {
        for (; given < 60; given += 3) {
          net::post(context, handler);
          net::defer(context, handler);
          net::dispatch(context, handler);
        }
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      context.join();
      failed = blitz_test::stop_failing();
    }
    CHECK(alive == 0);
    CHECK(calls >= given);
    CHECK(calls <= given + 2);
    if (!thrown) CHECK(calls == 60);
    if (thrown) CHECK(failed);
    return failed;
  });
}
#endif

TEST_CASE_TEMPLATE("asio: a strand runs its handlers one after the other, in order", Pool, ThreadPool,
                   AsyncThreadPool) {
  Pool pool({.num_threads = 4});
  Context context(pool);
  auto strand = net::make_strand(context);
  constexpr std::size_t kPosters = 4;
  constexpr int kHandlers = 2000;
  // Neither is atomic: the strand orders the handlers.
  std::array<int, kPosters> last{};
  bool inside = false;
  std::atomic<int> wrong = 0;
  std::latch posted(kPosters);
  for (std::size_t poster = 0; poster < kPosters; ++poster) {
    net::post(context, [&, poster] {
      for (int i = 1; i <= kHandlers; ++i) {
        net::post(strand, [&, poster, i] {
          wrong += inside || ++last[poster] != i || !pool.current_thread_index();
          inside = true;
          net::dispatch(strand, [&] { wrong += !inside; });  // Immediately.
          inside = false;
        });
      }
      posted.count_down();
    });
  }
  posted.wait();
  context.join();
  CHECK(wrong == 0);
  for (const int count : last) CHECK(count == kHandlers);
}

TEST_CASE("asio: under isolate a waiting handler of a strand runs no other handler of it") {
  AsyncThreadPool pool({.num_threads = 1});
  Context context(pool);
  auto strand = net::make_strand(context);
  bool inside = false;
  int wrong = 0;
  net::post(strand, [&] {
    inside = true;
    net::post(context, [&] { net::dispatch(strand, [&] { wrong += inside; }); });
    // A waiting call may also run the handler: run all available jobs.
    blitz::isolate([&] { static_cast<void>(blitz::yield_now()); });
    inside = false;
  });
  context.join();
  CHECK(wrong == 0);
}

TEST_CASE("asio: an exception of a handler goes to the pool's exception handler") {
  std::atomic<int> handled = 0;
  std::atomic<int> went_on = 0;
  const auto count = [&](std::exception_ptr error) {
    try {
      std::rethrow_exception(std::move(error));
    } catch (const std::runtime_error&) {
      ++handled;
    }
  };
  AsyncThreadPool pool({.num_threads = 2, .exception_handler = count});
  Context context(pool);
  auto strand = net::make_strand(context);
  for (int i = 0; i < 10; ++i) {
    net::post(context, [] { throw std::runtime_error("posted"); });
    net::post(context, [&] {
      net::dispatch(context, [] { throw std::runtime_error("dispatched"); });
      ++went_on;
    });
    net::post(strand, [&] {
      ++went_on;
      throw std::runtime_error("in a strand");
    });
  }
  context.join();
  CHECK(handled == 30);
  CHECK(went_on == 20);
}

TEST_CASE("asio: join waits for outstanding work") {
  AsyncThreadPool pool({.num_threads = 2});
  Context context(pool);
  std::optional guard = net::make_work_guard(context);
  auto copy = net::require(context.get_executor(), execution::outstanding_work.tracked);
  auto moved = std::move(copy);
  copy = moved;
  std::atomic<bool> released = false;
  std::thread other([&, executor = moved]() mutable {
    guard.reset();
    take_time();
    executor.execute([&released] {
      take_time();
      released = true;
    });
    // The last one, after the others have been destroyed.
    auto last = std::move(executor);
  });
  {
    const auto end = std::move(moved);
    const auto end_of_copy = std::move(copy);
  }
  context.join();
  CHECK(released);
  other.join();

  // The context can be used again.
  net::post(context, [&] { released = false; });
  context.join();
  CHECK_FALSE(released);
}

TEST_CASE("asio: a stopped context destroys handlers without calling them and does not wait") {
  AsyncThreadPool pool({.num_threads = 1});
  std::atomic<int> alive = 0;
  std::atomic<int> called = 0;
  Context context(pool);
  auto strand = net::make_strand(context);
  const auto guard = net::make_work_guard(context);
  std::latch begun(1);
  std::latch go_on(1);
  net::post(context, [&, hold = Alive(alive)] {
    begun.count_down();
    go_on.wait();
    ++called;
  });
  begun.wait();
  for (int i = 0; i < 10; ++i) {
    net::post(context, [&, hold = Alive(alive)] { ++called; });
    net::post(strand, [&, hold = Alive(alive)] { ++called; });
  }
  CHECK_FALSE(context.stopped());
  context.stop();
  CHECK(context.stopped());
  go_on.count_down();
  context.join();
  CHECK(called == 1);
  const auto later = net::require(context.get_executor(), execution::outstanding_work.tracked);
  net::post(context, [&, hold = Alive(alive)] { ++called; });
  context.join();
  CHECK(called == 1);
  CHECK(alive <= 10);  // The strand's handlers, until the context is destroyed.
}

TEST_CASE("asio: the end of a context destroys waiting handlers") {
  AsyncThreadPool pool({.num_threads = 2});
  std::atomic<int> alive = 0;
  std::atomic<int> called = 0;
  for (int round = 0; round < 50; ++round) {
    std::optional<net::steady_timer> timer;
    std::optional<Context> context(std::in_place, pool);
    timer.emplace(*context, std::chrono::hours(1));
    timer->async_wait([&, guard = net::make_work_guard(*context), hold = Alive(alive)](auto) { ++called; });
    for (int i = 0; i < 10; ++i) {
      net::post(net::make_strand(*context), [&, hold = Alive(alive)] { take_time(); });
      // A handler with a destructor that posts another one.
      struct Poster {
        Poster(Context& its_context, std::atomic<int>& counter) : context(&its_context), hold(counter) {}
        Poster(Poster&& other) noexcept : context(std::exchange(other.context, nullptr)), hold(other.hold) {}
        ~Poster() {
          if (context != nullptr) net::post(*context, [copy = hold] {});
        }
        void operator()() const {}
        Context* context;
        Alive hold;
      };
      net::post(*context, Poster(*context, alive));
    }
    timer.reset();
    context.reset();
    CHECK(alive == 0);
  }
  // The timer's handler gets operation_aborted if the context has not been stopped before.
  CHECK(called <= 50);
}

TEST_CASE("asio: timers of an io_context and of the context itself call handlers in the pool") {
  AsyncThreadPool pool({.num_threads = 2});
  Context context(pool);
  std::atomic<int> in_pool = 0;
  const auto handler = [&](auto error) { in_pool += !error && pool.current_thread_index().has_value(); };

  net::io_context io;
  net::steady_timer first(io, std::chrono::milliseconds(1));
  net::steady_timer second(io, std::chrono::milliseconds(1));
  first.async_wait(net::bind_executor(context, handler));
  second.async_wait(net::bind_executor(net::make_strand(context), handler));
  net::steady_timer own(context, std::chrono::milliseconds(1));
  own.async_wait(handler);
  io.run();
  context.join();
  CHECK(in_pool == 3);
}

#if defined(BLITZ_TEST_CO_AWAIT)

namespace {

/// Goes to `there` and back to its own executor, `count` times. Returns how often it was not in `pool`.
net::awaitable<int> hops(AsyncThreadPool& pool, Context& there, int count) {
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    co_await net::post(there, net::use_awaitable);
    wrong += !pool.current_thread_index();
  }
  co_return wrong;
}

net::awaitable<void> fails(Context& context) {
  co_await net::post(context, net::use_awaitable);
  throw std::runtime_error("failed");
}

net::awaitable<std::size_t> echo(net::local::stream_protocol::socket socket) {
  std::array<char, 64> buffer{};
  std::size_t total = 0;
  for (std::size_t left = 1000; left > 0; --left) {
    const std::size_t size = co_await socket.async_read_some(net::buffer(buffer), net::use_awaitable);
    co_await net::async_write(socket, net::buffer(buffer, size), net::use_awaitable);
    total += size;
  }
  co_return total;
}

net::awaitable<std::size_t> ping(net::local::stream_protocol::socket socket) {
  std::array<char, 64> buffer{};
  std::size_t total = 0;
  for (std::size_t left = 1000; left > 0; --left) {
    co_await net::async_write(socket, net::buffer("ping", 4), net::use_awaitable);
    total += co_await net::async_read(socket, net::buffer(buffer, 4), net::use_awaitable);
  }
  co_return total;
}

}  // namespace

TEST_CASE("asio: coroutines resume in the pool that they name and pass on exceptions") {
  AsyncThreadPool pool({.num_threads = 2});
  ThreadPool other({.num_threads = 1});
  Context context(pool);
  Context there(other);
  std::atomic<int> ended = 0;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 10; ++i) {
    net::co_spawn(net::make_strand(context), hops(pool, there, 100), [&](std::exception_ptr error, int result) {
      wrong += error != nullptr || result != 0 || !pool.current_thread_index();
      ++ended;
    });
    net::co_spawn(net::any_io_executor(context.get_executor()), fails(context), [&](std::exception_ptr error) {
      wrong += error == nullptr;
      ++ended;
    });
  }
  context.join();
  CHECK(ended == 20);
  CHECK(wrong == 0);
}

TEST_CASE("asio: coroutines read and write sockets of the context") {
  AsyncThreadPool pool({.num_threads = 2});
  Context context(pool);
  net::local::stream_protocol::socket a(context);
  net::local::stream_protocol::socket b(context);
  net::local::connect_pair(a, b);
  std::atomic<std::size_t> bytes = 0;
  const auto add = [&](std::exception_ptr error, std::size_t count) { bytes += error == nullptr ? count : 1; };
  net::co_spawn(context, echo(std::move(a)), add);
  net::co_spawn(context, ping(std::move(b)), add);
  context.join();
  CHECK(bytes == 8000);
}

namespace {

using Tcp = net::ip::tcp;

/// Answers until the client closes its connection.
net::awaitable<void> answer(Tcp::socket socket, AsyncThreadPool& pool, std::atomic<int>& elsewhere) {
  std::array<char, 64> buffer{};
  try {
    for (;;) {
      const std::size_t size = co_await socket.async_read_some(net::buffer(buffer), net::use_awaitable);
      elsewhere += !pool.current_thread_index();
      co_await net::async_write(socket, net::buffer(buffer, size), net::use_awaitable);
    }
  } catch (const std::exception&) {
    // The connection was closed.
  }
}

/// Accepts `count` connections with sockets of `io`, and answers them on `context`.
template <class Io>
net::awaitable<void> serve(Context& context, AsyncThreadPool& pool, Io& io, Tcp::acceptor& acceptor, int count,
                           std::atomic<int>& elsewhere) {
  for (int i = 0; i < count; ++i) {
    Tcp::socket socket = co_await acceptor.async_accept(io, net::use_awaitable);
    elsewhere += !pool.current_thread_index();
    net::co_spawn(context, answer(std::move(socket), pool, elsewhere), net::detached);
  }
}

/// Connections of blocking clients, one thread each. Returns the number of wrong answers.
int ask(const Tcp::endpoint& server, int clients, int requests) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      net::io_context io;
      Tcp::socket socket(io);
      socket.connect(server);
      for (int k = 0; k < requests; ++k) {
        const std::array<char, 4> request{'a', static_cast<char>(i), static_cast<char>(k), 'z'};
        std::array<char, 4> reply{};
        net::write(socket, net::buffer(request));
        net::read(socket, net::buffer(reply));
        wrong += reply != request;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

}  // namespace

TEST_CASE("asio: a server of coroutines resumes in the pool, with sockets of any context") {
  constexpr int kClients = 4;
  for (const std::size_t threads : {1, 2, 3, 16}) {
    CAPTURE(threads);
    AsyncThreadPool pool({.num_threads = threads});
    std::atomic<int> elsewhere = 0;
    {
      Context context(pool);
      Tcp::acceptor acceptor(context, Tcp::endpoint(net::ip::address_v4::loopback(), 0));
      net::co_spawn(context, serve(context, pool, context, acceptor, kClients, elsewhere), net::detached);
      CHECK(ask(acceptor.local_endpoint(), kClients, 50) == 0);
      context.join();
    }
    net::io_context io;
    auto guard = std::make_optional(net::make_work_guard(io));
    std::thread poller([&] { io.run(); });
    {
      Context context(pool);
      Tcp::acceptor acceptor(io, Tcp::endpoint(net::ip::address_v4::loopback(), 0));
      net::co_spawn(context, serve(context, pool, io, acceptor, kClients, elsewhere), net::detached);
      CHECK(ask(acceptor.local_endpoint(), kClients, 50) == 0);
      context.join();
    }
    guard.reset();
    poller.join();
    CHECK(elsewhere == 0);
  }
}

TEST_CASE("asio: the end of a context destroys waiting coroutines") {
  AsyncThreadPool pool({.num_threads = 2});
  std::atomic<int> alive = 0;
  {
    Context context(pool);
    std::latch waits(1);
    const auto wait = [&](Alive) -> net::awaitable<void> {
      net::steady_timer timer(context, std::chrono::hours(1));
      waits.count_down();
      co_await timer.async_wait(net::use_awaitable);
    };
    net::co_spawn(context, wait(Alive(alive)), net::detached);
    waits.wait();
  }
  CHECK(alive == 0);
}

#endif
