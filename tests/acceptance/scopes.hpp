/// Helpers shared by the tests of scopes and spawns: ways to open a scope, counted closures, and busy workers.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include <blitz/fork_join.hpp>

#include "support/counted.hpp"
#include "support/policies.hpp"

namespace blitz_test {

/// An exception type that only tests throw.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A closure that cannot be copied: its copy constructor throws.
struct Fragile {
  explicit Fragile(std::atomic<int>& the_calls) : calls(the_calls) {}
  Fragile(const Fragile& other) : calls(other.calls) { throw Failure("copied"); }
  void operator()() const { ++calls; }
  void operator()(blitz::BroadcastContext) const { ++calls; }
  std::atomic<int>& calls;
};

/// A way to open a scope: like blitz::scope, for bodies without a result.
class OpenScope {
 public:
  using Body = std::function<void(blitz::Scope&)>;
  using Function = std::function<void(const Body&, const blitz::ScopeOptions&)>;

  explicit OpenScope(Function open) : open_(std::move(open)) {}
  void operator()(const Body& body, const blitz::ScopeOptions& options = {}) const { open_(body, options); }

 private:
  Function open_;
};

/// Calls `test` with each way to open a scope in the pool, including the free functions if the caller works for the pool.
inline void with_each_kind_of_scope(Pool& pool, const std::function<void(Pool&, const OpenScope&)>& test) {
  const auto with_each = [&](const blitz::PoolRef where) {
    for (const auto order : {blitz::Order::kLifo, blitz::Order::kFifo}) {
      for (const bool in_place : {false, true}) {
        test(pool, OpenScope([=](const OpenScope::Body& body, blitz::ScopeOptions options) {
               options.order = order;
               options.in_place = in_place;
               options.pool = where;
               blitz::scope(options, body);
             }));
      }
    }
  };
  with_each(pool);
  if (pool.current_thread_index().has_value()) with_each({});
}

/// Calls with_each_kind_of_scope() with each pool, from outside and on one of its workers.
inline void for_each_scope(const std::function<void(Pool&, const OpenScope&)>& test) {
  from_outside_and_inside([&](Pool& pool) { with_each_kind_of_scope(pool, test); });
}

/// Calls `f` on a worker while all others of the pool are kept busy: only that worker runs the jobs of `f`.
inline void with_others_busy(Pool& pool, const std::function<void()>& f) {
  const auto others = static_cast<std::ptrdiff_t>(pool.num_threads()) - 1;
  std::latch busy(others);
  std::latch let_go(1);
  pool.scope([&](blitz::Scope& scope) {
    for (std::ptrdiff_t i = 0; i < others; ++i) {
      scope.spawn([&] {
        busy.count_down();
        let_go.wait();
      });
    }
    busy.wait();
    struct LetGo {
      std::latch& latch;
      ~LetGo() { latch.count_down(); }
    } const at_the_end{let_go};
    f();
  });
}

/// A closure that counts its calls and its living copies. It is `Bytes` larger than necessary, has the given alignment, and
/// accepts any arguments.
template <std::size_t Bytes = 1, std::size_t Alignment = alignof(std::max_align_t)>
class alignas(Alignment) CountedCall {
 public:
  CountedCall(Lives& lives, std::atomic<int>& calls) noexcept : life_(lives, 0), calls_(calls) {}

  template <class... Args>
  void operator()(Args&&...) const {
    if (reinterpret_cast<std::uintptr_t>(this) % Alignment == 0 && life_.value == 0) ++calls_;
  }

 private:
  Counted life_;
  std::atomic<int>& calls_;
  std::array<std::byte, Bytes> ballast_{};
};

/// Calls `test` with a maker of closures of each sort that jobs treat differently.
template <class Test>
void with_each_kind_of_closure(Lives& lives, std::atomic<int>& calls, Test&& test) {
  test([&] { return CountedCall<>(lives, calls); });
  test([&] { return CountedCall<100>(lives, calls); });
  test([&] { return CountedCall<1000>(lives, calls); });
  test([&] { return CountedCall<1, 64>(lives, calls); });
  test([&] { return CountedCall<300, 256>(lives, calls); });
}

/// Spins for a random time between none and about `most`.
class RandomGap {
 public:
  explicit RandomGap(unsigned seed) : random_(seed) {}
  void operator()(std::chrono::microseconds most) {
    const auto gap = std::chrono::nanoseconds(random_() % static_cast<std::uint64_t>(most.count() * 1000 + 1));
    const auto end = std::chrono::steady_clock::now() + gap;
    while (std::chrono::steady_clock::now() < end) {
    }
  }

 private:
  std::minstd_rand random_;
};

}  // namespace blitz_test
