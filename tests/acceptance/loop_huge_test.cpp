// Loops and searches with more positions than can ever be visited, which end early: all workers share each call, including
// calls after the first one, when the engine knows how long an item takes.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>

#include <blitz/algorithm.hpp>
#include <blitz/fork_join.hpp>
#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

#include "support/policies.hpp"

using namespace blitz_test;

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::array<std::uint64_t, 2> kCounts{std::uint64_t{1} << 60, kMost};

/// Counts the workers that take part in a call.
class Crew {
 public:
  explicit Crew(std::size_t workers) : workers_(workers) {}

  /// Visits an item for two microseconds. Returns whether all workers have visited one.
  bool visit() {
    const auto begin = std::chrono::steady_clock::now();
    if (!visitors_[*blitz::current_thread_index()].exchange(true)) ++count_;
    while (std::chrono::steady_clock::now() - begin < std::chrono::microseconds(2)) {
    }
    return complete();
  }
  [[nodiscard]] bool complete() const { return count_ == workers_; }

 private:
  const std::size_t workers_;
  std::array<std::atomic<bool>, 16> visitors_{};
  std::atomic<std::size_t> count_{0};
};

/// Calls `search(pool, count, is_found)` several times on each pool: it calls `is_found(i)` for some of `count` integers until
/// one call returns true.
template <class Search>
void check_shared(const Search& search) {
  for (const std::size_t size : {1, 2, 3, 16}) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    for (const std::uint64_t count : kCounts) {
      CAPTURE(count);
      for (int call = 0; call < 2; ++call) {
        CAPTURE(call);
        Crew crew(size);
        search(pool, count, [&crew](std::uint64_t) { return crew.visit(); });
        REQUIRE(crew.complete());
      }
    }
  }
}

blitz::Flow stop_if(bool found) { return found ? blitz::Flow::kStop : blitz::Flow::kContinue; }

}  // namespace

POOL_TEST_CASE("parallel_for: all workers share each call of any number of positions") {
  check_shared([](Pool& pool, std::uint64_t count, const auto& is_found) {
    blitz::parallel_for({.pool = &pool}, std::uint64_t{0}, count,
                        [&](std::uint64_t i) { return stop_if(is_found(i)); });
  });
}

POOL_TEST_CASE("parallel_for_tiles: all workers share each call of any number of tiles") {
  check_shared([](Pool& pool, std::uint64_t count, const auto& is_found) {
    const blitz::Extents<2> grid(static_cast<std::size_t>(std::min<std::uint64_t>(count, ~std::size_t{0})), 1);
    pool.install([&] {
      blitz::parallel_for_tiles(grid, blitz::Extents<2>(1, 1),
                                [&](const blitz::Tile<2>&) { return stop_if(is_found(0)); });
    });
  });
}

POOL_TEST_CASE("find_any: all workers share each call of any number of positions") {
  check_shared([](Pool& pool, std::uint64_t count, const auto& is_found) {
    pool.install([&] { CHECK(blitz::par(std::uint64_t{0}, count).find_any(is_found)); });
  });
}

POOL_TEST_CASE("any_of: all workers share each call of any number of positions") {
  check_shared([](Pool& pool, std::uint64_t count, const auto& is_found) {
    pool.install([&] { CHECK(blitz::any_of(std::views::iota(std::uint64_t{0}, count), is_found)); });
  });
}
