/// @file
/// The numeric algorithms of std that take an execution policy, on blitz. libstdc++ declares them in pstl/glue_numeric_defs.h.
/// The headers <execution> of this folder include this one after libstdc++'s <execution>. C++17.
///
/// libstdc++'s definitions are wrong in cases that the standard allows: an exclusive scan in place reads its own results; the
/// default operations have the type of the items instead of the result; a part of a floating-point scan starts with 0.
///
/// If both the value and the items are numbers, an operation on two items gets them in the type of the value. Otherwise a sum
/// of ints to a long would overflow if two ints were added first.
///
/// Exceptions: std::bad_alloc if the allocation of memory for the parts of a scan fails. Any other exception calls
/// std::terminate.
///
/// Names with two underscores are libstdc++'s.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "blitz/adaptor/pstl_backend.hpp"

#if __cplusplus >= 202002L
#include "blitz/algorithm/scan.hpp"
#endif

// Must come after the backend, because that disables libstdc++'s definitions.
#include <execution>

namespace blitz::adaptor::pstl {

#if __cplusplus >= 202002L
inline namespace cxx20 {
#else
inline namespace cxx17 {
#endif

template <class Policy, class... Policies>
inline constexpr bool kIsOneOf = (std::is_same_v<std::decay_t<Policy>, Policies> || ...);
template <class Policy, class... Is>
inline constexpr bool kParallel =
    kIsOneOf<Policy, std::execution::parallel_policy, std::execution::parallel_unsequenced_policy> &&
    (kRandomAccess<Is> && ...);
template <class Policy>
inline constexpr bool kVector =
    kIsOneOf<Policy, std::execution::unsequenced_policy, std::execution::parallel_unsequenced_policy>;

template <class T, class U>
inline constexpr bool kNumbers = std::is_arithmetic_v<T> && std::is_arithmetic_v<std::decay_t<U>>;
/// Whether items of type U may be combined with each other before they are combined with a value of type T. Not for
/// floating-point items and an integral value, because each item must lose its fraction when it is added.
template <class T, class U>
inline constexpr bool kGroups = !(kNumbers<T, U> && std::is_integral_v<T> && std::is_floating_point_v<std::decay_t<U>>);
/// An operand of an operation on two items.
template <class T, class U>
using Operand = std::conditional_t<kNumbers<T, U> && kGroups<T, U>, T, U>;
/// The sum of values of type T and items of type U. PSTL's vector kernel has a special case for std::plus<T>.
template <class T, class U>
using Plus = std::conditional_t<kNumbers<T, U> && kGroups<T, U>, std::plus<T>, std::plus<>>;

struct Identity {
  template <class U>
  constexpr U operator()(U&& item) const {
    return std::forward<U>(item);
  }
};

/// The items f(first[i]), or f(first[i], second[i]). If `f` returns a reference and an iterator returns values, the item is a
/// value, because the reference may be to the argument of `f`.
template <class F, class... Is>
class Items {
  using Returned = std::invoke_result_t<F&, decltype(*std::declval<const Is&>())...>;

 public:
  using Result = std::conditional_t<std::is_lvalue_reference_v<Returned> &&
                                        (std::is_lvalue_reference_v<decltype(*std::declval<const Is&>())> && ...),
                                    Returned, std::decay_t<Returned>>;

  explicit Items(F f, Is... first) : f_(std::move(f)), first_(std::move(first)...) {}
  Result operator()(std::size_t i) {
    return std::apply([&](const Is&... first) -> Result { return f_(*pstl::at(first, i)...); }, first_);
  }

 private:
  F f_;
  std::tuple<Is...> first_;
};

// --- reductions ---

/// Folds the items [i, last) into `value` in groups of four. Only one operation of a group depends on the previous group.
template <bool kVector, class T, class Op, class Item>
T fold(std::size_t i, std::size_t last, T value, Op op, Item item) noexcept {
  using U = typename Item::Result;
  const auto operand = [&](std::size_t k) -> Operand<T, U> { return static_cast<Operand<T, U>>(item(k)); };
  if constexpr (kVector && kGroups<T, U>) {
    return __pstl::__unseq_backend::__simd_transform_reduce(last - i, std::move(value), op,
                                                            [&](std::size_t k) { return operand(i + k); });
  } else {
    if constexpr (kGroups<T, U>) {
      for (; last - i >= 4; i += 4) {
        T left = static_cast<T>(op(operand(i), operand(i + 1)));
        T right = static_cast<T>(op(operand(i + 2), operand(i + 3)));
        T both = static_cast<T>(op(left, right));
        value = static_cast<T>(op(value, both));
      }
    }
    for (; i != last; ++i) value = static_cast<T>(op(value, item(i)));
    return value;
  }
}

/// Folds the items [i, last), at least two, without an initial value. An item need not be convertible to T.
template <bool kVector, class T, class Op, class Item>
T fold(std::size_t i, std::size_t last, Op op, Item item) noexcept {
  using U = typename Item::Result;
  if constexpr (kNumbers<T, U>) {
    return pstl::fold<kVector>(i + 1, last, static_cast<T>(item(i)), op, item);
  } else {
    return pstl::fold<kVector>(i + 2, last, static_cast<T>(op(item(i), item(i + 1))), op, item);
  }
}

/// Reduces `count` items. Function objects are copied for each block because a call may change them.
template <class Policy, class T, class Op, class Item>
T reduce_items(std::size_t count, T init, const Op& op, const Item& item) {
  if constexpr (!kParallel<Policy>) {
    return pstl::fold<kVector<Policy>>(std::size_t{0}, count, std::move(init), op, item);
  } else {
    std::optional<T> value(std::move(init));
    __pstl::__internal::__except_handler([&] {
      pstl::reduce(
          std::size_t{0}, count, value,
          [&](std::optional<T>& part, std::size_t i, std::size_t j) {
            part.emplace(pstl::fold<kVector<Policy>, T>(i, j, op, item));
          },
          [&](std::size_t i, std::size_t j, T part) {
            return pstl::fold<kVector<Policy>>(i, j, std::move(part), op, item);
          },
          [&](T& left, T& right) { return static_cast<T>(Op(op)(left, right)); });
    });
    return std::move(*value);
  }
}

template <class Policy, class T, class Op, class F, class I, class... Is>
T transform_reduce(T init, Op op, F f, I first, I last, Is... others) {
  if constexpr (kRandomAccess<I> && (kRandomAccess<Is> && ...)) {
    return pstl::reduce_items<Policy>(static_cast<std::size_t>(last - first), std::move(init), op,
                                      Items<F, I, Is...>(f, first, others...));
  } else {
    return [&]() noexcept {
      for (; first != last; ++first, (++others, ...)) init = static_cast<T>(op(init, f(*first, *others...)));
      return std::move(init);
    }();
  }
}

// --- scans ---

/// Writes the results of [first, last) to `result`, and advances it. Returns the value of all items before `last`. Reads each
/// item before it writes to the same position.
template <bool kInclusive, class I, class O, class T, class Op, class F>
T scan_run(I first, I last, O& result, T left, Op op, F f) noexcept {
  for (; first != last; ++first, ++result) {
    if constexpr (kInclusive) {
      left = static_cast<T>(op(left, f(*first)));
      *result = left;
    } else {
      T next = static_cast<T>(op(left, f(*first)));
      *result = std::move(left);
      left = std::move(next);
    }
  }
  return left;
}

/// Calls left = scan(i, j, left) for tiles that cover [0, count), starting with `init`. The value of a tile is sum(i, j).
///
/// Processes one strip of tiles at a time, which stays in the caches. First, the first tile of the strip is scanned, and the
/// others except the last are summed up in parallel. Then all tiles except the first are scanned in parallel. A strip has one
/// tile more than there are threads, so each thread processes at most two tiles.
template <class T, class Op, class Sum, class ScanTile>
void scan_tiles(std::size_t count, T init, const Op& op, const Sum& sum, const ScanTile& scan) {
  constexpr std::size_t kLongestTile = std::size_t{1} << 17;
  const std::size_t threads = num_threads();
  const std::size_t tiles = threads == 1 ? 1 : threads + 1;
  const std::size_t strip = threads == 1 ? count : tiles * kLongestTile;
  // For each tile: the value of the tile before it, later the value of all items before it.
  const std::unique_ptr<std::optional<T>[]> lefts(new std::optional<T>[tiles + 1]);
  lefts[0].emplace(std::move(init));
  for (std::size_t first = 0; first < count; first += strip) {
    const std::size_t length = std::min(strip, count - first);
    const std::size_t number = std::min(tiles, length);
    const auto begin = [&](std::size_t tile) { return first + length * tile / number; };
    const auto scan_tile = [&](std::size_t tile) {
      return scan(begin(tile), begin(tile + 1), std::move(*lefts[tile]));
    };
    const std::size_t summed = number == 1 ? 1 : number - 1;
    pstl::for_each_index(0, summed, [&](std::size_t tile) {
      lefts[tile + 1].emplace(tile == 0 ? scan_tile(0) : sum(begin(tile), begin(tile + 1)));
    });
    for (std::size_t tile = 1; tile < summed; ++tile)
      lefts[tile + 1].emplace(static_cast<T>(Op(op)(*lefts[tile], *lefts[tile + 1])));
    if (number == 1) {
      lefts[0].emplace(std::move(*lefts[1]));
      continue;
    }
    pstl::for_each_index(1, number, [&](std::size_t tile) {
      T right = scan_tile(tile);
      if (tile == number - 1) lefts[0].emplace(std::move(right));
    });
  }
}

#if __cplusplus >= 202002L
/// blitz's scans of floating-point numbers keep several sums in flight. For other types the scans here take as many
/// instructions, and less code.
template <class I, class O, class F, class T, class Op>
concept BlitzScannable = std::is_floating_point_v<T> && requires(I first, O out, F f, T init, Op op) {
  blitz::transform_inclusive_scan(first, first, out, out, op, f, init);
};
#endif

template <bool kInclusive, class Policy, class I, class O, class T, class Op, class F>
O transform_scan(I first, I last, O result, T init, Op op, F f) {
  if constexpr (!kParallel<Policy, I, O>) {
    static_cast<void>(pstl::scan_run<kInclusive>(first, last, result, std::move(init), op, f));
    return result;
  } else {
    const auto count = static_cast<std::size_t>(last - first);
    const O end = pstl::at(result, count);
    __pstl::__internal::__except_handler([&] {
#if __cplusplus >= 202002L
      if constexpr (BlitzScannable<I, O, F, T, Op>) {
        isolate([&] {
          if constexpr (kInclusive) {
            blitz::transform_inclusive_scan(first, last, result, end, op, f, std::move(init));
          } else {
            blitz::transform_exclusive_scan(first, last, result, end, std::move(init), op, f);
          }
        });
      } else
#endif
      {
        const Items<F, I> item(f, first);
        const auto sum = [&](std::size_t i, std::size_t j) {
          return pstl::fold<false>(i + 1, j, static_cast<T>(Items<F, I>(item)(i)), op, item);
        };
        const auto scan = [&](std::size_t i, std::size_t j, T left) {
          O out = pstl::at(result, i);
          return pstl::scan_run<kInclusive>(pstl::at(first, i), pstl::at(first, j), out, std::move(left), op, f);
        };
        isolate([&] { pstl::scan_tiles(count, std::move(init), op, sum, scan); });
      }
    });
    return end;
  }
}

/// An inclusive scan without an initial value: the first result is the first item.
template <class T, class Policy, class I, class O, class Op, class F>
O transform_inclusive_scan(I first, I last, O result, Op op, F f) {
  if (first == last) return result;
  T value = [&]() noexcept { return static_cast<T>(f(*first)); }();
  *result = value;
  return pstl::transform_scan<true, Policy>(++first, last, ++result, std::move(value), op, f);
}

// --- adjacent_difference ---

/// Whether both iterators refer to the same item, so that results are written where items are read.
template <class I, class O>
bool in_place(const I& first, const O& result) {
  if constexpr (std::is_same_v<I, O>) {
    return first == result;
  } else if constexpr (std::is_lvalue_reference_v<decltype(*first)> && std::is_lvalue_reference_v<decltype(*result)>) {
    return static_cast<const volatile void*>(std::addressof(*first)) ==
           static_cast<const volatile void*>(std::addressof(*result));
  } else {
    return false;
  }
}

/// The differences of all items except the first, in place. The item before each tile is saved until the tile needs it.
template <class I, class O, class Op>
void differences_in_place(I first, std::size_t count, O result, const Op& op) {
  using Value = typename std::iterator_traits<I>::value_type;
  const Tiles tiles(count - 1);
  const std::unique_ptr<std::optional<Value>[]> before(new std::optional<Value>[tiles.number()]);
  for (std::size_t tile = 0; tile != tiles.number(); ++tile) before[tile].emplace(*pstl::at(first, tiles.begin(tile)));
  pstl::for_each_index(0, tiles.number(), [&](std::size_t tile) {
    Op own_op = op;
    Value previous = std::move(*before[tile]);
    for (std::size_t i = tiles.begin(tile) + 1; i <= tiles.begin(tile + 1); ++i) {
      Value item = *pstl::at(first, i);
      *pstl::at(result, i) = own_op(item, previous);
      previous = std::move(item);
    }
  });
}

template <class Policy, class I, class O, class Op>
O adjacent_difference(Policy&& policy, I first, I last, O result, Op op) {
  if (first == last) return result;
  if constexpr (kRandomAccess<I> && kRandomAccess<O>) {
    const auto count = static_cast<std::size_t>(last - first);
    if (!pstl::in_place(first, result)) {
      *result = *first;
      return std::transform(std::forward<Policy>(policy), pstl::at(first, 1), last, first, pstl::at(result, 1), op);
    }
    if constexpr (kParallel<Policy>) {
      __pstl::__internal::__except_handler(
          [&] { isolate([&] { pstl::differences_in_place(first, count, result, op); }); });
      return pstl::at(result, count);
    }
  }
  return [&]() noexcept { return std::adjacent_difference(first, last, result, op); }();
}

}  // namespace cxx20 or cxx17
}  // namespace blitz::adaptor::pstl

namespace std {

#define BLITZ_PSTL_RESULT(type) __pstl::__internal::__enable_if_execution_policy<_ExecutionPolicy, type>

template <class _ExecutionPolicy, class _ForwardIterator, class _Tp, class _BinaryOperation>
BLITZ_PSTL_RESULT(_Tp)
reduce(_ExecutionPolicy&&, _ForwardIterator __first, _ForwardIterator __last, _Tp __init, _BinaryOperation __op) {
  return blitz::adaptor::pstl::transform_reduce<_ExecutionPolicy>(std::move(__init), __op,
                                                                  blitz::adaptor::pstl::Identity(), __first, __last);
}
template <class _ExecutionPolicy, class _ForwardIterator, class _Tp>
BLITZ_PSTL_RESULT(_Tp)
reduce(_ExecutionPolicy&& __exec, _ForwardIterator __first, _ForwardIterator __last, _Tp __init) {
  return std::reduce(std::forward<_ExecutionPolicy>(__exec), __first, __last, std::move(__init),
                     blitz::adaptor::pstl::Plus<_Tp, decltype(*__first)>());
}
template <class _ExecutionPolicy, class _ForwardIterator>
BLITZ_PSTL_RESULT(typename iterator_traits<_ForwardIterator>::value_type)
reduce(_ExecutionPolicy&& __exec, _ForwardIterator __first, _ForwardIterator __last) {
  return std::reduce(std::forward<_ExecutionPolicy>(__exec), __first, __last,
                     typename iterator_traits<_ForwardIterator>::value_type());
}

template <class _ExecutionPolicy, class _ForwardIterator, class _Tp, class _BinaryOperation, class _UnaryOperation>
BLITZ_PSTL_RESULT(_Tp)
transform_reduce(_ExecutionPolicy&&, _ForwardIterator __first, _ForwardIterator __last, _Tp __init,
                 _BinaryOperation __op, _UnaryOperation __unary) {
  return blitz::adaptor::pstl::transform_reduce<_ExecutionPolicy>(std::move(__init), __op, __unary, __first, __last);
}
template <class _ExecutionPolicy, class _ForwardIterator1, class _ForwardIterator2, class _Tp, class _BinaryOperation1,
          class _BinaryOperation2>
BLITZ_PSTL_RESULT(_Tp)
transform_reduce(_ExecutionPolicy&&, _ForwardIterator1 __first1, _ForwardIterator1 __last1, _ForwardIterator2 __first2,
                 _Tp __init, _BinaryOperation1 __op1, _BinaryOperation2 __op2) {
  return blitz::adaptor::pstl::transform_reduce<_ExecutionPolicy>(std::move(__init), __op1, __op2, __first1, __last1,
                                                                  __first2);
}
template <class _ExecutionPolicy, class _ForwardIterator1, class _ForwardIterator2, class _Tp>
BLITZ_PSTL_RESULT(_Tp)
transform_reduce(_ExecutionPolicy&& __exec, _ForwardIterator1 __first1, _ForwardIterator1 __last1,
                 _ForwardIterator2 __first2, _Tp __init) {
  return std::transform_reduce(std::forward<_ExecutionPolicy>(__exec), __first1, __last1, __first2, std::move(__init),
                               blitz::adaptor::pstl::Plus<_Tp, decltype(*__first1 * *__first2)>(), std::multiplies<>());
}

template <class _ExecutionPolicy, class _ForwardIterator1, class _ForwardIterator2, class _Tp, class _BinaryOperation,
          class _UnaryOperation>
BLITZ_PSTL_RESULT(_ForwardIterator2)
transform_exclusive_scan(_ExecutionPolicy&&, _ForwardIterator1 __first, _ForwardIterator1 __last,
                         _ForwardIterator2 __result, _Tp __init, _BinaryOperation __op, _UnaryOperation __unary) {
  return blitz::adaptor::pstl::transform_scan<false, _ExecutionPolicy>(__first, __last, __result, std::move(__init),
                                                                       __op, __unary);
}
template <class _ExecutionPolicy, class _ForwardIterator1, class _ForwardIterator2, class _Tp, class _BinaryOperation>
BLITZ_PSTL_RESULT(_ForwardIterator2)
exclusive_scan(_ExecutionPolicy&& __exec, _ForwardIterator1 __first, _ForwardIterator1 __last,
               _ForwardIterator2 __result, _Tp __init, _BinaryOperation __op) {
  return std::transform_exclusive_scan(std::forward<_ExecutionPolicy>(__exec), __first, __last, __result,
                                       std::move(__init), __op, blitz::adaptor::pstl::Identity());
}
template <class _ExecutionPolicy, class _ForwardIterator1, class _ForwardIterator2, class _Tp>
BLITZ_PSTL_RESULT(_ForwardIterator2)
exclusive_scan(_ExecutionPolicy&& __exec, _ForwardIterator1 __first, _ForwardIterator1 __last,
               _ForwardIterator2 __result, _Tp __init) {
  return std::exclusive_scan(std::forward<_ExecutionPolicy>(__exec), __first, __last, __result, std::move(__init),
                             std::plus<>());
}

template <class _ExecutionPolicy, class _ForwardIterator1, class _ForwardIterator2, class _BinaryOperation,
          class _UnaryOperation, class _Tp>
BLITZ_PSTL_RESULT(_ForwardIterator2)
transform_inclusive_scan(_ExecutionPolicy&&, _ForwardIterator1 __first, _ForwardIterator1 __last,
                         _ForwardIterator2 __result, _BinaryOperation __op, _UnaryOperation __unary, _Tp __init) {
  return blitz::adaptor::pstl::transform_scan<true, _ExecutionPolicy>(__first, __last, __result, std::move(__init),
                                                                      __op, __unary);
}
template <class _ExecutionPolicy, class _ForwardIterator1, class _ForwardIterator2, class _UnaryOperation,
          class _BinaryOperation>
BLITZ_PSTL_RESULT(_ForwardIterator2)
transform_inclusive_scan(_ExecutionPolicy&&, _ForwardIterator1 __first, _ForwardIterator1 __last,
                         _ForwardIterator2 __result, _BinaryOperation __op, _UnaryOperation __unary) {
  return blitz::adaptor::pstl::transform_inclusive_scan<decay_t<decltype(__unary(*__first))>, _ExecutionPolicy>(
      __first, __last, __result, __op, __unary);
}
template <class _ExecutionPolicy, class _ForwardIterator1, class _ForwardIterator2, class _Tp, class _BinaryOperation>
BLITZ_PSTL_RESULT(_ForwardIterator2)
inclusive_scan(_ExecutionPolicy&& __exec, _ForwardIterator1 __first, _ForwardIterator1 __last,
               _ForwardIterator2 __result, _BinaryOperation __op, _Tp __init) {
  return std::transform_inclusive_scan(std::forward<_ExecutionPolicy>(__exec), __first, __last, __result, __op,
                                       blitz::adaptor::pstl::Identity(), std::move(__init));
}
template <class _ExecutionPolicy, class _ForwardIterator1, class _ForwardIterator2, class _BinaryOperation>
BLITZ_PSTL_RESULT(_ForwardIterator2)
inclusive_scan(_ExecutionPolicy&&, _ForwardIterator1 __first, _ForwardIterator1 __last, _ForwardIterator2 __result,
               _BinaryOperation __op) {
  return blitz::adaptor::pstl::transform_inclusive_scan<typename iterator_traits<_ForwardIterator1>::value_type,
                                                        _ExecutionPolicy>(__first, __last, __result, __op,
                                                                          blitz::adaptor::pstl::Identity());
}
template <class _ExecutionPolicy, class _ForwardIterator1, class _ForwardIterator2>
BLITZ_PSTL_RESULT(_ForwardIterator2)
inclusive_scan(_ExecutionPolicy&& __exec, _ForwardIterator1 __first, _ForwardIterator1 __last,
               _ForwardIterator2 __result) {
  return std::inclusive_scan(std::forward<_ExecutionPolicy>(__exec), __first, __last, __result, std::plus<>());
}

template <class _ExecutionPolicy, class _ForwardIterator1, class _ForwardIterator2, class _BinaryOperation>
BLITZ_PSTL_RESULT(_ForwardIterator2)
adjacent_difference(_ExecutionPolicy&& __exec, _ForwardIterator1 __first, _ForwardIterator1 __last,
                    _ForwardIterator2 __result, _BinaryOperation __op) {
  return blitz::adaptor::pstl::adjacent_difference(std::forward<_ExecutionPolicy>(__exec), __first, __last, __result,
                                                   __op);
}
template <class _ExecutionPolicy, class _ForwardIterator1, class _ForwardIterator2>
BLITZ_PSTL_RESULT(_ForwardIterator2)
adjacent_difference(_ExecutionPolicy&& __exec, _ForwardIterator1 __first, _ForwardIterator1 __last,
                    _ForwardIterator2 __result) {
  return std::adjacent_difference(std::forward<_ExecutionPolicy>(__exec), __first, __last, __result, std::minus<>());
}

#undef BLITZ_PSTL_RESULT

}  // namespace std
