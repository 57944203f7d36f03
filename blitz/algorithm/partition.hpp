/// @file
/// partition, stable_partition and partition_copy: separate the items that satisfy a predicate from the others.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/filter.hpp"
#include "blitz/detail/algorithm/flags.hpp"
#include "blitz/detail/algorithm/partition_flags.hpp"
#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/algorithm/sort/parallel_partition.hpp"
#include "blitz/detail/algorithm/sort/partition_kernels.hpp"
#include "blitz/detail/algorithm/sort/small_sort.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/base/raw_memory.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// The maximum number of cheaply moved items that are partitioned without flags: they stay in a core's cache.
inline constexpr LoopIndex kFewToPartition = 64 * kBatch;

/// Moves the items that satisfy `pred` to the front, and returns their number.
/// For n items on p threads: T1 = O(n), and the critical path is O(n / p + n / 512).
template <class I, class F, class P>
LoopIndex partition_items(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj) {
  using T = std::iter_value_t<I>;
  if constexpr (std::contiguous_iterator<I> && std::same_as<std::iter_reference_t<I>, T&> && kCheapToMove<T>) {
    if (count <= kFewToPartition) {
      throw_if_stopped(options);
      const auto in_front = [&](T& x) { return static_cast<bool>(std::invoke(pred, std::invoke(proj, x))); };
      T* const items = std::to_address(first);
      T* const end = items + count;
      const LoopIndex parts = count / std::max(kBatch, LoopIndex{options.min_grain});
      T* const middle = parts <= 1 ? partition_lomuto(items, end, in_front)
                                   : parallel_partition(options, items, end, parts, in_front,
                                                        &partition_lomuto<T, std::remove_const_t<decltype(in_front)>>);
      return static_cast<LoopIndex>(middle - items);
    }
  }
  constexpr LoopIndex kLeastPairs = 256;  // enough to outweigh the search for the first pair
  PartitionFlags flags(count);
  AlgorithmOptions by_batches = options;
  by_batches.min_grain = ceil_div(options.min_grain, kBatch);
  for_blocks(by_batches, flags.batches(), 1, [&](LoopIndex batch, LoopIndex last) {
    for (; batch != last; ++batch) {
      FlagWord* const words = flags.batch(batch);
      const LoopIndex begin = batch * kBatch;
      const LoopIndex here = count - begin < kBatch ? count - begin : kBatch;
      std::fill(words + here / kFlags, words + kBatchWords, FlagWord{0});
      flags_of_items(at(first, begin), here, Wanted<true, F, P>{pred, proj}, words);
      flags.count_batch(batch);
    }
  });
  throw_if_stopped(options);
  flags.count();
  for_blocks(options, flags.misplaced(), kLeastPairs, [&](LoopIndex pair, LoopIndex last) {
    flags.for_each_pair(pair, last, [&](LoopIndex i, LoopIndex j) BLITZ_LAMBDA_INLINE {
      std::ranges::iter_swap(at(first, i), at(first, j));
    });
  });
  throw_if_stopped(options);
  return flags.front();
}

/// Moves the items that satisfy `pred` to the front, and the others into a buffer.
template <class I, class F, class P>
class StablePartition final : public Filter {
 public:
  using Item = std::iter_value_t<I>;

  StablePartition(const AlgorithmOptions& options, const I& first, LoopIndex count, F& pred, P& proj)
      : Filter(options, count, sizeof(std::iter_value_t<I>), Flag::kThis, Target::kInput),
        first_(first),
        wanted_{pred, proj},
        buffer_(count),
        built_(kTrivial ? OwnedArray<Built>() : make_array<Built>(words_of(count))) {}
  ~StablePartition() {
    if constexpr (!kTrivial) {
      for (LoopIndex i = 0; i < words_of(items()); ++i) {
        std::destroy_n(buffer_.data() + built_[i].first, built_[i].count);
      }
    }
  }

  /// Moves the `count` items of the buffer to the places after the first `front` items.
  void move_back(AlgorithmOptions options, LoopIndex front, LoopIndex count) {
    options.stop = {};  // The items must return to the range, even after a stop request.
    for_blocks(options, count, 1, [&](LoopIndex begin, LoopIndex end) {
      std::move(buffer_.data() + begin, buffer_.data() + end, at(first_, front + begin));
    });
  }

 private:
  static constexpr bool kTrivial = std::is_trivially_destructible_v<Item>;

  void flag(LoopIndex first, LoopIndex count, FlagWord* flags) override {
    flags_of_items(at(first_, first), count, wanted_, flags);
  }
  void move(const FlagWord* kept, LoopIndex first, LoopIndex count, LoopIndex place) override {
    const I batch = at(first_, first);
    Item* const to = buffer_.data() + (first - place);
    Built unknown;
    Built& built = kTrivial ? unknown : built_[first / kFlags];
    built.first = first - place;
    std::array<FlagWord, kBatchWords> dropped;
    for (LoopIndex i = 0; i < words_of(count); ++i) dropped[i] = ~kept[i] & low_flags(count - i * kFlags);
    for_each_flagged(dropped.data(), count, [&](LoopIndex i) BLITZ_LAMBDA_INLINE {
      std::construct_at(to + built.count, std::ranges::iter_move(at(batch, i)));
      ++built.count;
    });
    move_flagged(kept, count, batch, at(first_, place));
  }

  /// The items that a batch has constructed in the buffer. A batch is identified by its first word.
  struct Built {
    LoopIndex first = 0;
    LoopIndex count = 0;
  };

  const I first_;
  const Wanted<true, F, P> wanted_;
  const Scratch<Item> buffer_;
  const OwnedArray<Built> built_;
};

template <class I, class O1, class O2, class F, class P>
class PartitionCopied final : public Filter {
 public:
  PartitionCopied(const AlgorithmOptions& options, const I& first, LoopIndex count, const O1& front,
                  LoopIndex front_room, const O2& others, LoopIndex others_room, F& pred, P& proj)
      : Filter(options, count, sizeof(std::iter_value_t<I>), Flag::kThis, Target::kElsewhere),
        first_(first),
        front_(front),
        others_(others),
        wanted_{pred, proj} {
    set_room(front_room, others_room);
  }

 private:
  void flag(LoopIndex first, LoopIndex count, FlagWord* flags) override {
    flags_of_items(at(first_, first), count, wanted_, flags);
  }
  void move(const FlagWord* kept, LoopIndex first, LoopIndex count, LoopIndex place) override {
    copy_flagged(kept, count, at(first_, first), at(front_, place));
    std::array<FlagWord, kBatchWords> dropped;
    for (LoopIndex i = 0; i < words_of(count); ++i) dropped[i] = ~kept[i] & low_flags(count - i * kFlags);
    copy_flagged(dropped.data(), count, at(first_, first), at(others_, first - place));
  }

  const I first_;
  const O1 front_;
  const O2 others_;
  const Wanted<true, F, P> wanted_;
};

template <bool kStable>
struct Partition {
  template <Permutable I, std::sized_sentinel_for<I> S, class P = std::identity, SharedPredicate<Projected<I, P>> F>
    requires std::random_access_iterator<I>
  std::ranges::subrange<I> operator()(const AlgorithmOptions& options, I first, S last, F pred, P proj = {}) const {
    const auto count = static_cast<LoopIndex>(last - first);
    LoopIndex front = 0;
    if constexpr (kStable) {
      StablePartition<I, F, P> partition(options, first, count, pred, proj);
      front = Filter::run(partition, options).kept;
      partition.move_back(options, front, count - front);
    } else {
      front = partition_items(options, first, count, pred, proj);
    }
    return {at(first, front), at(first, count)};
  }
  template <Permutable I, std::sized_sentinel_for<I> S, class P = std::identity, SharedPredicate<Projected<I, P>> F>
    requires std::random_access_iterator<I>
  std::ranges::subrange<I> operator()(I first, S last, F pred, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(pred), std::move(proj));
  }
  template <LoopRange R, class P = std::identity, SharedPredicate<Projected<std::ranges::iterator_t<R>, P>> F>
    requires Permutable<std::ranges::iterator_t<R>>
  std::ranges::borrowed_subrange_t<R> operator()(const AlgorithmOptions& options, R&& range, F pred,
                                                 P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::move(pred), std::move(proj));
  }
  template <LoopRange R, class P = std::identity, SharedPredicate<Projected<std::ranges::iterator_t<R>, P>> F>
    requires Permutable<std::ranges::iterator_t<R>>
  std::ranges::borrowed_subrange_t<R> operator()(R&& range, F pred, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, std::move(pred), std::move(proj));
  }
};

struct PartitionCopy : HasOutput {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O1,
            std::sized_sentinel_for<O1> T1, std::random_access_iterator O2, std::sized_sentinel_for<O2> T2,
            class P = std::identity, SharedPredicate<Projected<I, P>> F>
    requires CopyableTo<I, O1> && CopyableTo<I, O2>
  std::ranges::partition_copy_result<I, O1, O2> operator()(const AlgorithmOptions& options, I first, S last, O1 front,
                                                           T1 front_last, O2 others, T2 others_last, F pred,
                                                           P proj = {}) const {
    PartitionCopied<I, O1, O2, F, P> filter(options, first, static_cast<LoopIndex>(last - first), front,
                                            static_cast<LoopIndex>(front_last - front), others,
                                            static_cast<LoopIndex>(others_last - others), pred, proj);
    const auto [kept, end] = Filter::run(filter, options);
    return {at(first, end), at(front, kept), at(others, end - kept)};
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O1,
            std::sized_sentinel_for<O1> T1, std::random_access_iterator O2, std::sized_sentinel_for<O2> T2,
            class P = std::identity, SharedPredicate<Projected<I, P>> F>
    requires CopyableTo<I, O1> && CopyableTo<I, O2>
  std::ranges::partition_copy_result<I, O1, O2> operator()(I first, S last, O1 front, T1 front_last, O2 others,
                                                           T2 others_last, F pred, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(front), front_last, std::move(others),
                   others_last, std::move(pred), std::move(proj));
  }
  template <LoopRange R, LoopRange Front, LoopRange Others, class P = std::identity,
            SharedPredicate<Projected<std::ranges::iterator_t<R>, P>> F>
    requires CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Front>> &&
             CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Others>>
  std::ranges::partition_copy_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Front>,
                                     std::ranges::borrowed_iterator_t<Others>>
  operator()(const AlgorithmOptions& options, R&& range, Front&& front, Others&& others, F pred, P proj = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::ranges::begin(front),
                   std::ranges::end(front), std::ranges::begin(others), std::ranges::end(others), std::move(pred),
                   std::move(proj));
  }
  template <LoopRange R, LoopRange Front, LoopRange Others, class P = std::identity,
            SharedPredicate<Projected<std::ranges::iterator_t<R>, P>> F>
    requires CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Front>> &&
             CopyableTo<std::ranges::iterator_t<R>, std::ranges::iterator_t<Others>>
  std::ranges::partition_copy_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Front>,
                                     std::ranges::borrowed_iterator_t<Others>>
  operator()(R&& range, Front&& front, Others&& others, F pred, P proj = {}) const {
    return (*this)(AlgorithmOptions{}, range, front, others, std::move(pred), std::move(proj));
  }
};

}  // namespace detail

/// Moves the items with a projection that satisfies `pred` to the front. Not stable. Returns the other items, as the subrange
/// at the end of the range.
///
/// Up to 32,768 contiguous, trivially moved items of at most 32 bytes are each moved twice, directly after their call of
/// `pred`, some as copies elsewhere, and need no memory. Otherwise, after all calls of `pred`, each item on the wrong side is
/// swapped once.
///
/// Throws the exceptions of `pred`, `proj` and swaps, and Stopped after a stop request. The range then contains the same items
/// in some order, unless a swap threw.
///
/// O(n): exactly n calls of `pred` and `proj`. Memory: 1.1 bits for each item; std::bad_alloc leaves the items unchanged.
///
/// Thread-safety: any thread.
///
/// @code
///   const auto idle = blitz::partition(workers, [](const Worker& w) { return w.busy; });
/// @endcode
inline constexpr detail::Algorithm<detail::Partition<false>> partition{};

/// Moves the items with a projection that satisfies `pred` to the front. Stable: these items and the others keep their order.
/// Returns the other items, as the subrange at the end of the range. The algorithm is blitz::remove_if, with a buffer for the
/// other items.
///
/// Throws the exceptions of `pred`, `proj` and moves, and Stopped after a stop request. All items are then valid, and some may
/// have been moved from.
///
/// O(n): exactly n calls of `pred` and `proj`; two moves for each of the other items, and at most one for each item in front.
/// Memory: room for n items, used only for the other items, one bit for each item, and 16 bytes for 64 items with a destructor;
/// std::bad_alloc leaves the items unchanged.
///
/// Thread-safety: any thread.
///
/// @code
///   const auto later = blitz::stable_partition(tasks, [](const Task& t) { return t.urgent; });
/// @endcode
inline constexpr detail::Algorithm<detail::Partition<true>> stable_partition{};

/// Copies the items with a projection that satisfies `pred` into `front`, and the others into `others`, each in order. The
/// ranges must not overlap. Returns the end positions: {in, out1, out2}. If an output has no room for all its items, `in` is
/// the first item that did not fit; otherwise it is the end. The algorithm is blitz::copy_if.
///
/// Throws the exceptions of `pred`, `proj` and copies, and Stopped after a stop request. All items of the outputs are then
/// valid, and some may have been assigned.
///
/// O(n): at most one call of `pred` and `proj` for each item. Memory: one bit for each item, and some kilobytes.
///
/// Thread-safety: any thread.
///
/// @code
///   const auto [in, even_end, odd_end] =
///       blitz::partition_copy(numbers, even, odd, [](int x) { return x % 2 == 0; });
/// @endcode
inline constexpr detail::Algorithm<detail::PartitionCopy> partition_copy{};

}  // namespace blitz
