/// @file
/// Searches: find and its relatives, find_last and its relatives, any_of, all_of, none_of, search.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/flags.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// The first position in [from, to) with `holds(position)`, or `to`. If items are cheap, tests kGroup positions at a time
/// without a branch in between.
template <std::size_t kCheap, class Holds>
[[nodiscard]] LoopIndex first_position(LoopIndex from, LoopIndex to, const Holds& holds) {
  if constexpr (kCheap != 0) {
    constexpr LoopIndex kGroup = 32;
    for (; to - from >= kGroup; from += kGroup) {
      UnsignedOf<kCheap> any = 0;  // g++ vectorises numbers as wide as the items, but not bools.
      for (LoopIndex k = 0; k < kGroup; ++k) any |= static_cast<UnsignedOf<kCheap>>(holds(from + k));
      if (any != 0) break;
    }
  }
  for (; to - from >= 4; from += 4) {
    if (holds(from)) return from;
    if (holds(from + 1)) return from + 1;
    if (holds(from + 2)) return from + 2;
    if (holds(from + 3)) return from + 3;
  }
  while (from != to && !holds(from)) ++from;
  return from;
}

/// The probe of find_position: the first position of a block that `holds(position)` accepts, or the end of the block.
template <std::size_t kCheap, class Holds>
struct FirstPosition {
  LoopIndex operator()(LoopIndex from, LoopIndex to) const { return first_position<kCheap>(from, to, holds); }
  const Holds& holds;
};

/// The first position below `count` with `holds(position)`, or `count`. Throws Stopped after a stop request.
template <std::size_t kCheap, class Holds>
[[nodiscard]] LoopIndex find_position(const AlgorithmOptions& options, LoopIndex count, const Holds& holds) {
  const LoopIndex found = find_first(options, count, 1, FirstPosition<kCheap, Holds>{holds});
  throw_if_stopped(options);
  return found;
}

/// The last position below `count` with `holds(position)`, or `count`.
template <std::size_t kCheap, class Holds>
[[nodiscard]] LoopIndex find_last_position(const AlgorithmOptions& options, LoopIndex count, const Holds& holds) {
  const LoopIndex back = find_position<kCheap>(options, count, [&](LoopIndex i) { return holds(count - 1 - i); });
  return back == count ? count : count - 1 - back;
}

/// Whether there is a position with `holds(position)`. After the first one no new blocks start.
template <std::size_t kCheap, class Holds>
[[nodiscard]] bool any_position(const AlgorithmOptions& options, LoopIndex count, const Holds& holds) {
  Atomic<bool> seen{false};  // set by the blocks that find one; relaxed, because the end of the loop orders it
  for_blocks(options, count, 1, [&](LoopIndex from, LoopIndex to) {
    const bool here = first_position<kCheap>(from, to, holds) != to;
    if (here) seen.store(true, std::memory_order_relaxed);
    return here;
  });
  if (seen.load(std::memory_order_relaxed)) return true;
  throw_if_stopped(options);
  return false;
}

/// Tests whether the projection of the item at a position satisfies `pred`.
template <class I, class F, class P>
[[nodiscard]] auto item_test(const I& first, F& pred, P& proj) {
  return [&first, &pred, &proj](LoopIndex i) -> bool { return std::invoke(pred, std::invoke(proj, *at(first, i))); };
}

/// Tests whether the projection of the item at a position equals a value.
template <class I, class T, class P>
[[nodiscard]] auto value_test(const I& first, const T& value, P& proj) {
  return [&first, &value, &proj](LoopIndex i) -> bool { return std::invoke(proj, *at(first, i)) == value; };
}

/// Tests whether the `count2` items beginning at `first2` occur at a position of `first1`, each equal by `comp`.
template <class I1, class I2, class C, class P1, class P2>
[[nodiscard]] auto match_test(const I1& first1, const I2& first2, LoopIndex count2, C& comp, P1& proj1, P2& proj2) {
  return [&first1, &first2, count2, &comp, &proj1, &proj2](LoopIndex i) -> bool {
    for (LoopIndex k = 0; k < count2; ++k) {
      if (!std::invoke(comp, std::invoke(proj1, *at(first1, i + k)), std::invoke(proj2, *at(first2, k)))) return false;
    }
    return true;
  };
}

struct Find : WithValue<Find> {
  template <class I, class T, class P>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count, const T& value, P& proj) {
    return at(first, find_position<kCheapItems<I>>(options, count, value_test(first, value, proj)));
  }
};

struct FindIf : WithPredicate<FindIf> {
  template <class I, class F, class P>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj) {
    return at(first, find_position<kCheapItems<I>>(options, count, item_test(first, pred, proj)));
  }
};

struct FindIfNot : WithPredicate<FindIfNot> {
  template <class I, class F, class P>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj) {
    return at(first, find_position<kCheapItems<I>>(options, count, std::not_fn(item_test(first, pred, proj))));
  }
};

/// The sub-range from the last position with `holds(position)` to the end.
template <class I, class Holds>
std::ranges::subrange<I> last_and_after(const AlgorithmOptions& options, const I& first, LoopIndex count,
                                        const Holds& holds) {
  return {at(first, find_last_position<kCheapItems<I>>(options, count, holds)), at(first, count)};
}

struct FindLast : WithValue<FindLast> {
  template <class I, class T, class P>
  static auto run(const AlgorithmOptions& options, const I& first, LoopIndex count, const T& value, P& proj) {
    return last_and_after(options, first, count, value_test(first, value, proj));
  }
};

struct FindLastIf : WithPredicate<FindLastIf> {
  template <class I, class F, class P>
  static auto run(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj) {
    return last_and_after(options, first, count, item_test(first, pred, proj));
  }
};

struct FindLastIfNot : WithPredicate<FindLastIfNot> {
  template <class I, class F, class P>
  static auto run(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj) {
    return last_and_after(options, first, count, std::not_fn(item_test(first, pred, proj)));
  }
};

struct AnyOf : WithPredicate<AnyOf> {
  template <class I, class F, class P>
  static bool run(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj) {
    return any_position<kCheapItems<I>>(options, count, item_test(first, pred, proj));
  }
};

struct AllOf : WithPredicate<AllOf> {
  template <class I, class F, class P>
  static bool run(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj) {
    return !any_position<kCheapItems<I>>(options, count, std::not_fn(item_test(first, pred, proj)));
  }
};

struct NoneOf : WithPredicate<NoneOf> {
  template <class I, class F, class P>
  static bool run(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj) {
    return !AnyOf::run(options, first, count, pred, proj);
  }
};

struct AdjacentFind : WithComparison<AdjacentFind, std::ranges::equal_to> {
  template <class I, class C, class P>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count, C& comp, P& proj) {
    const LoopIndex pairs = count > 0 ? count - 1 : 0;
    const LoopIndex found = find_position<kCheapItems<I>>(options, pairs, [&](LoopIndex i) -> bool {
      return std::invoke(comp, std::invoke(proj, *at(first, i)), std::invoke(proj, *at(first, i + 1)));
    });
    return at(first, found == pairs ? count : found);
  }
};

struct Search : OfTwoRanges<Search, std::ranges::equal_to> {
  template <class I1, class I2, class C, class P1, class P2>
  static std::ranges::subrange<I1> run(const AlgorithmOptions& options, const I1& first1, LoopIndex count1,
                                       const I2& first2, LoopIndex count2, C& comp, P1& proj1, P2& proj2) {
    const LoopIndex places = count2 <= count1 ? count1 - count2 + 1 : 0;
    const LoopIndex found = find_position<0>(options, places, match_test(first1, first2, count2, comp, proj1, proj2));
    if (found == places) return {at(first1, count1), at(first1, count1)};
    return {at(first1, found), at(first1, found + count2)};
  }
};

struct FindEnd : OfTwoRanges<FindEnd, std::ranges::equal_to> {
  template <class I1, class I2, class C, class P1, class P2>
  static std::ranges::subrange<I1> run(const AlgorithmOptions& options, const I1& first1, LoopIndex count1,
                                       const I2& first2, LoopIndex count2, C& comp, P1& proj1, P2& proj2) {
    const LoopIndex places = count2 <= count1 ? count1 - count2 + 1 : 0;
    const LoopIndex found =
        find_last_position<0>(options, places, match_test(first1, first2, count2, comp, proj1, proj2));
    if (found == places) return {at(first1, count1), at(first1, count1)};
    return {at(first1, found), at(first1, found + count2)};
  }
};

struct FindFirstOf : OfTwoRanges<FindFirstOf, std::ranges::equal_to> {
  template <class I1, class I2, class C, class P1, class P2>
  static I1 run(const AlgorithmOptions& options, const I1& first1, LoopIndex count1, const I2& first2, LoopIndex count2,
                C& comp, P1& proj1, P2& proj2) {
    const auto is_one = [&](LoopIndex i) -> bool {
      const I1 item = at(first1, i);
      const I2 others = first2;
      return first_position<0>(0, count2, [&](LoopIndex k) -> bool {
               return std::invoke(comp, std::invoke(proj1, *item), std::invoke(proj2, *at(others, k)));
             }) != count2;
    };
    return at(first1, find_position<0>(options, count1, is_one));
  }
};

}  // namespace detail

/// @name Searches
/// In the searches `find`, `find_if`, `find_if_not`, `find_last`, `find_last_if`, `find_last_if_not`, `any_of`, `all_of`,
/// `none_of`, `adjacent_find`, `search`, `find_end` and `find_first_of`, several threads search blocks concurrently and share
/// the best position so far: after an item is found, no new blocks start to its right. Several threads call the predicates,
/// comparisons and projections concurrently through references. They may also be called for some items beyond the result: if
/// the items are numbers, for up to 31 in the same block.
///
/// Throws the exceptions of these callables, and Stopped after a stop request, unless the result is known.
///
/// O(n): at most n calls of the predicate; n * m calls for `search`, `find_end` and `find_first_of`. Memory: none.
///
/// Thread-safety: any thread.
/// @{

/// Returns an iterator to the first item with a projection equal to `value`, or the end.
/// @code
///   const auto place = blitz::find(people, "Ada", &Person::name);
/// @endcode
inline constexpr detail::Algorithm<detail::Find> find{};
/// Returns an iterator to the first item with a projection that satisfies `pred`, or the end.
/// @code
///   const auto wrong = blitz::find_if(numbers, [](double x) { return std::isnan(x); });
/// @endcode
inline constexpr detail::Algorithm<detail::FindIf> find_if{};
/// Returns an iterator to the first item with a projection that does not satisfy `pred`, or the end.
inline constexpr detail::Algorithm<detail::FindIfNot> find_if_not{};
/// Returns the sub-range from the last item with a projection equal to `value` to the end; empty if there is none.
inline constexpr detail::Algorithm<detail::FindLast> find_last{};
/// Returns the sub-range from the last item with a projection that satisfies `pred` to the end; empty if there is none.
inline constexpr detail::Algorithm<detail::FindLastIf> find_last_if{};
/// Returns the sub-range from the last item with a projection that does not satisfy `pred` to the end; empty if there is none.
inline constexpr detail::Algorithm<detail::FindLastIfNot> find_last_if_not{};
/// Returns whether the projection of any item satisfies `pred`; false if there is no item.
inline constexpr detail::Algorithm<detail::AnyOf> any_of{};
/// Returns whether the projections of all items satisfy `pred`; true if there is no item.
inline constexpr detail::Algorithm<detail::AllOf> all_of{};
/// Returns whether the projection of no item satisfies `pred`.
inline constexpr detail::Algorithm<detail::NoneOf> none_of{};
/// Returns an iterator to the first item that is related by `comp` (by default equal) to the next item, or the end.
inline constexpr detail::Algorithm<detail::AdjacentFind> adjacent_find{};
/// Returns the first occurrence of the second range in the first, as a sub-range of the first; empty at its end if there is
/// none, and empty at its beginning if the second range is empty.
inline constexpr detail::Algorithm<detail::Search> search{};
/// Returns the last occurrence of the second range in the first; empty at the end if there is none or the second range is
/// empty.
inline constexpr detail::Algorithm<detail::FindEnd> find_end{};
/// Returns an iterator to the first item of the first range that equals any item of the second, or the end.
inline constexpr detail::Algorithm<detail::FindFirstOf> find_first_of{};

/// @}

}  // namespace blitz
