/// The leaf of a reduction: folds a run of items into a value, as fast as their types allow.
///
/// Additions of floating-point numbers wait for each other, and a compiler may not change their order. So here they are
/// taken several at a time, into as many values, which is legal to a different degree:
///   - For an operation that is known to commute (std::plus, std::multiplies), item i goes to lane i mod kLanes, and
///     compilers make vector instructions of it.
///   - For any other, which is associative and no more, a run is cut into streams, each folded from left to right, and
///     these are combined from left to right.
/// Where an item goes depends on its place in the run alone, so equal runs are folded to equal bits. Folds of integers
/// need no help, and of other types nothing is known.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "blitz/core/items.hpp"

namespace blitz::detail {

/// Whether Op commutes, and is the same, on values of type T with items of type X, whether these are converted to T
/// before or within.
template <class Op, class T, class X>
inline constexpr bool kCommutes = false;
template <class T, class X>
inline constexpr bool kCommutes<std::plus<T>, T, X> = std::is_arithmetic_v<T> && std::is_arithmetic_v<X>;
template <class T, class X>
inline constexpr bool kCommutes<std::multiplies<T>, T, X> = std::is_arithmetic_v<T> && std::is_arithmetic_v<X>;
template <class T, class X>
  requires std::is_arithmetic_v<T> && std::is_arithmetic_v<X>
inline constexpr bool kCommutes<std::plus<>, T, X> = std::is_same_v<std::common_type_t<T, X>, T>;
template <class T, class X>
  requires std::is_arithmetic_v<T> && std::is_arithmetic_v<X>
inline constexpr bool kCommutes<std::multiplies<>, T, X> = std::is_same_v<std::common_type_t<T, X>, T>;

/// What is reduced: the items, each by way of Transform, and by which operation; see Reduction. Identity is called for
/// a T if it can be, or else copied.
template <class T, class Items, class Identity, class Combine, class Transform>
class Fold {
 public:
  using Value = T;

  Fold(const Items& items, Identity& identity, Combine& combine, Transform& transform)
      : items_(items), identity_(identity), combine_(combine), transform_(transform) {}

  [[nodiscard]] T identity() const {
    if constexpr (std::invocable<Identity&>) {
      return std::invoke(identity_);
    } else {
      return identity_;
    }
  }

  void combine(T& left, T&& right) const { take(left, std::move(right)); }

  void fold(T& value, LoopIndex first, LoopIndex last) const {
    if constexpr (kByLanes) {
      first = fold_lanes(value, first, last);
    } else if constexpr (kByStreams) {
      first = fold_streams(value, first, last);
    }
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= kLocalBytes) {
      T local = value;  // In registers, which `value`, known to others, could not be.
      fold_in_order(local, first, last);
      value = local;
    } else {
      fold_in_order(value, first, last);
    }
  }

 private:
  using Item = std::remove_cvref_t<std::invoke_result_t<Transform&, decltype(std::declval<const Items&>()[0])>>;

  static constexpr bool kByLanes =
      std::is_floating_point_v<T> && Items::kIndexed && kCommutes<std::remove_const_t<Combine>, T, Item>;
  static constexpr bool kByStreams = std::is_floating_point_v<T> && Items::kIndexed;

  static constexpr std::size_t kLocalBytes = 64;
  static constexpr std::size_t kLaneBytes = 128;  // eight registers of 16 bytes, which hide an addition's latency
  static constexpr LoopIndex kStreams = 8;
  static constexpr LoopIndex kShortestStream = 4;
  static constexpr LoopIndex kLongestStream = 32;  // they all lie in a few kilobytes

  template <class X>
  void take(T& value, X&& x) const {
    if constexpr (std::is_reference_v<std::invoke_result_t<Combine&, T, X>>) {
      T next(std::invoke(combine_, std::move(value), std::forward<X>(x)));  // It may refer to `value`.
      value = std::move(next);
    } else {
      value = static_cast<T>(std::invoke(combine_, std::move(value), std::forward<X>(x)));
    }
  }

  template <class X>
  void take_item(T& value, X&& item) const {
    take(value, std::invoke(transform_, std::forward<X>(item)));
  }

  void fold_in_order(T& value, LoopIndex first, LoopIndex last) const {
    items_.for_each(first, last, [&](auto&& item) { take_item(value, std::forward<decltype(item)>(item)); });
  }

  /// As many items as fill all lanes; returns where it stopped.
  LoopIndex fold_lanes(T& value, LoopIndex first, LoopIndex last) const {
    constexpr std::size_t kLanes = kLaneBytes / sizeof(T);
    if (last - first < 2 * kLanes) return first;
    T lanes[kLanes];
    for (T& lane : lanes) lane = identity();
    for (; last - first >= kLanes; first += kLanes) {
      for (std::size_t k = 0; k < kLanes; ++k) take_item(lanes[k], items_[first + k]);
    }
    for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
      for (std::size_t k = 0; k < half; ++k) combine(lanes[k], std::move(lanes[k + half]));
    }
    combine(value, std::move(lanes[0]));
    return first;
  }

  /// As many items as make streams worth their while; returns where it stopped.
  LoopIndex fold_streams(T& value, LoopIndex first, LoopIndex last) const {
    while (last - first >= kStreams * kShortestStream) {
      const LoopIndex length = std::min((last - first) / kStreams, kLongestStream);
      T streams[kStreams];
      for (T& stream : streams) stream = identity();
      for (LoopIndex i = 0; i < length; ++i) {
        for (std::size_t k = 0; k < kStreams; ++k) take_item(streams[k], items_[first + k * length + i]);
      }
      for (T& stream : streams) combine(value, std::move(stream));
      first += kStreams * length;
    }
    return first;
  }

  Items items_;
  Identity& identity_;
  Combine& combine_;
  Transform& transform_;
};

}  // namespace blitz::detail
