// Handlers on a pool under Asio, compared with asio::thread_pool on the same number of threads: nanoseconds per handler, the
// minimum of several rounds. The two take turns.
//
//   g++ -std=c++20 -O3 bench/adaptors/asio.cpp $(pkg-config --cflags --libs blitz) -o asio && ./asio [threads]
//
// Needs libasio-dev. With -DBENCH_BOOST it uses Boost.Asio.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#if defined(BENCH_BOOST)
#include <boost/asio.hpp>

#include "blitz/adaptor/boost_asio.hpp"
namespace net = boost::asio;
using BlitzContext = blitz::BoostAsioContext;
#else
#include <asio.hpp>

#include "blitz/adaptor/asio.hpp"
namespace net = asio;
using BlitzContext = blitz::AsioContext;
#endif

#include "blitz/blitz.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kHandlers = 400'000;

struct OnAsio {
  explicit OnAsio(std::size_t threads) : context(threads) {}
  net::thread_pool context;
};

struct OnBlitz {
  explicit OnBlitz(std::size_t threads) : pool({.num_threads = threads}), context(pool) {}
  blitz::AsyncThreadPool pool;
  BlitzContext context;
};

/// `f(context)` posts handlers to the context; the time ends when all are done. A thread_pool cannot be used again after
/// join(), so each call has a new one. Its threads are started untimed.
template <class Pool, class F>
double once(std::size_t threads, const F& f) {
  Pool pool(threads);
  net::post(pool.context, [] {});
  const auto start = Clock::now();
  f(pool.context);
  pool.context.join();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kHandlers;
}

template <class F>
void compare(const char* name, std::size_t threads, const F& f) {
  double on_asio = 1e18;
  double on_blitz = 1e18;
  for (int round = 0; round < 5; ++round) {
    on_asio = std::min(on_asio, once<OnAsio>(threads, f));
    on_blitz = std::min(on_blitz, once<OnBlitz>(threads, f));
  }
  std::printf("| %s | %.0f ns | %.0f ns | %.2f |\n", name, on_asio, on_blitz, on_blitz / on_asio);
}

template <class Executor>
struct Tree {  // posts two more, for `left` handlers in all
  void operator()() const {
    if (left == 1) return;
    net::post(executor, Tree{executor, left / 2});
    if (left > 2) net::post(executor, Tree{executor, left - 1 - left / 2});
  }
  Executor executor;
  int left;
};

template <class Executor>
struct Chain {
  void operator()() const {
    if (left > 1) net::post(executor, Chain{executor, left - 1});
  }
  Executor executor;
  int left;
};

net::awaitable<void> hops(int count) {
  for (; count > 0; --count) co_await net::post(net::use_awaitable);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t threads = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2;
  std::printf("| %zu threads, each handler | thread_pool | blitz | ratio |\n|---|---:|---:|---:|\n", threads);
  compare("posted by a thread outside", threads, [](auto& context) {
    for (int i = 0; i < kHandlers; ++i) net::post(context, [] {});
  });
  compare("posted by handlers, two each", threads, [](auto& context) {
    auto executor = context.get_executor();
    net::post(context, Tree<decltype(executor)>{executor, kHandlers});
  });
  compare("posted by the one before it", threads, [](auto& context) {
    auto executor = context.get_executor();
    net::post(context, Chain<decltype(executor)>{executor, kHandlers});
  });
  compare("posted to 4 strands", threads, [](auto& context) {
    std::vector<decltype(net::make_strand(context))> strands;
    for (int i = 0; i < 4; ++i) strands.push_back(net::make_strand(context));
    for (int i = 0; i < kHandlers; ++i) net::post(strands[static_cast<std::size_t>(i % 4)], [] {});
  });
  compare("`co_await post`, 1 coroutine", threads,
          [](auto& context) { net::co_spawn(context, hops(kHandlers), net::detached); });
  compare("`co_await post`, 100 coroutines", threads, [](auto& context) {
    for (int i = 0; i < 100; ++i) net::co_spawn(context, hops(kHandlers / 100), net::detached);
  });
}
