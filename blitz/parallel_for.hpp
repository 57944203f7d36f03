/// @file
/// parallel_for: a loop with iterations that may run concurrently.
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
#include "blitz/detail/base/invoke.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/loop/loop.hpp"
#include "blitz/detail/loop/mistake.hpp"
#include "blitz/pool_ref.hpp"

namespace blitz {

/// How the iterations of a loop are distributed.
enum class Schedule : unsigned char {
  kAdaptive,  ///< hands half of the remaining items to an idle worker; for all loops
  /// Cuts the loop at its start into equal blocks, one for each worker (1024 at most). A worker that joins the loop begins with
  /// the block of its own index. It runs another block only if it has no other work and that block's worker has not joined yet.
  /// For bodies of equal cost, so that repeated loops touch the same memory on the same worker.
  kFixed,
  /// @cond
  adaptive BLITZ_RENAMED("blitz::Schedule::kAdaptive") = kAdaptive,
  fixed BLITZ_RENAMED("blitz::Schedule::kFixed") = kFixed
  /// @endcond
};

/// The options of a loop, which come first in a call. Plain data.
/// @code
///   blitz::parallel_for({.min_grain = 10'000, .stop = token}, v, [](double& x) { x /= 2; });
/// @endcode
struct ForOptions {
  /// The minimum number of items in a block, unless the loop has fewer. 0: the loop decides.
  std::size_t min_grain = 0;
  Schedule schedule = Schedule::kAdaptive;  ///< How the iterations are distributed.
  /// After a stop request no new blocks start, and the loop returns as if it were complete.
  std::stop_token stop{};
  PoolRef pool{};  ///< The pool that runs the loop.
};

/// The body of parallel_for() over items: callable with one of them, by several threads concurrently. Its result is ignored,
/// unless it is a Flow.
template <class F, class Item>
concept LoopFunction = SharedFunction<F, Item>;

/// The result of a body that may end its loop: see parallel_for().
enum class Flow : unsigned char {
  kContinue,  ///< with the next item
  kStop,      ///< this block ends here, and no new blocks start
  /// @cond
  go_on BLITZ_RENAMED("blitz::Flow::kContinue") = kContinue,
  stop BLITZ_RENAMED("blitz::Flow::kStop") = kStop
  /// @endcond
};

namespace detail {

/// The block of a range, as the body of parallel_for_blocks gets it.
template <class R>
using LoopBlockOf = typename BlockItems<R>::Item;

/// A body that would be valid if only one thread called it.
template <class F, class Item>
concept MutableBody = std::invocable<F&, Item> && !LoopFunction<F, Item>;

/// A body that would be valid if the items did not share words.
template <class F, class It>
concept BodyOfSharedWords =
    SharesWords<It> && std::invocable<F&, std::iter_reference_t<It>> && !std::invocable<F&, ReadOnlyBit>;

/// Whether a body decides if its loop continues.
template <class F, class... Args>
inline constexpr bool kReturnsFlow = std::same_as<std::remove_cvref_t<std::invoke_result_t<F&, Args...>>, Flow>;

/// Calls `f`. Returns whether `f` has ended the loop by returning Flow::kStop.
template <class F, class... Args>
BLITZ_ALWAYS_INLINE bool stops_loop(F& f, Args&&... args) {
  if constexpr (kReturnsFlow<F, Args...>) {
    return invoke_inline(f, std::forward<Args>(args)...) == Flow::kStop;
  } else {
    invoke_inline(f, std::forward<Args>(args)...);
    return false;
  }
}

/// stops_loop for the items of a loop, in one frame. `kReadOnly`: see ReadOnlyBit.
template <class F, bool kReadOnly>
struct BodySink {
  template <class X>
  BLITZ_ALWAYS_INLINE bool operator()(X&& x) const {
    using Item = std::conditional_t<kReadOnly, ReadOnlyBit, X&&>;
    if constexpr (kReturnsFlow<const F, Item>) {
      return invoke_inline(f, static_cast<Item>(x)) == Flow::kStop;
    } else {
      invoke_inline(f, static_cast<Item>(x));
      return false;
    }
  }
  const F& f;
};

/// A loop that calls `f` for each item.
template <class Items, class F>
class ItemLoop final : public Loop {
 public:
  ItemLoop(const ForOptions& options, const LoopSpace<Items>& space, const F& f)
      : Loop(&run_block_of, space.count, options.schedule == Schedule::kFixed ? LoopCut::kFixed : LoopCut::kAdaptive,
             options.min_grain, options.stop),
        items_(space.items),
        f_(f) {}

 private:
  static constexpr bool kReadOnly = requires { requires Items::kSharesWords; };

  static bool run_block_of(const Loop& self, void* /*value*/, LoopIndex first, LoopIndex last) {
    const auto& loop = static_cast<const ItemLoop&>(self);
    return loop.items_.for_each(first, last, BodySink<F, kReadOnly>{loop.f_});
  }

  const Items items_;
  const F& f_;
};

/// Calls `f` for each item of the space.
template <class Items, class F>
void run_loop(const ForOptions& options, const LoopSpace<Items>& space, const F& f) {
  if (space.count > 0) ItemLoop<Items, F>(options, space, f).run(options.pool.base());
}

}  // namespace detail

/// Calls `f(x)` for every x of `range`, in any order, possibly in parallel.
///
/// Cuts the range into contiguous blocks according to ForOptions::schedule. Within a block the items are in the order of the
/// range. Splitting is on demand: a loop that finds no idle worker runs like a sequential loop. On a pool of one thread, a loop
/// that cannot be stopped is a sequential loop: one block. An empty range costs nothing.
///
/// An exception ends the loop early: no new blocks start, and the first exception is rethrown when all running blocks have
/// finished. Outside every pool the loop runs in global_pool().
///
/// An `f` that returns blitz::Flow can end the loop in the same way: after Flow::kStop its block ends, and no new blocks of
/// this loop start. An exception of another block is still rethrown. To find any x that matches:
/// @code
///   std::atomic<const Item*> found = nullptr;
///   blitz::parallel_for(items, [&](const Item& x) {
///     if (!matches(x)) return blitz::Flow::kContinue;
///     found.store(&x, std::memory_order_relaxed);
///     return blitz::Flow::kStop;
///   });
/// @endcode
/// @param range    Must live until the call has returned.
/// @param f        Called once for each item, unless the loop ends early; through a constant reference, by several threads
///                 concurrently. A mutable lambda is refused. The items of a `vector<bool>` are read-only.
/// @throws The first exception of `f`; outside every pool the exceptions of global_pool().
/// Complexity: O(n) calls for n items; in addition, a few nanoseconds, and O(log n) blocks for each idle worker. No allocation.
/// Thread-safety: any thread.
template <LoopRange R, LoopFunction<detail::RangeItem<R>> F>
void parallel_for(R&& range, F&& f) {
  detail::run_loop(ForOptions{}, detail::items_of(range), f);
}
/// @copydoc blitz::parallel_for(R&&, F&&)
/// @param options  The minimum size of a block, the schedule, a stop token, the pool.
template <LoopRange R, LoopFunction<detail::RangeItem<R>> F>
void parallel_for(const ForOptions& options, R&& range, F&& f) {
  detail::run_loop(options, detail::items_of(range), f);
}

/// Calls `f(i)` for every i in [first, last): integers (f gets their common type), or random-access iterators (f gets the
/// items). A reversed range of integers is empty. See the form for ranges for the order, exceptions and Flow.
/// @code
///   blitz::parallel_for(0, n, [&](int i) { squares[i] = i * i; });
/// @endcode
/// @param first    The first integer, or an iterator to the first item.
/// @param last     One after the last.
/// @param f        Called once for each, unless the loop ends early.
/// @throws The first exception of `f`. std::length_error if the iterators are 2^64 items apart or more. Outside every pool, the
///         exceptions of global_pool().
/// Complexity and thread-safety: see the form for ranges.
template <class First, detail::LoopEnd<First> Last, LoopFunction<detail::LoopItem<First, Last>> F>
void parallel_for(First first, Last last, F&& f) {
  detail::run_loop(ForOptions{}, detail::items_of(first, last), f);
}
/// @copydoc blitz::parallel_for(First, Last, F&&)
/// @param options  See the form for ranges.
template <class First, detail::LoopEnd<First> Last, LoopFunction<detail::LoopItem<First, Last>> F>
void parallel_for(const ForOptions& options, First first, Last last, F&& f) {
  detail::run_loop(options, detail::items_of(first, last), f);
}

/// Calls `f(i)` for the integers first, first + step, first + 2 * step, ... that come before `last`: below it, or, if the step
/// is negative, above it. `f` gets the common type of `first` and `last`. The loop never overflows that type. See the form for
/// ranges for the order, exceptions and Flow.
/// @code
///   // Every other element, from the last on.
///   blitz::parallel_for(n - 1, -1, -2, [&](int i) { v[i] = 0; });
/// @endcode
/// @param first    The first integer.
/// @param last     The end, exclusive.
/// @param step     The distance from one integer to the next; may be negative.
/// @param f        Called once for each, unless the loop ends early.
/// @throws The first exception of `f`. std::invalid_argument if the step is 0. Outside every pool, the exceptions of
///         global_pool().
/// Complexity and thread-safety: see the form for ranges.
template <LoopInteger First, LoopInteger Last, LoopInteger Step, LoopFunction<std::common_type_t<First, Last>> F>
void parallel_for(First first, Last last, Step step, F&& f) {
  detail::run_loop(ForOptions{}, detail::items_of(first, last, step), f);
}
/// @copydoc blitz::parallel_for(First, Last, Step, F&&)
/// @param options  See the form for ranges.
template <LoopInteger First, LoopInteger Last, LoopInteger Step, LoopFunction<std::common_type_t<First, Last>> F>
void parallel_for(const ForOptions& options, First first, Last last, Step step, F&& f) {
  detail::run_loop(options, detail::items_of(first, last, step), f);
}

/// Calls `f(block)` for contiguous sub-ranges (`std::ranges::subrange`) that cover `range`, each item once. For bodies that are
/// vectorised, or that keep state from item to item. An `f` that returns Flow::kStop ends the loop after its block. See
/// parallel_for() for the order and exceptions.
/// @code
///   blitz::parallel_for_blocks(samples,
///                              [&](auto block) { filter(block.data(), block.size()); });
/// @endcode
/// @param range    Must live until the call has returned.
/// @param f        Called with one block after the other, by several threads concurrently.
/// @throws The first exception of `f`; outside every pool the exceptions of global_pool().
/// Complexity: a call for each block: one, and O(log n) for each idle worker. Thread-safety: any thread.
template <LoopRange R, LoopFunction<detail::LoopBlockOf<R>> F>
  requires(!detail::SharesWords<std::ranges::iterator_t<R>>)
void parallel_for_blocks(R&& range, F&& f) {
  detail::run_loop(ForOptions{}, detail::blocks_of(range), f);
}
/// @copydoc blitz::parallel_for_blocks(R&&, F&&)
/// @param options  See parallel_for().
template <LoopRange R, LoopFunction<detail::LoopBlockOf<R>> F>
  requires(!detail::SharesWords<std::ranges::iterator_t<R>>)
void parallel_for_blocks(const ForOptions& options, R&& range, F&& f) {
  detail::run_loop(options, detail::blocks_of(range), f);
}

/// @cond
namespace detail {

/// The arguments of parallel_for.
struct ForArguments {
  template <class R, class F>
  [[nodiscard]] static consteval Mistake of() {
    if constexpr (!std::ranges::range<R>) {
      return Mistake::kRange;
    } else if constexpr (!LoopRange<R>) {
      return Mistake::kItems;
    } else if constexpr (BodyOfSharedWords<F, std::ranges::iterator_t<R>>) {
      return Mistake::kWords;
    } else if constexpr (LoopFunction<F, RangeItem<R>>) {
      return Mistake::kNone;
    } else {
      return MutableBody<F, RangeItem<R>> ? Mistake::kMutable : Mistake::kBody;
    }
  }
  template <class A, class B, class F>
  [[nodiscard]] static consteval Mistake of() {
    using First = std::decay_t<A>;
    using Last = std::decay_t<B>;
    if constexpr (!LoopBounds<First, Last>) {
      return std::ranges::range<A> && std::integral<std::remove_cvref_t<F>> ? Mistake::kGrain : Mistake::kBounds;
    } else if constexpr (LoopFunction<F, LoopItem<First, Last>>) {
      return Mistake::kNone;
    } else {
      return MutableBody<F, LoopItem<First, Last>> ? Mistake::kMutable : Mistake::kIndexBody;
    }
  }
  template <class A, class B, class C, class F>
  [[nodiscard]] static consteval Mistake of() {
    using First = std::decay_t<A>;
    using Last = std::decay_t<B>;
    if constexpr (std::integral<std::remove_cvref_t<F>>) {
      return Mistake::kGrain;
    } else if constexpr (LoopInteger<First> && LoopInteger<Last> && LoopInteger<std::remove_cvref_t<C>>) {
      return of<First, Last, F>();
    } else {
      return Mistake::kArguments;
    }
  }
};

/// The arguments of parallel_for_blocks.
struct ForBlocksArguments {
  template <class R, class F>
  [[nodiscard]] static consteval Mistake of() {
    if constexpr (!std::ranges::range<R>) {
      return Mistake::kRange;
    } else if constexpr (!LoopRange<R>) {
      return Mistake::kItems;
    } else if constexpr (SharesWords<std::ranges::iterator_t<R>>) {
      return Mistake::kWords;
    } else if constexpr (LoopFunction<F, LoopBlockOf<R>>) {
      return Mistake::kNone;
    } else {
      return MutableBody<F, LoopBlockOf<R>> ? Mistake::kMutable : Mistake::kBody;
    }
  }
};

}  // namespace detail

#define BLITZ_LOOP_OPTIONS ".min_grain, .schedule, .stop and .pool, in this order"
#define BLITZ_MUTABLE_BODY                                                                                          \
  "the body of a loop changes itself, but several threads call it concurrently; use no mutable lambda, count in a " \
  "std::atomic or a blitz::WorkerLocal, or add up with blitz::parallel_reduce"
#define BLITZ_SHARED_WORDS \
  "the items of a vector<bool> share words, so several threads cannot change them; use std::vector<char>"

BLITZ_REFUSE_OPTIONS(parallel_for, ForOptions, detail::ForArguments, BLITZ_LOOP_OPTIONS, "range, f)");
BLITZ_REFUSE_CALL(
    parallel_for, ForOptions, detail::ForArguments, kArguments,
    "these arguments fit no form of parallel_for; pass its options, if any, then a range, or two bounds and "
    "perhaps a step, then its body: blitz::parallel_for(range, f), blitz::parallel_for(0, n, [&](int i) { ... })");
BLITZ_REFUSE_CALL(
    parallel_for, ForOptions, detail::ForArguments, kRange,
    "parallel_for got no range; for the integers below n use blitz::parallel_for(0, n, [&](int i) { ... })");
BLITZ_REFUSE_CALL(
    parallel_for, ForOptions, detail::ForArguments, kItems,
    "parallel_for got a range without random access or size (vector, array, span, deque and views::iota have "
    "both); for a list, a map or a set use blitz::parallel_for_each");
BLITZ_REFUSE_CALL(
    parallel_for, ForOptions, detail::ForArguments, kBounds,
    "the bounds of parallel_for are neither integers nor random-access iterators; for the items of a list use "
    "blitz::parallel_for_each, and compute a fraction in the body from an integer");
BLITZ_REFUSE_CALL(parallel_for, ForOptions, detail::ForArguments, kGrain,
                  "a grain is an option, and rarely needed; use blitz::parallel_for({.min_grain = 64}, range, f)");
BLITZ_REFUSE_CALL(
    parallel_for, ForOptions, detail::ForArguments, kBody,
    "the body of parallel_for cannot be called with one item of the range, as f(*it); let it take that type, "
    "or const auto&; the items of a constant range cannot be changed");
BLITZ_REFUSE_CALL(parallel_for, ForOptions, detail::ForArguments, kIndexBody,
                  "the body of parallel_for cannot be called with one integer, or with the item of an iterator; use "
                  "blitz::parallel_for(0, n, [&](int i) { ... })");
BLITZ_REFUSE_CALL(parallel_for, ForOptions, detail::ForArguments, kMutable, BLITZ_MUTABLE_BODY);
BLITZ_REFUSE_CALL(parallel_for, ForOptions, detail::ForArguments, kWords,
                  BLITZ_SHARED_WORDS "; a body that only reads takes a bool");

BLITZ_REFUSE_OPTIONS(parallel_for_blocks, ForOptions, detail::ForBlocksArguments, BLITZ_LOOP_OPTIONS, "range, f)");
BLITZ_REFUSE_CALL(parallel_for_blocks, ForOptions, detail::ForBlocksArguments, kArguments,
                  "these arguments fit no form of parallel_for_blocks; pass its options, if any, a range and a body: "
                  "blitz::parallel_for_blocks(range, [](auto block) { ... })");
BLITZ_REFUSE_CALL(parallel_for_blocks, ForOptions, detail::ForBlocksArguments, kRange,
                  "parallel_for_blocks got no range; for the integers below n use std::views::iota(0, n)");
BLITZ_REFUSE_CALL(parallel_for_blocks, ForOptions, detail::ForBlocksArguments, kItems,
                  "parallel_for_blocks got a range without random access or size; use vector, array, span, deque or "
                  "views::iota");
BLITZ_REFUSE_CALL(
    parallel_for_blocks, ForOptions, detail::ForBlocksArguments, kBody,
    "the body of parallel_for_blocks cannot be called with a block of items, a std::ranges::subrange; use "
    "blitz::parallel_for_blocks(range, [](auto block) { ... })");
BLITZ_REFUSE_CALL(parallel_for_blocks, ForOptions, detail::ForBlocksArguments, kMutable, BLITZ_MUTABLE_BODY);
BLITZ_REFUSE_CALL(parallel_for_blocks, ForOptions, detail::ForBlocksArguments, kWords,
                  BLITZ_SHARED_WORDS "; to read them, pass std::as_const(flags)");
/// @endcond

}  // namespace blitz
