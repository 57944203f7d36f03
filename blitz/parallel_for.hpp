/// parallel_for: a loop whose iterations may run at once.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "blitz/core/loop.hpp"
#include "blitz/current_pool.hpp"

namespace blitz {

/// How a loop is shared out.
enum class Schedule : unsigned char {
  adaptive,  ///< halves what is left whenever a worker is idle; for all loops
  fixed  ///< equal blocks, one for each worker, cut at once; for bodies of equal cost that must meet the same memory
};

/// The fine print of a loop.
struct ForOptions {
  /// No block has fewer items than this, unless the loop itself has. 0 is taken for 1.
  std::size_t min_grain = 1;
  Schedule schedule = Schedule::adaptive;
  /// When a stop is requested here, blocks that have not begun never do, and the loop returns as if it were complete.
  std::stop_token stop{};
};

/// A range that a loop can be cut from: random access, of known size. Vectors, arrays, spans, views::iota.
template <class R>
concept LoopRange = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;

/// Two integers, or a random-access iterator and its end.
template <class First, class Last>
concept LoopBounds = (std::integral<First> && std::integral<Last>) ||
                     (std::random_access_iterator<First> && std::sized_sentinel_for<Last, First>);

/// The body of a loop over items: callable with one of them.
template <class F, class Item>
concept LoopBody = std::invocable<F&, Item>;

namespace detail {

template <class First, class Last>
struct LoopItemOf {
  using type = std::iter_reference_t<First>;
};
template <std::integral First, std::integral Last>
struct LoopItemOf<First, Last> {
  using type = std::common_type_t<First, Last>;
};

/// The block of a range, as the body of parallel_for_blocks gets it.
template <class R>
using LoopBlockOf = std::ranges::subrange<std::ranges::iterator_t<R>>;

/// Runs one loop of `count` items on `worker`. Throws what the body throws.
template <class W, class Body>
void loop_on(W& worker, LoopIndex count, Body& body, const ForOptions& options) {
  if (count == 0) return;
  Loop<W, Body> loop(body, options.min_grain, options.stop);
  if (options.schedule == Schedule::fixed) {
    loop.run_fixed(worker, count);
  } else {
    loop.run_adaptive(worker, count);
  }
}

/// Calls `use` with the number of items and with a body for Loop that calls `f` for each.
template <LoopRange R, class F, class Use>
void with_item_body(R&& range, F& f, Use&& use) {
  const auto begin = std::ranges::begin(range);
  using Difference = std::ranges::range_difference_t<R>;
  const auto body = [&f, &begin](LoopIndex first, LoopIndex last) {
    const auto end = begin + static_cast<Difference>(last);
    for (auto item = begin + static_cast<Difference>(first); item != end; ++item) std::invoke(f, *item);
  };
  use(static_cast<LoopIndex>(std::ranges::size(range)), body);
}

template <class First, class Last, class F, class Use>
  requires LoopBounds<First, Last>
void with_bounds_body(First first_item, Last last_item, F& f, Use&& use) {
  if constexpr (std::integral<First>) {
    using I = std::common_type_t<First, Last>;
    const auto body = [&f, base = static_cast<LoopIndex>(first_item)](LoopIndex first, LoopIndex last) {
      for (LoopIndex i = first; i != last; ++i) std::invoke(f, static_cast<I>(base + i));
    };
    // A reversed range is empty. The difference is right whatever the types: both are extended to 64 bits and wrap.
    const bool any = std::cmp_less(+first_item, +last_item);  // Promoted: cmp_less takes no characters.
    use(any ? static_cast<LoopIndex>(last_item) - static_cast<LoopIndex>(first_item) : 0, body);
  } else {
    with_item_body(std::ranges::subrange(first_item, last_item), f, use);
  }
}

template <LoopRange R, class F, class Use>
void with_block_body(R&& range, F& f, Use&& use) {
  const auto begin = std::ranges::begin(range);
  using Difference = std::ranges::range_difference_t<R>;
  const auto body = [&f, &begin](LoopIndex first, LoopIndex last) {
    std::invoke(f, LoopBlockOf<R>(begin + static_cast<Difference>(first), begin + static_cast<Difference>(last)));
  };
  use(static_cast<LoopIndex>(std::ranges::size(range)), body);
}

/// The `use` of the three functions above: runs the loop where the caller works.
[[nodiscard]] inline auto loop_here(const ForOptions& options) noexcept {
  return [&options](LoopIndex count, const auto& body) {
    if (count == 0) return;
    on_current_pool([&](auto& worker) { loop_on(worker, count, body, options); });
  };
}

}  // namespace detail

/// Calls `f(x)` for every x of `range`, in any order, perhaps at once.
///
/// Cuts the range into contiguous blocks, as options.schedule says; within a block the order is the range's. Splitting
/// is on demand: a loop that finds no idle worker runs as the plain loop does, and on a pool of one thread, if it cannot be
/// stopped, it is the plain loop: one block. An empty range costs nothing.
///
/// An exception ends the loop early: no block that has not begun will begin, and the first one thrown is rethrown once
/// all running blocks are done. `f` is called through a reference, by several threads at once. Nothing is allocated.
/// Any thread; outside every pool it runs in global_pool().
template <LoopRange R, class F>
  requires LoopBody<F, std::ranges::range_reference_t<R>>
void parallel_for(R&& range, F&& f, const ForOptions& options = {}) {
  detail::with_item_body(range, f, detail::loop_here(options));
}

/// Calls `f(i)` for every i in [first, last): integers (f gets their common type), or random-access iterators (f gets
/// what they refer to). A reversed range of integers is empty. Otherwise as above.
template <class First, class Last, class F>
  requires LoopBounds<First, Last> && LoopBody<F, typename detail::LoopItemOf<First, Last>::type>
void parallel_for(First first, Last last, F&& f, const ForOptions& options = {}) {
  detail::with_bounds_body(first, last, f, detail::loop_here(options));
}

/// Calls `f(block)` for contiguous sub-ranges (std::ranges::subrange) that cover `range`, each item once: for bodies
/// that are vectorised, or that keep state from item to item. Otherwise as parallel_for.
template <LoopRange R, class F>
  requires LoopBody<F, detail::LoopBlockOf<R>>
void parallel_for_blocks(R&& range, F&& f, const ForOptions& options = {}) {
  detail::with_block_body(range, f, detail::loop_here(options));
}

}  // namespace blitz
