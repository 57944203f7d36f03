/// @file
/// remove and remove_if: closes the gaps that the items of a kind leave.
#pragma once

#include "blitz/base/compiler.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "blitz/algorithm/blocks.hpp"
#include "blitz/algorithm/filter.hpp"
#include "blitz/algorithm/flags.hpp"
#include "blitz/algorithm/options.hpp"
#include "blitz/core/items.hpp"

namespace blitz {

namespace detail {

/// Moves the items of a batch whose bits are set, to the left or not at all.
template <class I>
BLITZ_ALWAYS_INLINE void move_flagged(const FlagWord* flags, LoopIndex count, const I& batch, I out) {
  for_flagged_runs(flags, count, [&](LoopIndex first, LoopIndex length) BLITZ_LAMBDA_INLINE {
    const I from = at(batch, first);
    if (from == out) {
      out = at(out, length);
    } else if (length == 1) {
      *out = std::ranges::iter_move(from);
      ++out;
    } else {
      out = std::ranges::move(from, at(from, length), std::move(out)).out;
    }
  });
}

/// Drops the items for which `pred` holds.
template <class I, class F, class P>
class RemoveFilter final : public Filter {
 public:
  RemoveFilter(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj)
      : Filter(options, count, sizeof(std::iter_value_t<I>), Flag::kThis, Target::kInput),
        first_(first),
        wanted_{pred, proj} {}

 private:
  void flag(LoopIndex first, LoopIndex count, FlagWord* flags) override {
    flags_of_items(at(first_, first), count, wanted_, flags);
  }
  void move(const FlagWord* kept, LoopIndex first, LoopIndex count, LoopIndex place) override {
    move_flagged(kept, count, at(first_, first), at(first_, place));
  }
  LoopIndex flag_and_move(LoopIndex first, LoopIndex count, LoopIndex place) override {
    if constexpr (kWritesAll<I, I>) {
      return write_wanted(at(first_, first), count, wanted_, at(first_, place));
    } else {
      return Filter::flag_and_move(first, count, place);
    }
  }

  const I first_;
  const Wanted<false, F, P> wanted_;
};

struct RemoveIf {
  template <std::permutable I, std::sized_sentinel_for<I> S, class P = std::identity,
            std::indirect_unary_predicate<std::projected<I, P>> F>
    requires std::random_access_iterator<I>
  std::ranges::subrange<I> operator()(const AlgorithmOptions& options, I first, S last, F pred, P proj = {}) const {
    const auto count = static_cast<LoopIndex>(last - first);
    RemoveFilter<I, F, P> filter(options, first, count, pred, proj);
    const LoopIndex kept = Filter::run(filter, options).kept;
    return {at(first, kept), at(first, count)};
  }
  template <std::permutable I, std::sized_sentinel_for<I> S, class P = std::identity,
            std::indirect_unary_predicate<std::projected<I, P>> F>
    requires std::random_access_iterator<I>
  std::ranges::subrange<I> operator()(I first, S last, F pred, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(pred), std::move(proj));
  }
  template <LoopRange R, class P = std::identity,
            std::indirect_unary_predicate<std::projected<std::ranges::iterator_t<R>, P>> F>
    requires std::permutable<std::ranges::iterator_t<R>>
  std::ranges::borrowed_subrange_t<R> operator()(const AlgorithmOptions& options, R&& range, F pred,
                                                 P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj));
  }
  template <LoopRange R, class P = std::identity,
            std::indirect_unary_predicate<std::projected<std::ranges::iterator_t<R>, P>> F>
    requires std::permutable<std::ranges::iterator_t<R>>
  std::ranges::borrowed_subrange_t<R> operator()(R&& range, F pred, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(pred), std::move(proj));
  }
};

struct Remove {
  template <std::permutable I, std::sized_sentinel_for<I> S, class V, class P = std::identity>
    requires std::random_access_iterator<I> &&
             std::indirect_binary_predicate<std::ranges::equal_to, std::projected<I, P>, const V*>
  std::ranges::subrange<I> operator()(const AlgorithmOptions& options, I first, S last, const V& value,
                                      P proj = {}) const {
    return RemoveIf{}(options, std::move(first), last, EqualTo<V>{value}, std::move(proj));
  }
  template <std::permutable I, std::sized_sentinel_for<I> S, class V, class P = std::identity>
    requires std::random_access_iterator<I> &&
             std::indirect_binary_predicate<std::ranges::equal_to, std::projected<I, P>, const V*>
  std::ranges::subrange<I> operator()(I first, S last, const V& value, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, value, std::move(proj));
  }
  template <LoopRange R, class V, class P = std::identity>
    requires std::permutable<std::ranges::iterator_t<R>> &&
             std::indirect_binary_predicate<std::ranges::equal_to, std::projected<std::ranges::iterator_t<R>, P>,
                                            const V*>
  std::ranges::borrowed_subrange_t<R> operator()(const AlgorithmOptions& options, R&& range, const V& value,
                                                 P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), value, std::move(proj));
  }
  template <LoopRange R, class V, class P = std::identity>
    requires std::permutable<std::ranges::iterator_t<R>> &&
             std::indirect_binary_predicate<std::ranges::equal_to, std::projected<std::ranges::iterator_t<R>, P>,
                                            const V*>
  std::ranges::borrowed_subrange_t<R> operator()(R&& range, const V& value, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, value, std::move(proj));
  }
};

}  // namespace detail

/// Removes the items for whose projection `pred` holds: moves the others together, in their order, to the front. Returns
/// the rest, whose items are valid and unspecified, as a subrange that ends with the range.
///
/// remove_if(range, pred, proj), remove_if(first, last, pred, proj), and both with an AlgorithmOptions that leads.
/// n calls of `pred` and `proj`, exactly; at most n moves; no item moves that stays where it is. Memory: a bit for each
/// item, and some kilobytes; std::bad_alloc leaves the items as they were. Throws what `pred`, `proj` and moves throw, and
/// Stopped after a stop request: then all items are valid, and some may have been moved from. Any thread.
///
/// Blocks are claimed from left to right. The worker that knows how many items are kept before its block moves the items
/// at once; others leave a bit for each item, and these are moved when that number is known and their new places are free
/// (see ChainedRuns).
/// @code
///   const auto rest = blitz::remove_if(particles, [](const Particle& p) { return p.energy < threshold; });
///   particles.erase(rest.begin(), rest.end());
/// @endcode
inline constexpr detail::RemoveIf remove_if{};

/// Removes the items whose projection equals `value`, which must not be one of them. remove(range, value, proj),
/// remove(first, last, value, proj); all else as for remove_if.
/// @code
///   const auto rest = blitz::remove(numbers, 0);
/// @endcode
inline constexpr detail::Remove remove{};

}  // namespace blitz
