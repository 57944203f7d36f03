/// parallel_invoke: calls that may run at once, without results.
#pragma once

#include "blitz/base/compiler.hpp"

#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "blitz/join.hpp"

namespace blitz {

namespace detail {

/// Calls those of `functions` from `First` to before `Last`, half of them as each half of a join. Not inlined: the second
/// half of a join is compiled in several places, and each level would multiply them.
template <std::size_t First, std::size_t Last, class Functions>
[[gnu::noinline]] void invoke_each(Functions& functions) {
  if constexpr (Last - First == 1) {
    using F = std::tuple_element_t<First, Functions>;
    static_cast<void>(std::invoke(std::forward<F>(std::get<First>(functions))));
  } else {
    constexpr std::size_t kMiddle = First + (Last - First + 1) / 2;
    blitz::join([&] { invoke_each<First, kMiddle>(functions); }, [&] { invoke_each<kMiddle, Last>(functions); });
  }
}

}  // namespace detail

/// Calls all of them, perhaps at once, and drops what they return. All have finished when it returns or throws.
///
/// The first runs on the calling worker. Exceptions are as in join: all are called, whatever the others throw, and of
/// several exceptions the one furthest left arrives. No allocation. Any thread; outside every pool it runs in
/// global_pool().
template <JoinCallable F, JoinCallable G, JoinCallable... More>
void parallel_invoke(F&& f, G&& g, More&&... more) {
  std::tuple<F&&, G&&, More&&...> functions(std::forward<F>(f), std::forward<G>(g), std::forward<More>(more)...);
  detail::invoke_each<0, sizeof...(More) + 2>(functions);
}

}  // namespace blitz
