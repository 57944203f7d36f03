#include <latch>
#include <type_traits>
#include <utility>

#include <blitz/join.hpp>
#include <doctest/doctest.h>

#include "support/policies.hpp"

using blitz::JoinContext;
using namespace blitz_test;

TEST_CASE("join context: migrated returns the constructor's argument") {
  CHECK(JoinContext(true).migrated());
  CHECK_FALSE(JoinContext(false).migrated());
  static_assert(!std::is_default_constructible_v<JoinContext>);
}

POOL_TEST_CASE("join_context: nothing migrates in a pool of one worker") {
  Pool pool({.num_threads = 1});
  const auto migrated = [](JoinContext context) { return context.migrated(); };
  for (int i = 0; i < 100; ++i) CHECK(pool.join_context(migrated, migrated) == std::pair(false, false));
}

POOL_TEST_CASE("join_context: a callable that another worker runs has migrated") {
  for_each_size([](Pool& pool) {
    if (pool.num_threads() == 1) return;
    for (int i = 0; i < 20; ++i) {
      std::latch both(2);
      const auto meet = [&both](JoinContext context) {
        both.arrive_and_wait();
        return std::pair(context.migrated(), blitz::current_thread_index());
      };
      const auto [a, b] = pool.join_context(meet, meet);
      CHECK_FALSE(a.first);
      CHECK(b.first);
      CHECK(a.second != b.second);
    }
  });
}

POOL_TEST_CASE("join_context: a callable that was not stolen has not migrated") {
  for_each_size([](Pool& pool) {
    const std::size_t others = pool.num_threads() - 1;
    std::latch busy(static_cast<std::ptrdiff_t>(others));
    std::latch let_go(1);
    // The other workers are held, so this one runs both.
    pool.scope([&](blitz::Scope& scope) {
      for (std::size_t i = 0; i < others; ++i) {
        scope.spawn([&] {
          busy.count_down();
          let_go.wait();
        });
      }
      busy.wait();
      const auto migrated = [](JoinContext context) { return context.migrated(); };
      CHECK(blitz::join_context(migrated, migrated) == std::pair(false, false));
      let_go.count_down();
    });
  });
}

POOL_TEST_CASE("join_context: a callable that runs while the first one waits has migrated") {
  Pool pool({.num_threads = 1});
  pool.install([] {
    auto handle = blitz::async([] {});
    bool a_runs = false;
    bool on_top = false;
    const auto [a, b] = blitz::join_context(
        [&](JoinContext context) {
          a_runs = true;
          handle.get();  // The worker finds the second callable first.
          a_runs = false;
          return context.migrated();
        },
        [&](JoinContext context) {
          on_top = a_runs;
          return context.migrated();
        });
    CHECK_FALSE(a);
    CHECK(on_top);
    CHECK(b);
  });
}

POOL_TEST_CASE("join_context: the free function uses the caller's pool") {
  for_each_size([](Pool& pool) {
    pool.install([&] {
      const auto [a, b] = blitz::join_context([](JoinContext) { return blitz::current_num_threads(); },
                                              [](JoinContext) { return blitz::current_num_threads(); });
      CHECK(a == pool.num_threads());
      CHECK(b == pool.num_threads());
    });
  });
}
