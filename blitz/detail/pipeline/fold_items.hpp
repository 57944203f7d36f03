/// @file
/// Terminals that combine the items of a stage into a value, or call a function with each of them.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/min_max.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/invoke.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/loop/fold.hpp"
#include "blitz/detail/loop/reduction.hpp"
#include "blitz/detail/pipeline/run_stage.hpp"
#include "blitz/detail/pipeline/source.hpp"
#include "blitz/detail/pipeline/stage.hpp"
#include "blitz/parallel_reduce.hpp"

namespace blitz::detail {
BLITZ_BEGIN_BY_OPTIMIZATION

// --- calls ---

/// Calls `f` with each item.
template <class F>
struct CallSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    static_cast<void>(invoke_inline(f, static_cast<X&&>(x)...));
    return false;
  }
  const F& f;
};

/// for_each.
template <class F>
struct CallForEach {
  template <class S>
  BLITZ_ALWAYS_INLINE bool operator()(const S& stage, LoopIndex first, LoopIndex last) const {
    return stage.for_each(first, last, CallSink<F>{f});
  }
  const F& f;
};

/// Calls `f` with a state and each item.
template <class State, class F>
struct StateSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    static_cast<void>(invoke_inline(f, state, static_cast<X&&>(x)...));
    return false;
  }
  State& state;
  const F& f;
};

/// for_each_with.
template <class State, class Init, class F>
struct CallWithState {
  using Value = std::optional<State>;

  [[nodiscard]] static Value identity() { return Value(); }
  template <class S>
  BLITZ_ALWAYS_INLINE bool fold(Value& state, const S& stage, LoopIndex first, LoopIndex last) const {
    if (!state) state.emplace(init());
    return stage.for_each(first, last, StateSink<State, F>{*state, f});
  }
  static void combine(Value& /*left*/, Value&& /*right*/) noexcept {}

  Init& init;
  const F& f;
};

// --- folds ---

/// Whether f(value, x...) returns the new value, and whether it changes its first argument instead.
template <class F, class T, class... X>
concept ReturnsValue = std::invocable<F, T, X...> && ReducesTo<std::invoke_result_t<F, T, X...>, T>;
template <class F, class T, class... X>
concept ChangesValue =
    std::invocable<F, T&, X...> && (!std::invocable<F, T, X...> || std::is_void_v<std::invoke_result_t<F, T&, X...>>);

/// Whether fold_into accepts F.
template <class F, class T, class P>
inline constexpr bool kFolds = false;
template <class F, class T, class... X>
inline constexpr bool kFolds<F, T, Pack<X...>> = ReturnsValue<F, T, X...> || ChangesValue<F, T, X...>;

/// Calls `f(value, x...)`, which either returns the new value, or changes its argument and returns nothing.
template <class T, class F, class... X>
BLITZ_ALWAYS_INLINE void fold_into(T& value, const F& f, X&&... x) {
  if constexpr (ReturnsValue<const F&, T, X&&...>) {
    value = static_cast<T>(invoke_inline(f, std::move(value), std::forward<X>(x)...));
  } else {
    invoke_inline(f, value, std::forward<X>(x)...);
  }
}

template <class T, class F>
struct FoldSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    fold_into(value, f, static_cast<X&&>(x)...);
    return false;
  }
  T& value;
  const F& f;
};

/// fold.
template <class T, class F, class Combine>
struct FoldItems {
  using Value = T;

  [[nodiscard]] T identity() const { return T(its_identity); }
  template <class S>
  BLITZ_ALWAYS_INLINE bool fold(T& value, const S& stage, LoopIndex first, LoopIndex last) const {
    LocalOf<T> local = local_of(value);
    stage.for_each(first, last, FoldSink<T, F>{local, f});
    put_back(value, local);
    return false;
  }
  void combine(T& left, T&& right) const { fold_into(left, its_combine, std::move(right)); }

  const T& its_identity;
  const F& f;
  const Combine& its_combine;
};

struct CountSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... /*x*/) const {
    ++count;
    return false;
  }
  std::size_t& count;
};

/// count.
struct CountItems {
  using Value = std::size_t;

  [[nodiscard]] static Value identity() noexcept { return 0; }
  template <class S>
  BLITZ_ALWAYS_INLINE static bool fold(Value& value, const S& stage, LoopIndex first, LoopIndex last) {
    Value local = value;
    stage.for_each(first, last, CountSink{local});
    value = local;
    return false;
  }
  static void combine(Value& left, Value right) noexcept { left += right; }
};

template <class S>
std::size_t count_items(const AlgorithmOptions& options, const S& stage) {
  if constexpr (S::kIndexed) {
    return static_cast<std::size_t>(stage.positions());
  } else {
    return fold_stage(options, stage, CountItems());
  }
}

/// Combines an item into a value. `Item` is a tuple if a position has several items.
template <class T, class Item, class Op>
struct ReduceSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    value = invoke_inline(op, std::move(value), as_item<Item>(static_cast<X&&>(x)...));
    return false;
  }
  T& value;
  const Op& op;
};
/// ReduceSink for a value that may be empty.
template <class T, class Item, class Op>
struct ReduceFirstSink {
  template <class... X>
  bool operator()(X&&... x) const {
    if (value) return ReduceSink<T, Item, Op>{*value, op}(static_cast<X&&>(x)...);
    value.emplace(item_to_copy<T>(static_cast<X&&>(x)...));
    return false;
  }
  std::optional<T>& value;
  const Op& op;
};

/// reduce without an identity; empty if there are no items.
template <class T, class Op>
struct ReduceItems {
  using Value = std::optional<T>;

  [[nodiscard]] static Value identity() { return Value(); }
  template <class S>
  BLITZ_ALWAYS_INLINE bool fold(Value& value, const S& stage, LoopIndex first, LoopIndex last) const {
    using Item = PipelineItem<S>;
    for (; !value && first != last; ++first) {
      stage.for_each(first, first + 1, ReduceFirstSink<T, Item, Op>{value, op});
    }
    if (first == last) return false;
    LocalOf<T> local = local_of(*value);
    stage.for_each(first, last, ReduceSink<T, Item, Op>{local, op});
    put_back(*value, local);
    return false;
  }
  void combine(Value& left, Value&& right) const {
    if (left && right) {
      *left = invoke_inline(op, std::move(*left), std::move(*right));
    } else if (right) {
      left = std::move(right);
    }
  }

  const Op& op;
};

template <class Maybe, class Item, class Terminal>
struct TryReduceSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    return terminal.combine(value, Maybe(as_item<Item>(static_cast<X&&>(x)...)));
  }
  Maybe& value;
  const Terminal& terminal;
};

/// try_reduce.
template <class T, class Op>
struct TryReduceItems {
  using Value = std::optional<T>;

  [[nodiscard]] Value identity() const { return Value(its_identity); }
  template <class S>
  BLITZ_ALWAYS_INLINE bool fold(Value& value, const S& stage, LoopIndex first, LoopIndex last) const {
    return stage.for_each(first, last, TryReduceSink<Value, PipelineItem<S>, TryReduceItems>{value, *this});
  }
  /// Returns whether the value is now empty.
  BLITZ_ALWAYS_INLINE bool combine(Value& left, Value&& right) const {
    if (left && right) {
      left = invoke_inline(op, *std::move(left), *std::move(right));
    } else {
      left.reset();
    }
    return !left;
  }

  const T& its_identity;
  const Op& op;
};

// --- sums in lanes ---

/// Whether a position of the stage has one item, or one that a filter drops. Then folds of numbers use lanes, in one pass.
template <class S>
inline constexpr bool kLaned = S::kIndexed && !S::kTwoPasses;
template <IndexedStage S, class P>
inline constexpr bool kLaned<FilterStage<S, P>> = !S::kTwoPasses;

/// The identity of std::plus and std::multiplies.
template <class T, class Op>
inline constexpr T kNone = std::same_as<Op, std::multiplies<T>> ? T{1} : T{0};

/// `number` if `keep`, otherwise kNone. Branch-free for integers: g++ could otherwise generate a branch, which would be
/// mispredicted for a filter of random items.
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

/// An item as a number.
template <class T>
struct ToNumber {
  template <class X>
  BLITZ_ALWAYS_INLINE T operator()(X&& x) const {
    return static_cast<T>(x);
  }
};
/// The number of an item that `pred` accepts; otherwise kNone.
template <class T, class Op, class P>
struct ToKeptNumber {
  template <class X>
  BLITZ_ALWAYS_INLINE T operator()(X&& x) const {
    return number_if<Op>(static_cast<bool>(invoke_inline(pred, std::as_const(x))), static_cast<T>(x));
  }
  const P& pred;
};

/// The number at position i, or kNone if it is dropped.
template <class T, class Op, class S>
BLITZ_ALWAYS_INLINE T number_at(const S& stage, LoopIndex i) {
  return stage.at(i, ToNumber<T>());
}
template <class T, class Op, class S, class P>
BLITZ_ALWAYS_INLINE T number_at(const FilterStage<S, P>& stage, LoopIndex i) {
  return stage.below().at(i, ToKeptNumber<T, Op, P>{stage.pred()});
}

/// Combines the number that `to_number` makes from an item into a value.
template <class T, class Op, class To>
struct NumberSink {
  template <class X>
  BLITZ_ALWAYS_INLINE bool operator()(X&& x) const {
    value = Op()(value, to_number(x));
    return false;
  }
  T& value;
  [[no_unique_address]] To to_number;
};

/// Combines the number of each position, kNone for a dropped item.
template <class T, class Op, class S>
BLITZ_ALWAYS_INLINE void take_numbers(T& value, const S& stage, LoopIndex first, LoopIndex last) {
  stage.for_each(first, last, NumberSink<T, Op, ToNumber<T>>{value, {}});
}
template <class T, class Op, class S, class P>
BLITZ_ALWAYS_INLINE void take_numbers(T& value, const FilterStage<S, P>& stage, LoopIndex first, LoopIndex last) {
  using To = ToKeptNumber<T, Op, P>;
  stage.below().for_each(first, last, NumberSink<T, Op, To>{value, To{stage.pred()}});
}

/// Combines numbers by `Op`, std::plus or std::multiplies.
template <class T, class Op>
struct FoldNumbers {
  using Value = T;

  [[nodiscard]] static T identity() noexcept { return kNone<T, Op>; }
  template <class S>
  BLITZ_ALWAYS_INLINE static bool fold(T& value, const S& stage, LoopIndex first, LoopIndex last) {
    T local = value;
    take_numbers<T, Op>(local, stage, first, last);
    value = local;
    return false;
  }
  static void combine(T& left, T right) { left = Op()(left, right); }
};

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
  /// See IteratorItems.
  template <LoopIndex kSize>
  class Groups {
   public:
    BLITZ_ALWAYS_INLINE Groups(const LaneItems& items, LoopIndex first, LoopIndex last) noexcept
        : stage_(items.stage_), first_(first), last_(last) {}
    [[nodiscard]] BLITZ_ALWAYS_INLINE bool done() const noexcept { return first_ == last_; }
    BLITZ_ALWAYS_INLINE T next(LoopIndex k) const { return number_at<T, Op>(stage_, first_ + k); }
    BLITZ_ALWAYS_INLINE void end_group() noexcept { first_ += kSize; }

   private:
    const S& stage_;
    LoopIndex first_;
    const LoopIndex last_;
  };

 private:
  const S& stage_;
};

/// sum and product: combines the numbers of a stage by `Op`. Without the optimiser, lanes would take twice the instructions of
/// a for_each.
template <class Op, class T, class S>
BLITZ_ALWAYS_INLINE T fold_numbers(const AlgorithmOptions& options, const S& stage) {
  if constexpr (BLITZ_OPTIMIZES && std::floating_point<T> && kLaned<S>) {
    using Items = LaneItems<T, Op, S>;
    constexpr T none = kNone<T, Op>;
    constexpr std::identity as_it_is;
    const Op op{};
    const Items items(stage);
    return fold_blocks(options, stage.positions(), 1,
                       Fold<T, Items, const T, const Op, const Op, const std::identity>(items, none, op, op, as_it_is));
  } else {
    return fold_stage(options, stage, FoldNumbers<T, Op>());
  }
}

// --- the least and the greatest ---

/// The lesser of two, the first one if they are equal.
template <class T, class Less>
struct LeastOf {
  template <class X>
  T operator()(T&& a, X&& b) const {
    return invoke_inline(less, std::as_const(b), std::as_const(a)) ? T(to_copy<T>(static_cast<X&&>(b))) : std::move(a);
  }
  const Less& less;
};
/// The greater of two, the last one if they are equal.
template <class T, class Less>
struct GreatestOf {
  template <class X>
  T operator()(T&& a, X&& b) const {
    return invoke_inline(less, std::as_const(b), std::as_const(a)) ? std::move(a) : T(to_copy<T>(static_cast<X&&>(b)));
  }
  const Less& less;
};
/// An item as both the least and the greatest.
template <class T>
struct BothOf {
  std::pair<T, T> operator()(const T& x) const { return {x, x}; }
};
/// The least and the greatest of two such pairs.
template <class T, class Less>
struct ExtremesOf {
  using Both = std::pair<T, T>;
  Both operator()(Both&& a, Both&& b) const {
    return Both(
        invoke_inline(less, std::as_const(b.first), std::as_const(a.first)) ? std::move(b.first) : std::move(a.first),
        invoke_inline(less, std::as_const(b.second), std::as_const(a.second)) ? std::move(a.second)
                                                                              : std::move(b.second));
  }
  const Less& less;
};

/// Whether ExtremeItems finds the least and the greatest items of a stage, by `Less`.
template <class S, class Less>
inline constexpr bool kHasExtremeNumbers = BLITZ_OPTIMIZES && S::kIndexed && kComparesNumbers<PipelineValue<S>, Less>;

/// Writes items contiguously.
template <class T>
struct WriteSink {
  template <class X>
  BLITZ_ALWAYS_INLINE bool operator()(X&& x) const {
    *out++ = x;
    return false;
  }
  T*& out;
};

/// The numbers kWhich of a stage; empty if there are no items. A run of numbers is written to memory, and then searched like an
/// array.
template <class T, Extreme... kWhich>
struct ExtremeItems {
  using Best = std::array<T, sizeof...(kWhich)>;
  using Value = std::optional<Best>;

  [[nodiscard]] static Value identity() noexcept { return Value(); }
  template <class S>
  BLITZ_ALWAYS_INLINE static bool fold(Value& best, const S& stage, LoopIndex first, LoopIndex last) {
    std::array<T, 512> numbers;
    while (first != last) {
      const LoopIndex end = first + std::min<LoopIndex>(last - first, numbers.size());
      T* out = numbers.data();
      stage.for_each(first, end, WriteSink<T>{out});
      if (!best) best.emplace().fill(numbers[0]);
      take(*best, numbers.data(), end - first);
      first = end;
    }
    return false;
  }
  static void combine(Value& left, Value&& right) {
    if (left && right) {
      take(*left, right->data(), right->size());
    } else if (right) {
      left = right;
    }
  }

 private:
  static void take(Best& best, const T* numbers, LoopIndex count) {
    T* next = best.data();
    (take_one<kWhich>(next++, numbers, count), ...);
  }
  template <Extreme kOne>
  static void take_one(T* best, const T* numbers, LoopIndex count) {
    ExtremeNumber<T, kOne> found(best);
    found.take(numbers, 0, count);
    *best = *found.place();
  }
};

/// One extreme number of a stage; empty if there are no items.
template <Extreme kWhich, class S>
std::optional<PipelineValue<S>> extreme_number(const AlgorithmOptions& options, const S& stage) {
  using T = PipelineValue<S>;
  const auto best = fold_stage(options, stage, ExtremeItems<T, kWhich>());
  return best ? std::optional<T>(best->front()) : std::nullopt;
}

/// min.
template <class S, class Less>
std::optional<PipelineValue<S>> least_item(const AlgorithmOptions& options, const S& stage, const Less& less) {
  using Op = LeastOf<PipelineValue<S>, Less>;
  if constexpr (kHasExtremeNumbers<S, Less>) {
    return extreme_number<Extreme::kFirstLeast>(options, stage);
  } else {
    return fold_stage(options, stage, ReduceItems<PipelineValue<S>, Op>{Op{less}});
  }
}
/// max.
template <class S, class Less>
std::optional<PipelineValue<S>> greatest_item(const AlgorithmOptions& options, const S& stage, const Less& less) {
  using Op = GreatestOf<PipelineValue<S>, Less>;
  if constexpr (kHasExtremeNumbers<S, Less>) {
    return extreme_number<Extreme::kLastGreatest>(options, stage);
  } else {
    return fold_stage(options, stage, ReduceItems<PipelineValue<S>, Op>{Op{less}});
  }
}
/// minmax.
template <class S, class Less>
auto least_and_greatest_item(const AlgorithmOptions& options, const S& stage, const Less& less) {
  using T = PipelineValue<S>;
  using Both = std::pair<T, T>;
  if constexpr (kHasExtremeNumbers<S, Less>) {
    const auto best = fold_stage(options, stage, ExtremeItems<T, Extreme::kFirstLeast, Extreme::kLastGreatest>());
    return best ? std::optional<Both>(Both(best->front(), best->back())) : std::nullopt;
  } else {
    using Op = ExtremesOf<T, Less>;
    return fold_stage(options, MapStage<S, BothOf<T>>(stage, {}), ReduceItems<Both, Op>{Op{less}});
  }
}

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz::detail
