/// The leaf of a reduction: folds a run of items into a value, as fast as their types allow.
///
/// Each floating-point addition waits for the previous one, and a compiler may not change their order. So here several items
/// are folded at the same time, into as many values. How far this is legal depends on the operation:
///   - An operation that is known to commute (std::plus, std::multiplies) folds item i into lane i mod kLanes, and
///     compilers vectorise it.
///   - Any other is only associative. Each half of a group of items is folded from left to right into a separate value, and
///     these are combined from left to right. A processor works on several groups at the same time.
/// The lane or half of an item depends only on its place in the run, so equal runs are folded to equal bits. Folds of integers
/// need no help, and nothing is known about other types.
///
/// So that compilers vectorise the lanes, each item of a group has its instruction in the source, all calls between the loop
/// and the user's callables are inlined, and accumulators are local.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/invoke.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz::detail {

/// Whether Op commutes on values of type T with items of type X, and gives the same result whether these are converted to T
/// before the operation or within it.
template <class Op, class T, class X>
concept Commutes = std::is_arithmetic_v<T> && std::is_arithmetic_v<X> &&
                   (std::same_as<Op, std::plus<T>> || std::same_as<Op, std::multiplies<T>> ||
                    ((std::same_as<Op, std::plus<>> ||
                      std::same_as<Op, std::multiplies<>>)&&std::same_as<std::common_type_t<T, X>, T>));

/// Replaces an unknown identity: a value begins with an item, and fold() is called with a value that has one.
struct NoIdentity {};

/// The identity of an operation that commutes; see Commutes.
template <class Op>
struct KnownIdentity {
  template <class T>
  operator T() const noexcept {
    if constexpr (std::is_same_v<Op, std::plus<T>> || std::is_same_v<Op, std::plus<>>) {
      return static_cast<T>(-T{0});  // -0.0 for floating-point numbers: +0.0 would make a sum of -0.0 positive.
    } else {
      return T{1};
    }
  }
};

/// Whether an identity was given by the user.
template <class Identity>
inline constexpr bool kIsUsers = true;
template <>
inline constexpr bool kIsUsers<NoIdentity> = false;
template <class Op>
inline constexpr bool kIsUsers<KnownIdentity<Op>> = false;

/// Calls f(0), f(1) ... f(kTimes - 1), each from a separate call site.
template <std::size_t kTimes, class F>
BLITZ_ALWAYS_INLINE void unrolled(const F& f) {
  [&f]<std::size_t... K>(std::index_sequence<K...>)
      BLITZ_LAMBDA_INLINE { (f(K), ...); }(std::make_index_sequence<kTimes>());
}

/// Whether a value is better folded in a local copy, which can be in registers. The value itself cannot, because its address is
/// known elsewhere.
template <class T>
inline constexpr bool kFitsRegisters =
    std::is_trivially_copyable_v<T> && std::is_copy_assignable_v<T> && sizeof(T) <= 64;
template <class T>
using LocalOf = std::conditional_t<kFitsRegisters<T>, T, T&>;

/// Such a copy of `value`, or a reference to it. After the fold, put_back() writes the copy to `value`.
template <class T>
[[nodiscard]] BLITZ_ALWAYS_INLINE LocalOf<T> local_of(T& value) {
  if constexpr (kFitsRegisters<T>) {
    return std::as_const(value);
  } else {
    return value;
  }
}
template <class T>
BLITZ_ALWAYS_INLINE void put_back(T& value, const T& local) {
  if constexpr (kFitsRegisters<T>) value = local;
}

/// The parts of a reduction: the items, each passed through Transform and folded into a value by Step; and Combine for two
/// values. Step and Combine may be one operation; see Reduction. Identity is called for a T if it can be, otherwise copied.
template <class T, class Items, class Identity, class Step, class Combine, class Transform>
class Fold {
 public:
  using Value = T;

  Fold(const Items& items, Identity& identity, Step& step, Combine& combine, Transform& transform)
      : items_(items), identity_(identity), step_(step), combine_(combine), transform_(transform) {}

  [[nodiscard]] T identity() const {
    if constexpr (std::invocable<Identity&>) {
      return to_copy<T>(std::invoke(identity_));
    } else {
      return to_copy<T>(identity_);
    }
  }

  void combine(T& left, T&& right) const { take(combine_, left, std::move(right)); }

  void fold(T& value, LoopIndex first, LoopIndex last) const {
    LocalOf<T> local = local_of(value);
    fold_run(local, first, last);
    put_back(value, local);
  }

 private:
  using Item = std::remove_cvref_t<std::invoke_result_t<Transform&, typename Items::Item>>;

  static constexpr bool kHasIdentity = !std::is_same_v<std::remove_const_t<Identity>, NoIdentity>;
  // Compilers vectorise 64-bit integers only in some cases. (A fold with the user's identity leaves it to them.)
  static constexpr bool kIsWide = std::is_integral_v<T> && sizeof(T) == 8 && !kIsUsers<std::remove_const_t<Identity>>;
  static constexpr bool kByGroups = (std::is_floating_point_v<T> || kIsWide) && Items::kIndexed;
  static constexpr bool kByLanes =
      kByGroups && std::is_same_v<Step, Combine> && Commutes<std::remove_const_t<Combine>, T, Item>;

  // Whether items are computed, not loaded. A transform of a position counts as a load.
  static constexpr bool kComputes = requires {
    requires Items::kComputes;
  } || (!std::is_same_v<std::remove_const_t<Transform>, std::identity> && std::is_reference_v<typename Items::Item>);
#if defined(__SSE2__) && !defined(__AVX__)
  // Eight of sixteen 16-byte registers hide an addition's latency; the computation of the items needs some, and hides it, too.
  static constexpr std::size_t kLaneBytes = kComputes ? 64 : 128;
#else
  static constexpr std::size_t kLaneBytes = 128;
#endif
  static constexpr std::size_t kGroup = 16;  // half of it is a chain of additions, shorter than a processor's window

  struct TakeItem {
    template <class X>
    BLITZ_ALWAYS_INLINE bool operator()(X&& item) const {
      fold.take_item(value, std::forward<X>(item));
      return false;
    }
    const Fold& fold;
    T& value;
  };

  template <class Op, class X>
  BLITZ_ALWAYS_INLINE static void take(Op& op, T& value, X&& x) {
    if constexpr (std::is_reference_v<std::invoke_result_t<Op&, T, X>>) {
      T next(invoke_inline(op, std::move(value), std::forward<X>(x)));  // It may refer to `value`.
      value = std::move(next);
    } else {
      value = static_cast<T>(invoke_inline(op, std::move(value), std::forward<X>(x)));
    }
  }

  template <class X>
  BLITZ_ALWAYS_INLINE void take_item(T& value, X&& item) const {
    take(step_, value, invoke_inline(transform_, std::forward<X>(item)));
  }

  template <class X>
  BLITZ_ALWAYS_INLINE void begin_with(T& value, X&& item) const {
    if constexpr (!kHasIdentity) value = static_cast<T>(invoke_inline(transform_, std::forward<X>(item)));
  }

  BLITZ_ALWAYS_INLINE void fold_run(T& value, LoopIndex first, LoopIndex last) const {
    if constexpr (kByLanes) {
      first = fold_lanes(value, first, last);
    } else if constexpr (kByGroups) {
      first = fold_groups(value, first, last);
    }
    items_.for_each(first, last, TakeItem{*this, value});
  }

  /// Folds as many items as fill all lanes; returns the position at which it stopped.
  BLITZ_ALWAYS_INLINE LoopIndex fold_lanes(T& value, LoopIndex first, LoopIndex last) const {
    constexpr std::size_t kLanes = std::bit_floor(kLaneBytes / sizeof(T));  // A long double may have 12 bytes.
    if (last - first < 2 * kLanes) return first;
    std::array<T, kLanes> lanes;
    lanes.fill(identity());
    const LoopIndex end = last - (last - first) % kLanes;
    for (typename Items::template Groups<kLanes> group(items_, first, end); !group.done(); group.end_group()) {
      take_lanes(lanes, group, std::make_index_sequence<kLanes>());
    }
    lanes = opaque_memory(lanes);  // The tree below would keep clang from vectorising the lanes above.
    for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
      for (std::size_t k = 0; k < half; ++k) combine(lanes[k], std::move(lanes[k + half]));
    }
    combine(value, std::move(lanes[0]));
    return end;
  }
  template <std::size_t kLanes, class Group, std::size_t... K>
  BLITZ_ALWAYS_INLINE void take_lanes(std::array<T, kLanes>& lanes, Group& group,
                                      std::index_sequence<K...> /*all*/) const {
    (take_item(lanes[K], group.next(K)), ...);
  }

  /// Folds as many items as make whole groups; returns the position at which it stopped.
  BLITZ_ALWAYS_INLINE LoopIndex fold_groups(T& value, LoopIndex first, LoopIndex last) const {
    if (last - first < 2 * kGroup) return first;
    T none{};
    if constexpr (kHasIdentity) none = identity();
    const LoopIndex end = last - (last - first) % kGroup;
    for (typename Items::template Groups<kGroup> group(items_, first, end); !group.done(); group.end_group()) {
      take_group(value, none, group, std::make_index_sequence<kGroup>());
    }
    return end;
  }
  template <class Group, std::size_t... K>
  BLITZ_ALWAYS_INLINE void take_group(T& value, const T& none, Group& group, std::index_sequence<K...> /*all*/) const {
    T left = none;
    T right = none;
    (take_in_half<K>(K < kGroup / 2 ? left : right, group.next(K)), ...);
    combine(left, std::move(right));
    // Otherwise GCC would vectorise across several groups.
    combine(value, opaque_memory(left));
  }
  template <std::size_t kPlace, class X>
  BLITZ_ALWAYS_INLINE void take_in_half(T& half, X&& item) const {
    if constexpr (!kHasIdentity && kPlace % (kGroup / 2) == 0) {
      begin_with(half, std::forward<X>(item));
    } else {
      take_item(half, std::forward<X>(item));
    }
  }

  Items items_;
  Identity& identity_;
  Step& step_;
  Combine& combine_;
  Transform& transform_;
};

}  // namespace blitz::detail
