/// @file
/// histogram: counts the items of each bin.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/loop/fold.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

/// The function that returns the bin of an item for blitz::histogram: callable with the item at an iterator of type It, and
/// returns an integer.
template <class F, class It>
concept BinFunction = std::indirectly_regular_unary_invocable<const F, It> &&
                      std::integral<std::remove_cvref_t<std::indirect_result_t<F&, It>>>;

namespace detail {

[[noreturn]] BLITZ_COLD BLITZ_API void throw_no_such_bin(std::intmax_t bin, std::size_t bins);
[[noreturn]] BLITZ_COLD BLITZ_API void throw_no_such_bin(std::uintmax_t bin, std::size_t bins);

/// Adds n counts to n other counts. One worker calls it; if there are many counts, several workers of the pool add them.
BLITZ_API void add_counts(const AlgorithmOptions& options, std::size_t* to, const std::size_t* from, std::size_t n);

/// The counts of one part of a histogram.
///
/// A table of few bins, which fits in a first-level cache, starts with small counters, several for each bin. With a single
/// counter, consecutive increments of the same bin would each wait for the previous store.
template <class Bin>
class BinCounts {
 public:
  /// Whether small counters are worthwhile for so many bins and items.
  [[nodiscard]] static bool has_small_counters(std::size_t bins, LoopIndex items) noexcept {
    return bins <= kMostBins && bins <= items / 16;
  }

  BinCounts(std::size_t bins, bool small)
      : counts_(bins), small_(small ? make_array<std::uint32_t>(kLanes * bins) : OwnedArray<std::uint32_t>()) {}

  /// Counts the items [first, last). `bin_of(i)` is the bin of item i.
  template <class F>
  void count(LoopIndex first, LoopIndex last, const F& bin_of) {
    while (small_ && last - first >= kGroup) {
      const LoopIndex end = first + (std::min(last - first, LoopIndex{left_}) / kGroup) * kGroup;
      left_ -= static_cast<std::uint32_t>(end - first);
      if (has_all_bins()) {
        count_groups<false>(first, end, bin_of);
      } else {
        count_groups<true>(first, end, bin_of);
      }
      if (left_ < kGroup) flush();
      first = end;
    }
    std::size_t* const counts = counts_.data();
    if (has_all_bins()) {
      for (; first != last; ++first) ++counts[static_cast<std::size_t>(bin_of(first))];
    } else {
      for (; first != last; ++first) ++counts[checked(bin_of(first))];
    }
  }

  void add(const AlgorithmOptions& options, BinCounts&& other) {
    other.flush();
    add_counts(options, counts_.data(), other.counts_.data(), counts_.size());
  }

  [[nodiscard]] std::vector<std::size_t> take() && {
    flush();
    return std::move(counts_);
  }

 private:
  static constexpr std::size_t kMostBins = 1024;
  static constexpr std::size_t kLanes = 2;
  static constexpr LoopIndex kGroup = 8;
  static constexpr std::uint32_t kMostItems = std::numeric_limits<std::uint32_t>::max();

  /// Whether the type of a bin keeps it within bounds, so that it needs no check.
  [[nodiscard]] bool has_all_bins() const noexcept {
    return std::unsigned_integral<Bin> && counts_.size() > std::numeric_limits<Bin>::max();
  }
  [[nodiscard]] std::size_t checked(Bin bin) const {
    const auto place = static_cast<std::size_t>(bin);  // a negative bin is converted to a place beyond all bins
    if (place >= counts_.size()) [[unlikely]]
      throw_no_such_bin(std::conditional_t<std::signed_integral<Bin>, std::intmax_t, std::uintmax_t>{bin},
                        counts_.size());
    return place;
  }

  template <bool kCheck, class F>
  void count_groups(LoopIndex first, LoopIndex last, const F& bin_of) {
    std::uint32_t* const counts = small_.get();
    const std::size_t bins = counts_.size();
    for (; first != last; first += kGroup) {
      unrolled<kGroup>([&](std::size_t k) BLITZ_LAMBDA_INLINE {
        const Bin bin = bin_of(first + k);
        const std::size_t place = kCheck ? checked(bin) : static_cast<std::size_t>(bin);
        ++counts[k % kLanes * bins + place];
      });
    }
  }

  /// Adds the small counters to the large ones, before they can overflow and at the end.
  void flush() noexcept {
    const std::size_t bins = counts_.size();
    for (std::size_t i = 0; small_ && i < kLanes * bins; ++i) counts_[i % bins] += std::exchange(small_[i], 0);
    left_ = kMostItems;
  }

  std::vector<std::size_t> counts_;
  OwnedArray<std::uint32_t> small_;
  std::uint32_t left_ = kMostItems;  // items that the small counters can still take
};

/// The algorithm: each part counts in a separate table, and the tables are added.
///
/// For n items and b bins on p threads: T1 = O(n + b), and O(b) for each part that another worker takes; such a part has at
/// least b items. The critical path is O(n / p + b + log p (b / p + 1)): tables are added along a tree, and large tables by all
/// threads.
struct Histogram {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, BinFunction<I> F = std::identity>
  std::vector<std::size_t> operator()(const AlgorithmOptions& options, I first, S last, std::size_t bins,
                                      F bin_of = {}) const {
    using Bin = std::remove_cvref_t<std::indirect_result_t<F&, I>>;
    const auto count = static_cast<LoopIndex>(last - first);
    const bool small = BinCounts<Bin>::has_small_counters(bins, count);
    // No part has fewer items than bins, so that its table costs less than its items.
    auto counts = fold_blocks(
        options, count, std::max<LoopIndex>(bins, 1), [&] { return BinCounts<Bin>(bins, small); },
        [&](BinCounts<Bin>& part, LoopIndex from, LoopIndex to) {
          part.count(from, to, [&](LoopIndex i) -> Bin { return std::invoke(bin_of, *at(first, i)); });
        },
        [&](BinCounts<Bin>& left, BinCounts<Bin>&& right) { left.add(options, std::move(right)); });
    return std::move(counts).take();
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, BinFunction<I> F = std::identity>
  std::vector<std::size_t> operator()(I first, S last, std::size_t bins, F bin_of = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, bins, std::move(bin_of));
  }
  template <LoopRange R, BinFunction<std::ranges::iterator_t<R>> F = std::identity>
  std::vector<std::size_t> operator()(const AlgorithmOptions& options, R&& range, std::size_t bins,
                                      F bin_of = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), bins, std::move(bin_of));
  }
  template <LoopRange R, BinFunction<std::ranges::iterator_t<R>> F = std::identity>
  std::vector<std::size_t> operator()(R&& range, std::size_t bins, F bin_of = {}) const {
    return (*this)(AlgorithmOptions{}, range, bins, std::move(bin_of));
  }
};

}  // namespace detail

/// Counts the items of each bin: element b of the result is the number of items with `bin_of(item) == b`.
///
/// `bins` is the number of bins, and `bin_of` returns an integer in [0, bins). Without `bin_of` the items are the integers.
/// There should be fewer bins than items, because a part of the range that another worker takes has at least as many items as
/// there are bins.
///
/// Throws std::out_of_range if `bin_of` returns no valid bin, the exceptions of `bin_of`, Stopped after a stop request, and
/// std::bad_alloc.
///
/// O(n): n calls of `bin_of`. Memory: the result, and as much for each part that another worker takes; twice as much for 1024
/// bins or fewer.
///
/// Thread-safety: any thread.
///
/// @code
///   const auto of_each_length = blitz::histogram(words, 64, [](const std::string& word) {
///     return std::min<std::size_t>(word.size(), 63);
///   });
/// @endcode
inline constexpr detail::Algorithm<detail::Histogram> histogram{};

}  // namespace blitz
