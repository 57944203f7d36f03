/// @file
/// The calls of blitz/c.h with callables instead of function pointers and contexts. C++17, for adaptors that C++17 programs
/// include.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "blitz/c.h"
#include "blitz/detail/base/atomic.hpp"

/// @brief Calls of blitz for C++17. Each call uses the current pool: the caller's pool if it is a worker, otherwise the global
/// pool.
///
/// @code
///   std::vector<int> squares(1000);
///   blitz::adaptor::for_blocks(squares.size(), 1, [&](std::size_t first, std::size_t last) {
///     for (; first != last; ++first) squares[first] = static_cast<int>(first * first);
///     return false;
///   });
/// @endcode
///
/// Exceptions: those of the callables propagate, except that a callable's ThreadPoolError becomes a std::runtime_error with its
/// message; std::bad_alloc if an allocation fails; std::runtime_error if the global pool cannot be started. Thread-safety: any
/// thread.
namespace blitz::adaptor {

/// @brief Throws the exception that a status represents; returns for BLITZ_OK.
/// @param status  The result of a function of blitz/c.h.
/// @throws std::bad_alloc for BLITZ_NO_MEMORY, std::runtime_error with blitz_last_error() for other errors. Complexity: O(1).
inline void check(blitz_status status) {
  if (status == BLITZ_OK) return;
  if (status == BLITZ_NO_MEMORY) throw std::bad_alloc();
  throw std::runtime_error(blitz_last_error());
}

/// The number of threads of the current pool. Complexity: O(1).
[[nodiscard]] inline std::size_t num_threads() {
  std::size_t count = 0;
  check(blitz_num_threads(nullptr, &count));
  return count;
}

/// @brief Calls `f()` on a worker. While that worker waits in `f`, it runs only jobs that `f` created: see blitz::isolate.
/// @param f  Called once. Complexity: O(1) plus the call.
template <class F>
void isolate(F&& f) {
  check(blitz_isolate(
      nullptr, [](void* context) { (*static_cast<std::remove_reference_t<F>*>(context))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(f)))));
}

/// @brief Runs `a()` and `b(migrated)`, possibly in parallel, and returns when both have finished: see blitz::join_context.
/// @param a  Called by the worker that makes the call.
/// @param b  `migrated` is true if a worker took `b` from a queue like any other job. Complexity: O(1) plus the two calls.
template <class A, class B>
void join(A&& a, B&& b) {
  check(blitz_join(
      nullptr, [](void* context, int /*migrated*/) { (*static_cast<std::remove_reference_t<A>*>(context))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(a))),
      [](void* context, int migrated) { (*static_cast<std::remove_reference_t<B>*>(context))(migrated != 0); },
      const_cast<void*>(static_cast<const void*>(std::addressof(b)))));
}

/// @brief Calls `f(first, last)` in parallel for blocks that cover [0, count): see blitz::parallel_for_blocks.
/// @param count  The number of positions.
/// @param grain  The minimum length of a block, unless `count` is smaller; 0 means 1.
/// @param f      Returns true to end the loop. Complexity: at most about count / grain calls, usually a few per thread.
template <class F>
void for_blocks(std::size_t count, std::size_t grain, F&& f) {
  check(blitz_parallel_for(
      nullptr, count, grain,
      [](void* context, std::size_t first, std::size_t last) {
        return (*static_cast<std::remove_reference_t<F>*>(context))(first, last) ? 1 : 0;
      },
      const_cast<void*>(static_cast<const void*>(std::addressof(f)))));
}

/// @brief Reduces [0, count) into `value`: see blitz::parallel_reduce_blocks.
/// @param count    The number of positions.
/// @param grain    The minimum length of a block, as in for_blocks().
/// @param value    The accumulator. A part on another worker starts with an empty one.
/// @param fold     `fold(value, first, last)` adds a block to a `std::optional<T>&`, and returns true to end the reduction.
/// @param combine  `combine(left, right)` adds the right T to the left T. Complexity: at most about count / grain calls of
///                 both, usually a few per thread.
template <class T, class Fold, class Combine>
void reduce_blocks(std::size_t count, std::size_t grain, std::optional<T>& value, const Fold& fold,
                   const Combine& combine) {
  struct Calls {
    const Fold& fold;
    const Combine& combine;
  } calls{fold, combine};
  static constexpr blitz_reduction kReduction = {
      [](void* context, void* to, std::size_t first, std::size_t last) {
        return static_cast<const Calls*>(context)->fold(*static_cast<std::optional<T>*>(to), first, last) ? 1 : 0;
      },
      [](void* context, void* left, void* right) {
        auto& right_value = *static_cast<std::optional<T>*>(right);
        auto& left_value = *static_cast<std::optional<T>*>(left);
        if (left_value && right_value) {
          static_cast<const Calls*>(context)->combine(*left_value, *right_value);
        } else if (right_value) {
          left_value.emplace(std::move(*right_value));
        }
      },
      [](void (*call)(void*, void*) noexcept, void* argument) {
        std::optional<T> empty;
        call(argument, &empty);
      }};
  check(blitz_parallel_reduce(nullptr, count, grain, &kReduction, &calls, &value));
}

/// @brief A reusable group of jobs. Any thread may spawn jobs in it; wait() waits for all of them: see blitz::TaskGroup.
///
/// @code
///   blitz::adaptor::TaskGroup group;
///   for (Node& node : nodes) group.run([&] { work_on(node); });
///   group.wait();
/// @endcode
///
/// Thread-safety: as blitz::TaskGroup, except that a stop request ends when any wait() returns. Let one thread wait at a time.
class TaskGroup {
 public:
  /// @brief A group of the current pool.
  /// @throws std::bad_alloc, std::runtime_error if the global pool cannot be started. Complexity: O(1); an allocation.
  TaskGroup() { check(blitz_task_group_create(nullptr, &group_)); }
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  /// Waits for the jobs and discards their exceptions. Complexity: O(1) plus the jobs.
  ~TaskGroup() { blitz_task_group_destroy(group_); }

  /// @brief Spawns a job of the group: a worker calls a copy of `f`.
  /// @param f  Called once, unless a stop was requested.
  /// @throws std::bad_alloc, std::runtime_error if the pool was shut down; `f` is then not called. Complexity: O(1); an
  ///         allocation.
  template <class F>
  void run(F&& f) {
    struct Job {
      TaskGroup& group;
      std::decay_t<F> f;
    };
    std::unique_ptr<Job> job(new Job{*this, std::forward<F>(f)});
    check(blitz_task_group_run(
        group_,
        [](void* context) {
          const std::unique_ptr<Job> own(static_cast<Job*>(context));
          if (!own->group.stop_requested()) own->f();
        },
        job.get()));
    static_cast<void>(job.release());  // The call above has passed it on.
  }

  /// @brief Waits until all jobs have finished, and runs jobs while it waits. Afterwards the group may be used again.
  /// @throws The first exception of a job; std::runtime_error in a forked child. Complexity: O(1) plus the jobs.
  void wait() {
    struct Frame {
      ~Frame() { stop.store(false, std::memory_order_relaxed); }
      detail::Atomic<bool>& stop;
    } frame{stop_};
    check(blitz_task_group_wait(group_));
  }

  /// Jobs that have not started are skipped until the next wait() returns. Complexity: O(1).
  void request_stop() noexcept { stop_.store(true, std::memory_order_relaxed); }
  /// Whether a stop was requested since the last wait(). Complexity: O(1).
  [[nodiscard]] bool stop_requested() const noexcept { return stop_.load(std::memory_order_relaxed); }

 private:
  blitz_task_group* group_ = nullptr;
  // Used instead of the group's own stop request: a job that is never called could not free its function object. Written by any
  // thread. Relaxed: the flag publishes no other memory.
  detail::Atomic<bool> stop_{false};
};

}  // namespace blitz::adaptor
