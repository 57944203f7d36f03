/// The items of loops and reductions: the integers between two bounds, or the items of random-access iterators. Their positions
/// count from 0. A block is a run of positions.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "blitz/detail/base/export.hpp"
#include "blitz/loop_range.hpp"

namespace blitz::detail {

template <class Last, class First>
concept LoopEnd = LoopBounds<First, Last>;

using LoopIndex = std::uint64_t;

/// a / b, rounded up: the number of parts of `b` items in `a` items; the last part may be shorter. For all values.
template <std::unsigned_integral T>
[[nodiscard]] constexpr T ceil_div(T a, std::type_identity_t<T> b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// Whether an iterator's neighbouring items are parts of one object, so that two threads that write them race. This is the case
/// for vector<bool>; its proxy references identify it.
template <class It>
concept SharesWords = std::same_as<std::iter_value_t<It>, bool> && std::is_class_v<std::iter_reference_t<It>>;

/// A vector<bool> item, for a body that reads it.
class ReadOnlyBit {
 public:
  explicit ReadOnlyBit(bool value) noexcept : value_(value) {}
  operator bool() const noexcept { return value_; }
  template <std::convertible_to<bool> T>
  void operator=(const T& /*value*/) const {
    static_assert(!std::convertible_to<T, bool>,
                  "blitz: the items of a vector<bool> share words, so several threads cannot change them; use "
                  "std::vector<char>");
  }

 private:
  bool value_;
};

/// The argument that a loop passes to its body for an iterator.
template <class It>
using IteratorItem = std::conditional_t<SharesWords<It>, ReadOnlyBit, std::iter_reference_t<It>>;
template <class R>
using RangeItem = IteratorItem<std::ranges::iterator_t<R>>;

template <class First, class Last>
struct ItemOfBounds {
  using Type = IteratorItem<First>;
};
template <std::integral First, std::integral Last>
struct ItemOfBounds<First, Last> {
  using Type = std::common_type_t<First, Last>;
};

/// The type of the items that a loop from `First` to `Last` passes to its body.
template <class First, class Last>
  requires LoopBounds<First, Last>
using LoopItem = typename ItemOfBounds<First, Last>::Type;

/// The items starting at `begin`.
template <LoopIterator It>
class IteratorItems {
 public:
  using Item = std::iter_reference_t<It>;

  static constexpr bool kSharesWords = SharesWords<It>;

  /// Whether the next item is found without a branch. False for an iterator that walks through pieces of memory.
  static constexpr bool kIndexed = std::contiguous_iterator<It> || !std::is_lvalue_reference_v<Item>;

  explicit IteratorItems(It begin) : begin_(std::move(begin)) {}

  [[nodiscard]] BLITZ_ALWAYS_INLINE It at(LoopIndex i) const {
    return begin_ + static_cast<std::iter_difference_t<It>>(i);
  }
  BLITZ_ALWAYS_INLINE decltype(auto) operator[](LoopIndex i) const { return *at(i); }
  /// Calls `f` for each item until it returns true; returns whether it did. Copies `f`, so that its references are one step
  /// closer.
  template <class F>
  bool for_each(LoopIndex first, LoopIndex last, const F f) const {
    const It end = at(last);
    for (It item = at(first); item != end; ++item) {
      if (f(*item)) return true;
    }
    return false;
  }
  /// The items of [first, last) as groups of kSize; all groups are full. `next(k)` returns item k of a group, and is called for
  /// k = 0, 1 ... kSize - 1.
  template <LoopIndex kSize>
  class Groups {
   public:
    BLITZ_ALWAYS_INLINE Groups(const IteratorItems& items, LoopIndex first, LoopIndex last)
        : item_(items.at(first)), end_(items.at(last)) {}
    [[nodiscard]] BLITZ_ALWAYS_INLINE bool done() const { return item_ == end_; }
    BLITZ_ALWAYS_INLINE Item next(LoopIndex /*k*/) {
      Item here = *item_;
      ++item_;
      return std::forward<Item>(here);
    }
    BLITZ_ALWAYS_INLINE void end_group() noexcept {}

   private:
    It item_;
    const It end_;
  };

 private:
  It begin_;
};

/// The integers starting at `begin`. `Wraps`: the last of them may be less than the first, for example if -1 was converted to
/// an unsigned type.
template <LoopInteger I, bool Wraps = false>
class IntegerItems {
 public:
  using Item = I;

  static constexpr bool kIndexed = true;

  explicit IntegerItems(LoopIndex begin) noexcept : begin_(begin) {}

  // `begin` is the first integer, extended to 64 bits: correct for every type, because it wraps.
  I operator[](LoopIndex i) const noexcept { return static_cast<I>(begin_ + i); }

  /// Counts in the integers' own type, and compares with "less than". So compilers see that the counter does not wrap, and
  /// vectorise accesses indexed by it, as in the plain loop.
  template <class F>
  bool for_each(LoopIndex first, LoopIndex last, const F f) const {
    if constexpr (Wraps) {
      for (LoopIndex i = first; i != last; ++i) {
        if (f((*this)[i])) return true;
      }
    } else {
      const I end = (*this)[last];
      for (I i = (*this)[first]; i < end; ++i) {
        if (f(I{i})) return true;
      }
    }
    return false;
  }
  /// See IteratorItems; counts like for_each. Narrower unsigned integers are counted in 64 bits, because otherwise compilers
  /// would not see that the items are neighbours.
  template <LoopIndex kSize>
  class Groups {
    static constexpr bool kWiden = std::unsigned_integral<I> && sizeof(I) < sizeof(LoopIndex);
    using Counter = std::conditional_t<Wraps || kWiden, LoopIndex, I>;

   public:
    BLITZ_ALWAYS_INLINE Groups(const IntegerItems& items, LoopIndex first, LoopIndex last) noexcept {
      if constexpr (Wraps) {
        next_ = items.begin_ + first;
        end_ = items.begin_ + last;
      } else {
        next_ = items[first];
        end_ = first != last ? items[last - (kSize - 1)] : next_;
      }
    }
    [[nodiscard]] BLITZ_ALWAYS_INLINE bool done() const noexcept {
      if constexpr (Wraps) {
        return next_ == end_;
      } else {
        if (next_ >= end_) return true;
        if (kWiden && next_ > std::numeric_limits<I>::max() - static_cast<Counter>(kSize - 1)) __builtin_unreachable();
        return false;
      }
    }
    BLITZ_ALWAYS_INLINE I next(LoopIndex k) const noexcept { return static_cast<I>(next_ + static_cast<Counter>(k)); }
    BLITZ_ALWAYS_INLINE void end_group() noexcept { next_ = static_cast<Counter>(next_ + static_cast<Counter>(kSize)); }

   private:
    Counter next_;
    Counter end_;
  };

 private:
  LoopIndex begin_;
};

/// Every step-th integer, starting at `begin`. As in IntegerItems, the arithmetic has 64 bits and wraps.
template <LoopInteger I>
class SteppedItems {
 public:
  using Item = I;

  static constexpr bool kIndexed = true;

  SteppedItems(LoopIndex begin, LoopIndex step) noexcept : begin_(begin), step_(step) {}

  I operator[](LoopIndex i) const noexcept { return static_cast<I>(begin_ + i * step_); }
  template <class F>
  bool for_each(LoopIndex first, LoopIndex last, const F f) const {
    LoopIndex value = begin_ + first * step_;
    for (; first != last; ++first, value += step_) {
      if (f(static_cast<I>(value))) return true;
    }
    return false;
  }

 private:
  LoopIndex begin_;
  LoopIndex step_;
};

template <class R>
inline constexpr bool kIsIota = false;
template <LoopInteger I>
inline constexpr bool kIsIota<std::ranges::iota_view<I, I>> = true;

/// The blocks of a range, each as one item.
template <LoopRange R>
class BlockItems {
 public:
  using Item = std::ranges::subrange<std::ranges::iterator_t<R>>;

  static constexpr bool kIndexed = false;

  explicit BlockItems(R& range) : items_(std::ranges::begin(range)) {}

  template <class F>
  bool for_each(LoopIndex first, LoopIndex last, const F& f) const {
    return first != last && f(Item(items_.at(first), items_.at(last)));
  }

 private:
  IteratorItems<std::ranges::iterator_t<R>> items_;
};

/// The iteration space of a loop: the first `count` of `items`.
template <class Items>
struct LoopSpace {
  LoopIndex count;
  Items items;
};
template <class Items>
LoopSpace(LoopIndex, Items) -> LoopSpace<Items>;

/// The items of a range. Always inline: a pipeline asks for them at each item, and compilers hoist that out of the loop.
template <LoopRange R>
BLITZ_ALWAYS_INLINE auto items_of(R& range) {
  const auto count = static_cast<LoopIndex>(std::ranges::size(range));
  const auto begin = std::ranges::begin(range);
  if constexpr (kIsIota<std::remove_cv_t<R>>) {
    return LoopSpace{count, IntegerItems<std::iter_value_t<decltype(begin)>>(static_cast<LoopIndex>(*begin))};
  } else {
    return LoopSpace{count, IteratorItems(begin)};
  }
}

/// The integers in [first, last), or the items of the iterators.
template <class First, class Last>
  requires LoopBounds<First, Last>
auto items_of(First first, Last last) {
  if constexpr (std::integral<First>) {
    using I = std::common_type_t<First, Last>;
    constexpr bool kWraps = std::signed_integral<First> && std::unsigned_integral<I>;
    // A reversed range is empty. The difference is correct for all types: both are extended to 64 bits and wrap.
    const bool any = std::cmp_less(+first, +last);  // Promoted, because cmp_less rejects character types.
    const LoopIndex count = any ? static_cast<LoopIndex>(last) - static_cast<LoopIndex>(first) : 0;
    return LoopSpace{count, IntegerItems<I, kWraps>(static_cast<LoopIndex>(first))};
  } else {
    const auto count = last - first;
    if constexpr (sizeof(count) > sizeof(LoopIndex)) {
      if (count > std::numeric_limits<LoopIndex>::max())
        throw std::length_error("blitz: a range has more than 2^64 - 1 items; run it in several calls");
    }
    return LoopSpace{static_cast<LoopIndex>(count), IteratorItems(first)};
  }
}

/// Every step-th integer from `first` up to `last`, or down to it if the step is negative; `last` is excluded.
template <LoopInteger First, LoopInteger Last, LoopInteger Step>
auto items_of(First first, Last last, Step step) {
  if (step == 0) throw std::invalid_argument("blitz: the step of a loop is 0; use one above or below 0");
  const auto begin = static_cast<LoopIndex>(first);
  const auto end = static_cast<LoopIndex>(last);
  const auto stride = static_cast<LoopIndex>(step);
  LoopIndex count = 0;  // Promoted, because cmp_less rejects character types.
  if (std::cmp_greater(+step, 0)) {
    if (std::cmp_less(+first, +last)) count = (end - begin - 1) / stride + 1;
  } else {
    if (std::cmp_less(+last, +first)) count = (begin - end - 1) / (0 - stride) + 1;
  }
  return LoopSpace{count, SteppedItems<std::common_type_t<First, Last>>(begin, stride)};
}

/// A range as blocks.
template <LoopRange R>
auto blocks_of(R& range) {
  return LoopSpace{static_cast<LoopIndex>(std::ranges::size(range)), BlockItems<R>(range)};
}

}  // namespace blitz::detail
