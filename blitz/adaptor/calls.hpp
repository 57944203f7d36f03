/// @file
/// The calls of blitz/c.h with callables in the place of functions and contexts. C++17: for adaptors under programs that are
/// not C++20.
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

/// @brief Calls of blitz for C++17. Each is made on the pool that the caller works for, or else on the global pool.
///
/// @code
///   std::vector<int> squares(1000);
///   blitz::adaptor::for_blocks(squares.size(), 1, [&](std::size_t first, std::size_t last) {
///     for (; first != last; ++first) squares[first] = static_cast<int>(first * first);
///     return false;
///   });
/// @endcode
///
/// Exceptions of the callables arrive at the caller; std::bad_alloc if memory is out; std::runtime_error with the message if the
/// global pool cannot be started, and in the place of a callable's ThreadPoolError. Thread-safety: any thread.
namespace blitz::adaptor {

/// @brief Throws what a status stands for.
/// @param status  What a function of blitz/c.h has returned.
/// @throws std::bad_alloc for BLITZ_NO_MEMORY, std::runtime_error for the others but BLITZ_OK. Complexity: O(1).
inline void check(blitz_status status) {
  if (status == BLITZ_OK) return;
  if (status == BLITZ_NO_MEMORY) throw std::bad_alloc();
  throw std::runtime_error(blitz_last_error());
}

/// The number of threads of the pool that the caller works for, or else of the global pool. Complexity: O(1).
[[nodiscard]] inline std::size_t num_threads() {
  std::size_t count = 0;
  check(blitz_num_threads(nullptr, &count));
  return count;
}

/// @brief Calls `f()` on a worker that, while it waits in `f`, runs only the jobs that `f` has made: see blitz::isolate.
/// @param f  Called once. Complexity: O(1) beside it.
template <class F>
void isolate(F&& f) {
  check(blitz_isolate(
      nullptr, [](void* context) { (*static_cast<std::remove_reference_t<F>*>(context))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(f)))));
}

/// @brief Calls `a()` and `b(migrated)`, perhaps at once, and returns when both have ended: see blitz::join_context.
/// @param a  Called by the worker that makes the call.
/// @param b  Called with whether a worker has found it like any other job. Complexity: O(1) beside the two.
template <class A, class B>
void join(A&& a, B&& b) {
  check(blitz_join(
      nullptr, [](void* context, int /*migrated*/) { (*static_cast<std::remove_reference_t<A>*>(context))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(a))),
      [](void* context, int migrated) { (*static_cast<std::remove_reference_t<B>*>(context))(migrated != 0); },
      const_cast<void*>(static_cast<const void*>(std::addressof(b)))));
}

/// @brief Calls `f(first, last)` for blocks that cover [0, count), perhaps at once: see blitz::parallel_for_blocks.
/// @param count  The number of positions.
/// @param grain  No block is shorter, unless the loop is; 0 is taken for 1.
/// @param f      Returns true to end the loop. Complexity: at most about count / grain calls, as a rule a few for each thread.
template <class F>
void for_blocks(std::size_t count, std::size_t grain, F&& f) {
  check(blitz_parallel_for(
      nullptr, count, grain,
      [](void* context, std::size_t first, std::size_t last) {
        return (*static_cast<std::remove_reference_t<F>*>(context))(first, last) ? 1 : 0;
      },
      const_cast<void*>(static_cast<const void*>(std::addressof(f)))));
}

/// @brief Takes [0, count) into a value: see blitz::parallel_reduce_blocks.
/// @param count    The number of positions.
/// @param grain    As of for_blocks().
/// @param value    What they are folded into. The part of another worker begins with an empty one.
/// @param fold     `fold(value, first, last)` takes a block into a std::optional<T>&, and returns true to end the reduction.
/// @param combine  `combine(left, right)` takes the T to the right into the T to the left. Complexity: at most about
///                 count / grain calls of both, as a rule a few for each thread.
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

/// @brief Jobs that any thread may spawn, and that are waited for together, again and again: see blitz::TaskGroup.
///
/// @code
///   blitz::adaptor::TaskGroup group;
///   for (Node& node : nodes) group.run([&] { work_on(node); });
///   group.wait();
/// @endcode
///
/// Thread-safety: as of blitz::TaskGroup, but a stop request is over when any wait() returns: let one thread wait at a time.
class TaskGroup {
 public:
  /// @brief A group of the pool that the caller works for, or else of the global pool.
  /// @throws std::bad_alloc, std::runtime_error if the global pool cannot be started. Complexity: O(1); an allocation.
  TaskGroup() { check(blitz_task_group_create(nullptr, &group_)); }
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  /// Waits for the jobs, and drops what they throw. Complexity: O(1) beside the jobs.
  ~TaskGroup() { blitz_task_group_destroy(group_); }

  /// @brief Spawns a job of the group: a worker calls a copy of `f`.
  /// @param f  Called once, unless a stop was requested.
  /// @throws std::bad_alloc, std::runtime_error if the pool was shut down; `f` is then not called. Complexity: O(1); an allocation.
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

  /// @brief Waits until no job is unfinished; runs jobs meanwhile. Then the group may be used again.
  /// @throws What the first job that threw has thrown, and std::runtime_error in a forked child. Complexity: O(1) beside the jobs.
  void wait() {
    struct Frame {
      ~Frame() { stop.store(false, std::memory_order_relaxed); }
      detail::Atomic<bool>& stop;
    } frame{stop_};
    check(blitz_task_group_wait(group_));
  }

  /// Jobs that have not begun do nothing, until the next wait() has returned. Complexity: O(1).
  void request_stop() noexcept { stop_.store(true, std::memory_order_relaxed); }
  /// Whether that was requested. Complexity: O(1).
  [[nodiscard]] bool stop_requested() const noexcept { return stop_.load(std::memory_order_relaxed); }

 private:
  blitz_task_group* group_ = nullptr;
  // In the place of the group's own request: a job that is not called could not free its function object. Written by any
  // thread; relaxed, as it says nothing of other memory.
  detail::Atomic<bool> stop_{false};
};

}  // namespace blitz::adaptor
