/// @file
/// The call operators of algorithms. An algorithm is written once, for iterators. The classes here add its forms: with a range
/// or two iterators, each with or without leading AlgorithmOptions.
///
/// An algorithm derives from the class for its arguments, and has a static function `run`. The arguments of `run` are the
/// options, the first iterator and the number of items of each range, and references to the callables and the projections.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/loop/mistake.hpp"

namespace blitz::detail {

template <std::random_access_iterator I, std::sized_sentinel_for<I> S>
[[nodiscard]] constexpr LoopIndex count_of(const I& first, const S& last) {
  return static_cast<LoopIndex>(last - first);
}

/// Like std::projected, with a projection that several threads call concurrently: it must not be a mutable lambda.
template <class I, class P>
using Projected = std::projected<I, const P>;

/// A predicate or a function of an item that several threads call concurrently: it must not be a mutable lambda.
template <class F, class I>
concept SharedPredicate = std::indirect_unary_predicate<const F, I>;
template <class F, class I>
concept SharedItemFunction = std::indirectly_unary_invocable<const F, I>;

/// Like the standard's concepts, but several threads write the items and call the comparison concurrently. So the items must
/// not share words, and the comparison must be const.
template <class O, class T>
concept Writable = std::indirectly_writable<O, T> && !SharesWords<O>;
template <class I, class O>
concept CopyableTo = std::indirectly_copyable<I, O> && !SharesWords<O>;
template <class I1, class I2>
concept Swappable = std::indirectly_swappable<I1, I2> && !SharesWords<I1> && !SharesWords<I2>;
template <class I>
concept Permutable = std::permutable<I> && !SharesWords<I>;
template <class I, class C = std::ranges::less, class P = std::identity>
concept Sortable = std::sortable<I, const C, const P> && !SharesWords<I>;
template <class I1, class I2, class O, class C = std::ranges::less, class P1 = std::identity, class P2 = std::identity>
concept Mergeable = std::mergeable<I1, I2, O, const C, const P1, const P2> && !SharesWords<O>;

/// The result of an algorithm that was called with a range. Iterators into a temporary range become std::ranges::dangling.
template <class R, class Result>
constexpr Result borrowed(Result result) {
  return result;
}
template <class R, class Result>
  requires std::same_as<Result, std::ranges::iterator_t<R>>
constexpr std::ranges::borrowed_iterator_t<R> borrowed(Result result) {
  return result;
}
template <class R, class Result>
  requires std::same_as<Result, std::ranges::subrange<std::ranges::iterator_t<R>>>
constexpr std::ranges::borrowed_subrange_t<R> borrowed(Result result) {
  return result;
}

template <class R, class Result>
  requires std::same_as<Result, std::ranges::minmax_result<std::ranges::iterator_t<R>>>
constexpr auto borrowed(Result result) {
  using Place = std::ranges::borrowed_iterator_t<R>;
  return std::ranges::minmax_result<Place>{Place(std::move(result.min)), Place(std::move(result.max))};
}

/// f(range, pred, proj): run(options, first, count, pred, proj).
template <class Algorithm>
struct WithPredicate {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class P = std::identity,
            SharedPredicate<Projected<I, P>> F>
  auto operator()(const AlgorithmOptions& options, I first, S last, F pred, P proj = {}) const {
    return Algorithm::run(options, first, count_of(first, last), pred, proj);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class P = std::identity,
            SharedPredicate<Projected<I, P>> F>
  auto operator()(I first, S last, F pred, P proj = {}) const {
    return Algorithm::run(AlgorithmOptions{}, first, count_of(first, last), pred, proj);
  }
  template <LoopRange R, class P = std::identity, SharedPredicate<Projected<std::ranges::iterator_t<R>, P>> F>
  auto operator()(const AlgorithmOptions& options, R&& range, F pred, P proj = {}) const {
    const auto first = std::ranges::begin(range);
    return borrowed<R>(Algorithm::run(options, first, static_cast<LoopIndex>(std::ranges::size(range)), pred, proj));
  }
  template <LoopRange R, class P = std::identity, SharedPredicate<Projected<std::ranges::iterator_t<R>, P>> F>
  auto operator()(R&& range, F pred, P proj = {}) const {
    const auto first = std::ranges::begin(range);
    return borrowed<R>(
        Algorithm::run(AlgorithmOptions{}, first, static_cast<LoopIndex>(std::ranges::size(range)), pred, proj));
  }
};

template <class T, class I, class P>
concept ComparableValue = std::indirect_binary_predicate<std::ranges::equal_to, Projected<I, P>, const T*>;

/// f(range, value, proj): run(options, first, count, value, proj).
template <class Algorithm>
struct WithValue {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class P = std::identity,
            ComparableValue<I, P> T = std::iter_value_t<I>>
  auto operator()(const AlgorithmOptions& options, I first, S last, const T& value, P proj = {}) const {
    return Algorithm::run(options, first, count_of(first, last), value, proj);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class P = std::identity,
            ComparableValue<I, P> T = std::iter_value_t<I>>
  auto operator()(I first, S last, const T& value, P proj = {}) const {
    return Algorithm::run(AlgorithmOptions{}, first, count_of(first, last), value, proj);
  }
  template <LoopRange R, class P = std::identity,
            ComparableValue<std::ranges::iterator_t<R>, P> T = std::ranges::range_value_t<R>>
  auto operator()(const AlgorithmOptions& options, R&& range, const T& value, P proj = {}) const {
    const auto first = std::ranges::begin(range);
    return borrowed<R>(Algorithm::run(options, first, static_cast<LoopIndex>(std::ranges::size(range)), value, proj));
  }
  template <LoopRange R, class P = std::identity,
            ComparableValue<std::ranges::iterator_t<R>, P> T = std::ranges::range_value_t<R>>
  auto operator()(R&& range, const T& value, P proj = {}) const {
    const auto first = std::ranges::begin(range);
    return borrowed<R>(
        Algorithm::run(AlgorithmOptions{}, first, static_cast<LoopIndex>(std::ranges::size(range)), value, proj));
  }
};

/// A comparison of items: a strict weak order if the default is std::ranges::less, otherwise any binary predicate.
template <class C, class Default, class A, class B>
concept ComparesItems = std::indirect_binary_predicate<const C, A, B> &&
                        (!std::same_as<Default, std::ranges::less> || std::indirect_strict_weak_order<const C, A, B>);

/// f(range, comp, proj) with `Default` as the default of `comp`: run(options, first, count, comp, proj).
template <class Algorithm, class Default>
struct WithComparison {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class C = Default, class P = std::identity>
    requires ComparesItems<C, Default, Projected<I, P>, Projected<I, P>>
  auto operator()(const AlgorithmOptions& options, I first, S last, C comp = {}, P proj = {}) const {
    return Algorithm::run(options, first, count_of(first, last), comp, proj);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class C = Default, class P = std::identity>
    requires ComparesItems<C, Default, Projected<I, P>, Projected<I, P>>
  auto operator()(I first, S last, C comp = {}, P proj = {}) const {
    return Algorithm::run(AlgorithmOptions{}, first, count_of(first, last), comp, proj);
  }
  template <LoopRange R, class C = Default, class P = std::identity>
    requires ComparesItems<C, Default, Projected<std::ranges::iterator_t<R>, P>,
                           Projected<std::ranges::iterator_t<R>, P>>
  auto operator()(const AlgorithmOptions& options, R&& range, C comp = {}, P proj = {}) const {
    const auto first = std::ranges::begin(range);
    return borrowed<R>(Algorithm::run(options, first, static_cast<LoopIndex>(std::ranges::size(range)), comp, proj));
  }
  template <LoopRange R, class C = Default, class P = std::identity>
    requires ComparesItems<C, Default, Projected<std::ranges::iterator_t<R>, P>,
                           Projected<std::ranges::iterator_t<R>, P>>
  auto operator()(R&& range, C comp = {}, P proj = {}) const {
    const auto first = std::ranges::begin(range);
    return borrowed<R>(
        Algorithm::run(AlgorithmOptions{}, first, static_cast<LoopIndex>(std::ranges::size(range)), comp, proj));
  }
};

/// A base of algorithms with an output after the first range.
struct HasOutput {
  static constexpr bool kHasOutput = true;
};

/// f(range, comp, proj) for an algorithm that moves items into an order: run(options, first, count, comp, proj).
template <class Algorithm>
struct InOrder {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class C = std::ranges::less,
            class P = std::identity>
    requires Sortable<I, C, P>
  auto operator()(const AlgorithmOptions& options, I first, S last, C comp = {}, P proj = {}) const {
    return Algorithm::run(options, first, count_of(first, last), comp, proj);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class C = std::ranges::less,
            class P = std::identity>
    requires Sortable<I, C, P>
  auto operator()(I first, S last, C comp = {}, P proj = {}) const {
    return Algorithm::run(AlgorithmOptions{}, first, count_of(first, last), comp, proj);
  }
  template <LoopRange R, class C = std::ranges::less, class P = std::identity>
    requires Sortable<std::ranges::iterator_t<R>, C, P>
  auto operator()(const AlgorithmOptions& options, R&& range, C comp = {}, P proj = {}) const {
    const auto count = static_cast<LoopIndex>(std::ranges::size(range));
    return borrowed<R>(Algorithm::run(options, std::ranges::begin(range), count, comp, proj));
  }
  template <LoopRange R, class C = std::ranges::less, class P = std::identity>
    requires Sortable<std::ranges::iterator_t<R>, C, P>
  auto operator()(R&& range, C comp = {}, P proj = {}) const {
    const auto count = static_cast<LoopIndex>(std::ranges::size(range));
    return borrowed<R>(Algorithm::run(AlgorithmOptions{}, std::ranges::begin(range), count, comp, proj));
  }

  /// The reason why the items cannot be sorted.
  template <std::ranges::range R, class C = std::ranges::less, class P = std::identity>
  [[nodiscard]] static consteval Mistake mistake() {
    using It = std::ranges::iterator_t<R>;
    if constexpr (!std::permutable<It>) {
      return Mistake::kMoves;
    } else if constexpr (!std::indirectly_regular_unary_invocable<P, It>) {
      return Mistake::kProjection;
    } else {
      return Mistake::kOrder;
    }
  }
};

/// f(range, middle, comp, proj) and f(first, middle, last, comp, proj) for an algorithm that moves items into an order:
/// run(options, first, rank, count, comp, proj). `rank` is the position of `middle`.
template <class Algorithm>
struct InOrderAround {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class C = std::ranges::less,
            class P = std::identity>
    requires Sortable<I, C, P>
  auto operator()(const AlgorithmOptions& options, I first, I middle, S last, C comp = {}, P proj = {}) const {
    return Algorithm::run(options, first, count_of(first, middle), count_of(first, last), comp, proj);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class C = std::ranges::less,
            class P = std::identity>
    requires Sortable<I, C, P>
  auto operator()(I first, I middle, S last, C comp = {}, P proj = {}) const {
    return Algorithm::run(AlgorithmOptions{}, first, count_of(first, middle), count_of(first, last), comp, proj);
  }
  template <LoopRange R, class C = std::ranges::less, class P = std::identity>
    requires Sortable<std::ranges::iterator_t<R>, C, P>
  auto operator()(const AlgorithmOptions& options, R&& range, std::ranges::iterator_t<R> middle, C comp = {},
                  P proj = {}) const {
    const auto first = std::ranges::begin(range);
    const auto count = static_cast<LoopIndex>(std::ranges::size(range));
    return borrowed<R>(Algorithm::run(options, first, count_of(first, middle), count, comp, proj));
  }
  template <LoopRange R, class C = std::ranges::less, class P = std::identity>
    requires Sortable<std::ranges::iterator_t<R>, C, P>
  auto operator()(R&& range, std::ranges::iterator_t<R> middle, C comp = {}, P proj = {}) const {
    const auto first = std::ranges::begin(range);
    const auto count = static_cast<LoopIndex>(std::ranges::size(range));
    return borrowed<R>(Algorithm::run(AlgorithmOptions{}, first, count_of(first, middle), count, comp, proj));
  }
};

/// f(range1, range2, comp, proj1, proj2): run(options, first1, count1, first2, count2, comp, proj1, proj2). Iterators in the
/// result point into range1; an algorithm with iterators into both ranges redefines returned().
template <class Algorithm, class Default>
struct OfTwoRanges {
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, class C = Default, class P1 = std::identity, class P2 = std::identity>
    requires ComparesItems<C, Default, Projected<I1, P1>, Projected<I2, P2>>
  auto operator()(const AlgorithmOptions& options, I1 first1, S1 last1, I2 first2, S2 last2, C comp = {}, P1 proj1 = {},
                  P2 proj2 = {}) const {
    return Algorithm::run(options, first1, count_of(first1, last1), first2, count_of(first2, last2), comp, proj1,
                          proj2);
  }
  template <std::random_access_iterator I1, std::sized_sentinel_for<I1> S1, std::random_access_iterator I2,
            std::sized_sentinel_for<I2> S2, class C = Default, class P1 = std::identity, class P2 = std::identity>
    requires ComparesItems<C, Default, Projected<I1, P1>, Projected<I2, P2>>
  auto operator()(I1 first1, S1 last1, I2 first2, S2 last2, C comp = {}, P1 proj1 = {}, P2 proj2 = {}) const {
    return (*this)(AlgorithmOptions{}, first1, last1, first2, last2, std::move(comp), std::move(proj1),
                   std::move(proj2));
  }
  template <LoopRange R1, LoopRange R2, class C = Default, class P1 = std::identity, class P2 = std::identity>
    requires ComparesItems<C, Default, Projected<std::ranges::iterator_t<R1>, P1>,
                           Projected<std::ranges::iterator_t<R2>, P2>>
  auto operator()(const AlgorithmOptions& options, R1&& range1, R2&& range2, C comp = {}, P1 proj1 = {},
                  P2 proj2 = {}) const {
    const auto first1 = std::ranges::begin(range1);
    const auto first2 = std::ranges::begin(range2);
    return Algorithm::template returned<R1, R2>(
        Algorithm::run(options, first1, static_cast<LoopIndex>(std::ranges::size(range1)), first2,
                       static_cast<LoopIndex>(std::ranges::size(range2)), comp, proj1, proj2));
  }
  template <LoopRange R1, LoopRange R2, class C = Default, class P1 = std::identity, class P2 = std::identity>
    requires ComparesItems<C, Default, Projected<std::ranges::iterator_t<R1>, P1>,
                           Projected<std::ranges::iterator_t<R2>, P2>>
  auto operator()(R1&& range1, R2&& range2, C comp = {}, P1 proj1 = {}, P2 proj2 = {}) const {
    return (*this)(AlgorithmOptions{}, std::forward<R1>(range1), std::forward<R2>(range2), std::move(comp),
                   std::move(proj1), std::move(proj2));
  }

  template <class R1, class R2, class Result>
  static auto returned(Result result) {
    return borrowed<R1>(result);
  }
};

/// Whether a pointer to a call operator has a type without const.
template <class Member>
inline constexpr bool kChanges = false;
template <class R, class F, class... A>
inline constexpr bool kChanges<R (F::*)(A...)> = true;
template <class R, class F, class... A>
inline constexpr bool kChanges<R (F::*)(A...) noexcept> = true;

/// The mistake in an argument after the items of I, if it is a callable.
template <class F, class I>
[[nodiscard]] consteval Mistake mistake_of_callable() {
  using Item = std::iter_reference_t<I>;
  constexpr bool kHasOneOperator = requires { &F::operator(); };
  if constexpr (!std::is_class_v<F> || std::ranges::range<F> || std::input_or_output_iterator<F>) {
    return Mistake::kNone;
  } else if constexpr (kHasOneOperator) {
    if constexpr (kChanges<decltype(&F::operator())>) {
      return Mistake::kMutable;
    } else {
      return std::invocable<F&, Item> || std::invocable<F&, Item, Item> || std::invocable<F&> ? Mistake::kNone
                                                                                              : Mistake::kCallable;
    }
  } else {
    return (std::invocable<F&, Item> && !std::invocable<const F&, Item>) ||
                   (std::invocable<F&, Item, Item> && !std::invocable<const F&, Item, Item>) ||
                   (std::invocable<F&> && !std::invocable<const F&>)
               ? Mistake::kMutable
               : Mistake::kNone;
  }
}

/// Diagnoses the mistakes that are common to all algorithms, and those specific to A.
template <class A>
struct AlgorithmArguments {
  template <class First, class... Rest>
  [[nodiscard]] static consteval Mistake of() {
    if constexpr (std::invocable<const A&, First, Rest...>) {
      return Mistake::kNone;
    } else if constexpr (LoopRange<First>) {
      return of_items<std::ranges::iterator_t<First>, First, Rest...>();
    } else if constexpr (std::random_access_iterator<std::remove_cvref_t<First>>) {
      return of_items<std::remove_cvref_t<First>, First, Rest...>();
    } else if constexpr (std::ranges::range<First> || std::input_or_output_iterator<std::remove_cvref_t<First>>) {
      return Mistake::kItems;
    } else {
      return Mistake::kRange;
    }
  }

 private:
  template <class I, class First, class... Rest>
  [[nodiscard]] static consteval Mistake of_items() {
    if constexpr (((mistake_of_callable<std::remove_cvref_t<Rest>, I>() == Mistake::kMutable) || ...)) {
      return Mistake::kMutable;
    } else if constexpr (shares_words<First>() || (shares_words<Rest>() || ...)) {
      return Mistake::kWords;
    } else if constexpr (requires { A::template mistake<First, std::decay_t<Rest>...>(); }) {
      return A::template mistake<First, std::decay_t<Rest>...>();
    } else if constexpr (requires { A::kHasOutput; } && (std::input_or_output_iterator<std::decay_t<Rest>> || ...)) {
      return std::ranges::range<First> ? Mistake::kOutput : Mistake::kOutputEnd;
    } else if constexpr (((mistake_of_callable<std::remove_cvref_t<Rest>, I>() == Mistake::kCallable) || ...)) {
      return Mistake::kCallable;
    } else {
      return Mistake::kArguments;
    }
  }
  template <class T>
  [[nodiscard]] static consteval bool shares_words() {
    if constexpr (std::ranges::range<T>) {
      return SharesWords<std::ranges::iterator_t<T>>;
    } else if constexpr (std::random_access_iterator<std::remove_cvref_t<T>>) {
      return SharesWords<std::remove_cvref_t<T>>;
    } else {
      return false;
    }
  }
};

#define BLITZ_REFUSE_ALGORITHM(mistake, message) \
  BLITZ_REFUSE_CALL_OF(operator(), const, AlgorithmOptions, AlgorithmArguments<A>, mistake, message)
#define BLITZ_REFUSE_AFTER_ITEMS(Option, message)                            \
  template <class X>                                                         \
  BLITZ_REFUSE(message)                                                      \
  operator()(X&& x, const Option& option) const BLITZ_REFUSED;               \
  template <class X, class Y>                                                \
  BLITZ_REFUSE(message)                                                      \
  operator()(X&& x, Y&& y, const Option& option) const BLITZ_REFUSED;        \
  template <class X, class Y, class Z>                                       \
  BLITZ_REFUSE(message)                                                      \
  operator()(X&& x, Y&& y, Z&& z, const Option& option) const BLITZ_REFUSED; \
  template <class X, class Y, class Z, class W>                              \
  BLITZ_REFUSE(message)                                                      \
  operator()(X&& x, Y&& y, Z&& z, W&& w, const Option& option) const BLITZ_REFUSED
#define BLITZ_ALGORITHM_OPTIONS ".min_grain, .stop, .deterministic and .pool, in this order"
#define BLITZ_OPTIONS_FIRST "the options of an algorithm come first: blitz::sort({.min_grain = 4096}, range)"

/// An algorithm with its call operators: A, and deleted overloads that report mistakes with advice.
template <class A>
struct Algorithm : A {
  using A::operator();

  BLITZ_REFUSE_ALGORITHM(kOptions, BLITZ_OPTIONS_FIRST "; they are blitz::AlgorithmOptions");
  BLITZ_REFUSE_ALGORITHM(kPool, "the pool of an algorithm is an option: blitz::sort({.pool = &pool}, range)");
  BLITZ_REFUSE_ALGORITHM(kRange,
                         "an algorithm got neither a range nor two iterators; pass them, and no execution policy: "
                         "blitz::sort(range), blitz::sort(first, last)");
  BLITZ_REFUSE_ALGORITHM(
      kItems,
      "an algorithm got a range without random access or size (vector, array, span, deque and views::iota "
      "have both); copy the items of a list into a vector, or use blitz::from(range) or blitz::parallel_for_each");
  BLITZ_REFUSE_ALGORITHM(kMutable,
                         "a callable of an algorithm changes itself, but several threads call it concurrently; use no "
                         "mutable lambda, count in a std::atomic, or add up with blitz::transform_reduce");
  BLITZ_REFUSE_ALGORITHM(kWords,
                         "the items of a vector<bool> share words, so several threads cannot change them; use "
                         "std::vector<char>");
  BLITZ_REFUSE_ALGORITHM(kMoves, "sorting cannot move these items; use items that are neither constant nor immovable");
  BLITZ_REFUSE_ALGORITHM(kProjection,
                         "the projection cannot be called with an item, and names no member of it; use "
                         "blitz::sort(people, std::less<>{}, &Person::age)");
  BLITZ_REFUSE_ALGORITHM(
      kOrder,
      "these items have no order, which sorting needs; define an operator< of the items, or of their "
      "projections, or pass a comparison of two of them: blitz::sort(range, comp, proj)");
  BLITZ_REFUSE_ALGORITHM(
      kOutput,
      "the output is an iterator or a std::back_inserter, but blocks of the output are written concurrently; use a "
      "range with room: out.resize(n), and pass out");
  BLITZ_REFUSE_ALGORITHM(kOutputEnd,
                         "the output has no end; use (first, last, out, out_last), or ranges: (range, out)");
  BLITZ_REFUSE_ALGORITHM(
      kCallable,
      "a callable of an algorithm cannot be called with an item, or with two, as the range returns them; let "
      "it take that type, or const auto&");
  BLITZ_REFUSE_ALGORITHM(
      kArguments,
      "these arguments fit no form of the algorithm; pass its options, if any, then the range or the two "
      "iterators, then values and callables, and last the projection");
  BLITZ_REFUSE_AFTER_ITEMS(MisplacedOption, BLITZ_OPTIONS_FIRST);
  BLITZ_REFUSE_AFTER_ITEMS(MisspelledOption, BLITZ_OPTIONS_FIRST "; they are " BLITZ_ALGORITHM_OPTIONS);
  template <class... Rest>
  BLITZ_REFUSE("the options of an algorithm are " BLITZ_ALGORITHM_OPTIONS)
  operator()(const MisspelledOption& option, Rest&&... rest) const BLITZ_REFUSED;
};

#undef BLITZ_REFUSE_AFTER_ITEMS
#undef BLITZ_ALGORITHM_OPTIONS
#undef BLITZ_OPTIONS_FIRST
#undef BLITZ_REFUSE_ALGORITHM

}  // namespace blitz::detail
