/// @file
/// blitz as the scheduler plug-in of parlaylib. Include it before any header of parlaylib. parlaylib selects a plug-in by a
/// macro for each scheduler that it knows; this header defines the macro of oneTBB's plug-in and replaces that plug-in.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#if defined(PARLAY_PARALLEL_H_)
#error \
    "blitz: <blitz/adaptor/parlay.hpp> must come before the headers of parlaylib, as by the compiler's option -include"
#elif defined(PARLAY_CILKPLUS) || defined(PARLAY_OPENCILK) || defined(PARLAY_OPENMP) || defined(PARLAY_SEQUENTIAL)
#error "blitz: parlaylib was told to use another scheduler than <blitz/adaptor/parlay.hpp>"
#elif !__has_include(<parlay/worker_specific.h>)  // Added by the commit that added execute_with_scheduler.
#error "blitz: <blitz/adaptor/parlay.hpp> needs parlaylib of September 2023 or later: github.com/cmuparlay/parlaylib"
#endif
#ifndef PARLAY_TBB
#define PARLAY_TBB
#endif
#define PARLAY_INTERNAL_SCHEDULER_PLUGINS_TBB_H_
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include <parlay/parallel.h>

#include "blitz/current_pool.hpp"
#include "blitz/isolate.hpp"
#include "blitz/join.hpp"
#include "blitz/parallel_for.hpp"
#include "blitz/thread_pool.hpp"

namespace parlay {

/// The number of threads of the caller's pool if it is a worker, otherwise of blitz::global_pool().
inline std::size_t num_workers() { return blitz::current_num_threads(); }

/// The caller's index in its pool, below num_workers(); 0 outside every pool.
inline std::size_t worker_id() { return blitz::current_thread_index().value_or(0); }

/// Calls `f(i)` for each i of [start, end) in parallel. `granularity`: the minimum number of iterations per block; 0: blitz
/// chooses. `conservative`: a thread that waits runs only parts of this loop.
template <typename F>
void parallel_for(std::size_t start, std::size_t end, F&& f, long granularity, bool conservative) {
  static_assert(std::is_invocable_v<F&, std::size_t>);
  if (conservative) return blitz::isolate([&] { parallel_for(start, end, f, granularity, false); });
  if (start >= end) return;
  blitz::parallel_for({.min_grain = granularity > 0 ? static_cast<std::size_t>(granularity) : 1}, start, end,
                      [&f](std::size_t i) { f(i); });
}

/// Calls both, possibly in parallel. `conservative`: a thread that waits runs only jobs of these calls.
template <typename Lf, typename Rf>
void par_do(Lf&& left, Rf&& right, bool conservative) {
  static_assert(std::is_invocable_v<Lf&&> && std::is_invocable_v<Rf&&>);
  if (conservative) return blitz::isolate([&] { par_do(std::forward<Lf>(left), std::forward<Rf>(right), false); });
  blitz::join([&] { std::forward<Lf>(left)(); }, [&] { std::forward<Rf>(right)(); });
}

/// Calls `f()` in a new pool of `threads` threads.
template <typename F>
void execute_with_scheduler(unsigned int threads, F&& f) {
  blitz::ThreadPool pool({.num_threads = threads});
  pool.install([&] { static_cast<void>(std::invoke(std::forward<F>(f))); });
}

}  // namespace parlay
