/// @file
/// The least and the greatest item.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/raw_memory.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/loop/fold.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// Whether `C` is the usual order of numbers of type T.
template <class T, class C>
inline constexpr bool kComparesNumbers =
    std::is_arithmetic_v<T> &&
    (std::same_as<C, std::ranges::less> || std::same_as<C, std::less<>> || std::same_as<C, std::less<T>>);

/// Whether such numbers are contiguous. Vector instructions then find the best value of a run, without its position.
template <class I, class C, class P>
inline constexpr bool kPlainNumbers =
    std::contiguous_iterator<I> && kComparesNumbers<std::iter_value_t<I>, C> && std::same_as<P, std::identity>;

/// The number of numbers in a run, so that a run stays in the first-level cache for a second pass.
inline constexpr LoopIndex kRun = 2048;

/// The item to find.
enum class Extreme : unsigned char { kFirstLeast, kFirstGreatest, kLastGreatest };

/// The least or the greatest of several lanes of numbers.
template <class T, bool kLeast>
class ExtremeLanes {
 public:
  // Six vectors of 32 bytes, or twelve of 16, hide the latency of a comparison. Without vector comparisons four registers
  // suffice. g++ does not vectorise a loop over 16 lanes or fewer, because it unrolls it first.
  static constexpr bool kInRegisters = std::is_integral_v<T> && sizeof(T) == 8;
  static constexpr std::size_t kLanes = kInRegisters ? 4 : 192 / sizeof(T);

  ExtremeLanes() { lanes_.fill(kWorst); }

  /// Takes kLanes numbers.
  BLITZ_ALWAYS_INLINE void take(const T* numbers) {
    if constexpr (kInRegisters) {
      unrolled<kLanes>([&](std::size_t k) BLITZ_LAMBDA_INLINE { lanes_[k] = better(numbers[k], lanes_[k]); });
    } else {
      for (std::size_t k = 0; k < kLanes; ++k) lanes_[k] = better(numbers[k], lanes_[k]);
    }
  }
  /// The best of the numbers taken and of [numbers, end).
  [[nodiscard]] T best_with(const T* numbers, const T* end) const {
    const auto lanes = opaque_memory(lanes_);  // The loop below would prevent compilers from vectorising take().
    T best = kWorst;
    for (const T lane : lanes) best = better(lane, best);
    for (; numbers != end; ++numbers) best = better(*numbers, best);
    return best;
  }

 private:
  using Limits = std::numeric_limits<T>;
  static constexpr T kInfinity = Limits::has_infinity ? Limits::infinity() : Limits::max();
  static constexpr T kWorst = kLeast ? kInfinity : Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

  BLITZ_ALWAYS_INLINE static T better(T x, T y) { return (kLeast ? x < y : x > y) ? x : y; }

  std::array<T, kLanes> lanes_;
};

/// The least, or the greatest, of a run.
template <bool kLeast, class T>
[[nodiscard]] T best_of(const T* numbers, const T* end) {
  ExtremeLanes<T, kLeast> lanes;
  constexpr std::ptrdiff_t kLanes = lanes.kLanes;
  for (; end - numbers >= kLanes; numbers += kLanes) lanes.take(numbers);
  return lanes.best_with(numbers, end);
}

/// The least and the greatest of a run.
template <class T>
[[nodiscard]] std::pair<T, T> least_and_greatest(const T* numbers, const T* end) {
  ExtremeLanes<T, true> least;
  ExtremeLanes<T, false> greatest;
  if constexpr (!least.kInRegisters) return {best_of<true>(numbers, end), best_of<false>(numbers, end)};
  constexpr std::ptrdiff_t kLanes = least.kLanes;
  for (; end - numbers >= kLanes; numbers += kLanes) {
    least.take(numbers);
    greatest.take(numbers);
  }
  return {least.best_with(numbers, end), greatest.best_with(numbers, end)};
}

/// Finds the extreme number of contiguous numbers.
template <class T, Extreme kWhich>
class ExtremeNumber {
 public:
  ExtremeNumber() = default;
  /// Starts with a number to the left of all others.
  explicit ExtremeNumber(const T* first) noexcept : place_(first) {}

  /// Takes the numbers at the positions [from, to) of the array `numbers`.
  void take(const T* numbers, LoopIndex from, LoopIndex to) {
    for (; from < to; from += std::min(kRun, to - from)) {
      const T* const run = numbers + from;
      const T* const end = run + std::min(kRun, to - from);
      take_run(run, end, best_of<kLeast>(run, end));
    }
  }
  /// Takes a run with the best number `value`.
  void take_run(const T* run, const T* end, T value) {
    if (place_ != nullptr && !takes_place(value, *place_)) return;
    if (const T* const found = find_in(run, end, value); found != end) {
      place_ = found;
    } else if (place_ == nullptr) {
      place_ = run;  // The run has only NaNs, which equal nothing.
    }
  }
  void append(const ExtremeNumber& right) {
    if (right.place_ != nullptr && (place_ == nullptr || takes_place(*right.place_, *place_))) place_ = right.place_;
  }
  /// The number; null if there is none.
  [[nodiscard]] const T* place() const noexcept { return place_; }
  /// Its position in the array `numbers`; `none` if there is no number.
  [[nodiscard]] LoopIndex position(const T* numbers, LoopIndex none) const noexcept {
    return place_ == nullptr ? none : static_cast<LoopIndex>(place_ - numbers);
  }

 private:
  static constexpr bool kLeast = kWhich == Extreme::kFirstLeast;

  /// Whether `x` replaces `y`, which is to its left.
  [[nodiscard]] static bool takes_place(T x, T y) {
    if constexpr (kLeast) return x < y;
    return kWhich == Extreme::kFirstGreatest ? x > y : x >= y;
  }
  [[nodiscard]] static const T* find_in(const T* run, const T* end, T value) {
    if constexpr (kWhich != Extreme::kLastGreatest) return std::find(run, end, value);
    for (const T* place = end; place != run;) {
      if (*--place == value) return place;
    }
    return end;
  }

  const T* place_ = nullptr;
};

/// Finds the extreme item of any range, by `comp` and `proj`.
template <Extreme kWhich>
class ExtremeItem {
 public:
  template <class I, class C, class P>
  BLITZ_ALWAYS_INLINE void take(const I& first, LoopIndex i, C& comp, P& proj) {
    if (place_ == kNone || takes_place(*at(first, i), *at(first, place_), comp, proj)) place_ = i;
  }
  template <class I, class C, class P>
  void append(const I& first, const ExtremeItem& right, C& comp, P& proj) {
    if (right.place_ != kNone) take(first, right.place_, comp, proj);
  }
  [[nodiscard]] LoopIndex position(LoopIndex none) const noexcept { return place_ == kNone ? none : place_; }

 private:
  static constexpr LoopIndex kNone = ~LoopIndex{0};

  /// Whether `x` replaces `y`, which is to its left.
  template <class X, class Y, class C, class P>
  [[nodiscard]] static bool takes_place(X&& x, Y&& y, C& comp, P& proj) {
    if constexpr (kWhich == Extreme::kFirstLeast) {
      return std::invoke(comp, std::invoke(proj, std::forward<X>(x)), std::invoke(proj, std::forward<Y>(y)));
    } else if constexpr (kWhich == Extreme::kFirstGreatest) {
      return std::invoke(comp, std::invoke(proj, std::forward<Y>(y)), std::invoke(proj, std::forward<X>(x)));
    } else {
      return !std::invoke(comp, std::invoke(proj, std::forward<X>(x)), std::invoke(proj, std::forward<Y>(y)));
    }
  }

  LoopIndex place_ = kNone;
};

/// The position of the extreme item; `count` if there is no item.
template <Extreme kWhich, class I, class C, class P>
[[nodiscard]] LoopIndex find_extreme(const AlgorithmOptions& options, const I& first, LoopIndex count, C& comp,
                                     P& proj) {
  if constexpr (kPlainNumbers<I, C, P>) {
    using Found = ExtremeNumber<std::iter_value_t<I>, kWhich>;
    const auto* const numbers = std::to_address(first);
    const Found found = fold_blocks(
        options, count, 1, [] { return Found(); },
        [numbers](Found& value, LoopIndex from, LoopIndex to) { value.take(numbers, from, to); },
        [](Found& left, Found&& right) { left.append(right); });
    return found.position(numbers, count);
  } else {
    using Found = ExtremeItem<kWhich>;
    const Found found = fold_blocks(
        options, count, 1, [] { return Found(); },
        [&](Found& value, LoopIndex from, LoopIndex to) {
          for (; from != to; ++from) value.take(first, from, comp, proj);
        },
        [&](Found& left, Found&& right) { left.append(first, right, comp, proj); });
    return found.position(count);
  }
}

/// The state of the search for the least and the greatest item.
template <class Least, class Greatest>
struct LeastAndGreatest {
  Least least;
  Greatest greatest;
};

/// The positions of the first least and of the last greatest item, in one pass.
template <class I, class C, class P>
[[nodiscard]] std::pair<LoopIndex, LoopIndex> find_least_and_greatest(const AlgorithmOptions& options, const I& first,
                                                                      LoopIndex count, C& comp, P& proj) {
  if constexpr (kPlainNumbers<I, C, P>) {
    using T = std::iter_value_t<I>;
    using Found = LeastAndGreatest<ExtremeNumber<T, Extreme::kFirstLeast>, ExtremeNumber<T, Extreme::kLastGreatest>>;
    const auto* const numbers = std::to_address(first);
    const Found found = fold_blocks(
        options, count, 1, [] { return Found(); },
        [numbers](Found& value, LoopIndex from, LoopIndex to) {
          for (LoopIndex next = from; from < to; from = next) {
            next += std::min(kRun, to - from);  // The run is in the first-level cache when it is read again.
            const T* const run = numbers + from;
            const T* const end = numbers + next;
            const auto [least, greatest] = least_and_greatest(run, end);
            value.least.take_run(run, end, least);
            value.greatest.take_run(run, end, greatest);
          }
        },
        [](Found& left, Found&& right) {
          left.least.append(right.least);
          left.greatest.append(right.greatest);
        });
    return {found.least.position(numbers, count), found.greatest.position(numbers, count)};
  } else {
    using Found = LeastAndGreatest<ExtremeItem<Extreme::kFirstLeast>, ExtremeItem<Extreme::kLastGreatest>>;
    const Found found = fold_blocks(
        options, count, 1, [] { return Found(); },
        [&](Found& value, LoopIndex from, LoopIndex to) {
          for (; from != to; ++from) {
            value.least.take(first, from, comp, proj);
            value.greatest.take(first, from, comp, proj);
          }
        },
        [&](Found& left, Found&& right) {
          left.least.append(first, right.least, comp, proj);
          left.greatest.append(first, right.greatest, comp, proj);
        });
    return {found.least.position(count), found.greatest.position(count)};
  }
}

struct MinElement : WithComparison<MinElement, std::ranges::less> {
  template <class I, class C, class P>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count, C& comp, P& proj) {
    return at(first, find_extreme<Extreme::kFirstLeast>(options, first, count, comp, proj));
  }
};

struct MaxElement : WithComparison<MaxElement, std::ranges::less> {
  template <class I, class C, class P>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count, C& comp, P& proj) {
    return at(first, find_extreme<Extreme::kFirstGreatest>(options, first, count, comp, proj));
  }
};

struct MinMaxElement : WithComparison<MinMaxElement, std::ranges::less> {
  template <class I, class C, class P>
  static std::ranges::minmax_result<I> run(const AlgorithmOptions& options, const I& first, LoopIndex count, C& comp,
                                           P& proj) {
    const auto [least, greatest] = find_least_and_greatest(options, first, count, comp, proj);
    return {at(first, least), at(first, greatest)};
  }
};

struct Min : WithComparison<Min, std::ranges::less> {
  template <class I, class C, class P>
  static std::iter_value_t<I> run(const AlgorithmOptions& options, const I& first, LoopIndex count, C& comp, P& proj) {
    return to_copy<std::iter_value_t<I>>(*MinElement::run(options, first, count, comp, proj));
  }
};

struct Max : WithComparison<Max, std::ranges::less> {
  template <class I, class C, class P>
  static std::iter_value_t<I> run(const AlgorithmOptions& options, const I& first, LoopIndex count, C& comp, P& proj) {
    return to_copy<std::iter_value_t<I>>(*MaxElement::run(options, first, count, comp, proj));
  }
};

struct MinMax : WithComparison<MinMax, std::ranges::less> {
  template <class I, class C, class P>
  static std::ranges::minmax_result<std::iter_value_t<I>> run(const AlgorithmOptions& options, const I& first,
                                                              LoopIndex count, C& comp, P& proj) {
    const auto [least, greatest] = find_least_and_greatest(options, first, count, comp, proj);
    return {to_copy<std::iter_value_t<I>>(*at(first, least)), to_copy<std::iter_value_t<I>>(*at(first, greatest))};
  }
};

}  // namespace detail

/// @name Least and greatest items
/// `min_element`, `max_element`, `minmax_element`, `min`, `max` and `minmax` compare items by `comp`, by default
/// `std::ranges::less`. Several threads compare concurrently. Numbers are compared by vector instructions. NaNs have no order:
/// if there are any, the result may be any item.
///
/// Throws the exceptions of comparisons and projections, and Stopped after a stop request.
///
/// O(n): n - 1 comparisons (`minmax` and `minmax_element`: 2 n), and one for each part that another worker took. Memory: none.
///
/// Thread-safety: any thread.
/// @{

/// Returns an iterator to the first of the least items; the end if there is none.
/// @code
///   const auto cheapest = blitz::min_element(offers, {}, &Offer::price);
/// @endcode
inline constexpr detail::Algorithm<detail::MinElement> min_element{};
/// Returns an iterator to the first of the greatest items; the end if there is none.
inline constexpr detail::Algorithm<detail::MaxElement> max_element{};
/// Returns iterators to the first of the least items, and to the last of the greatest.
inline constexpr detail::Algorithm<detail::MinMaxElement> minmax_element{};
/// Returns the first of the least items. The range must not be empty.
inline constexpr detail::Algorithm<detail::Min> min{};
/// Returns the first of the greatest items. The range must not be empty.
inline constexpr detail::Algorithm<detail::Max> max{};
/// Returns the first of the least items, and the last of the greatest. The range must not be empty.
inline constexpr detail::Algorithm<detail::MinMax> minmax{};

/// @}

}  // namespace blitz
