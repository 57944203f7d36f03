/// parallel_invoke: calls that may run at once, without results.
#pragma once

#include "blitz/base/compiler.hpp"

#include <functional>
#include <type_traits>
#include <utility>

#include "blitz/join.hpp"

namespace blitz {

namespace detail {

/// As CallPlain, for callables whose results are dropped.
struct CallAndDrop {
  template <class F>
  using Value = Unit;
  template <class F>
  static Unit call(std::remove_reference_t<F>& f, bool /*migrated*/) {
    static_cast<void>(std::invoke(std::forward<F>(f)));
    return {};
  }
};

}  // namespace detail

/// Calls all of them, perhaps at once, and drops what they return: join without results, see there. All have finished
/// when it returns or throws.
///
/// The first runs on the calling worker. All are called, whatever the others throw, and of several exceptions the one
/// furthest left arrives. std::bad_alloc from a queue that cannot grow: none is called, unless another worker has begun
/// it by then. No allocation. Any thread; outside every pool it runs in global_pool().
template <JoinCallable F, JoinCallable G, JoinCallable... More>
void parallel_invoke(F&& f, G&& g, More&&... more) {
  detail::join_many<detail::CallAndDrop, void>(std::forward<F>(f), std::forward<G>(g), std::forward<More>(more)...);
}

}  // namespace blitz
