/// @file
/// reverse, rotate, rotate_copy, shift_left, shift_right and shuffle: change the order of items.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/copy.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/raw_memory.hpp"
#include "blitz/detail/base/xorshift.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// f(range, argument...) for an algorithm that permutes: run(options, first, count, argument...).
template <class Algorithm, class... Argument>
struct InPlace {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S>
    requires Permutable<I>
  auto operator()(const AlgorithmOptions& options, I first, S last, Argument... argument) const {
    return Algorithm::run(options, first, count_of(first, last), argument...);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S>
    requires Permutable<I>
  auto operator()(I first, S last, Argument... argument) const {
    return Algorithm::run(AlgorithmOptions{}, first, count_of(first, last), argument...);
  }
  template <LoopRange R>
    requires Permutable<std::ranges::iterator_t<R>>
  auto operator()(const AlgorithmOptions& options, R&& range, Argument... argument) const {
    const auto count = static_cast<LoopIndex>(std::ranges::size(range));
    return borrowed<R>(Algorithm::run(options, std::ranges::begin(range), count, argument...));
  }
  template <LoopRange R>
    requires Permutable<std::ranges::iterator_t<R>>
  auto operator()(R&& range, Argument... argument) const {
    const auto count = static_cast<LoopIndex>(std::ranges::size(range));
    return borrowed<R>(Algorithm::run(AlgorithmOptions{}, std::ranges::begin(range), count, argument...));
  }
};

struct Reverse : InPlace<Reverse> {
  template <class I>
  static I run(const AlgorithmOptions& options, const I& first, LoopIndex count) {
    write_blocks(options, count / 2, [&](LoopIndex from, LoopIndex to) {
      I right = at(first, count - from);
      const I end = at(first, to);
      for (I left = at(first, from); left != end; ++left) std::ranges::iter_swap(left, --right);
    });
    return at(first, count);
  }
};

/// Three reversals: each item is swapped at most twice, and the swaps run in parallel.
template <class I>
std::ranges::subrange<I> rotate_items(const AlgorithmOptions& options, const I& first, LoopIndex middle,
                                      LoopIndex count) {
  if (middle > 0 && middle < count) {
    Reverse::run(options, first, middle);
    Reverse::run(options, at(first, middle), count - middle);
    Reverse::run(options, first, count);
  }
  return {at(first, count - middle), at(first, count)};
}

struct Rotate {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S>
    requires Permutable<I>
  std::ranges::subrange<I> operator()(const AlgorithmOptions& options, I first, I middle, S last) const {
    return rotate_items(options, first, count_of(first, middle), count_of(first, last));
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S>
    requires Permutable<I>
  std::ranges::subrange<I> operator()(I first, I middle, S last) const {
    return (*this)(AlgorithmOptions{}, first, middle, last);
  }
  template <LoopRange R>
    requires Permutable<std::ranges::iterator_t<R>>
  std::ranges::borrowed_subrange_t<R> operator()(const AlgorithmOptions& options, R&& range,
                                                 std::ranges::iterator_t<R> middle) const {
    return (*this)(options, std::ranges::begin(range), middle, std::ranges::end(range));
  }
  template <LoopRange R>
    requires Permutable<std::ranges::iterator_t<R>>
  std::ranges::borrowed_subrange_t<R> operator()(R&& range, std::ranges::iterator_t<R> middle) const {
    return (*this)(AlgorithmOptions{}, range, middle);
  }
};

/// Moves items by less than their number, in steps with places that do not overlap.
struct ShiftLeft : InPlace<ShiftLeft, std::ptrdiff_t> {
  template <class I>
  static std::ranges::subrange<I> run(const AlgorithmOptions& options, const I& first, LoopIndex count,
                                      std::ptrdiff_t by) {
    throw_if_stopped(options);
    const auto step = static_cast<LoopIndex>(std::max<std::ptrdiff_t>(by, 0));
    if (step == 0 || step >= count) return {first, step == 0 ? at(first, count) : first};
    if (step < kLeastStep) {
      std::move(at(first, step), at(first, count), first);
    } else {
      for (LoopIndex from = step; from < count; from += step) {
        const LoopIndex size = std::min(step, count - from);
        Move::run(options, at(first, from), size, size, at(first, from - step));
      }
    }
    return {first, at(first, count - step)};
  }
  static constexpr LoopIndex kLeastStep = 16'384;  // items; one thread moves fewer as fast as memmove can
};

struct ShiftRight : InPlace<ShiftRight, std::ptrdiff_t> {
  template <class I>
  static std::ranges::subrange<I> run(const AlgorithmOptions& options, const I& first, LoopIndex count,
                                      std::ptrdiff_t by) {
    throw_if_stopped(options);
    const auto step = static_cast<LoopIndex>(std::max<std::ptrdiff_t>(by, 0));
    const I end = at(first, count);
    if (step == 0 || step >= count) return {step == 0 ? first : end, end};
    if (step < ShiftLeft::kLeastStep) {
      std::move_backward(first, at(first, count - step), end);
    } else {
      for (LoopIndex to = count - step; to > 0;) {
        const LoopIndex size = std::min(step, to);
        to -= size;
        Move::run(options, at(first, to), size, size, at(first, to + step));
      }
    }
    return {at(first, step), end};
  }
};

/// A uniform position below `bound`, which is not 0. `next()` returns 64 random bits.
template <class Next>
[[nodiscard]] LoopIndex random_position(LoopIndex bound, const Next& next) noexcept {
  if (bound <= 0xFFFF'FFFF) return bounded(static_cast<std::uint32_t>(bound), next);
  LoopIndex drawn = bound;
  while (drawn >= bound) drawn = next() >> std::countl_zero(bound);
  return drawn;
}

/// R. Durstenfeld, "Algorithm 235: Random permutation", CACM 7(7), 1964. The bits are from splitmix64. Its states do not depend
/// on its outputs, so several are computed in parallel.
template <class I>
void shuffle_serially(const I& first, LoopIndex count, std::uint64_t seed) {
  std::uint64_t state = splitmix64(seed);
  const auto next = [&state]() noexcept { return splitmix64(state += kGoldenGamma); };
  for (LoopIndex left = count; left > 1; --left) {
    const LoopIndex chosen = random_position(left, next);
    if (chosen != left - 1) std::ranges::iter_swap(at(first, left - 1), at(first, chosen));
  }
}

/// The random assignment of items to 256 buckets, and the place of each item in its bucket. Both depend only on the seed and
/// the position of the item.
///
/// For n items on p threads: T1 = O(n), including at most 65,536 counters. The critical path is O(n / p + n / 256): a block, or
/// a bucket.
class ShuffleBuckets {
 public:
  static constexpr LoopIndex kBuckets = 256;

  /// Throws Stopped, and std::bad_alloc.
  BLITZ_API ShuffleBuckets(const AlgorithmOptions& options, LoopIndex count, std::uint64_t seed);

  [[nodiscard]] LoopIndex blocks() const noexcept { return ceil_div(count_, block_); }
  /// The begin of a bucket; for `bucket` == kBuckets, the end of the last bucket.
  [[nodiscard]] LoopIndex begin(LoopIndex bucket) const noexcept { return begins_[bucket]; }
  /// Calls `f(i, place)` for the items of a block, once.
  template <class F>
  void place_block(LoopIndex block, const F& f) const {
    std::size_t* const next = places_.data() + block * kBuckets;
    for (LoopIndex i = block * block_, end = std::min(i + block_, count_); i != end; ++i) f(i, next[bucket(i)]++);
  }

 private:
  [[nodiscard]] LoopIndex bucket(LoopIndex i) const noexcept { return splitmix64(seed_ + i * kGoldenGamma) >> 56; }

  static constexpr LoopIndex kLeastBlock = 8192;
  static constexpr LoopIndex kMostBlocks = 256;

  const LoopIndex count_;
  const LoopIndex block_ = std::max(kLeastBlock, count_ / kMostBlocks);  // the number of items in a block
  const std::uint64_t seed_;
  const Scratch<std::size_t> places_;  // per block and bucket: the number of items, later the place of the next one
  std::array<std::size_t, kBuckets + 1> begins_;
};

/// Moves each item to a random bucket; the buckets are adjacent. Then shuffles each bucket.
template <class I>
void shuffle_in_buckets(const AlgorithmOptions& options, const I& first, LoopIndex count, std::uint64_t seed) {
  using T = std::iter_value_t<I>;
  const Scratch<T> scratch(count);
  const ShuffleBuckets buckets(options, count, seed);
  // From here on stop requests are ignored: the items are spread over two arrays.
  const AlgorithmOptions all{.min_grain = options.min_grain, .pool = options.pool};
  for_blocks(all, buckets.blocks(), 1, [&](LoopIndex block, LoopIndex last) {
    for (; block != last; ++block) {
      buckets.place_block(block, [&](LoopIndex i, LoopIndex place) {
        std::construct_at(scratch.data() + place, std::ranges::iter_move(at(first, i)));
      });
    }
  });
  for_blocks(all, ShuffleBuckets::kBuckets, 1, [&](LoopIndex bucket, LoopIndex last) {
    for (; bucket != last; ++bucket) {
      T* const items = scratch.data() + buckets.begin(bucket);
      const LoopIndex size = buckets.begin(bucket + 1) - buckets.begin(bucket);
      shuffle_serially(items, size, seed ^ splitmix64(bucket));
      std::move(items, items + size, at(first, buckets.begin(bucket)));
      std::destroy(items, items + size);
    }
  });
}

/// Equivalent to std::uniform_random_bit_generator, without <random>, which takes long to compile.
template <class Random>
concept RandomBits = std::invocable<Random&> && std::unsigned_integral<std::invoke_result_t<Random&>> && requires {
  { Random::min() } -> std::same_as<std::invoke_result_t<Random&>>;
  { Random::max() } -> std::same_as<std::invoke_result_t<Random&>>;
} && (Random::min() < Random::max());

/// A seed of 64 bits from `random`.
template <RandomBits Random>
[[nodiscard]] std::uint64_t seed_from(Random& random) {
  constexpr int kBits = std::bit_width(std::uint64_t{Random::max() - Random::min()});  // of one call
  std::uint64_t seed = 0;
  for (int drawn = 0; drawn < 64; drawn += kBits) seed = splitmix64(seed ^ random());
  return seed;
}

struct Shuffle {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class Random>
    requires Permutable<I> && RandomBits<std::remove_reference_t<Random>>
  I operator()(const AlgorithmOptions& options, I first, S last, Random&& random) const {
    using T = std::iter_value_t<I>;
    throw_if_stopped(options);
    const LoopIndex count = count_of(first, last);
    const std::uint64_t seed = seed_from(random);
    constexpr bool kMovable = std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;
    if (!kMovable || count < kLeast) {
      shuffle_serially(first, count, seed);
    } else {
      shuffle_in_buckets(options, first, count, seed);
    }
    return at(first, count);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class Random>
    requires Permutable<I> && RandomBits<std::remove_reference_t<Random>>
  I operator()(I first, S last, Random&& random) const {
    return (*this)(AlgorithmOptions{}, first, last, random);
  }
  template <LoopRange R, class Random>
    requires Permutable<std::ranges::iterator_t<R>> && RandomBits<std::remove_reference_t<Random>>
  std::ranges::borrowed_iterator_t<R> operator()(const AlgorithmOptions& options, R&& range, Random&& random) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), random);
  }
  template <LoopRange R, class Random>
    requires Permutable<std::ranges::iterator_t<R>> && RandomBits<std::remove_reference_t<Random>>
  std::ranges::borrowed_iterator_t<R> operator()(R&& range, Random&& random) const {
    return (*this)(AlgorithmOptions{}, range, random);
  }

  static constexpr LoopIndex kLeast = 32'768;  // items; fewer fit in a second-level cache
};

struct RotateCopy : HasOutput {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OutS>
    requires CopyableTo<I, O>
  std::ranges::in_out_result<I, O> operator()(const AlgorithmOptions& options, I first, I middle, S last, O out,
                                              OutS out_last) const {
    const LoopIndex total = count_of(first, last);
    const LoopIndex left = count_of(first, middle);
    const LoopIndex count = std::min(total, count_of(out, out_last));
    const LoopIndex right = std::min(total - left, count);
    Copy::run(options, middle, right, right, out);
    Copy::run(options, first, count - right, left, at(out, right));
    // The position in the input where the copy stopped, as in std::ranges::rotate_copy.
    return {count < total ? at(first, (left + count) % total) : at(first, total), at(out, count)};
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OutS>
    requires CopyableTo<I, O>
  std::ranges::in_out_result<I, O> operator()(I first, I middle, S last, O out, OutS out_last) const {
    return (*this)(AlgorithmOptions{}, first, middle, last, out, out_last);
  }
  template <LoopRange R, LoopRange Out>
    requires CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  std::ranges::in_out_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>> operator()(
      const AlgorithmOptions& options, R&& range, std::ranges::iterator_t<R> middle, Out&& out) const {
    return (*this)(options, std::ranges::begin(range), middle, std::ranges::end(range), std::ranges::begin(out),
                   std::ranges::end(out));
  }
  template <LoopRange R, LoopRange Out>
    requires CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  std::ranges::in_out_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>> operator()(
      R&& range, std::ranges::iterator_t<R> middle, Out&& out) const {
    return (*this)(AlgorithmOptions{}, std::forward<R>(range), middle, std::forward<Out>(out));
  }
};

}  // namespace detail

/// @name Permutations
/// `reverse`, `rotate`, `rotate_copy`, `shift_left`, `shift_right` and `shuffle` return the results of their namesakes in
/// `std::ranges`. Several threads swap or move items concurrently.
///
/// Throws the first exception of a swap, a move or a copy, and Stopped after a stop request: the range then contains a
/// permutation of its items, except for shifts, which leave some items moved from.
///
/// O(n) for n items. Memory: none, except for `shuffle`.
///
/// Thread-safety: any thread.
/// @{

/// Puts the items into the opposite order, by n / 2 swaps.
inline constexpr detail::Algorithm<detail::Reverse> reverse{};
/// Rotates the items to the left, so that the item at `middle` becomes the first one. Returns the sub-range of the items that
/// were before it. Needs n swaps, as three reversals.
inline constexpr detail::Algorithm<detail::Rotate> rotate{};
/// Copies the items into another range in the order of blitz::rotate, up to the end of the shorter range. The ranges must not
/// overlap.
inline constexpr detail::Algorithm<detail::RotateCopy> rotate_copy{};
/// Moves each item by n places to the left; the first n items are overwritten. The last argument is n. Returns the sub-range of
/// the other items. Moves in steps of n items. Several threads move each step if n is large; otherwise one thread does.
inline constexpr detail::Algorithm<detail::ShiftLeft> shift_left{};
/// Moves each item by n places to the right; the last n items are overwritten. The last argument is n. Returns the sub-range of
/// the other items. Moves in steps of n items, like blitz::shift_left.
inline constexpr detail::Algorithm<detail::ShiftRight> shift_right{};
/// Puts the items into a uniformly random order. The generator `random` supplies a seed of 64 bits. The result depends only on
/// this seed, not on the number of threads. Several threads shuffle items with a noexcept move, in memory for n more items. One
/// thread shuffles other items, and fewer than 32,768 items, in place. Throws std::bad_alloc and Stopped only before the first
/// item is moved.
///
/// @par Sources
/// C. R. Rao, "Generation of random permutations of given number of elements using random sampling numbers", Sankhya 23, 1961;
/// M. Sandelius, "A simple randomization procedure", J. Royal Statistical Society B 24, 1962.
///
/// @code
///   blitz::shuffle(cards, std::mt19937(7));
/// @endcode
inline constexpr detail::Algorithm<detail::Shuffle> shuffle{};

/// @}

}  // namespace blitz
