// The global pool in most programs: its first use starts it.
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/environment.hpp"

namespace {

std::string message_of(void (*f)()) {
  try {
    f();
  } catch (const blitz::ThreadPoolError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

// One test case, because the order of events of the global pool matters.
TEST_CASE("global pool: its first use starts it and shutdown_global_pool ends it permanently") {
  blitz_test::set_environment("BLITZ_NUM_THREADS", "3");
  CHECK(blitz::current_thread_index() == std::nullopt);

  // Several threads make the first use concurrently.
  std::vector<std::size_t> counts(4);
  std::vector<blitz::ThreadPool*> pools(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    threads.emplace_back([&counts, &pools, i] {
      const auto [count, pool] =
          blitz::join([] { return blitz::current_num_threads(); }, [] { return &blitz::global_pool(); });
      counts[i] = count;
      pools[i] = pool;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(counts == std::vector<std::size_t>(4, 3));
  CHECK(pools == std::vector<blitz::ThreadPool*>(4, &blitz::global_pool()));
  CHECK(blitz::current_num_threads() == 3);
  CHECK(blitz::global_pool().num_threads() == 3);

  CHECK(message_of([] { blitz::init_global_pool({.num_threads = 2}); }).find("already") != std::string::npos);
  CHECK(blitz::current_num_threads() == 3);

  int sum = 0;
  blitz::parallel_for(0, 10, [&](int i) { std::atomic_ref(sum) += i; });
  CHECK(sum == 45);
  CHECK(blitz::global_pool().current_thread_index() == std::nullopt);
  blitz::join([] { CHECK(blitz::global_pool().current_thread_index().has_value()); }, [] {});

  // A worker of another pool uses its own pool, not the global one.
  blitz::ThreadPool own({.num_threads = 2});
  own.install([] { CHECK(blitz::current_num_threads() == 2); });

  blitz::shutdown_global_pool();
  blitz::shutdown_global_pool();
  CHECK(message_of([] { blitz::join([] {}, [] {}); }) != "");
  CHECK(message_of([] { blitz::join([] {}, [] {}, [] {}); }) != "");
  CHECK(message_of([] { blitz::parallel_for(0, 3, [](int) {}); }) != "");
  CHECK(message_of([] { (void)blitz::current_num_threads(); }) != "");
  CHECK(message_of([] { (void)blitz::global_pool(); }).find("shut down") != std::string::npos);
  CHECK(message_of([] { blitz::init_global_pool({}); }) != "");

  // Other pools are not affected.
  own.install([] { CHECK(blitz::join([] { return 1; }, [] { return 2; }) == std::pair(1, 2)); });
}
