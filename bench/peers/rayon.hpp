// Rayon, through the C interface of bench/rayon: one pool per thread count. Work of less than a hundred nanoseconds is in Rust
// (each workload's rayon.cpp declares the Rust functions that it calls). The members here take C++ functions that run longer,
// so that a call through a pointer does not matter. Such functions must not throw.
//
// In Rayon a thread outside the pool never works for it: the main thread hands its calls over and waits. `rayon` calls from the
// main thread. With RayonInsidePeer a whole repetition runs on a worker, so no call pays for the hand-over; the main thread
// sleeps until the repetition is done.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "bench/harness/registry.hpp"

namespace bench {
namespace rayon {

struct Pool;  // rayon::ThreadPool

// The types below have the layout of those in bench/rayon/src/foreign.rs.

struct Procedure {
  void (*code)(const void* data);
  const void* data;
};

template <class R>
struct IndexFunction {
  R (*code)(const void* data, std::size_t index);
  const void* data;
};

using JobData = std::array<std::uintptr_t, 4>;

extern "C" {
Pool* bench_rayon_new_pool(std::size_t threads);
void bench_rayon_delete_pool(Pool*);
void bench_rayon_install(const Pool*, Procedure);
void bench_rayon_join(Procedure, Procedure);
void bench_rayon_for_each_index(const Pool*, std::size_t count, IndexFunction<void>);
std::uint64_t bench_rayon_sum_over_indices(const Pool*, std::size_t count, IndexFunction<std::uint64_t>);
void bench_rayon_spawn(const Pool*, void (*code)(const JobData&), const JobData&);
}

template <class F>
Procedure procedure(const F& f) {
  return {[](const void* data) { (*static_cast<const F*>(data))(); }, &f};
}

template <class R, class F>
IndexFunction<R> index_function(const F& f) {
  return {[](const void* data, std::size_t index) -> R { return (*static_cast<const F*>(data))(index); }, &f};
}

}  // namespace rayon

class RayonPeer : public Peer {
 public:
  static constexpr bool kThreaded = true;
  explicit RayonPeer(unsigned threads) : pool(rayon::bench_rayon_new_pool(threads)) {}
  ~RayonPeer() override { rayon::bench_rayon_delete_pool(pool); }

  /// Runs `f()` on a worker and waits.
  template <class F>
  void install(const F& f) const {
    rayon::bench_rayon_install(pool, rayon::procedure(f));
  }

  /// Runs `a()` and `b()`, possibly in parallel. Must be called on a worker.
  template <class A, class B>
  static void join(const A& a, const B& b) {
    rayon::bench_rayon_join(rayon::procedure(a), rayon::procedure(b));
  }

  /// Calls `f` with every index below `count`, by a parallel iterator.
  template <class F>
  void for_each_index(std::size_t count, const F& f) const {
    rayon::bench_rayon_for_each_index(pool, count, rayon::index_function<void>(f));
  }

  /// Returns the sum of `f(i)` over all indices i below `count`, by a parallel iterator.
  template <class F>
  [[nodiscard]] std::uint64_t sum_over_indices(std::size_t count, const F& f) const {
    return rayon::bench_rayon_sum_over_indices(pool, count, rayon::index_function<std::uint64_t>(f));
  }

  /// Submits `job()`, detached. The job is copied.
  template <class Job>
  void spawn(const Job& job) const {
    static_assert(std::is_trivially_copyable_v<Job> && sizeof(Job) <= sizeof(rayon::JobData) &&
                  alignof(Job) <= alignof(rayon::JobData));
    rayon::JobData data{};
    new (data.data()) Job(job);
    rayon::bench_rayon_spawn(
        pool, [](const rayon::JobData& held) { (*reinterpret_cast<const Job*>(held.data()))(); }, data);
  }

  rayon::Pool* const pool;
};

class RayonInsidePeer final : public RayonPeer {
 public:
  using RayonPeer::RayonPeer;

  void session(const std::function<void()>& measurement) override { install(measurement); }
};

}  // namespace bench
