/// @file
/// The calls of blitz/c.h with callables in the place of functions and contexts. C++17: for adaptors under programs that are
/// not C++20. Exceptions of the callables arrive as from blitz.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "blitz/c.h"

namespace blitz::adaptor {

/// Throws what a status stands for: std::bad_alloc, std::runtime_error.
inline void check(blitz_status status) {
  if (status == BLITZ_OK) return;
  if (status == BLITZ_NO_MEMORY) throw std::bad_alloc();
  throw std::runtime_error(blitz_last_error());
}

/// The number of threads of the pool that the caller works for, or else of the global pool.
[[nodiscard]] inline std::size_t num_threads() {
  std::size_t count = 0;
  check(blitz_num_threads(nullptr, &count));
  return count;
}

/// As blitz::isolate: calls `f()` on a worker that, while it waits in `f`, runs only the jobs that `f` has made.
template <class F>
void isolate(F&& f) {
  check(blitz_isolate(
      nullptr, [](void* context) { (*static_cast<std::remove_reference_t<F>*>(context))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(f)))));
}

/// Calls `a()` and `b(migrated)`, perhaps at once.
template <class A, class B>
void join(A&& a, B&& b) {
  check(blitz_join(
      nullptr, [](void* context, int /*migrated*/) { (*static_cast<std::remove_reference_t<A>*>(context))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(a))),
      [](void* context, int migrated) { (*static_cast<std::remove_reference_t<B>*>(context))(migrated != 0); },
      const_cast<void*>(static_cast<const void*>(std::addressof(b)))));
}

/// Calls `f(first, last)` for blocks that cover [0, count), perhaps at once. No block is shorter than `grain` unless the loop
/// is. An `f` that returns true ends the loop.
template <class F>
void for_blocks(std::size_t count, std::size_t grain, F&& f) {
  check(blitz_parallel_for(
      nullptr, count, grain,
      [](void* context, std::size_t first, std::size_t last) {
        return (*static_cast<std::remove_reference_t<F>*>(context))(first, last) ? 1 : 0;
      },
      const_cast<void*>(static_cast<const void*>(std::addressof(f)))));
}

/// Takes [0, count) into `value`: `fold(value, first, last)` takes in a block, and returns true to end the reduction;
/// `combine(left, right)` takes the value to the right in. A part begins with an empty value.
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

}  // namespace blitz::adaptor
