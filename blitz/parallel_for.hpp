/// @file
/// parallel_for: a loop whose iterations may run at once.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/loop/loop.hpp"
#include "blitz/pool_ref.hpp"

namespace blitz {

/// How a loop is shared out.
enum class Schedule : unsigned char {
  adaptive,  ///< halves what is left whenever a worker is idle; for all loops
  /// Equal blocks, one for each worker (1024 at most), cut at once. A worker that joins the loop begins with the block of
  /// its own index; it runs another one only when it has nothing else to do, and that block's worker has not joined yet.
  /// For bodies of equal cost, where repeated loops should touch the same memory on the same worker.
  fixed
};

/// The fine print of a loop. Plain data.
/// @code
///   blitz::parallel_for(v, [](double& x) { x /= 2; }, {.min_grain = 10'000, .stop = token});
/// @endcode
struct ForOptions {
  /// No block has fewer items than this, unless the loop itself has. 0 is taken for 1.
  std::size_t min_grain = 1;
  Schedule schedule = Schedule::adaptive;  ///< How the loop is shared out.
  /// When a stop is requested here, blocks that have not begun never do, and the loop returns as if it were complete.
  std::stop_token stop{};
  PoolRef pool{};  ///< The pool that runs the loop.
};

/// The body of parallel_for() over items: callable with one of them, by several threads concurrently. Its result is ignored,
/// unless it is a Flow.
template <class F, class Item>
concept LoopBody = SharedCallable<F, Item>;

/// What a body returns that may end its loop: see parallel_for.
enum class Flow : unsigned char {
  go_on,  ///< with the next item
  stop    ///< this block ends here, and no block that has not begun will begin
};

namespace detail {

/// The block of a range, as the body of parallel_for_blocks gets it.
template <class R>
using LoopBlockOf = typename BlockItems<R>::Item;

/// A body that would do, if only one thread called it.
template <class F, class Item>
concept MutableBody = std::invocable<F&, Item> && !LoopBody<F, Item>;

/// A body that would do, if the items did not share words.
template <class F, class It>
concept BodyOfSharedWords =
    SharesWords<It> && std::invocable<F&, std::iter_reference_t<It>> && !std::invocable<F&, ReadOnlyBit>;

/// Calls `f`. Returns whether it ends its loop: whether it has returned Flow::stop.
template <class F, class... Args>
BLITZ_ALWAYS_INLINE bool stops_loop(F& f, Args&&... args) {
  if constexpr (std::same_as<std::remove_cvref_t<std::invoke_result_t<F&, Args...>>, Flow>) {
    return std::invoke(f, std::forward<Args>(args)...) == Flow::stop;
  } else {
    std::invoke(f, std::forward<Args>(args)...);
    return false;
  }
}

/// Calls `f` for each item of the space. `pool`: see Loop::run.
template <class Items, class F>
void run_loop(PoolBase* pool, const ForOptions& options, const LoopSpace<Items>& space, const F& f) {
  struct ItemLoop final : Loop {
    ItemLoop(LoopIndex positions, const Items& its_items, const F& its_f, const ForOptions& its_options)
        : Loop(&run_block_of, positions, its_options.schedule == Schedule::fixed ? LoopCut::kFixed : LoopCut::kAdaptive,
               its_options.min_grain, its_options.stop),
          items(its_items),
          f(its_f) {}
    static bool run_block_of(const Loop& self, void* /*value*/, LoopIndex first, LoopIndex last) {
      const auto& loop = static_cast<const ItemLoop&>(self);
      return loop.items.for_each(first, last, [&f = loop.f]<class X>(X&& item) {
        if constexpr (requires { requires Items::kSharesWords; }) {
          return stops_loop(f, ReadOnlyBit(item));
        } else {
          return stops_loop(f, std::forward<X>(item));
        }
      });
    }
    const Items items;
    const F& f;
  };
  if (space.count > 0) ItemLoop(space.count, space.items, f, options).run(pool);
}

}  // namespace detail

/// Calls `f(x)` for every x of `range`, in any order, perhaps at once.
///
/// Cuts the range into contiguous blocks, as options.schedule says; within a block the order is the range's. Splitting
/// is on demand: a loop that finds no idle worker runs as the plain loop does, and on a pool of one thread, if it cannot be
/// stopped, it is the plain loop: one block. An empty range costs nothing.
///
/// An exception ends the loop early: no block that has not begun will begin, and the first one thrown is rethrown once
/// all running blocks are done. Outside every pool the loop runs in global_pool().
///
/// An `f` that returns blitz::Flow may end the loop in the same way, and that loop alone: after Flow::stop its block
/// ends. An exception of another block arrives all the same. To find any x of a kind:
/// @code
///   std::atomic<const Item*> found = nullptr;
///   blitz::parallel_for(items, [&](const Item& x) {
///     if (!matches(x)) return blitz::Flow::go_on;
///     found.store(&x, std::memory_order_relaxed);
///     return blitz::Flow::stop;
///   });
/// @endcode
/// @param range    Must live until the call has returned.
/// @param f        Called once for each item, unless the loop ends early; through a constant reference, by several threads at
///                 once: a mutable lambda is refused. Gets the items of a vector<bool> to read only.
/// @param options  The least size of a block, how blocks are cut, a stop token, the pool.
/// @throws The first exception of `f`; outside every pool what global_pool() throws.
/// Complexity: O(n) calls for n items; beside them a few nanoseconds, and O(log n) blocks for each idle worker. No
/// allocation.
/// Thread-safety: any thread.
template <LoopRange R, LoopBody<detail::RangeItem<R>> F>
void parallel_for(R&& range, F&& f, const ForOptions& options = {}) {
  detail::run_loop(options.pool.base(), options, detail::items_of(range), f);
}

/// Calls `f(i)` for every i in [first, last): integers (f gets their common type), or random-access iterators (f gets
/// what they refer to). A reversed range of integers is empty. Otherwise as the form for ranges.
/// @code
///   blitz::parallel_for(0, n, [&](int i) { squares[i] = i * i; });
/// @endcode
/// @param first    The first integer, or an iterator to the first item.
/// @param last     Behind the last.
/// @param f        Called once for each, unless the loop ends early.
/// @param options  See the form for ranges.
/// @throws The first exception of `f`; std::length_error for iterators that are 2^64 items apart or more; outside every
///         pool what global_pool() throws.
/// Complexity and thread-safety: see the form for ranges.
template <class First, detail::LoopEnd<First> Last, LoopBody<detail::LoopItem<First, Last>> F>
void parallel_for(First first, Last last, F&& f, const ForOptions& options = {}) {
  detail::run_loop(options.pool.base(), options, detail::items_of(first, last), f);
}

/// Calls `f(i)` for the integers first, first + step, first + 2 * step, ... that lie before `last`: below it, or, if the
/// step is negative, above it. `f` gets the common type of `first` and `last`; no sum that the type could not hold is
/// made. Otherwise as the form for ranges.
/// @code
///   blitz::parallel_for(n - 1, -1, -2, [&](int i) { v[i] = 0; });  // every other element, from the last on
/// @endcode
/// @param first    The first integer.
/// @param last     Not reached.
/// @param step     From one integer to the next; may be negative.
/// @param f        Called once for each, unless the loop ends early.
/// @param options  See the form for ranges.
/// @throws The first exception of `f`; std::invalid_argument if the step is 0; outside every pool what global_pool()
///         throws.
/// Complexity and thread-safety: see the form for ranges.
template <LoopInteger First, LoopInteger Last, LoopInteger Step, class F>
  requires LoopBody<F, std::common_type_t<First, Last>>
void parallel_for(First first, Last last, Step step, F&& f, const ForOptions& options = {}) {
  detail::run_loop(options.pool.base(), options, detail::items_of(first, last, step), f);
}

/// @cond
template <class R, class F>
  requires(!std::ranges::range<R>)
BLITZ_REFUSE(
    "parallel_for runs over a range, or from one integer to another: blitz::parallel_for(0, n, [&](int i) { ... })")
    parallel_for(R&& range, F&& f, const ForOptions& options = {}) BLITZ_REFUSED;
template <std::ranges::range R, class F>
  requires(!LoopRange<R>)
BLITZ_REFUSE(
    "parallel_for cuts its range, which must have random access and a size (vector, array, span, deque, views::iota); "
    "for a list, a map or a set use blitz::parallel_for_each")
    parallel_for(R&& range, F&& f, const ForOptions& options = {}) BLITZ_REFUSED;
#define BLITZ_REFUSE_MUTABLE_BODY                                                                                  \
  BLITZ_REFUSE(                                                                                                    \
      "the body of a loop is called by several threads at once, so it is no mutable lambda and its operator() is " \
      "const: "                                                                                                    \
      "count in a std::atomic or a blitz::worker_local, or add up with blitz::parallel_reduce")
#define BLITZ_REFUSE_SHARED_WORDS                                                                                      \
  BLITZ_REFUSE(                                                                                                        \
      "the items of a vector<bool> share words, so several threads cannot change them: use std::vector<char>; a body " \
      "that "                                                                                                          \
      "only reads takes a bool")
template <LoopRange R, class F>
  requires(detail::MutableBody<F, detail::RangeItem<R>>)
BLITZ_REFUSE_MUTABLE_BODY parallel_for(R&& range, F&& f, const ForOptions& options = {}) BLITZ_REFUSED;
template <class First, class Last, class F>
  requires(LoopBounds<First, Last> && detail::MutableBody<F, detail::LoopItem<First, Last>>)
BLITZ_REFUSE_MUTABLE_BODY parallel_for(First first, Last last, F&& f, const ForOptions& options = {}) BLITZ_REFUSED;
template <LoopInteger First, LoopInteger Last, LoopInteger Step, class F>
  requires(detail::MutableBody<F, std::common_type_t<First, Last>>)
BLITZ_REFUSE_MUTABLE_BODY parallel_for(First first, Last last, Step step, F&& f,
                                       const ForOptions& options = {}) BLITZ_REFUSED;
template <LoopRange R, class F>
  requires(detail::BodyOfSharedWords<F, std::ranges::iterator_t<R>>)
BLITZ_REFUSE_SHARED_WORDS parallel_for(R&& range, F&& f, const ForOptions& options = {}) BLITZ_REFUSED;
template <LoopRange R, class F>
  requires(!std::invocable<F&, detail::RangeItem<R>> && !detail::BodyOfSharedWords<F, std::ranges::iterator_t<R>>)
BLITZ_REFUSE(
    "the body of parallel_for is called with one item of the range, as f(*it): let it take that type, or const auto&; "
    "the items of a constant range cannot be changed")
    parallel_for(R&& range, F&& f, const ForOptions& options = {}) BLITZ_REFUSED;
template <class First, class Last, class F>
  requires(!LoopBounds<First, Last> && !std::ranges::range<First> && !std::same_as<First, ForOptions> &&
           !std::same_as<std::remove_cvref_t<F>, ForOptions>)
BLITZ_REFUSE(
    "parallel_for runs from one integer to another, or between random-access iterators; the items of a list are for "
    "blitz::parallel_for_each, and a body computes its fraction from an integer")
    parallel_for(First first, Last last, F&& f, const ForOptions& options = {}) BLITZ_REFUSED;
template <class First, class Last, class F>
  requires(LoopBounds<First, Last> && !std::invocable<F&, detail::LoopItem<First, Last>> &&
           !std::same_as<std::remove_cvref_t<F>, ForOptions>)
BLITZ_REFUSE(
    "the body of parallel_for is called with one integer, or with what an iterator refers to: "
    "blitz::parallel_for(0, n, [&](int i) { ... })")
    parallel_for(First first, Last last, F&& f, const ForOptions& options = {}) BLITZ_REFUSED;
template <class R, class F>
BLITZ_REFUSE(
    "the options of parallel_for come last: blitz::parallel_for(range, f, {.min_grain = 64}); those of algorithms come "
    "first")
parallel_for(const ForOptions& options, R&& range, F&& f) BLITZ_REFUSED;
template <LoopRange R, class F, std::integral Grain>
BLITZ_REFUSE("a grain is an option, and seldom needed: blitz::parallel_for(range, f, {.min_grain = 64})")
parallel_for(R&& range, F&& f, Grain grain) BLITZ_REFUSED;
template <class First, class Last, class F, std::integral Grain>
  requires(LoopBounds<First, Last>)
BLITZ_REFUSE("a grain is an option, and seldom needed: blitz::parallel_for(0, n, f, {.min_grain = 64})")
    parallel_for(First first, Last last, F&& f, Grain grain) BLITZ_REFUSED;
/// @endcond

/// Calls `f(block)` for contiguous sub-ranges (std::ranges::subrange) that cover `range`, each item once: for bodies
/// that are vectorised, or that keep state from item to item. An `f` that returns Flow::stop ends the loop after its block.
/// Otherwise as parallel_for.
/// @code
///   blitz::parallel_for_blocks(samples, [&](auto block) { filter(block.data(), block.size()); });
/// @endcode
/// @param range    Must live until the call has returned.
/// @param f        Called with one block after the other, by several threads at once.
/// @param options  See parallel_for.
/// @throws The first exception of `f`; outside every pool what global_pool() throws.
/// Complexity: a call for each block: one, and O(log n) for each idle worker. Thread-safety: any thread.
template <LoopRange R, LoopBody<detail::LoopBlockOf<R>> F>
  requires(!detail::SharesWords<std::ranges::iterator_t<R>>)
void parallel_for_blocks(R&& range, F&& f, const ForOptions& options = {}) {
  detail::run_loop(options.pool.base(), options, detail::blocks_of(range), f);
}

/// @cond
template <LoopRange R, class F>
  requires(detail::MutableBody<F, detail::LoopBlockOf<R>>)
BLITZ_REFUSE_MUTABLE_BODY parallel_for_blocks(R&& range, F&& f, const ForOptions& options = {}) BLITZ_REFUSED;
template <LoopRange R, LoopBody<detail::LoopBlockOf<R>> F>
  requires(detail::SharesWords<std::ranges::iterator_t<R>>)
BLITZ_REFUSE(
    "the items of a vector<bool> share words, so several threads cannot change them: use std::vector<char>; to read "
    "them, "
    "pass std::as_const(flags)") parallel_for_blocks(R&& range, F&& f, const ForOptions& options = {}) BLITZ_REFUSED;
/// @endcond

}  // namespace blitz
