/// @file
/// join_all: calls all callables of a range, possibly in parallel.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/job/job.hpp"
#include "blitz/join.hpp"

namespace blitz {

/// The argument of join_all(): a multi-pass range of callables without arguments. Their results must not be references.
template <class R>
concept JoinAllRange = std::ranges::forward_range<R> && JoinFunction<std::ranges::range_reference_t<R>> &&
                       !std::is_reference_v<std::invoke_result_t<std::ranges::range_reference_t<R>>>;

namespace detail {

/// Calls `call(data, i)` for each i in [first, last), at least one: a join of halves. Compiled once, in the library.
BLITZ_API void join_indices(std::size_t first, std::size_t last, void (*call)(void*, std::size_t), void* data);

template <class F>
void join_indices(std::size_t count, F&& f) {
  if (count == 0) return;
  join_indices(
      0, count, [](void* data, std::size_t i) { (*static_cast<std::remove_reference_t<F>*>(data))(i); }, &f);
}

/// Calls `at(i)`, a callable given as F, for each i below `count`.
template <class F, class At>
auto join_each(std::size_t count, const At& at) {
  using R = CallResult<F>;
  if constexpr (std::is_void_v<R>) {
    join_indices(count, [&](std::size_t i) { std::invoke(at(i)); });
  } else {
    std::vector<std::optional<R>> results(count);
    std::vector<R> values;
    values.reserve(count);
    join_indices(count, [&](std::size_t i) { results[i].emplace(call_value(at(i))); });
    for (std::optional<R>& result : results) values.push_back(std::move(*result));
    return values;
  }
}

}  // namespace detail

/// Calls each callable of a range, possibly in parallel.
///
/// The first callable runs on the calling worker. Without thieves this worker runs all of them in order. Each may be stolen:
/// use parallel_for() for many tiny callables. All have been called and have finished when join_all() returns or throws, even
/// if some throw. For an empty range nothing is called. A single callable is called on the calling thread. Outside every pool
/// it runs in global_pool().
///
/// The algorithm: a join of two halves, recursively.
/// @code
///   std::vector<std::function<int()>> callables{ask_anna, ask_bert, ask_carl};
///   const std::vector<int> answers = blitz::join_all(callables);
/// @endcode
/// @param callables  Each is called once.
/// @return std::vector of the results, in the order of the range; nothing if they return void.
/// @throws The exception of the first callable in the range that throws. std::bad_alloc before any call, or from a queue that
///         cannot grow: then not all are called, and those that have begun finish first. Outside every pool, the exceptions of
///         global_pool().
/// Complexity: n - 1 joins for n callables, O(log n) stack. Memory: a temporary array of the results, and the vector; for a
/// range without random access, one iterator per callable. Thread-safety: any thread.
template <JoinAllRange R>
auto join_all(R&& callables) {
  using Reference = std::ranges::range_reference_t<R>;
  if constexpr (std::ranges::random_access_range<R>) {
    const auto first = std::ranges::begin(callables);
    const auto size = static_cast<std::size_t>(std::ranges::distance(callables));
    return detail::join_each<Reference>(
        size, [&](std::size_t i) -> Reference { return first[static_cast<std::ranges::range_difference_t<R>>(i)]; });
  } else {
    std::vector<std::ranges::iterator_t<R>> places;
    for (auto place = std::ranges::begin(callables); place != std::ranges::end(callables); ++place) {
      places.push_back(place);
    }
    return detail::join_each<Reference>(places.size(), [&](std::size_t i) -> Reference { return *places[i]; });
  }
}

/// @cond
template <class F, class... More>
  requires(!std::ranges::range<F>)
BLITZ_REFUSE("join_all got callables instead of a range; use blitz::join(a, b, c)")
    join_all(F&& first, More&&... more) BLITZ_REFUSED;
/// @endcond

}  // namespace blitz
