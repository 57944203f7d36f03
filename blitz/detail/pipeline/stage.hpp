/// @file
/// The stages of a pipeline: each is a source over another one.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/invoke.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/loop/fold.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/pipeline/source.hpp"

namespace blitz::detail {
BLITZ_BEGIN_BY_OPTIMIZATION

/// The parts that every stage takes from the stage below.
template <class S>
class Over {
 public:
  using Items = typename S::Items;
  static constexpr bool kTwoPasses = S::kTwoPasses;

  [[nodiscard]] LoopIndex positions() const { return below_.positions(); }
  void first_pass(const AlgorithmOptions& options) { below_.first_pass(options); }
  void end_early() const noexcept { below_.end_early(); }
  /// The stage or source below.
  [[nodiscard]] const S& below() const noexcept { return below_; }

 protected:
  explicit Over(const S& below) : below_(below) {}
  S below_;
};

/// The sink that a stage gives the stage below. It passes the results to the next sink. Its type names the callable, not the
/// stage: otherwise each for_each would contain the whole pipeline more often than the previous one.
template <class F, class Sink>
struct MapSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE decltype(auto) operator()(X&&... x) const {
    return sink(invoke_inline(f, static_cast<X&&>(x)...));
  }
  const F& f;
  const Sink& sink;
};

/// Replaces the items by f(items...).
template <class S, class F>
class MapStage : public Over<S> {
 public:
  using Items = Pack<typename ResultOf<const F&, typename S::Items>::type>;
  static constexpr bool kIndexed = S::kIndexed;

  MapStage(const S& below, F f) : Over<S>(below), f_(std::move(f)) {}

  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return this->below_.for_each(first, last, MapSink<F, Sink>{f_, sink});
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE decltype(auto) at(LoopIndex i, const Sink& sink) const
    requires kIndexed
  {
    return this->below_.at(i, MapSink<F, Sink>{f_, sink});
  }

 private:
  [[no_unique_address]] F f_;
};
template <class S, class F>
inline constexpr bool kCheapAt<MapStage<S, F>> = kCheapAt<S>;

template <class F, class Sink>
struct InspectSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE decltype(auto) operator()(X&&... x) const {
    invoke_inline(f, std::as_const(x)...);
    return sink(static_cast<X&&>(x)...);
  }
  const F& f;
  const Sink& sink;
};

/// Calls f with each item and passes the item on.
template <class S, class F>
class InspectStage : public Over<S> {
 public:
  static constexpr bool kIndexed = S::kIndexed;

  InspectStage(const S& below, F f) : Over<S>(below), f_(std::move(f)) {}

  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return this->below_.for_each(first, last, InspectSink<F, Sink>{f_, sink});
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE decltype(auto) at(LoopIndex i, const Sink& sink) const
    requires kIndexed
  {
    return this->below_.at(i, InspectSink<F, Sink>{f_, sink});
  }

 private:
  [[no_unique_address]] F f_;
};

template <class P, class Sink>
struct FilterSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    return static_cast<bool>(invoke_inline(p, std::as_const(x)...)) && sink(static_cast<X&&>(x)...);
  }
  const P& p;
  const Sink& sink;
};

/// The items for which p holds.
template <class S, class P>
class FilterStage : public Over<S> {
 public:
  static constexpr bool kIndexed = false;

  FilterStage(const S& below, P p) : Over<S>(below), p_(std::move(p)) {}

  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return this->below_.for_each(first, last, FilterSink<P, Sink>{p_, sink});
  }

  /// For folds that take every position, and the identity for one that is dropped.
  [[nodiscard]] BLITZ_ALWAYS_INLINE const P& pred() const noexcept { return p_; }

 private:
  [[no_unique_address]] P p_;
};

template <class Maybe, class F, class Sink>
struct FilterMapSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    Maybe maybe = invoke_inline(f, static_cast<X&&>(x)...);
    return maybe ? sink(*std::forward<Maybe>(maybe)) : false;
  }
  const F& f;
  const Sink& sink;
};

/// *f(items...) for each non-empty result: f returns a std::optional or a pointer.
template <class S, class F>
class FilterMapStage : public Over<S> {
  using Maybe = typename ResultOf<const F&, typename S::Items>::type;

 public:
  using Items = Pack<decltype(*std::declval<Maybe>())>;
  static constexpr bool kIndexed = false;

  FilterMapStage(const S& below, F f) : Over<S>(below), f_(std::move(f)) {}

  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return this->below_.for_each(first, last, FilterMapSink<Maybe, F, Sink>{f_, sink});
  }

 private:
  [[no_unique_address]] F f_;
};

template <class F, class Sink>
struct FlatMapSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    for (auto&& y : invoke_inline(f, static_cast<X&&>(x)...)) {
      if (sink(static_cast<decltype(y)>(y))) return true;
    }
    return false;
  }
  const F& f;
  const Sink& sink;
};

/// All items of the range f(items...), sequentially on one thread.
template <class S, class F>
class FlatMapStage : public Over<S> {
  using Inner = typename ResultOf<const F&, typename S::Items>::type;

 public:
  using Items = Pack<std::ranges::range_reference_t<Inner>>;
  static constexpr bool kIndexed = false;

  FlatMapStage(const S& below, F f) : Over<S>(below), f_(std::move(f)) {}

  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return this->below_.for_each(first, last, FlatMapSink<F, Sink>{f_, sink});
  }

 private:
  [[no_unique_address]] F f_;
};

template <class Sink>
struct EnumerateSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE decltype(auto) operator()(X&&... x) const {
    return sink(static_cast<std::size_t>(i), static_cast<X&&>(x)...);
  }
  LoopIndex i;
  const Sink& sink;
};

/// Adds the position, as a std::size_t, before the items.
template <IndexedStage S>
class EnumerateStage : public Over<S> {
 public:
  using Items = typename Joined<Pack<std::size_t>, typename S::Items>::type;
  static constexpr bool kIndexed = true;

  explicit EnumerateStage(const S& below) : Over<S>(below) {}

  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return for_each_position(*this, first, last, sink);
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE decltype(auto) at(LoopIndex i, const Sink& sink) const {
    return this->below_.at(i, EnumerateSink<Sink>{i, sink});
  }
};

/// The positions [first, last).
template <IndexedStage S>
class SliceStage : public Over<S> {
 public:
  static constexpr bool kIndexed = true;

  SliceStage(const S& below, LoopIndex first, LoopIndex last)
      : Over<S>(below), first_(first < last ? first : last), count_(last - first_) {}

  [[nodiscard]] LoopIndex positions() const noexcept { return count_; }
  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return this->below_.for_each(first_ + first, first_ + last, sink);
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE decltype(auto) at(LoopIndex i, const Sink& sink) const {
    return this->below_.at(first_ + i, sink);
  }
  [[nodiscard]] auto between(LoopIndex first, LoopIndex last) const
    requires requires(const S& s, LoopIndex i) { s.between(i, i); }
  {
    return this->below_.between(first_ + first, first_ + last);
  }

 private:
  LoopIndex first_;
  LoopIndex count_;
};

/// Every step-th position, starting with the first.
template <IndexedStage S>
class StepStage : public Over<S> {
 public:
  static constexpr bool kIndexed = true;

  StepStage(const S& below, LoopIndex step) : Over<S>(below), step_(step) {}

  [[nodiscard]] LoopIndex positions() const { return ceil_div(this->below_.positions(), step_); }
  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return for_each_position(*this, first, last, sink);
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE decltype(auto) at(LoopIndex i, const Sink& sink) const {
    return this->below_.at(i * step_, sink);
  }

 private:
  LoopIndex step_;
};

/// From the last position to the first.
template <IndexedStage S>
class ReversedStage : public Over<S> {
 public:
  static constexpr bool kIndexed = true;

  explicit ReversedStage(const S& below) : Over<S>(below), last_(this->positions() - 1) {}

  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return for_each_position(*this, first, last, sink);
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE decltype(auto) at(LoopIndex i, const Sink& sink) const {
    return this->below_.at(last_ - i, sink);
  }

 private:
  LoopIndex last_;
};

/// Sub-ranges of `size` neighbouring items of a range; their beginnings are `step` apart. If `whole`, none is shorter.
template <IndexedStage S>
class GroupsStage : public Over<S> {
 public:
  using Items = Pack<decltype(std::declval<const S&>().between(0, 0))>;
  static constexpr bool kIndexed = true;

  GroupsStage(const S& below, LoopIndex size, LoopIndex step, bool whole) : Over<S>(below), size_(size), step_(step) {
    items_ = this->below_.positions();
    const LoopIndex begins = whole ? (items_ < size ? 0 : items_ - size + 1) : items_;
    count_ = ceil_div(begins, step);
  }

  [[nodiscard]] LoopIndex positions() const noexcept { return count_; }
  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return for_each_position(*this, first, last, sink);
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE decltype(auto) at(LoopIndex i, const Sink& sink) const {
    return sink(this->below_.between(i * step_, std::min(i * step_ + size_, items_)));
  }

 private:
  LoopIndex size_;
  LoopIndex step_;
  LoopIndex items_;
  LoopIndex count_;
};

template <class T>
struct CopySink {
  template <class X>
  BLITZ_ALWAYS_INLINE T operator()(X&& x) const {
    return T(to_copy<T>(static_cast<X&&>(x)));
  }
};

template <class T, class Op>
struct SumSink {
  template <class X>
  BLITZ_ALWAYS_INLINE bool operator()(X&& x) const {
    sum = invoke_inline(op, std::move(sum), static_cast<X&&>(x));
    return false;
  }
  T& sum;
  const Op& op;
};

template <bool kExclusive, class T, class Op, class Sink>
struct ScanSink {
  template <class X>
  BLITZ_ALWAYS_INLINE bool operator()(X&& x) const {
    if constexpr (kExclusive) {
      if (sink(std::as_const(sum))) return true;
    }
    sum = invoke_inline(op, std::move(sum), static_cast<X&&>(x));
    return !kExclusive && sink(std::as_const(sum));
  }
  T& sum;
  const Op& op;
  const Sink& sink;
};

/// Replaces each item by the sum (by `op`) of all items up to it, or, if `kExclusive`, of `init` and the items before it. A
/// position is a block of kBlock items. A first pass over the stage below finds the sum of the items before each block.
template <IndexedStage S, class T, class Op, bool kExclusive>
class ScanStage : public Over<S> {
 public:
  using Items = Pack<const T&>;
  static constexpr bool kIndexed = false;
  static constexpr bool kTwoPasses = true;
  static constexpr LoopIndex kBlock = 4096;

  ScanStage(const S& below, std::optional<T> init, Op op)
      : Over<S>(below), init_(std::move(init)), op_(std::move(op)) {}

  [[nodiscard]] LoopIndex positions() const { return ceil_div(this->below_.positions(), kBlock); }

  void first_pass(const AlgorithmOptions& options) {
    Over<S>::first_pass(options);
    before_.assign(static_cast<std::size_t>(positions()), std::nullopt);
    for_blocks(options, positions(), 1, [this](LoopIndex first, LoopIndex last) {
      // No block follows the last one.
      for (last = std::min(last, positions() - 1); first < last; ++first) {
        before_[first + 1] = sum_of_block(first * kBlock);
      }
    });
    if (options.stop.stop_requested()) return;  // No block of the second pass will begin.
    std::optional<T> all = init_;
    for (std::optional<T>& sum : before_) {
      if (all && sum) {
        sum = invoke_inline(op_, *all, std::move(*sum));
      } else if (all) {
        sum = all;
      }
      all = sum;
    }
  }

  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    for (; first != last; ++first) {
      LoopIndex item = first * kBlock;
      const LoopIndex end = std::min(item + kBlock, this->below_.positions());
      const std::optional<T>& before = before_[first];
      T value = before ? *before : first_of(item);
      if (!before) {
        if (sink(std::as_const(value))) return true;
        ++item;
      }
      if (for_each_unrolled(this->below_, item, end, ScanSink<kExclusive, T, Op, Sink>{value, op_, sink})) return true;
    }
    return false;
  }

  /// The number of items.
  [[nodiscard]] LoopIndex count() const { return this->below_.positions(); }

 private:
  /// The sum of one item, as the initial value for others.
  [[nodiscard]] BLITZ_ALWAYS_INLINE T first_of(LoopIndex i) const { return this->below_.at(i, CopySink<T>()); }
  /// The sum of a whole block. Numbers are summed in four independent parts, so that an addition need not wait for the one
  /// before.
  [[nodiscard]] BLITZ_ALWAYS_INLINE T sum_of_block(LoopIndex begin) const {
    if constexpr (BLITZ_OPTIMIZES && kCheapAt<S> && std::is_arithmetic_v<T>) {
      constexpr LoopIndex kPart = kBlock / 4;
      std::array<T, 4> sums{first_of(begin), first_of(begin + kPart), first_of(begin + 2 * kPart),
                            first_of(begin + 3 * kPart)};
      for (LoopIndex i = begin + 1; i != begin + kPart; ++i) {
        add(sums[0], i);
        add(sums[1], i + kPart);
        add(sums[2], i + 2 * kPart);
        add(sums[3], i + 3 * kPart);
      }
      return invoke_inline(op_, invoke_inline(op_, sums[0], sums[1]), invoke_inline(op_, sums[2], sums[3]));
    } else {
      T sum = first_of(begin);
      this->below_.for_each(begin + 1, begin + kBlock, SumSink<T, Op>{sum, op_});
      return sum;
    }
  }
  BLITZ_ALWAYS_INLINE void add(T& sum, LoopIndex i) const { this->below_.at(i, SumSink<T, Op>{sum, op_}); }

  std::optional<T> init_;
  [[no_unique_address]] Op op_;
  // The sums of the items before each block; empty for the first block, without init.
  std::vector<std::optional<T>> before_;
};

/// The items of one stage, then those of another.
template <PipelineStage S, PipelineStage Next>
class ChainStage : public Over<S> {
 public:
  static constexpr bool kIndexed = S::kIndexed && Next::kIndexed;
  static constexpr bool kTwoPasses = S::kTwoPasses || Next::kTwoPasses;

  ChainStage(const S& below, const Next& next) : Over<S>(below), next_(next), middle_(this->below_.positions()) {}

  [[nodiscard]] LoopIndex positions() const {
    const LoopIndex more = next_.positions();
    if (more > std::numeric_limits<LoopIndex>::max() - middle_)
      throw std::length_error(
          "blitz: chain: the pipelines have more than 2^64 - 1 items together; run them one by one");
    return middle_ + more;
  }
  void first_pass(const AlgorithmOptions& options) {
    Over<S>::first_pass(options);
    next_.first_pass(options);
    middle_ = this->below_.positions();  // the pass may have changed it
  }
  void end_early() const noexcept {
    Over<S>::end_early();
    next_.end_early();
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    if (first < middle_ && this->below_.for_each(first, std::min(last, middle_), sink)) return true;
    return last > middle_ && next_.for_each(std::max(first, middle_) - middle_, last - middle_, sink);
  }
  template <class Sink>
  BLITZ_ALWAYS_INLINE decltype(auto) at(LoopIndex i, const Sink& sink) const
    requires kIndexed
  {
    return i < middle_ ? this->below_.at(i, sink) : next_.at(i - middle_, sink);
  }

 private:
  Next next_;
  LoopIndex middle_;
};

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz::detail
