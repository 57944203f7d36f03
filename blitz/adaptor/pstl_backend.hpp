/// @file
/// A backend for libstdc++'s parallel algorithms (PSTL): std::execution::par and par_unseq run on blitz. The headers
/// <execution> of this folder include it before libstdc++'s <execution>. C++17. In C++20, sorts, selections, filters, set
/// operations and a few other algorithms call blitz/algorithm.hpp.
///
/// libstdc++ includes its backend from pstl/parallel_backend.h, and its numeric algorithms from pstl/glue_numeric_impl.h and
/// pstl/numeric_impl.h. This header defines the include guards of all three: the first would include oneTBB, and
/// pstl_numeric.hpp replaces the other two.
///
/// PSTL reduces each algorithm to a few patterns: a loop or a reduction over blocks, a scan, a sort, a merge, two parallel
/// calls. Each pattern is a function template here, with the name that PSTL calls. PSTL of libstdc++ 14 and later passes a tag
/// before the policy. Tag and policy are not used.
///
/// Each pattern is isolated: a thread that waits in it runs only items of the same call. So a function object may hold a lock,
/// or keep state in a thread-local variable, while it calls another algorithm.
///
/// Exceptions: PSTL rethrows std::bad_alloc and calls std::terminate for any other exception.
///
/// Names with two underscores are PSTL's. The contract of the patterns: pstl/parallel_backend_tbb.h of libstdc++.
#pragma once

#if defined(_PSTL_PARALLEL_BACKEND_H) && !defined(BLITZ_PSTL)
#error \
    "libstdc++ has its parallel backend already: let <execution> be found in blitz/adaptor/pstl before the compiler's own"
#endif

#include <cstddef>
#if !defined(_GLIBCXX_RELEASE) || _GLIBCXX_RELEASE < 11
#error "blitz/adaptor/pstl is for libstdc++, of g++ 11 or later"
#endif

#define BLITZ_PSTL 1
#define _PSTL_PARALLEL_BACKEND_H
#define _PSTL_GLUE_NUMERIC_IMPL_H
#define _PSTL_NUMERIC_IMPL_H

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include "blitz/adaptor/calls.hpp"

#if __cplusplus >= 202002L
#include "blitz/algorithm/compare.hpp"
#include "blitz/algorithm/copy.hpp"
#include "blitz/algorithm/copy_if.hpp"
#include "blitz/algorithm/merge.hpp"
#include "blitz/algorithm/partition.hpp"
#include "blitz/algorithm/permute.hpp"
#include "blitz/algorithm/remove.hpp"
#include "blitz/algorithm/set_operations.hpp"
#include "blitz/algorithm/sort.hpp"
#include "blitz/algorithm/stable_sort.hpp"
#include "blitz/algorithm/uninitialized.hpp"
#include "blitz/algorithm/unique.hpp"
#endif

namespace blitz::adaptor::pstl {

// Translation units of both standards may be linked into one program.
#if __cplusplus >= 202002L
inline namespace cxx20 {
#else
inline namespace cxx17 {
#endif

/// Whether calls with a parallel policy and these iterators run in parallel. In C++20 a model of the concept suffices: the
/// iterators of many views are random-access, but have the category of input iterators because they return no references.
#if __cplusplus >= 202002L
template <class I>
concept RandomAccess = std::random_access_iterator<I> && std::is_object_v<I>;
template <class I>
inline constexpr bool kRandomAccess =
    RandomAccess<I> ||
    std::is_base_of_v<std::random_access_iterator_tag, typename std::iterator_traits<I>::iterator_category>;
#else
template <class I>
inline constexpr bool kRandomAccess =
    std::is_base_of_v<std::random_access_iterator_tag, typename std::iterator_traits<I>::iterator_category>;
#endif

/// While a block runs: the flag that ends its loop. Otherwise null.
inline thread_local bool* ends_loop = nullptr;

/// Calls `f` as a block of a loop. Returns whether `f` requested the end of that loop.
template <class F>
bool run_block(F&& f) {
  struct Frame {
    ~Frame() { ends_loop = outer; }
    bool ends = false;
    bool* outer = std::exchange(ends_loop, &ends);
  } frame;
  f();
  return frame.ends;
}

/// `position` items after `first`, an iterator or an integer.
template <class Index>
[[nodiscard]] Index at(const Index& first, std::size_t position) {
  return static_cast<Index>(first + static_cast<decltype(first - first)>(position));
}

/// Calls `f(first, last)` for blocks of [first, last).
template <class Index, class F>
void loop(const Index& first, const Index& last, const F& f) {
  if (!(first < last)) return;
  isolate([&] {
    // Limits the number of blocks: each block of std::includes searches the whole range two or three times.
    constexpr std::size_t kBlocksOfThread = 256;
    const auto count = static_cast<std::size_t>(last - first);
    for_blocks(count, std::max<std::size_t>(count / (kBlocksOfThread * num_threads()), 1),
               [&](std::size_t from, std::size_t to) { return run_block([&] { f(at(first, from), at(first, to)); }); });
  });
}

/// Reduces [first, last) into `value`. `begin(value, first, last)` starts a new part with at least two items. Function objects
/// that a call may change are copied for each call.
template <class Index, class T, class Begin, class Fold, class Combine>
void reduce(const Index& first, const Index& last, std::optional<T>& value, const Begin& begin, const Fold& fold,
            const Combine& combine) {
  if (!(first < last)) return;
  isolate([&] {
    // A block may cost time linear in the items of its part: stable_partition rotates them.
    constexpr std::size_t kBlocksOfThread = 16;
    const auto count = static_cast<std::size_t>(last - first);
    reduce_blocks(
        count, std::max<std::size_t>(count / (kBlocksOfThread * num_threads()), 2), value,
        [&](std::optional<T>& part, std::size_t from, std::size_t to) {
          return run_block([&] {
            if (part) {
              *part = fold(at(first, from), at(first, to), std::move(*part));
            } else {
              begin(part, at(first, from), at(first, to));
            }
          });
        },
        [&](T& left, T& right) {
          Combine own_combine = combine;
          left = own_combine(left, right);
        });
  });
}

/// The first of the least and the last of the greatest numbers of [first, last). The first pass over a run of numbers finds the
/// least and greatest values without branches. Only if one of these is better than the previous best, a second pass finds its
/// position. A run fits into the L1 cache.
template <class I>
std::pair<I, I> minmax_of_numbers(I first, I last) {
  using Number = typename std::iterator_traits<I>::value_type;  // For std::vector<bool>, *first is a proxy.
  constexpr std::ptrdiff_t kRun = 2048;
  std::pair<I, I> found(first, first);
  while (first < last) {
    const I end = first + std::min<std::ptrdiff_t>(kRun, last - first);
    Number least = *first;
    Number greatest = least;
    for (I i = first; i != end; ++i) {
      const Number number = *i;
      least = number < least ? number : least;
      greatest = greatest < number ? number : greatest;
    }
    if (least < *found.first) found.first = std::find(first, end, least);
    if (!(greatest < *found.second)) {
      found.second = end - 1;
      while (found.second != first && !(*found.second == greatest)) --found.second;
    }
    first = end;
  }
  return found;
}

// --- scans ---

/// Calls `f(i)` for [first, last) in parallel.
template <class F>
void for_each_index(std::size_t first, std::size_t last, const F& f) {
  for_blocks(last - first, 1, [&](std::size_t from, std::size_t to) {
    for (; from != to; ++from) f(first + from);
    return false;
  });
}

/// [0, count) in tiles of equal size (to within 1), several per thread.
class Tiles {
 public:
  explicit Tiles(std::size_t count) : count_(count) {
    constexpr std::size_t kTilesOfThread = 4;
    const std::size_t threads = num_threads();
    number_ = threads == 1 ? 1 : std::max<std::size_t>(std::min(count, kTilesOfThread * threads), 1);
  }
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  [[nodiscard]] std::size_t begin(std::size_t tile) const noexcept {
    return tile * (count_ / number_) + std::min(tile, count_ % number_);
  }

 private:
  std::size_t count_;
  std::size_t number_;
};

// --- sorts ---

/// A merge of at most this many items is not divided.
inline constexpr std::ptrdiff_t kMergeGrain = 2000;
/// A sort of at most this many items is not divided.
inline constexpr std::ptrdiff_t kSortGrain = 2000;

/// Merges [xs, xe) and [ys, ye) to `zs` by parallel calls of `leaf(xs, xe, ys, ye, zs, comp)`. Stable. The ranges are divided
/// at the middle of the longer range, and at the position of that item in the other range. Function objects are copied because
/// a call may change them.
template <class X, class Y, class Z, class Compare, class Leaf>
void merge(X xs, X xe, Y ys, Y ye, Z zs, Compare comp, const Leaf& leaf) {
  const auto nx = xe - xs;
  const auto ny = ye - ys;
  if (nx + ny <= kMergeGrain) return static_cast<void>(leaf(xs, xe, ys, ye, zs, comp));
  X xm = xs;
  Y ym = ys;
  if (nx < ny) {
    ym += ny / 2;
    xm = std::upper_bound(xs, xe, *ym, comp);
  } else {
    xm += nx / 2;
    ym = std::lower_bound(ys, ye, *xm, comp);
  }
  adaptor::join([&] { merge(xs, xm, ys, ym, zs, comp, leaf); },
                [&](bool) { merge(xm, xe, ym, ye, zs + ((xm - xs) + (ym - ys)), comp, leaf); });
}

template <class I>
using ValueOf = typename std::iterator_traits<I>::value_type;

/// Move-constructs `*to` from `*from`.
struct MakeItem {
  template <class I, class T>
  void operator()(I from, T* to) const {
    ::new (static_cast<void*>(to)) T(std::move(*from));
  }
};
/// Move-assigns `*from` to `*to`, and destroys `*from`.
struct PutItem {
  template <class I, class T>
  void operator()(T* from, I to) const {
    *to = std::move(*from);
    from->~T();
  }
};

/// Merges to `to` by `move(from, to)`. Only the first `count` items are in order; the rest follow in any order.
template <class From, class To, class Compare, class Move>
void merge_leaf(From xs, From xe, From ys, From ye, To to, std::ptrdiff_t count, Compare comp, const Move& move) {
  for (; count > 0 && xs != xe && ys != ye; --count, ++to) {
    if (comp(*ys, *xs)) {
      move(ys, to);
      ++ys;
    } else {
      move(xs, to);
      ++xs;
    }
  }
  for (; xs != xe; ++xs, ++to) move(xs, to);
  for (; ys != ye; ++ys, ++to) move(ys, to);
}

/// Merge sort for iterators and leaves that blitz::stable_sort does not accept. `buffer` has room for all of `items`. A part is
/// sorted into `buffer` if `to_buffer` is set, otherwise in `items`; its halves are sorted into the other array and merged from
/// there.
template <class I, class Compare, class Leaf>
class MergeSort {
 public:
  using T = ValueOf<I>;

  MergeSort(T* buffer, std::ptrdiff_t sorted, const Compare& comp, const Leaf& leaf)
      : buffer_(buffer),
        sorted_(sorted),
        grain_(std::max(std::min(kSortGrain, sorted), kSortGrain / 4)),
        comp_(comp),
        leaf_(leaf) {}

  void sort(I items, std::ptrdiff_t first, std::ptrdiff_t last, bool to_buffer) const {
    if (last - first <= grain_) {
      leaf_(items + first, items + last, comp_);
      if (to_buffer) std::uninitialized_move(items + first, items + last, buffer_ + first);
      return;
    }
    const std::ptrdiff_t middle = first + (last - first) / 2;
    adaptor::join([&] { sort(items, first, middle, !to_buffer); },
                  [&](bool) { sort(items, middle, last, !to_buffer); });
    if (to_buffer) {
      merge_parts(items + first, items + middle, items + last, buffer_ + first, MakeItem{});
    } else {
      merge_parts(buffer_ + first, buffer_ + middle, buffer_ + last, items + first, PutItem{});
    }
  }

 private:
  template <class From, class To, class Move>
  void merge_parts(From first, From middle, From last, To to, const Move& move) const {
    if (sorted_ < last - first) return merge_leaf(first, middle, middle, last, to, sorted_, comp_, move);
    adaptor::pstl::merge(first, middle, middle, last, to, comp_,
                         [&](From xs, From xe, From ys, From ye, To out, const Compare& comp) {
                           merge_leaf(xs, xe, ys, ye, out, last - first, comp, move);
                         });
  }

  T* buffer_;
  std::ptrdiff_t sorted_;
  std::ptrdiff_t grain_;  // A longer leaf would select the sorted items with a heap, which is slower than a sort.
  const Compare& comp_;
  const Leaf& leaf_;
};

#if __cplusplus >= 202002L
/// A leaf without state can only sort. A leaf with state may also create the items.
template <class I, class Compare, class Leaf>
concept BlitzSortable =
    std::is_empty_v<Leaf> && requires(I first, Compare comp) { blitz::stable_sort(first, first, comp); };
/// The leaf of a merge may construct items. For trivially copyable items this equals assignment.
template <class X, class Y, class Z, class Compare>
concept BlitzMergeable =
    std::is_trivially_copyable_v<std::iter_value_t<X>> && std::is_trivially_copyable_v<std::iter_value_t<Y>> &&
    std::is_trivially_copyable_v<std::iter_value_t<Z>> &&
    requires(X x, Y y, Z z, Compare comp) { blitz::merge(x, x, y, y, z, z, comp); };

/// The end of an output without a known size. The caller guarantees enough room for the results.
struct NoEnd {
  template <std::random_access_iterator I>
  friend constexpr bool operator==(const I& /*place*/, NoEnd /*end*/) noexcept {
    return false;
  }
  template <std::random_access_iterator I>
  friend constexpr std::iter_difference_t<I> operator-(NoEnd /*end*/, const I& /*place*/) noexcept {
    return std::numeric_limits<std::iter_difference_t<I>>::max();
  }
  template <std::random_access_iterator I>
  friend constexpr std::iter_difference_t<I> operator-(const I& /*place*/, NoEnd /*end*/) noexcept {
    return std::numeric_limits<std::iter_difference_t<I>>::min();
  }
};

/// Returns `f()`, an algorithm of blitz that replaces a pattern of PSTL. The call is isolated. As in PSTL, std::bad_alloc
/// propagates, and any other exception calls std::terminate.
template <class F>
auto serve(const F& f) {
  try {
    if constexpr (std::is_void_v<decltype(f())>) {
      isolate(f);
    } else {
      std::optional<decltype(f())> result;
      isolate([&] { result.emplace(f()); });
      return *std::move(result);
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    std::terminate();
  }
}
#endif

}  // namespace cxx20 or cxx17
}  // namespace blitz::adaptor::pstl

namespace __pstl {
namespace __blitz_backend {

/// Uninitialized memory for `n` objects. Throws std::bad_alloc.
template <class _Tp>
class __buffer {
 public:
  explicit __buffer(std::size_t __n)
      : _M_size(__n * sizeof(_Tp)), _M_ptr(static_cast<_Tp*>(blitz_allocate(_M_size, alignof(_Tp)))) {
    if (_M_ptr == nullptr) throw std::bad_alloc();
  }
  ~__buffer() { blitz_free(_M_ptr, _M_size, alignof(_Tp)); }
  __buffer(const __buffer&) = delete;
  void operator=(const __buffer&) = delete;

  operator bool() const { return _M_ptr != nullptr; }
  _Tp* get() const { return _M_ptr; }

 private:
  std::size_t _M_size;  // in bytes
  _Tp* _M_ptr;
};

#if __cplusplus >= 202002L
inline namespace __cxx20 {
#else
inline namespace __cxx17 {
#endif

/// Ends the loop or reduction of the calling block: no new blocks start.
inline void __cancel_execution() {
  if (bool* const __ends = blitz::adaptor::pstl::ends_loop) *__ends = true;
}
template <class _Tag>
void __cancel_execution(_Tag) {
  __blitz_backend::__cancel_execution();
}

/// Calls f(i, j) for blocks [i, j) of [first, last).
template <class _ExecutionPolicy, class _Index, class _Fp>
void __parallel_for(_ExecutionPolicy&&, _Index __first, _Index __last, _Fp __f) {
  blitz::adaptor::pstl::loop(__first, __last, __f);
}
template <class _Tag, class _ExecutionPolicy, class _Index, class _Fp>
void __parallel_for(_Tag, _ExecutionPolicy&&, _Index __first, _Index __last, _Fp __f) {
  blitz::adaptor::pstl::loop(__first, __last, __f);
}

/// Reduces by value = body(i, j, value). Each part starts with the identity.
template <class _ExecutionPolicy, class _Value, class _Index, class _Body, class _Reduction>
_Value __parallel_reduce(_ExecutionPolicy&&, _Index __first, _Index __last, const _Value& __identity,
                         const _Body& __body, const _Reduction& __reduction) {
  std::optional<_Value> __value(__identity);
  blitz::adaptor::pstl::reduce(
      __first, __last, __value,
      [&](std::optional<_Value>& __part, _Index __i, _Index __j) { __part.emplace(__body(__i, __j, __identity)); },
      __body, __reduction);
  return std::move(*__value);
}
template <class _Tag, class _ExecutionPolicy, class _Value, class _Index, class _Body, class _Reduction>
_Value __parallel_reduce(_Tag, _ExecutionPolicy&& __exec, _Index __first, _Index __last, const _Value& __identity,
                         const _Body& __body, const _Reduction& __reduction) {
  return __blitz_backend::__parallel_reduce(__exec, __first, __last, __identity, __body, __reduction);
}

/// Calls reduce(i, length) for parts that cover [0, n), then apex(total), then scan(i, length, left) for the same parts.
template <class _ExecutionPolicy, class _Index, class _Tp, class _Rp, class _Cp, class _Sp, class _Ap>
void __parallel_strict_scan(_ExecutionPolicy&&, _Index __n, _Tp __initial, _Rp __reduce, _Cp __combine, _Sp __scan,
                            _Ap __apex) {
  blitz::adaptor::isolate([&] {
    const blitz::adaptor::pstl::Tiles __tiles(static_cast<std::size_t>(__n));
    const auto __begin = [&](std::size_t __tile) { return static_cast<_Index>(__tiles.begin(__tile)); };
    const auto __length = [&](std::size_t __tile) {
      return static_cast<_Index>(__begin(__tile + 1) - __begin(__tile));
    };
    const __buffer<_Tp> __buf(__tiles.number());
    _Tp* const __sums = __buf.get();
    if (__n > 0)
      blitz::adaptor::pstl::for_each_index(0, __tiles.number(), [&](std::size_t __tile) {
        ::new (static_cast<void*>(__sums + __tile)) _Tp(__reduce(__begin(__tile), __length(__tile)));
      });
    _Tp __left = std::as_const(__initial);
    for (std::size_t __tile = 0; __n > 0 && __tile != __tiles.number(); ++__tile) {
      const _Tp __next = __combine(__left, __sums[__tile]);
      __sums[__tile] = __left;
      __left = __next;
    }
    __apex(__left);
    if (__n > 0)
      blitz::adaptor::pstl::for_each_index(
          0, __tiles.number(), [&](std::size_t __tile) { __scan(__begin(__tile), __length(__tile), __sums[__tile]); });
  });
}
template <class _Tag, class _ExecutionPolicy, class _Index, class _Tp, class _Rp, class _Cp, class _Sp, class _Ap>
void __parallel_strict_scan(_Tag, _ExecutionPolicy&& __exec, _Index __n, _Tp __initial, _Rp __reduce, _Cp __combine,
                            _Sp __scan, _Ap __apex) {
  __blitz_backend::__parallel_strict_scan(__exec, __n, __initial, __reduce, __combine, __scan, __apex);
}

/// Sorts. leaf(i, j, comp) sorts short parts; the sort is stable if the leaf is. If `sorted` is not 0, only the first `sorted`
/// items must be in their places.
template <class _ExecutionPolicy, class _Iterator, class _Compare, class _LeafSort>
void __parallel_stable_sort(_ExecutionPolicy&&, _Iterator __first, _Iterator __last, _Compare __comp, _LeafSort __leaf,
                            std::size_t __sorted = 0) {
  const auto __n = __last - __first;
  const auto __least = __sorted == 0 ? __n : static_cast<decltype(__n)>(__sorted);
  if (__n <= blitz::adaptor::pstl::kSortGrain) return static_cast<void>(__leaf(__first, __last, __comp));
  blitz::adaptor::isolate([&] {
#if __cplusplus >= 202002L
    if constexpr (blitz::adaptor::pstl::BlitzSortable<_Iterator, _Compare, _LeafSort>) {
      blitz::stable_sort(__first, __last, __comp);
    } else
#endif
    {
      // A leaf with state may create the items.
      if (std::is_empty<_LeafSort>::value && std::is_sorted(__first, __last, __comp)) return;
      const __buffer<typename std::iterator_traits<_Iterator>::value_type> __buf(static_cast<std::size_t>(__n));
      blitz::adaptor::pstl::MergeSort<_Iterator, _Compare, _LeafSort>(__buf.get(), __least, __comp, __leaf)
          .sort(__first, 0, __n, false);
    }
  });
}
template <class _Tag, class _ExecutionPolicy, class _Iterator, class _Compare, class _LeafSort>
void __parallel_stable_sort(_Tag, _ExecutionPolicy&& __exec, _Iterator __first, _Iterator __last, _Compare __comp,
                            _LeafSort __leaf, std::size_t __sorted = 0) {
  __blitz_backend::__parallel_stable_sort(__exec, __first, __last, __comp, __leaf, __sorted);
}

/// Merges to `out` by leaf(x, xe, y, ye, out, comp), which may construct items there.
template <class _ExecutionPolicy, class _Iterator1, class _Iterator2, class _Iterator3, class _Compare,
          class _LeafMerge>
void __parallel_merge(_ExecutionPolicy&&, _Iterator1 __xs, _Iterator1 __xe, _Iterator2 __ys, _Iterator2 __ye,
                      _Iterator3 __out, _Compare __comp, _LeafMerge __leaf) {
  blitz::adaptor::isolate([&] {
#if __cplusplus >= 202002L
    if constexpr (blitz::adaptor::pstl::BlitzMergeable<_Iterator1, _Iterator2, _Iterator3, _Compare>) {
      blitz::merge(__xs, __xe, __ys, __ye, __out, __out + ((__xe - __xs) + (__ye - __ys)), __comp);
    } else
#endif
    {
      blitz::adaptor::pstl::merge(__xs, __xe, __ys, __ye, __out, __comp, __leaf);
    }
  });
}
template <class _Tag, class _ExecutionPolicy, class _Iterator1, class _Iterator2, class _Iterator3, class _Compare,
          class _LeafMerge>
void __parallel_merge(_Tag, _ExecutionPolicy&& __exec, _Iterator1 __xs, _Iterator1 __xe, _Iterator2 __ys,
                      _Iterator2 __ye, _Iterator3 __out, _Compare __comp, _LeafMerge __leaf) {
  __blitz_backend::__parallel_merge(__exec, __xs, __xe, __ys, __ye, __out, __comp, __leaf);
}

/// Calls both, possibly in parallel.
template <class _ExecutionPolicy, class _F1, class _F2>
void __parallel_invoke(_ExecutionPolicy&&, _F1&& __f1, _F2&& __f2) {
  blitz::adaptor::isolate([&] { blitz::adaptor::join([&] { __f1(); }, [&](bool) { __f2(); }); });
}
template <class _Tag, class _ExecutionPolicy, class _F1, class _F2>
void __parallel_invoke(_Tag, _ExecutionPolicy&& __exec, _F1&& __f1, _F2&& __f2) {
  __blitz_backend::__parallel_invoke(__exec, __f1, __f2);
}

}  // namespace __cxx20 or __cxx17
}  // namespace __blitz_backend

namespace __par_backend = __blitz_backend;

namespace __internal {

#if __cplusplus >= 202002L && _GLIBCXX_RELEASE < 14
/// These versions check only the iterator category (GCC bug 110512, until 13.3). The second conjunct of RandomAccess makes this
/// more specialised than any template of libstdc++.
template <class _Iterator, class... _Others>
struct __is_random_access_iterator;
template <class _Iterator>
  requires blitz::adaptor::pstl::RandomAccess<_Iterator>
struct __is_random_access_iterator<_Iterator> : std::true_type {};
#endif

#if __cplusplus >= 202002L
/// The first or last position that a block finds. PSTL stores it as an atomic difference. The difference type of
/// std::views::iota over std::size_t is __int128; its atomic would require programs to link another library.
template <class _ExecutionPolicy, class _Index, class _Brick, class _Compare>
  requires(sizeof(std::iter_difference_t<_Index>) > sizeof(std::size_t))
_Index __parallel_find(_ExecutionPolicy&&, _Index __first, _Index __last, _Brick __brick, _Compare, bool __is_first) {
  const auto __count = static_cast<std::size_t>(__last - __first);
  // Converts a position into its distance from the start of the search, and back.
  const auto __distance = [&](std::size_t __position) { return __is_first ? __position : __count - 1 - __position; };
  // Relaxed: it publishes no other memory, and its result is read after the loop.
  blitz::detail::Atomic<std::size_t> __nearest(__count);
  blitz::adaptor::pstl::loop(__first, __last, [&](_Index __i, _Index __j) {
    const auto __best = __distance(static_cast<std::size_t>((__is_first ? __i : __j - 1) - __first));
    std::size_t __old = __nearest.load(std::memory_order_relaxed);
    if (__best >= __old) return;
    const _Index __found = __brick(__i, __j);
    if (__found == __j) return;
    const auto __its = __distance(static_cast<std::size_t>(__found - __first));
    while (__its < __old && !__nearest.compare_exchange_weak(__old, __its, std::memory_order_relaxed)) {
    }
  });
  const std::size_t __found = __nearest.load(std::memory_order_relaxed);
  return __found == __count ? __last : blitz::adaptor::pstl::at(__first, __distance(__found));
}
template <class _Tag, class _ExecutionPolicy, class _Index, class _Brick, class _Compare>
  requires(sizeof(std::iter_difference_t<_Index>) > sizeof(std::size_t))
_Index __parallel_find(_Tag, _ExecutionPolicy&& __exec, _Index __first, _Index __last, _Brick __brick, _Compare __comp,
                       bool __is_first) {
  return __internal::__parallel_find(__exec, __first, __last, __brick, __comp, __is_first);
}
#endif

/// Called for each block of minmax_element. PSTL's version accepts any `_Compare`, but branches on each number.
template <class _Iterator, class _Tp, class _Value = typename std::iterator_traits<_Iterator>::value_type>
std::enable_if_t<blitz::adaptor::pstl::kRandomAccess<_Iterator> && std::is_arithmetic<_Value>::value &&
                     (std::is_void<_Tp>::value || std::is_same<_Tp, _Value>::value),
                 std::pair<_Iterator, _Iterator>>
__brick_minmax_element(_Iterator __first, _Iterator __last, std::less<_Tp>, std::false_type) {
  return blitz::adaptor::pstl::minmax_of_numbers(__first, __last);
}

/// Called for each block of std::equal. Without a predicate, std::equal calls memcmp for types that allow it.
template <class _Iterator1, class _Iterator2>
bool __brick_equal(_Iterator1 __first1, _Iterator1 __last1, _Iterator2 __first2, std::equal_to<>,
                   std::false_type) noexcept {
  return std::equal(__first1, __last1, __first2);
}
template <class _Iterator1, class _Iterator2>
bool __brick_equal(_Iterator1 __first1, _Iterator1 __last1, _Iterator2 __first2, _Iterator2 __last2, std::equal_to<>,
                   std::false_type) noexcept {
  return std::equal(__first1, __last1, __first2, __last2);
}

}  // namespace __internal

#if __cplusplus >= 202002L
// Patterns that blitz's algorithms replace: these need no buffer for the items, read the items once, or are correct for any
// operation. Overload resolution prefers them because PSTL's templates with the same parameters are not constrained. In
// libstdc++ 14 and later, a leading tag replaces the last two parameters.
namespace __internal {

template <class _IsVector>
struct __parallel_tag;

// Defines both forms of a pattern. `types` are its template parameters, `arguments` the names of `parameters`. The last
// argument is the body in braces.
#define BLITZ_LIST(...) __VA_ARGS__
#define BLITZ_PSTL_PATTERN(name, result, types, parameters, arguments, requirement, ...)     \
  template <class _ExecutionPolicy, BLITZ_LIST types, class _IsVector>                       \
    requires requirement                                                                     \
  result name(_ExecutionPolicy&&, BLITZ_LIST parameters, _IsVector, std::true_type) {        \
    return blitz::adaptor::pstl::serve([&]() -> result __VA_ARGS__);                         \
  }                                                                                          \
  template <class _IsVector, class _ExecutionPolicy, BLITZ_LIST types>                       \
    requires requirement                                                                     \
  result name(__parallel_tag<_IsVector>, _ExecutionPolicy&& __exec, BLITZ_LIST parameters) { \
    return __internal::name(__exec, BLITZ_LIST arguments, _IsVector(), std::true_type());    \
  }

BLITZ_PSTL_PATTERN(__pattern_rotate, _Iterator, (class _Iterator),
                   (_Iterator __first, _Iterator __middle, _Iterator __last), (__first, __middle, __last),
                   (std::permutable<_Iterator>), { return blitz::rotate(__first, __middle, __last).begin(); })

#define BLITZ_PSTL_IN_PLACE(name)                                                                         \
  BLITZ_PSTL_PATTERN(__pattern_##name, _Iterator, (class _Iterator, class _Predicate),                    \
                     (_Iterator __first, _Iterator __last, _Predicate __pred), (__first, __last, __pred), \
                     (requires(_Iterator __i, _Predicate __p) { blitz::name(__i, __i, __p); }),           \
                     { return blitz::name(__first, __last, __pred).begin(); })
BLITZ_PSTL_IN_PLACE(unique)
BLITZ_PSTL_IN_PLACE(remove_if)
BLITZ_PSTL_IN_PLACE(partition)
BLITZ_PSTL_IN_PLACE(stable_partition)
#undef BLITZ_PSTL_IN_PLACE

#define BLITZ_PSTL_COPY(name)                                                                                          \
  BLITZ_PSTL_PATTERN(__pattern_##name, _Output, (class _Iterator, class _Output, class _Predicate),                    \
                     (_Iterator __first, _Iterator __last, _Output __result, _Predicate __pred),                       \
                     (__first, __last, __result, __pred),                                                              \
                     (requires(_Iterator __i, _Output __o, _Predicate __p) { blitz::name(__i, __i, __o, __o, __p); }), \
                     { return blitz::name(__first, __last, __result, blitz::adaptor::pstl::NoEnd(), __pred).out; })
BLITZ_PSTL_COPY(copy_if)
BLITZ_PSTL_COPY(unique_copy)
#undef BLITZ_PSTL_COPY

BLITZ_PSTL_PATTERN(__pattern_partition_copy, BLITZ_LIST(std::pair<_Output1, _Output2>),
                   (class _Iterator, class _Output1, class _Output2, class _Predicate),
                   (_Iterator __first, _Iterator __last, _Output1 __front, _Output2 __others, _Predicate __pred),
                   (__first, __last, __front, __others, __pred),
                   (requires(_Iterator __i, _Output1 __o1, _Output2 __o2, _Predicate __p) {
                     blitz::partition_copy(__i, __i, __o1, __o1, __o2, __o2, __p);
                   }), {
                     const auto __ends = blitz::partition_copy(__first, __last, __front, blitz::adaptor::pstl::NoEnd(),
                                                               __others, blitz::adaptor::pstl::NoEnd(), __pred);
                     return {__ends.out1, __ends.out2};
                   })

#define BLITZ_PSTL_SELECT(name)                                                                    \
  BLITZ_PSTL_PATTERN(__pattern_##name, void, (class _Iterator, class _Compare),                    \
                     (_Iterator __first, _Iterator __middle, _Iterator __last, _Compare __comp),   \
                     (__first, __middle, __last, __comp),                                          \
                     (requires(_Iterator __i, _Compare __c) { blitz::name(__i, __i, __i, __c); }), \
                     { blitz::name(__first, __middle, __last, __comp); })
BLITZ_PSTL_SELECT(nth_element)
BLITZ_PSTL_SELECT(partial_sort)
#undef BLITZ_PSTL_SELECT

BLITZ_PSTL_PATTERN(__pattern_partial_sort_copy, _Output, (class _Iterator, class _Output, class _Compare),
                   (_Iterator __first, _Iterator __last, _Output __out, _Output __out_last, _Compare __comp),
                   (__first, __last, __out, __out_last, __comp),
                   (std::is_trivially_copyable_v<std::iter_value_t<_Iterator>> &&
                    requires(std::iter_value_t<_Iterator>* __i, _Output __o, _Compare __c) {
                      blitz::partial_sort(__i, __i, __i, __c);
                      blitz::copy(__i, __i, __o, __o);
                    }),
                   {
                     using _Tp = std::iter_value_t<_Iterator>;
                     const auto __n = __last - __first;
                     const auto __sorted = std::min<std::ptrdiff_t>(__n, __out_last - __out);
                     const __par_backend::__buffer<_Tp> __buf(static_cast<std::size_t>(__n));
                     _Tp* const __items = __buf.get();
                     blitz::uninitialized_copy(__first, __last, __items, __items + __n);
                     blitz::partial_sort(__items, __items + __sorted, __items + __n, __comp);
                     return blitz::copy(__items, __items + __sorted, __out, __out_last).out;
                   })

#define BLITZ_PSTL_SET_PATTERN(name)                                                                                   \
  BLITZ_PSTL_PATTERN(                                                                                                  \
      __pattern_##name, _Output, (class _Iterator1, class _Iterator2, class _Output, class _Compare),                  \
      (_Iterator1 __first1, _Iterator1 __last1, _Iterator2 __first2, _Iterator2 __last2, _Output __result,             \
       _Compare __comp),                                                                                               \
      (__first1, __last1, __first2, __last2, __result, __comp),                                                        \
      (requires(_Iterator1 __i, _Iterator2 __j, _Output __o, _Compare __c) {                                           \
        blitz::name(__i, __i, __j, __j, __o, __o, __c);                                                                \
      }), {                                                                                                            \
        return blitz::name(__first1, __last1, __first2, __last2, __result, blitz::adaptor::pstl::NoEnd(), __comp).out; \
      })
BLITZ_PSTL_SET_PATTERN(set_union)
BLITZ_PSTL_SET_PATTERN(set_intersection)
BLITZ_PSTL_SET_PATTERN(set_difference)
BLITZ_PSTL_SET_PATTERN(set_symmetric_difference)
#undef BLITZ_PSTL_SET_PATTERN

BLITZ_PSTL_PATTERN(
    __pattern_mismatch, BLITZ_LIST(std::pair<_Iterator1, _Iterator2>),
    (class _Iterator1, class _Iterator2, class _Predicate),
    (_Iterator1 __first1, _Iterator1 __last1, _Iterator2 __first2, _Iterator2 __last2, _Predicate __pred),
    (__first1, __last1, __first2, __last2, __pred),
    (requires(_Iterator1 __i, _Iterator2 __j, _Predicate __p) { blitz::mismatch(__i, __i, __j, __j, __p); }), {
      const auto __found = blitz::mismatch(__first1, __last1, __first2, __last2, __pred);
      return {__found.in1, __found.in2};
    })

BLITZ_PSTL_PATTERN(__pattern_lexicographical_compare, bool, (class _Iterator1, class _Iterator2, class _Compare),
                   (_Iterator1 __first1, _Iterator1 __last1, _Iterator2 __first2, _Iterator2 __last2, _Compare __comp),
                   (__first1, __last1, __first2, __last2, __comp),
                   (requires(_Iterator1 __i, _Iterator2 __j, _Compare __c) {
                     blitz::lexicographical_compare(__i, __i, __j, __j, __c);
                   }), { return blitz::lexicographical_compare(__first1, __last1, __first2, __last2, __comp); })

#undef BLITZ_PSTL_PATTERN
#undef BLITZ_LIST

}  // namespace __internal
#endif

}  // namespace __pstl
