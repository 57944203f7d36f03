/// @file
/// unique and unique_copy: keep one item of each run of equal items.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/filter.hpp"
#include "blitz/detail/algorithm/flags.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// Whether an item differs from the previous item.
template <class I, class F, class P>
struct Differs {
  BLITZ_ALWAYS_INLINE bool operator()(const I& item) const {
    return !std::invoke(comp, std::invoke(proj, *(item - 1)), std::invoke(proj, *item));
  }
  F& comp;
  P& proj;
};

/// Keeps, in place, the items that differ from the previous item. Each flag describes the next item. A block therefore compares
/// only its own items and the first item after it, which is moved later; the last item before the block may already have been
/// moved. Items that are cheap to write do not need this class, because a move leaves them unchanged. For them, until a block
/// has compared its items, only the last item before the block may be written to that item's place: blocks to the right learn
/// their output positions only afterwards.
template <class I, class F, class P>
class UniqueFilter final : public Filter {
 public:
  UniqueFilter(const AlgorithmOptions& options, const I& first, LoopIndex count, F& comp, P& proj)
      : Filter(options, count, sizeof(std::iter_value_t<I>), Flag::kNext, Target::kInput),
        first_(first),
        comp_(comp),
        proj_(proj) {}

 private:
  void flag(LoopIndex first, LoopIndex count, FlagWord* flags) override {
    if (first + count == items()) flags[words_of(count--) - 1] = 0;  // The last item has no next item.
    I item = at(first_, first);
    flags_of<kNarrowItems<I>>(count, flags, [&]() BLITZ_LAMBDA_INLINE {
      const I before = item;
      ++item;
      return !std::invoke(comp_, std::invoke(proj_, *before), std::invoke(proj_, *item));
    });
  }
  void move(const FlagWord* kept, LoopIndex first, LoopIndex count, LoopIndex place) override {
    move_flagged(kept, count, at(first_, first), at(first_, place));
  }

  const I first_;
  F& comp_;
  P& proj_;
};

struct Unique {
  template <Permutable I, std::sized_sentinel_for<I> S, class P = std::identity,
            std::indirect_equivalence_relation<Projected<I, P>> F = std::ranges::equal_to>
    requires std::random_access_iterator<I>
  std::ranges::subrange<I> operator()(const AlgorithmOptions& options, I first, S last, F comp = {},
                                      P proj = {}) const {
    const auto count = static_cast<LoopIndex>(last - first);
    LoopIndex kept = 0;
    throw_if_stopped(options);
    if constexpr (!kWritesAll<I, I>) {
      UniqueFilter<I, F, P> filter(options, first, count, comp, proj);
      kept = Filter::run(filter, options).kept;
    } else if (count > 0) {
      const I second = at(first, 1);
      const Differs<I, F, P> differs{comp, proj};
      WantedFilter<true, I, I, Differs<I, F, P>> filter(options, second, count - 1, second, count - 1, differs);
      kept = 1 + Filter::run(filter, options).kept;
    }
    return {at(first, kept), at(first, count)};
  }
  template <Permutable I, std::sized_sentinel_for<I> S, class P = std::identity,
            std::indirect_equivalence_relation<Projected<I, P>> F = std::ranges::equal_to>
    requires std::random_access_iterator<I>
  std::ranges::subrange<I> operator()(I first, S last, F comp = {}, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(comp), std::move(proj));
  }
  template <LoopRange R, class P = std::identity,
            std::indirect_equivalence_relation<Projected<std::ranges::iterator_t<R>, P>> F = std::ranges::equal_to>
    requires Permutable<std::ranges::iterator_t<R>>
  std::ranges::borrowed_subrange_t<R> operator()(const AlgorithmOptions& options, R&& range, F comp = {},
                                                 P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::move(comp), std::move(proj));
  }
  template <LoopRange R, class P = std::identity,
            std::indirect_equivalence_relation<Projected<std::ranges::iterator_t<R>, P>> F = std::ranges::equal_to>
    requires Permutable<std::ranges::iterator_t<R>>
  std::ranges::borrowed_subrange_t<R> operator()(R&& range, F comp = {}, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(comp), std::move(proj));
  }
};

struct UniqueCopy : HasOutput {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> T, class P = std::identity,
            std::indirect_equivalence_relation<Projected<I, P>> F = std::ranges::equal_to>
    requires CopyableTo<I, O>
  std::ranges::unique_copy_result<I, O> operator()(const AlgorithmOptions& options, I first, S last, O out, T out_last,
                                                   F comp = {}, P proj = {}) const {
    const auto count = static_cast<LoopIndex>(last - first);
    const auto room = static_cast<LoopIndex>(out_last - out);
    throw_if_stopped(options);
    if (count == 0 || room == 0) return {first, out};
    *out = *first;
    const Differs<I, F, P> differs{comp, proj};
    WantedFilter<false, I, O, Differs<I, F, P>> filter(options, at(first, 1), count - 1, at(out, 1), room - 1, differs);
    const auto [kept, end] = Filter::run(filter, options);
    return {at(first, end + 1), at(out, kept + 1)};
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> T, class P = std::identity,
            std::indirect_equivalence_relation<Projected<I, P>> F = std::ranges::equal_to>
    requires CopyableTo<I, O>
  std::ranges::unique_copy_result<I, O> operator()(I first, S last, O out, T out_last, F comp = {}, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(out), out_last, std::move(comp),
                   std::move(proj));
  }
  template <LoopRange R, LoopRange Out, class P = std::identity,
            std::indirect_equivalence_relation<Projected<std::ranges::iterator_t<R>, P>> F = std::ranges::equal_to>
    requires CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  std::ranges::unique_copy_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>>
  operator()(const AlgorithmOptions& options, R&& range, Out&& out, F comp = {}, P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::ranges::begin(out),
                   std::ranges::end(out), std::move(comp), std::move(proj));
  }
  template <LoopRange R, LoopRange Out, class P = std::identity,
            std::indirect_equivalence_relation<Projected<std::ranges::iterator_t<R>, P>> F = std::ranges::equal_to>
    requires CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  std::ranges::unique_copy_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>>
  operator()(R&& range, Out&& out, F comp = {}, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, out, std::move(comp), std::move(proj));
  }
};

}  // namespace detail

/// Keeps the first item of each run of neighbours with projections that are equal by `comp`, and moves these items to the
/// front, in order. Returns the rest, as the subrange at the end of the range; its items are valid but unspecified.
///
/// `comp` must be an equivalence relation. It is called exactly once for each pair of neighbours, with the left one first. (The
/// standard's serial `unique` compares with the last item kept, which is equivalent.) The algorithm is blitz::remove_if.
///
/// Throws the exceptions of `comp`, `proj` and moves, and Stopped after a stop request. All items are then valid, and some may
/// have been moved from.
///
/// O(n): n - 1 calls of `comp`, two calls of `proj` for each, and at most n moves. Memory: see blitz::copy_if. std::bad_alloc
/// leaves the items unchanged.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::sort(names);
///   const auto rest = blitz::unique(names);
///   names.erase(rest.begin(), rest.end());
/// @endcode
inline constexpr detail::Algorithm<detail::Unique> unique{};

/// Copies the first item of each run of neighbours with projections that are equal by `comp`, in order, into another range,
/// which must not overlap. Returns both end positions: {in, out}. If `out` has no room for all, `in` is the first item that did
/// not fit; otherwise it is the end.
///
/// `comp` must be an equivalence relation. It is called once for each pair of neighbours, with the left one first. The
/// algorithm is blitz::copy_if.
///
/// Throws the exceptions of `comp`, `proj` and copies, and Stopped after a stop request. All items of `out` are then valid, and
/// some may have been assigned.
///
/// O(n): at most n - 1 calls of `comp`, one for each pair. Memory: see blitz::copy_if.
///
/// Thread-safety: any thread.
///
/// @code
///   const auto [in, out] = blitz::unique_copy(sorted, kinds);
/// @endcode
inline constexpr detail::Algorithm<detail::UniqueCopy> unique_copy{};

}  // namespace blitz
