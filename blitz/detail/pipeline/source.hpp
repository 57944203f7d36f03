/// @file
/// The sources of a pipeline: positions, each with an item, and the concept that sources and stages share.
///
/// Items are pushed: a source calls a sink with each of them, and a stage wraps the sink of the next one, so that compilers see
/// one loop. A sink returns true to end the block. A stage with several items per position, such as zip, passes them to the
/// sink as separate arguments: no tuple is made.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {
namespace detail {
BLITZ_BEGIN_BY_OPTIMIZATION

/// The types of the arguments that a sink is called with, as `T&`, `T&&` or, for a value, T.
template <class... T>
struct Pack {};

template <class A, class B>
struct Joined;
template <class... A, class... B>
struct Joined<Pack<A...>, Pack<B...>> {
  using type = Pack<A..., B...>;
};

/// The item of a position, or the tuple of several; and its type as a value.
template <class P>
struct ItemOf;
template <class T>
struct ItemOf<Pack<T>> {
  using Item = T;
  using Value = std::remove_cvref_t<T>;
};
template <class... T>
  requires(sizeof...(T) != 1)
struct ItemOf<Pack<T...>> {
  using Item = std::tuple<T...>;
  using Value = std::tuple<std::remove_cvref_t<T>...>;
};

/// The type of `f(items...)`.
template <class F, class P>
struct ResultOf;
template <class F, class... T>
struct ResultOf<F, Pack<T...>> : std::invoke_result<F, T...> {};

template <class F, class P>
inline constexpr bool kTakes = false;
template <class F, class... T>
inline constexpr bool kTakes<F, Pack<T...>> = std::invocable<F, T...>;

struct AnySink {
  bool operator()(auto&&...) const { return false; }
};

BLITZ_END_BY_OPTIMIZATION
}  // namespace detail

/// A source, or a stage over one, of a blitz::Pipeline. Work is divided by positions. Several threads call it concurrently.
///   S::Items                         a detail::Pack of the arguments of the sink
///   S::kIndexed                      whether each position has one item; then there is
///   s.at(i, sink)                    calls the sink with the item of position i, and returns its result
///   s.positions()                    their number; with kIndexed also before first_pass
///   s.for_each(first, last, sink)    all items of these positions, in order; true if the sink ended it
///   S::kTwoPasses, s.first_pass(options)
///                                    whether first_pass must be called, once, before for_each and at; then there is
///   s.end_early()                    no more items are wanted: a running for_each may then skip its remaining items
template <class S>
concept PipelineStage = std::copy_constructible<S> && requires(const S& s, detail::LoopIndex i, detail::AnySink sink) {
  typename S::Items;
  { S::kIndexed } -> std::convertible_to<bool>;
  { S::kTwoPasses } -> std::convertible_to<bool>;
  { s.positions() } -> std::same_as<detail::LoopIndex>;
  { s.for_each(i, i, sink) } -> std::same_as<bool>;
};

/// A stage of a blitz::Pipeline that has one item at each position. Stages after filter, filter_map, flat_map and scan are not
/// indexed: place the stages that need positions (enumerate, zip, take, skip, step_by, rev, chunks, windows) before them.
template <class S>
concept IndexedStage = PipelineStage<S> && S::kIndexed;

/// A stage with neighbouring items that form a range, as required by chunks and windows of a blitz::Pipeline: par(range), and
/// take and skip after it.
template <class S>
concept SlicedStage = PipelineStage<S> && requires(const S& s) { s.between(0, 0); };

/// A callable for the items of a stage of a blitz::Pipeline. Several threads call it concurrently through a const reference: a
/// lambda must not be `mutable`.
template <class F, class S>
concept StageFunction = detail::kTakes<const std::decay_t<F>&, typename S::Items>;

namespace detail {
BLITZ_BEGIN_BY_OPTIMIZATION

/// The result type of such a callable for an item.
template <class F, class S>
using StageResult = typename ResultOf<const std::decay_t<F>&, typename S::Items>::type;

/// The defaults of a source.
struct Source {
  static constexpr bool kIndexed = true;
  static constexpr bool kTwoPasses = false;
  void first_pass(const AlgorithmOptions& /*options*/) const noexcept {}
  void end_early() const noexcept {}
};

/// for_each for a stage that has at().
template <class S, class Sink>
BLITZ_ALWAYS_INLINE bool for_each_position(const S& stage, LoopIndex first, LoopIndex last, const Sink& sink) {
#pragma GCC unroll 4
  for (LoopIndex i = first; i != last; ++i) {
    if (stage.at(i, sink)) return true;
  }
  return false;
}

/// The items of a range.
template <std::ranges::view V>
  requires LoopRange<const V>
class RangeSource : public Source {
 public:
  using Items = Pack<std::ranges::range_reference_t<const V>>;

  explicit RangeSource(V view) : view_(std::move(view)) {}

  [[nodiscard]] LoopIndex positions() const { return static_cast<LoopIndex>(std::ranges::size(view_)); }
  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return items().for_each(first, last, sink);
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE decltype(auto) at(LoopIndex i, const Sink& sink) const {
    return sink(items()[i]);
  }
  /// The positions [first, last) as a range.
  [[nodiscard]] auto between(LoopIndex first, LoopIndex last) const {
    const auto begin = std::ranges::begin(view_);
    using Distance = std::ranges::range_difference_t<const V>;
    return std::ranges::subrange(begin + static_cast<Distance>(first), begin + static_cast<Distance>(last));
  }
  /// The accessor of the items. It uses a pointer if they are contiguous: a debug build then calls no iterator function.
  [[nodiscard]] BLITZ_ALWAYS_INLINE auto items() const {
    if constexpr (std::ranges::contiguous_range<const V>) {
      return IteratorItems(std::ranges::data(view_));
    } else {
      return items_of(view_).items;
    }
  }

 private:
  V view_;
};

/// The integers between two bounds, which may be of different types.
template <class Space>
class IntegerSource : public Source {
 public:
  using Items = Pack<typename decltype(Space::items)::Item>;

  explicit IntegerSource(const Space& space) noexcept : space_(space) {}

  [[nodiscard]] LoopIndex positions() const noexcept { return space_.count; }
  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return items().for_each(first, last, sink);
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE decltype(auto) at(LoopIndex i, const Sink& sink) const {
    return sink(items()[i]);
  }
  [[nodiscard]] BLITZ_ALWAYS_INLINE const auto& items() const { return space_.items; }

 private:
  Space space_;
};

/// Whether at() of a stage costs no more than a step of for_each.
template <class S>
inline constexpr bool kCheapAt = false;
template <class V>
inline constexpr bool kCheapAt<RangeSource<V>> = std::ranges::contiguous_range<const V>;
template <class Space>
inline constexpr bool kCheapAt<IntegerSource<Space>> = true;

/// for_each for sinks that are so fast that the loop's own instructions count: several items per iteration.
template <class S, class Sink>
BLITZ_ALWAYS_INLINE bool for_each_unrolled(const S& stage, LoopIndex first, LoopIndex last, const Sink& sink) {
  if constexpr (BLITZ_OPTIMIZES && kCheapAt<S>) {
    return for_each_position(stage, first, last, sink);
  } else {
    return stage.for_each(first, last, sink);
  }
}

/// A sink that passes the items `Left` and then its own to another sink, for a Zip.
template <class Sink, class... Left>
class ZipSink {
 public:
  BLITZ_ALWAYS_INLINE explicit ZipSink(const Sink& sink, Left&&... left)
      : sink_(sink), left_(static_cast<Left&&>(left)...) {}

  template <class... X>
  BLITZ_ALWAYS_INLINE decltype(auto) operator()(X&&... x) const {
    return call(std::index_sequence_for<Left...>(), static_cast<X&&>(x)...);
  }

 private:
  template <std::size_t... K, class... X>
  BLITZ_ALWAYS_INLINE decltype(auto) call(std::index_sequence<K...> /*all*/, X&&... x) const {
    return sink_(static_cast<Left&&>(std::get<K>(left_))..., static_cast<X&&>(x)...);
  }

  const Sink& sink_;
  std::tuple<Left&&...> left_;
};

/// A sink that passes on its items, followed by the items of `more` at the same position.
template <class More, class Sink>
struct ZipNext {
  template <class... X>
  BLITZ_ALWAYS_INLINE decltype(auto) operator()(X&&... x) const {
    return more.at(i, ZipSink<Sink, X...>(sink, static_cast<X&&>(x)...));
  }
  const More& more;
  LoopIndex i;
  const Sink& sink;
};

/// Several stages, position by position, up to the end of the shortest: the sink gets the items of all.
template <IndexedStage... S>
class Zip;

template <IndexedStage S>
class Zip<S> : public S {
 public:
  /// Whether all are sources with items that can be accessed without sinks.
  static constexpr bool kHasItems = requires(const S& s) { s.items(); };

  explicit Zip(const S& stage) : S(stage) {}

  template <class Sink, class... Left>
  BLITZ_ALWAYS_INLINE bool for_each_of(LoopIndex first, LoopIndex last, const Sink& sink, const Left&... left) const {
    const auto items = this->items();
    for (; first != last; ++first) {
      if (sink(left[first]..., items[first])) return true;
    }
    return false;
  }
  template <class Sink, class... Left>
  BLITZ_ALWAYS_INLINE decltype(auto) at_of(LoopIndex i, const Sink& sink, const Left&... left) const {
    return sink(left[i]..., this->items()[i]);
  }
};

template <IndexedStage S, IndexedStage... More>
class Zip<S, More...> {
 public:
  using Items = typename Joined<typename S::Items, typename Zip<More...>::Items>::type;
  static constexpr bool kIndexed = true;
  static constexpr bool kTwoPasses = S::kTwoPasses || Zip<More...>::kTwoPasses;
  static constexpr bool kHasItems = Zip<S>::kHasItems && Zip<More...>::kHasItems;

  explicit Zip(const S& stage, const More&... more) : stage_(stage), more_(more...) {}

  [[nodiscard]] LoopIndex positions() const { return std::min(stage_.positions(), more_.positions()); }
  void first_pass(const AlgorithmOptions& options) {
    stage_.first_pass(options);
    more_.first_pass(options);
  }
  void end_early() const noexcept {
    stage_.end_early();
    more_.end_early();
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    if constexpr (kHasItems) {
      return for_each_of(first, last, sink);
    } else {
      return for_each_position(*this, first, last, sink);
    }
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE decltype(auto) at(LoopIndex i, const Sink& sink) const {
    if constexpr (kHasItems) {
      return at_of(i, sink);
    } else {
      return stage_.at(i, ZipNext<Zip<More...>, Sink>{more_, i, sink});
    }
  }
  /// for_each for sources: each is asked for its items once. `left`: the items of the sources before these.
  template <class Sink, class... Left>
  BLITZ_ALWAYS_INLINE bool for_each_of(LoopIndex first, LoopIndex last, const Sink& sink, const Left&... left) const {
    return more_.for_each_of(first, last, sink, left..., stage_.items());
  }
  /// at() for sources.
  template <class Sink, class... Left>
  BLITZ_ALWAYS_INLINE decltype(auto) at_of(LoopIndex i, const Sink& sink, const Left&... left) const {
    return more_.at_of(i, sink, left..., stage_.items());
  }

 private:
  S stage_;
  Zip<More...> more_;
};

BLITZ_END_BY_OPTIMIZATION
}  // namespace detail
}  // namespace blitz
