/// The pools that random programs run in, and the free functions with the names of their members.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <variant>

#include <blitz/fork_join.hpp>

#include "program.hpp"
#include "program_trace.hpp"
#include "support/in_pool.hpp"

namespace blitz_test::program {

/// The three pools of a program, of either policy.
class Pools {
 public:
  using Options = blitz::ThreadPoolOptions;
  using AnyPool = std::variant<std::monostate, blitz::ThreadPool, blitz::AsyncThreadPool>;

  struct Shape {
    std::size_t threads;
    bool async;
    std::size_t max_nested_waits = Options{}.max_nested_waits;
  };

  Pools(Shape home, Shape other, Shape last) {
    make(Place::kHome, home);
    make(Place::kOther, other);
    make(Place::kLast, last);
  }

  /// Calls `use(pool)` with the pool at `place`.
  template <class Use>
  decltype(auto) at(Place place, Use&& use) {
    AnyPool& pool = pools_[static_cast<std::size_t>(place)];
    if (auto* const fork_join = std::get_if<blitz::ThreadPool>(&pool)) return use(*fork_join);
    return use(std::get<blitz::AsyncThreadPool>(pool));
  }

  [[nodiscard]] std::size_t num_threads(Place place) {
    return at(place, [](auto& pool) { return pool.num_threads(); });
  }
  [[nodiscard]] bool here(Place place) {
    return at(place, [](auto& pool) { return pool.current_thread_index().has_value(); });
  }
  template <class Use>
  void for_each(Use&& use) {
    for (const Place place : {Place::kHome, Place::kOther, Place::kLast}) at(place, use);
  }

 private:
  void make(Place place, Shape shape) {
    const Options options{
        .num_threads = shape.threads, .exception_handler = &Trace::handle, .max_nested_waits = shape.max_nested_waits};
    AnyPool& pool = pools_[static_cast<std::size_t>(place)];
    if (shape.async) {
      pool.emplace<blitz::AsyncThreadPool>(options);
    } else {
      pool.emplace<blitz::ThreadPool>(options);
    }
  }

  std::array<AnyPool, 3> pools_;
};

/// The free functions, with the names of a pool's members.
struct FreeCalls {
#define BLITZ_TEST_FREE(name)                        \
  template <class... Args>                           \
  decltype(auto) name(Args&&... args) const {        \
    return blitz::name(std::forward<Args>(args)...); \
  }
  BLITZ_TEST_FREE(join)
  BLITZ_TEST_FREE(join_context)
  BLITZ_TEST_FREE(parallel_invoke)
  BLITZ_TEST_FREE(async)
  BLITZ_TEST_FREE(spawn)
  BLITZ_TEST_FREE(spawn_fifo)
  BLITZ_TEST_FREE(spawn_broadcast)
  BLITZ_TEST_FREE(broadcast)
#undef BLITZ_TEST_FREE
};

}  // namespace blitz_test::program
