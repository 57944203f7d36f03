/// @file
/// How algorithms are called: an algorithm is written once, for iterators, and these add its forms: a range or two iterators,
/// each with and without an AlgorithmOptions that leads.
///
/// An algorithm derives from the one for its arguments, and has a static function `run`, whose arguments are the options,
/// the beginning and the number of items of each range, and references to the callables and the projections.
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

namespace blitz::detail {

template <std::random_access_iterator I, std::sized_sentinel_for<I> S>
[[nodiscard]] constexpr LoopIndex count_of(const I& first, const S& last) {
  return static_cast<LoopIndex>(last - first);
}

/// As std::projected, by a projection that several threads call concurrently: no mutable lambda.
template <class I, class P>
using Projected = std::projected<I, const P>;

/// A predicate, or a function, of an item, which several threads call concurrently: no mutable lambda.
template <class F, class I>
concept SharedPredicate = std::indirect_unary_predicate<const F, I>;
template <class F, class I>
concept SharedFunction = std::indirectly_unary_invocable<const F, I>;
/// SharedPredicate and SharedFunction over projected items; false also if the projection cannot be called concurrently.
template <class F, class I, class P>
concept SharedProjectedPredicate = requires { requires SharedPredicate<F, Projected<I, P>>; };
template <class F, class I, class P>
concept SharedProjectedFunction = requires { requires SharedFunction<F, Projected<I, P>>; };

/// As the standard's concepts, of items that several threads write and of an order that they call concurrently.
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

/// The return type of overloads that refuse callables that are not constant.
#define BLITZ_REFUSE_MUTABLE                                                                                           \
  BLITZ_REFUSE(                                                                                                        \
      "the callables of an algorithm are called by several threads at once, so they are no mutable lambdas and their " \
      "operator() is const: count in a std::atomic, or add up with blitz::transform_reduce")
/// The return type of overloads that refuse to write the items of a vector<bool>.
#define BLITZ_REFUSE_WORDS                                                                   \
  BLITZ_REFUSE(                                                                              \
      "the items of a vector<bool> share words, so several threads cannot change them: use " \
      "std::vector<char>")

/// What an algorithm that was called with a range returns: std::ranges::dangling in place of iterators into a range that is
/// gone when the call has returned.
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

  template <LoopRange R, class P = std::identity,
            std::indirect_unary_predicate<std::projected<std::ranges::iterator_t<R>, P>> F>
    requires(!SharedProjectedPredicate<F, std::ranges::iterator_t<R>, P>)
  BLITZ_REFUSE_MUTABLE operator()(R&& range, F pred, P proj = {}) const BLITZ_REFUSED;
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

/// What compares items: an order where std::ranges::less is the default, and any predicate of two where equal_to is.
template <class C, class Default, class A, class B>
concept ComparesItems = std::indirect_binary_predicate<const C, A, B> &&
                        (!std::same_as<Default, std::ranges::less> || std::indirect_strict_weak_order<const C, A, B>);
template <class C, class A, class B>
concept MutableComparison = std::indirect_binary_predicate<C, A, B> && !std::indirect_binary_predicate<const C, A, B>;

/// f(range, comp, proj), where `comp` is `Default` unless given: run(options, first, count, comp, proj).
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

  template <LoopRange R, class C, class P = std::identity>
    requires(MutableComparison<C, std::projected<std::ranges::iterator_t<R>, P>,
                               std::projected<std::ranges::iterator_t<R>, P>>)
  BLITZ_REFUSE_MUTABLE operator()(R&& range, C comp, P proj = {}) const BLITZ_REFUSED;
};

/// What a caller of std::transform might give as the output: an iterator.
template <class Out>
concept OutputIterator = !std::ranges::range<Out> && std::weakly_incrementable<std::remove_cvref_t<Out>>;

/// The return type of an overload that refuses it.
#define BLITZ_REFUSE_OUTPUT                                                                                    \
  BLITZ_REFUSE(                                                                                                \
      "the output is a range that has room, for blocks of it are written at once, so neither an iterator nor " \
      "std::back_inserter will do: out.resize(n), and pass out")

/// Whether the arguments behind an iterator begin with the end of its range.
template <class I, class... Rest>
inline constexpr bool kHasEnd = false;
template <class I, class S, class... Rest>
inline constexpr bool kHasEnd<I, S, Rest...> = std::sentinel_for<std::remove_cvref_t<S>, I>;

/// For algorithms whose output is behind one range. They say `using OutputOfRange::operator();`.
struct OutputOfRange {
  template <std::ranges::range R, OutputIterator Out, class... Rest>
  BLITZ_REFUSE_OUTPUT operator()(R&& range, Out&& out, Rest&&... rest) const BLITZ_REFUSED;
  template <std::input_or_output_iterator I, std::sentinel_for<I> S, std::input_or_output_iterator Out, class... Rest>
    requires(!kHasEnd<Out, Rest...>)
  BLITZ_REFUSE("the output has an end, too: (first, last, out, out_last), or ranges: (range, out)") operator()(
      I first, S last, Out out, Rest&&... rest) const BLITZ_REFUSED;
  template <LoopRange R, LoopRange Out, class... Rest>
    requires(SharesWords<std::ranges::iterator_t<Out>> && !(std::ranges::range<Rest> || ...))
  BLITZ_REFUSE_WORDS operator()(R&& range, Out&& out, Rest&&... rest) const BLITZ_REFUSED;
};
/// The same for an output behind two ranges.
struct OutputOfTwoRanges {
  template <std::ranges::range R1, std::ranges::range R2, OutputIterator Out, class... Rest>
  BLITZ_REFUSE_OUTPUT operator()(R1&& range1, R2&& range2, Out&& out, Rest&&... rest) const BLITZ_REFUSED;
};

/// What keeps the items of R from being brought into the order of C and P.
enum class OrderMistake { kRange, kOptions, kWords, kMoves, kProjection, kMutable, kOrder, kNone };
template <class R, class C, class P>
[[nodiscard]] consteval OrderMistake mistake_of_order() {
  using It = std::ranges::iterator_t<R>;
  if constexpr (!LoopRange<R>) {
    return OrderMistake::kRange;
  } else if constexpr (std::same_as<C, AlgorithmOptions>) {
    return OrderMistake::kOptions;
  } else if constexpr (SharesWords<It>) {
    return OrderMistake::kWords;
  } else if constexpr (!std::permutable<It>) {
    return OrderMistake::kMoves;
  } else if constexpr (!std::indirectly_regular_unary_invocable<P, It>) {
    return OrderMistake::kProjection;
  } else if constexpr (std::sortable<It, C, P> && !Sortable<It, C, P>) {
    return OrderMistake::kMutable;
  } else if constexpr (!std::sortable<It, C, P>) {
    return OrderMistake::kOrder;
  } else {
    return OrderMistake::kNone;
  }
}

/// f(range, comp, proj) for an algorithm that moves items as an order says: run(options, first, count, comp, proj).
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

  template <class Policy, class... Rest>
    requires(!std::convertible_to<Policy, AlgorithmOptions> && !std::ranges::range<Policy> &&
             !std::input_or_output_iterator<std::remove_cvref_t<Policy>>)
  BLITZ_REFUSE(
      "an algorithm is called with a range or two iterators, and no execution policy: blitz::sort(range), "
      "blitz::sort(first, last)")
  operator()(Policy&& policy, Rest&&... rest) const BLITZ_REFUSED;
  template <std::ranges::range R, class C = std::ranges::less, class P = std::identity>
    requires(mistake_of_order<R, C, P>() == OrderMistake::kRange)
  BLITZ_REFUSE(
      "sorting needs random access and a size (vector, array, span, deque); copy the items of a list into a vector, "
      "and "
      "sort that")
  operator()(R&& range, C comp = {}, P proj = {}) const BLITZ_REFUSED;
  template <std::ranges::range R, class C = std::ranges::less, class P = std::identity>
    requires(mistake_of_order<R, C, P>() == OrderMistake::kOptions)
  BLITZ_REFUSE("the options of an algorithm come first: blitz::sort({.min_grain = 4096}, range)") operator()(
      R&& range, C comp = {}, P proj = {}) const BLITZ_REFUSED;
  template <std::ranges::range R, class C = std::ranges::less, class P = std::identity>
    requires(mistake_of_order<R, C, P>() == OrderMistake::kWords)
  BLITZ_REFUSE_WORDS operator()(R&& range, C comp = {}, P proj = {}) const BLITZ_REFUSED;
  template <std::ranges::range R, class C = std::ranges::less, class P = std::identity>
    requires(mistake_of_order<R, C, P>() == OrderMistake::kMutable)
  BLITZ_REFUSE_MUTABLE operator()(R&& range, C comp = {}, P proj = {}) const BLITZ_REFUSED;
  template <std::ranges::range R, class C = std::ranges::less, class P = std::identity>
    requires(mistake_of_order<R, C, P>() == OrderMistake::kMoves)
  BLITZ_REFUSE("sorting moves the items, so they may be neither constant nor immovable") operator()(
      R&& range, C comp = {}, P proj = {}) const BLITZ_REFUSED;
  template <std::ranges::range R, class C = std::ranges::less, class P = std::identity>
    requires(mistake_of_order<R, C, P>() == OrderMistake::kProjection)
  BLITZ_REFUSE(
      "the projection is called with an item, or names a member of it: "
      "blitz::sort(people, std::less<>{}, &Person::age)")
  operator()(R&& range, C comp = {}, P proj = {}) const BLITZ_REFUSED;
  template <std::ranges::range R, class C = std::ranges::less, class P = std::identity>
    requires(mistake_of_order<R, C, P>() == OrderMistake::kOrder)
  BLITZ_REFUSE(
      "sorting needs an order: an operator< of the items, or of their projections, or a comparison that takes two of "
      "them: blitz::sort(range, comp, proj)")
  operator()(R&& range, C comp = {}, P proj = {}) const BLITZ_REFUSED;
};

/// f(range, middle, comp, proj) and f(first, middle, last, comp, proj), for the same: run(options, first, rank, count, comp,
/// proj), where `rank` is the position of `middle`.
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

/// f(range1, range2, comp, proj1, proj2): run(options, first1, count1, first2, count2, comp, proj1, proj2). A result with
/// iterators is into range1, but for what the algorithm itself makes of one into both.
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

  template <LoopRange R1, LoopRange R2, class C, class P1 = std::identity, class P2 = std::identity>
    requires(MutableComparison<C, std::projected<std::ranges::iterator_t<R1>, P1>,
                               std::projected<std::ranges::iterator_t<R2>, P2>>)
  BLITZ_REFUSE_MUTABLE operator()(R1&& range1, R2&& range2, C comp, P1 proj1 = {}, P2 proj2 = {}) const BLITZ_REFUSED;

  template <class R1, class R2, class Result>
  static auto returned(Result result) {
    return borrowed<R1>(result);
  }
};

}  // namespace blitz::detail
