/// @file
/// What terminals are made of: folds of a stage, on the engine of loops and reductions.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/min_max.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/constructed.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/invoke.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/loop/fold.hpp"
#include "blitz/detail/pipeline/rope.hpp"
#include "blitz/detail/pipeline/source.hpp"
#include "blitz/detail/pipeline/stage.hpp"
#include "blitz/parallel_reduce.hpp"
#include "blitz/pipeline/array.hpp"

namespace blitz::detail {
BLITZ_BEGIN_BY_OPTIMIZATION

/// The item of a stage as a value.
template <class S>
using PipelineItem = typename ItemOf<typename S::Items>::Item;
template <class S>
using PipelineValue = typename ItemOf<typename S::Items>::Value;

/// The items that a sink got, as one.
template <class T, class... X>
BLITZ_ALWAYS_INLINE decltype(auto) as_item(X&&... x) {
  if constexpr (sizeof...(X) == 1) {
    return (std::forward<X>(x), ...);
  } else {
    return T(std::forward<X>(x)...);
  }
}

/// To make a T of them: see to_copy.
template <class T, class... X>
BLITZ_ALWAYS_INLINE decltype(auto) item_to_copy(X&&... x) {
  if constexpr (sizeof...(X) == 1) {
    return (to_copy<T>(std::forward<X>(x)), ...);
  } else {
    return std::forward_as_tuple(to_copy<std::remove_cvref_t<X>>(std::forward<X>(x))...);
  }
}

/// Whether a stage has one item at most for each position.
template <class S>
inline constexpr bool kAtMostOne = S::kIndexed;
template <class S, class F>
inline constexpr bool kAtMostOne<MapStage<S, F>> = kAtMostOne<S>;
template <class S, class F>
inline constexpr bool kAtMostOne<InspectStage<S, F>> = kAtMostOne<S>;
template <class S, class P>
inline constexpr bool kAtMostOne<FilterStage<S, P>> = kAtMostOne<S>;
template <class S, class F>
inline constexpr bool kAtMostOne<FilterMapStage<S, F>> = kAtMostOne<S>;

/// The first or the second of an item, which is a pair or as much: what a sink got.
template <std::size_t kPart, class... X>
BLITZ_ALWAYS_INLINE decltype(auto) part_of(X&&... x) {
  if constexpr (sizeof...(X) == 1) {
    return std::get<kPart>(std::forward<X>(x)...);
  } else {
    return std::get<kPart>(std::forward_as_tuple(std::forward<X>(x)...));
  }
}

/// Calls `take(item)` for the items of the positions. A `take` that returns true ends the block.
template <class S, class Take>
BLITZ_ALWAYS_INLINE bool push(const S& stage, LoopIndex first, LoopIndex last, const Take& take) {
  return stage.for_each(first, last, [&take](auto&&... x) BLITZ_LAMBDA_INLINE -> bool {
    if constexpr (std::same_as<std::invoke_result_t<const Take&, decltype(x)...>, bool>) {
      return take(static_cast<decltype(x)>(x)...);
    } else {
      take(static_cast<decltype(x)>(x)...);
      return false;
    }
  });
}

/// Calls `use(stage)` when the stage is ready for for_each and at.
template <class S, class Use>
decltype(auto) with_ready(const AlgorithmOptions& options, const S& stage, const Use& use) {
  if constexpr (S::kTwoPasses) {
    S ready = stage;
    ready.first_pass(options);
    return use(std::as_const(ready));
  } else {
    return use(stage);
  }
}

/// Calls `f` in a loop over the stage. The stage is told if an exception ends the loop.
template <class S, class F>
BLITZ_ALWAYS_INLINE auto run_in_loop(const S& stage, const F& f) {
  if constexpr (S::kTwoPasses) {
    try {
      return f();
    } catch (...) {
      stage.end_early();
      throw;
    }
  } else {
    return f();
  }
}
/// The same for a part of the loop, which ends it also by returning true.
template <class S, class F>
BLITZ_ALWAYS_INLINE auto run_part(const S& stage, const F& f) {
  if constexpr (S::kTwoPasses && std::same_as<std::invoke_result_t<const F&>, bool>) {
    const bool ends = run_in_loop(stage, f);
    if (ends) stage.end_early();
    return ends;
  } else {
    return run_in_loop(stage, f);
  }
}

/// for_blocks over the positions of a stage: `f(stage, first, last)`, which ends the loop if it returns true.
template <class S, class F>
void for_stage(const AlgorithmOptions& options, const S& stage, F&& f) {
  with_ready(options, stage, [&](const S& ready) {
    for_blocks(options, ready.positions(), 1, [&](LoopIndex first, LoopIndex last) {
      return run_part(ready, [&]() BLITZ_LAMBDA_INLINE { return f(ready, first, last); });
    });
  });
}

/// fold_blocks over the positions of a stage: `fold(value, stage, first, last)`, which ends the loop if it returns true.
template <class S, class Identity, class F, class Combine>
auto fold_stage(const AlgorithmOptions& options, const S& stage, Identity&& identity, F&& fold, Combine&& combine) {
  return with_ready(options, stage, [&](const S& ready) {
    const auto begin = [&] { return run_in_loop(ready, identity); };
    const auto fold_block = [&](auto& value, LoopIndex first, LoopIndex last) {
      return run_part(ready, [&]() BLITZ_LAMBDA_INLINE { return fold(value, ready, first, last); });
    };
    const auto combine_two = [&](auto& left, auto&& right) {
      run_in_loop(ready, [&]() BLITZ_LAMBDA_INLINE { combine(left, std::move(right)); });
    };
    return fold_blocks(options, ready.positions(), 1, begin, fold_block, combine_two);
  });
}

/// Whether f(value, x...) returns the new value; and whether it changes the one it is given.
template <class F, class T, class... X>
concept ReturnsValue = std::invocable<F, T, X...> && ReducesTo<std::invoke_result_t<F, T, X...>, T>;
template <class F, class T, class... X>
concept ChangesValue =
    std::invocable<F, T&, X...> && (!std::invocable<F, T, X...> || std::is_void_v<std::invoke_result_t<F, T&, X...>>);

/// Whether fold_into does either.
template <class F, class T, class P>
inline constexpr bool kFolds = false;
template <class F, class T, class... X>
inline constexpr bool kFolds<F, T, Pack<X...>> = ReturnsValue<F, T, X...> || ChangesValue<F, T, X...>;

/// Calls `f(value, x...)`, which returns the new value, or changes the one it is given and returns nothing.
template <class T, class F, class... X>
BLITZ_ALWAYS_INLINE void fold_into(T& value, const F& f, X&&... x) {
  if constexpr (ReturnsValue<const F&, T, X&&...>) {
    value = static_cast<T>(invoke_inline(f, std::move(value), std::forward<X>(x)...));
  } else {
    invoke_inline(f, value, std::forward<X>(x)...);
  }
}

// --- sums in lanes ---

/// Whether a position of the stage has one item, or one that a filter drops: then folds of numbers go by lanes, in one pass.
template <class S>
inline constexpr bool kLaned = S::kIndexed && !S::kTwoPasses;
template <IndexedStage S, class P>
inline constexpr bool kLaned<FilterStage<S, P>> = !S::kTwoPasses;

/// What combines with a number to that number: for std::plus and std::multiplies.
template <class T, class Op>
inline constexpr T kNone = std::same_as<Op, std::multiplies<T>> ? T{1} : T{0};

/// `number` if `keep`, else kNone. Of integers without a choice, which g++ could make a branch of; what a filter of random
/// items answers would be mispredicted.
template <class Op, class T>
[[nodiscard]] BLITZ_ALWAYS_INLINE T number_if(bool keep, T number) {
  constexpr T none = kNone<T, Op>;
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Bits>(number ^ none) & static_cast<Bits>(-static_cast<Bits>(keep))) ^ none;
  } else {
    return keep ? number : none;
  }
}

/// The number at position i, or kNone if it is dropped.
template <class T, class Op, class S>
BLITZ_ALWAYS_INLINE T number_at(const S& stage, LoopIndex i) {
  return stage.at(i, [](auto&& x) BLITZ_LAMBDA_INLINE { return static_cast<T>(x); });
}
template <class T, class Op, class S, class P>
BLITZ_ALWAYS_INLINE T number_at(const FilterStage<S, P>& stage, LoopIndex i) {
  return stage.below().at(
      i, [&](auto&& x) BLITZ_LAMBDA_INLINE { return number_if<Op>(stage.keeps(x), static_cast<T>(x)); });
}

/// Calls `take(number)` for each position, with kNone for an item that is dropped.
template <class T, class Op, class S, class Take>
BLITZ_ALWAYS_INLINE void push_numbers(const S& stage, LoopIndex first, LoopIndex last, const Take& take) {
  push(stage, first, last, [&](auto&& x) BLITZ_LAMBDA_INLINE { take(static_cast<T>(x)); });
}
template <class T, class Op, class S, class P, class Take>
BLITZ_ALWAYS_INLINE void push_numbers(const FilterStage<S, P>& stage, LoopIndex first, LoopIndex last,
                                      const Take& take) {
  push(stage.below(), first, last,
       [&](auto&& x) BLITZ_LAMBDA_INLINE { take(number_if<Op>(stage.keeps(x), static_cast<T>(x))); });
}

/// A laned stage as the items of a Fold.
template <class T, class Op, class S>
class LaneItems {
 public:
  using Item = T;
  static constexpr bool kIndexed = true;
  static constexpr bool kComputes = !SlicedStage<S>;

  explicit LaneItems(const S& stage) noexcept : stage_(stage) {}

  template <class F>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const F& f) const {
    for (; first != last; ++first) f(number_at<T, Op>(stage_, first));
    return false;
  }
  template <LoopIndex kSize, class F>
  BLITZ_ALWAYS_INLINE LoopIndex for_each_group(LoopIndex first, LoopIndex last, const F& f) const {
    last -= (last - first) % kSize;
    for (; first != last; first += kSize) {
      f([this, first](LoopIndex k) BLITZ_LAMBDA_INLINE { return number_at<T, Op>(stage_, first + k); });
    }
    return last;
  }

 private:
  const S& stage_;
};

/// Combines the numbers of a stage by `op`, std::plus or std::multiplies. Without the optimiser, lanes take twice the
/// instructions of a push.
template <class T, class S, class Op>
T fold_numbers(const AlgorithmOptions& options, const S& stage, Op op) {
  constexpr T none = kNone<T, Op>;
  if constexpr (BLITZ_OPTIMIZES && std::floating_point<T> && kLaned<S>) {
    const LaneItems<T, Op, S> items(stage);
    constexpr std::identity as_it_is;
    const Fold<T, LaneItems<T, Op, S>, const T, Op, Op, const std::identity> fold(items, none, op, op, as_it_is);
    const LoopCut cut = options.deterministic ? LoopCut::kTree : LoopCut::kAdaptive;
    T all = none;
    if (stage.positions() > 0)
      all = Reduction(fold, stage.positions(), cut, grain_of(options, 1), options.stop).run(options.pool.base());
    throw_if_stopped(options);
    return all;
  } else {
    return fold_stage(
        options, stage, [] { return none; },
        [&](T& value, const S& ready, LoopIndex first, LoopIndex last) {
          with_local(value, [&](T& local) BLITZ_LAMBDA_INLINE {
            push_numbers<T, Op>(ready, first, last, [&](T x) BLITZ_LAMBDA_INLINE { local = op(local, x); });
          });
        },
        [&](T& left, T&& right) { left = op(left, right); });
  }
}

/// Reduces the items of the stage by `op`, without an identity; none for no items.
template <class T, class S, class Op>
std::optional<T> reduce_items(const AlgorithmOptions& options, const S& stage, const Op& op) {
  return fold_stage(
      options, stage, [] { return std::optional<T>(); },
      [&](std::optional<T>& value, const S& ready, LoopIndex first, LoopIndex last) {
        const auto take = [&op](T& all, auto&&... x) BLITZ_LAMBDA_INLINE {
          all = invoke_inline(op, std::move(all), as_item<PipelineItem<S>>(static_cast<decltype(x)>(x)...));
        };
        for (; !value && first != last; ++first) {
          push(ready, first, first + 1, [&](auto&&... x) {
            if (value) {
              take(*value, static_cast<decltype(x)>(x)...);
            } else {
              value.emplace(item_to_copy<T>(static_cast<decltype(x)>(x)...));
            }
          });
        }
        if (first == last) return;
        with_local(*value, [&](T& all) BLITZ_LAMBDA_INLINE {
          push(ready, first, last, [&](auto&&... x) BLITZ_LAMBDA_INLINE { take(all, static_cast<decltype(x)>(x)...); });
        });
      },
      [&](std::optional<T>& left, std::optional<T>&& right) {
        if (left && right) {
          *left = invoke_inline(op, std::move(*left), std::move(*right));
        } else if (right) {
          left = std::move(right);
        }
      });
}

/// Whether the least and the greatest items of a stage, by `Less`, are found by extreme_numbers.
template <class S, class Less>
inline constexpr bool kHasExtremeNumbers = BLITZ_OPTIMIZES && S::kIndexed && kComparesNumbers<PipelineValue<S>, Less>;

/// The numbers kWhich of a stage; none of no items. A run of numbers is made in memory, and gone through as one of an array is.
template <Extreme... kWhich, IndexedStage S>
auto extreme_numbers(const AlgorithmOptions& options, const S& stage) {
  using T = PipelineValue<S>;
  using Best = std::array<T, sizeof...(kWhich)>;
  const auto take = [](Best& best, const T* numbers, LoopIndex count) {
    T* next = best.data();
    const auto take_one = [&]<Extreme kOne>(ExtremeNumber<T, kOne> found) {
      found.take(numbers, 0, count);
      *next++ = *found.place();
    };
    (take_one(ExtremeNumber<T, kWhich>(next)), ...);
  };
  return fold_stage(
      options, stage, [] { return std::optional<Best>(); },
      [&take](std::optional<Best>& best, const S& ready, LoopIndex first, LoopIndex last) {
        std::array<T, 512> numbers;
        while (first != last) {
          const LoopIndex end = first + std::min<LoopIndex>(last - first, numbers.size());
          T* out = numbers.data();
          push(ready, first, end, [&out](auto&& x) BLITZ_LAMBDA_INLINE { *out++ = x; });
          if (!best) best.emplace().fill(numbers[0]);
          take(*best, numbers.data(), end - first);
          first = end;
        }
      },
      [&take](std::optional<Best>& left, std::optional<Best>&& right) {
        if (left && right) {
          take(*left, right->data(), right->size());
        } else if (right) {
          left = right;
        }
      });
}

/// Combines what two parts have found.
inline constexpr auto keep_left = [](auto& left, auto&& right) {
  if (!left && right) left.emplace(std::move(*right));
};

/// The item for which `pred` holds nearest to the beginning, or, if kLast, to the end. Positions are gone through from there;
/// blocks beyond one that was found are not.
template <bool kLast, class S, class P>
auto nearest_item(const AlgorithmOptions& options, const S& stage, const P& pred) {
  using Found = std::optional<PipelineValue<S>>;
  Atomic<LoopIndex> best{~LoopIndex{0}};  // how far away one was found; the orders as in find_first
  Found found = fold_stage(
      options, stage, [] { return Found(); },
      [&](Found& value, const S& ready, LoopIndex first, LoopIndex last) {
        if (value) return;
        for (; first < last && first <= best.load(std::memory_order_relaxed); ++first) {
          const LoopIndex place = kLast ? ready.positions() - 1 - first : first;
          push(ready, place, place + 1, [&](auto&&... x) {
            // A position with many items is not gone through to its end in vain.
            if constexpr (!kAtMostOne<S>) {
              if (first > best.load(std::memory_order_relaxed)) return true;
            }
            if (!invoke_inline(pred, std::as_const(x)...)) return false;
            value.emplace(item_to_copy<PipelineValue<S>>(static_cast<decltype(x)>(x)...));
            return !kLast;
          });
          if (!value) continue;
          LoopIndex seen = best.load(std::memory_order_relaxed);
          while (first < seen &&
                 !best.compare_exchange_weak(seen, first, std::memory_order_relaxed, std::memory_order_relaxed)) {
          }
          return;
        }
      },
      keep_left);
  return found;
}

/// An item for which `pred` holds. No block begins once one is found.
template <class S, class P>
auto some_item(const AlgorithmOptions& options, const S& stage, const P& pred) {
  Atomic<bool> hit{false};  // set by the blocks that find one; relaxed, because the end of the loop orders the item
  std::optional<PipelineValue<S>> found;  // written by the block that was the first to set it
  for_stage(options, stage, [&](const S& ready, LoopIndex first, LoopIndex last) {
    return push(ready, first, last, [&](auto&&... x) {
      if (!invoke_inline(pred, std::as_const(x)...)) return false;
      if (!hit.exchange(true, std::memory_order_relaxed))
        found.emplace(item_to_copy<PipelineValue<S>>(static_cast<decltype(x)>(x)...));
      return true;
    });
  });
  if (!found) throw_if_stopped(options);
  return found;
}

/// Whether `pred` holds for any item. No block begins once it does.
template <class S, class P>
bool any_item(const AlgorithmOptions& options, const S& stage, const P& pred) {
  Atomic<bool> hit{false};  // set by the blocks that find one; relaxed, because the end of the loop orders it
  for_stage(options, stage, [&](const S& ready, LoopIndex first, LoopIndex last) {
    const bool here = push(ready, first, last, [&](auto&&... x) BLITZ_LAMBDA_INLINE {
      return static_cast<bool>(invoke_inline(pred, std::as_const(x)...));
    });
    if (here) hit.store(true, std::memory_order_relaxed);
    return here;
  });
  if (hit.load(std::memory_order_relaxed)) return true;
  throw_if_stopped(options);
  return false;
}

// --- all items ---

/// An array of `count` objects. `make(objects, first, last)` makes those of [first, last) at the end of `objects`.
template <class T, class Make>
Array<T> build(const AlgorithmOptions& options, LoopIndex count, const Make& make) {
  ArrayMemory<T> memory = array_memory<T>(count);
  construct_blocks(options, memory.get(), count, make);
  return ArrayMaker::make(std::move(memory), count);
}

/// One item for each position.
template <class T, IndexedStage S>
Array<T> collect_items(const AlgorithmOptions& options, const S& stage) {
  return with_ready(options, stage, [&](const S& ready) {
    return build<T>(options, ready.positions(), [&](Constructed<T*>& objects, LoopIndex first, LoopIndex last) {
      if constexpr (std::is_trivially_copyable_v<T>) {
        // Nothing is to be destroyed: what is written need not be counted one by one.
        T* out = objects.end();
        push(ready, first, last, [&out](auto&&... x) BLITZ_LAMBDA_INLINE {
          ::new (static_cast<void*>(out)) T(item_to_copy<T>(static_cast<decltype(x)>(x)...));
          ++out;
        });
        objects.extend_to(out);
      } else {
        push(ready, first, last,
             [&](auto&&... x) { objects.emplace_back(item_to_copy<T>(static_cast<decltype(x)>(x)...)); });
      }
    });
  });
}

/// Appends the items of the positions to a rope.
template <class T, PipelineStage S>
void append_items(RopeEnd& rope, const S& stage, LoopIndex first, LoopIndex last) {
  push(stage, first, last, [&rope](auto&&... x) BLITZ_LAMBDA_INLINE {
    rope.open_piece().template emplace_back<T>(item_to_copy<T>(static_cast<decltype(x)>(x)...));
  });
}
/// The same of a filter of items of which bytes can be copied: each is written, and the next one over it if it is dropped.
/// There is no branch, which random items would have mispredicted.
template <class T, IndexedStage S, class P>
  requires std::is_trivially_copyable_v<T>
void append_items(RopeEnd& rope, const FilterStage<S, P>& stage, LoopIndex first, LoopIndex last) {
  while (first != last) {
    MadeItems& items = rope.open_piece();
    T* out = objects_in<T>(items.end());
    const LoopIndex next =
        first + std::min(last - first, static_cast<LoopIndex>(objects_in<T>(rope.end_of_piece()) - out));
    for_each_unrolled(stage.below(), first, next, [&](auto&&... x) BLITZ_LAMBDA_INLINE {
      const bool keep = stage.keeps(x...);
      ::new (static_cast<void*>(out)) T(item_to_copy<T>(static_cast<decltype(x)>(x)...));
      out += keep ? 1 : 0;
      return false;
    });
    items.extend_to(out);
    first = next;
  }
}

/// Appends the items of the positions for which `pred` holds to one rope, and the others to another.
template <class T, PipelineStage S, class P>
void append_parted(RopeEnd& kept, RopeEnd& others, const S& stage, const P& pred, LoopIndex first, LoopIndex last) {
  if constexpr (S::kIndexed && std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T>) {
    // As in append_items: each is written to both, and the next one over it where it does not belong.
    while (first != last) {
      MadeItems& left = kept.open_piece();
      MadeItems& right = others.open_piece();
      T* to_left = objects_in<T>(left.end());
      T* to_right = objects_in<T>(right.end());
      const auto room =
          std::min(objects_in<T>(kept.end_of_piece()) - to_left, objects_in<T>(others.end_of_piece()) - to_right);
      const LoopIndex next = first + std::min(last - first, static_cast<LoopIndex>(room));
      for_each_unrolled(stage, first, next, [&](auto&&... x) BLITZ_LAMBDA_INLINE {
        const bool keep = static_cast<bool>(invoke_inline(pred, std::as_const(x)...));
        const T* const item = ::new (static_cast<void*>(to_left)) T(item_to_copy<T>(static_cast<decltype(x)>(x)...));
        ::new (static_cast<void*>(to_right)) T(*item);
        to_left += keep ? 1 : 0;
        to_right += keep ? 0 : 1;
        return false;
      });
      left.extend_to(to_left);
      right.extend_to(to_right);
      first = next;
    }
  } else {
    push(stage, first, last, [&](auto&&... x) {
      RopeEnd& rope = invoke_inline(pred, std::as_const(x)...) ? kept : others;
      rope.open_piece().template emplace_back<T>(item_to_copy<T>(static_cast<decltype(x)>(x)...));
    });
  }
}

/// Two arrays of what `append(rope, other_rope, stage, first, last)` makes of the positions.
template <class T, class Other, PipelineStage S, class Append>
std::pair<Array<T>, Array<Other>> collect_both(const AlgorithmOptions& options, const S& stage, const Append& append) {
  return with_ready(options, stage, [&](const S& ready) {
    const auto append_part = [&](RopeEnd& rope, RopeEnd& other, LoopIndex first, LoopIndex last) {
      run_part(ready, [&]() BLITZ_LAMBDA_INLINE { append(rope, other, ready, first, last); });
    };
    auto [items, others] =
        collect_two(options, kItemKind<T>, kItemKind<Other>, ready.positions(), kAtMostOne<S>, append_part);
    return std::pair(ArrayMaker::make(as_memory_of<T>(std::move(items.memory)), items.count),
                     ArrayMaker::make(as_memory_of<Other>(std::move(others.memory)), others.count));
  });
}

/// The scan behind which a stage has one item for each of its items; null where there is none.
template <class S>
constexpr std::nullptr_t scan_below(const S& /*stage*/) noexcept {
  return nullptr;
}
template <class S, class T, class Op, bool kExclusive>
const auto* scan_below(const ScanStage<S, T, Op, kExclusive>& stage) noexcept {
  return &stage;
}
template <class S, class F>
auto scan_below(const MapStage<S, F>& stage) noexcept {
  return scan_below(stage.below());
}
template <class S, class F>
auto scan_below(const InspectStage<S, F>& stage) noexcept {
  return scan_below(stage.below());
}
template <class S>
inline constexpr bool kScanned = !std::same_as<decltype(scan_below(std::declval<const S&>())), std::nullptr_t>;

/// The items of a scan: the place of each block of them is known.
template <class T, PipelineStage S>
  requires(kScanned<S> && std::is_trivially_copyable_v<T>)
Array<T> collect_items(const AlgorithmOptions& options, const S& stage) {
  const LoopIndex count = scan_below(stage)->count();
  ArrayMemory<T> memory = array_memory<T>(count);
  for_stage(options, stage, [&](const S& ready, LoopIndex first, LoopIndex last) {
    T* out = memory.get() + first * scan_below(ready)->kBlock;
    push(ready, first, last, [&out](auto&&... x) BLITZ_LAMBDA_INLINE {
      ::new (static_cast<void*>(out)) T(item_to_copy<T>(static_cast<decltype(x)>(x)...));
      ++out;
    });
  });
  throw_if_stopped(options);
  return ArrayMaker::make(std::move(memory), count);
}

/// The items of a stage whose positions have any number.
template <class T, PipelineStage S>
Array<T> collect_items(const AlgorithmOptions& options, const S& stage) {
  return with_ready(options, stage, [&](const S& ready) {
    const auto append = [&ready](RopeEnd& rope, LoopIndex first, LoopIndex last) {
      run_part(ready, [&]() BLITZ_LAMBDA_INLINE { append_items<T>(rope, ready, first, last); });
    };
    CollectedItems items = collect_blocks(options, kItemKind<T>, ready.positions(), kAtMostOne<S>, append);
    return ArrayMaker::make(as_memory_of<T>(std::move(items.memory)), items.count);
  });
}

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz::detail
