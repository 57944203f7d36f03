/// @file
/// inclusive_scan, exclusive_scan and their transforming forms: all partial sums, by an associative operation.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/reduce.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/algorithm/chain.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/loop/fold.hpp"
#include "blitz/detail/loop/items.hpp"

namespace blitz {

namespace detail {

/// Replaces a missing initial value: the scan then begins with the first item.
struct NoInit {};

/// The division of a scan into runs of positions with `unit` items each.
struct ScanCut {
  ScanCut(const AlgorithmOptions& options, LoopIndex count, std::size_t bytes) noexcept {
    grain = Chain::least_run(options, count, bytes);
    if (options.deterministic) {
      unit = std::max<LoopIndex>(options.min_grain, std::clamp<LoopIndex>(count / 512, 1, 2048));
      grain = 1;
    }
    positions = ceil_div(count, unit);
  }
  LoopIndex unit = 1;
  LoopIndex grain;
  LoopIndex positions;
};

/// Op and Transform are stored by reference. The left of a run is the scan's value before it; empty before the first item of a
/// scan without an initial value.
template <bool kInclusive, class T, class I, class O, class Op, class Transform>
class Scan final : public Chain {
 public:
  using Value = std::optional<T>;

  Scan(const AlgorithmOptions& options, const ScanCut& cut, const I& in, LoopIndex count, const O& out,
       std::optional<T>&& init, Op& op, Transform& transform)
      : Chain(cut.positions, cut.grain, options.deterministic),
        unit_(cut.unit),
        count_(count),
        in_(in),
        out_(out),
        op_(op),
        transform_(transform),
        fold_(IteratorItems(in), op, transform),
        left_(make_array<Value>(slots())),
        sum_(make_array<Value>(slots())) {
    left_[slot(0)] = std::move(init);
  }

  /// Writes the results of [in, last), which is not empty, beginning at `out`. Consumes `left`; returns the left of `last`.
  [[gnu::noinline]] static T scan(I in, const I& last, O out, Value& left, Op& op, Transform& transform) {
    if (!left) {
      left.emplace(static_cast<T>(to_copy<T>(std::invoke(transform, *in))));
      *out = *left;
      ++in;
      ++out;
    }
    T value(std::move(*left));
    if constexpr (kByGroups) scan_groups(value, in, last, out, op, transform);
    for (; in != last; ++in, ++out) {
      if constexpr (kInclusive) {
        value = static_cast<T>(std::invoke(op, std::move(value), std::invoke(transform, *in)));
        *out = value;
      } else {
        // Read the item before its place is written.
        T next = static_cast<T>(std::invoke(op, value, std::invoke(transform, *in)));
        *out = std::move(value);
        value = std::move(next);
      }
    }
    return value;
  }

 private:
  using Item = std::remove_cvref_t<std::invoke_result_t<Transform&, std::iter_reference_t<I>>>;

  static constexpr bool kByGroups =
      Commutes<std::remove_const_t<Op>, T, Item> && IteratorItems<I>::kIndexed && std::random_access_iterator<O>;

  bool run_whole(const Run& run) override {
    left_[slot(run.last)] = scan_run(run);
    return false;
  }
  void sum_up(const Run& run) override { fold_.fold(sum_[slot(run.first)], run.first * unit_, end_of(run)); }
  void link(const Run& run) override {
    Value& next = left_[slot(run.last)];
    next = left_[slot(run.first)];
    if (next) {
      fold_.combine(next, std::move(sum_[slot(run.first)]));
    } else {
      next = std::move(sum_[slot(run.first)]);
    }
  }
  bool finish(const Run& run) override {
    static_cast<void>(scan_run(run));
    return false;
  }
  LoopIndex needed(const Run& /*run*/) const noexcept override { return 0; }

  [[nodiscard]] LoopIndex end_of(const Run& run) const noexcept { return std::min(run.last * unit_, count_); }

  /// Writes the results of a run and consumes its left; returns the left of the next run.
  T scan_run(const Run& run) {
    const LoopIndex first = run.first * unit_;
    return scan(at(in_, first), at(in_, end_of(run)), at(out_, first), left_[slot(run.first)], op_, transform_);
  }

  /// Scans the items of all complete groups. The items of a group are combined with each other while the previous group is
  /// processed, so that only one operation per group waits for another.
  BLITZ_ALWAYS_INLINE static void scan_groups(T& value, I& in, const I& last, O& out, Op& op, Transform& transform) {
    constexpr std::iter_difference_t<I> kGroup = 4;
    const auto sum = [&op](T a, T b) BLITZ_LAMBDA_INLINE { return static_cast<T>(std::invoke(op, a, b)); };
    for (; last - in >= kGroup; in += kGroup) {
      const T x0 = static_cast<T>(std::invoke(transform, in[0]));
      const T x1 = static_cast<T>(std::invoke(transform, in[1]));
      const T x2 = static_cast<T>(std::invoke(transform, in[2]));
      const T x3 = static_cast<T>(std::invoke(transform, in[3]));
      const T x01 = sum(x0, x1);
      const std::array<T, 4> sums{sum(value, x0), sum(value, x01), sum(value, sum(x01, x2)),
                                  sum(value, sum(x01, sum(x2, x3)))};
      if (!kInclusive) *out++ = value;
      *out++ = sums[0];
      *out++ = sums[1];
      *out++ = sums[2];
      if (kInclusive) *out++ = sums[3];
      value = sums[3];
    }
  }

  const LoopIndex unit_;
  const LoopIndex count_;
  const I in_;
  const O out_;
  Op& op_;
  Transform& transform_;
  const RunFold<T, IteratorItems<I>, Op, Transform> fold_;
  const OwnedArray<Value> left_;  // for each slot: the left of the run
  const OwnedArray<Value> sum_;   // for each slot: the sum of the run
};

/// The value type of a scan: the type of its initial value, or of the transformed items.
template <class T, class Item>
using ScanValue = std::conditional_t<std::is_same_v<T, NoInit>, std::remove_cvref_t<Item>, T>;

template <bool kInclusive, class I, class S, class O, class OS, class T, class Op, class Transform>
std::ranges::in_out_result<I, O> scan_items(const AlgorithmOptions& options, const I& first, S last, const O& out,
                                            OS out_last, T init, Op& op, Transform& transform) {
  using Value = ScanValue<T, std::invoke_result_t<Transform&, std::iter_reference_t<I>>>;
  const auto count = std::min(static_cast<LoopIndex>(last - first), static_cast<LoopIndex>(out_last - out));
  if (count > 0) {
    std::optional<Value> left;
    if constexpr (!std::is_same_v<T, NoInit>) left.emplace(std::move(init));
    const ScanCut cut(options, count, sizeof(std::iter_value_t<I>));
    using ThisScan = Scan<kInclusive, Value, I, O, Op, Transform>;
    throw_if_stopped(options);
    if (cut.positions <= cut.grain) {
      static_cast<void>(ThisScan::scan(first, at(first, count), out, left, op, transform));
    } else {
      ThisScan scan(options, cut, first, count, out, std::move(left), op, transform);
      Chain::run(scan, options);
    }
    throw_if_stopped(options);
  }
  return {at(first, count), at(out, count)};
}

/// The operation of a scan: as for a reduction with values that begin with items. The values must be copyable and writable to
/// `O`.
template <class Op, class T, class Transform, class I, class O>
concept ScanFunction = TransformReduces<Op, ScanValue<T, std::invoke_result_t<Transform&, std::iter_reference_t<I>>>,
                                        Transform, std::iter_reference_t<I>> &&
                       std::copyable<ScanValue<T, std::invoke_result_t<Transform&, std::iter_reference_t<I>>>> &&
                       Writable<O, const ScanValue<T, std::invoke_result_t<Transform&, std::iter_reference_t<I>>>&> &&
                       Writable<O, ScanValue<T, std::invoke_result_t<Transform&, std::iter_reference_t<I>>>>;

template <class R, class Out>
using ScanResult =
    std::ranges::in_out_result<std::ranges::borrowed_iterator_t<R>, std::ranges::borrowed_iterator_t<Out>>;

struct InclusiveScan : HasOutput {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OS, class Op = std::plus<>, class T = NoInit>
    requires ScanFunction<Op, T, const std::identity, I, O>
  std::ranges::in_out_result<I, O> operator()(const AlgorithmOptions& options, I first, S last, O out, OS out_last,
                                              Op op = {}, T init = {}) const {
    return scan_items<true>(options, first, last, out, out_last, std::move(init), op, kAsItIs);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OS, class Op = std::plus<>, class T = NoInit>
    requires ScanFunction<Op, T, const std::identity, I, O>
  std::ranges::in_out_result<I, O> operator()(I first, S last, O out, OS out_last, Op op = {}, T init = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(out), out_last, std::move(op),
                   std::move(init));
  }
  template <LoopRange R, LoopRange Out, class Op = std::plus<>, class T = NoInit>
    requires ScanFunction<Op, T, const std::identity, std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  ScanResult<R, Out> operator()(const AlgorithmOptions& options, R&& range, Out&& out, Op op = {}, T init = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::ranges::begin(out),
                   std::ranges::end(out), std::move(op), std::move(init));
  }
  template <LoopRange R, LoopRange Out, class Op = std::plus<>, class T = NoInit>
    requires ScanFunction<Op, T, const std::identity, std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  ScanResult<R, Out> operator()(R&& range, Out&& out, Op op = {}, T init = {}) const {
    return (*this)(AlgorithmOptions{}, range, out, std::move(op), std::move(init));
  }
};

struct ExclusiveScan : HasOutput {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OS, class T, class Op = std::plus<>>
    requires ScanFunction<Op, T, const std::identity, I, O>
  std::ranges::in_out_result<I, O> operator()(const AlgorithmOptions& options, I first, S last, O out, OS out_last,
                                              T init, Op op = {}) const {
    return scan_items<false>(options, first, last, out, out_last, std::move(init), op, kAsItIs);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OS, class T, class Op = std::plus<>>
    requires ScanFunction<Op, T, const std::identity, I, O>
  std::ranges::in_out_result<I, O> operator()(I first, S last, O out, OS out_last, T init, Op op = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(out), out_last, std::move(init),
                   std::move(op));
  }
  template <LoopRange R, LoopRange Out, class T, class Op = std::plus<>>
    requires ScanFunction<Op, T, const std::identity, std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  ScanResult<R, Out> operator()(const AlgorithmOptions& options, R&& range, Out&& out, T init, Op op = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::ranges::begin(out),
                   std::ranges::end(out), std::move(init), std::move(op));
  }
  template <LoopRange R, LoopRange Out, class T, class Op = std::plus<>>
    requires ScanFunction<Op, T, const std::identity, std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  ScanResult<R, Out> operator()(R&& range, Out&& out, T init, Op op = {}) const {
    return (*this)(AlgorithmOptions{}, range, out, std::move(init), std::move(op));
  }
};

struct TransformInclusiveScan : HasOutput {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OS, class Op, class Transform, class T = NoInit>
    requires ScanFunction<Op, T, Transform, I, O>
  std::ranges::in_out_result<I, O> operator()(const AlgorithmOptions& options, I first, S last, O out, OS out_last,
                                              Op op, Transform transform, T init = {}) const {
    return scan_items<true>(options, first, last, out, out_last, std::move(init), op, transform);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OS, class Op, class Transform, class T = NoInit>
    requires ScanFunction<Op, T, Transform, I, O>
  std::ranges::in_out_result<I, O> operator()(I first, S last, O out, OS out_last, Op op, Transform transform,
                                              T init = {}) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(out), out_last, std::move(op),
                   std::move(transform), std::move(init));
  }
  template <LoopRange R, LoopRange Out, class Op, class Transform, class T = NoInit>
    requires ScanFunction<Op, T, Transform, std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  ScanResult<R, Out> operator()(const AlgorithmOptions& options, R&& range, Out&& out, Op op, Transform transform,
                                T init = {}) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::ranges::begin(out),
                   std::ranges::end(out), std::move(op), std::move(transform), std::move(init));
  }
  template <LoopRange R, LoopRange Out, class Op, class Transform, class T = NoInit>
    requires ScanFunction<Op, T, Transform, std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  ScanResult<R, Out> operator()(R&& range, Out&& out, Op op, Transform transform, T init = {}) const {
    return (*this)(AlgorithmOptions{}, range, out, std::move(op), std::move(transform), std::move(init));
  }
};

struct TransformExclusiveScan : HasOutput {
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OS, class T, class Op, class Transform>
    requires ScanFunction<Op, T, Transform, I, O>
  std::ranges::in_out_result<I, O> operator()(const AlgorithmOptions& options, I first, S last, O out, OS out_last,
                                              T init, Op op, Transform transform) const {
    return scan_items<false>(options, first, last, out, out_last, std::move(init), op, transform);
  }
  template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::random_access_iterator O,
            std::sized_sentinel_for<O> OS, class T, class Op, class Transform>
    requires ScanFunction<Op, T, Transform, I, O>
  std::ranges::in_out_result<I, O> operator()(I first, S last, O out, OS out_last, T init, Op op,
                                              Transform transform) const {
    return (*this)(AlgorithmOptions{}, std::move(first), last, std::move(out), out_last, std::move(init), std::move(op),
                   std::move(transform));
  }
  template <LoopRange R, LoopRange Out, class T, class Op, class Transform>
    requires ScanFunction<Op, T, Transform, std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  ScanResult<R, Out> operator()(const AlgorithmOptions& options, R&& range, Out&& out, T init, Op op,
                                Transform transform) const {
    return (*this)(options, std::ranges::begin(range), std::ranges::end(range), std::ranges::begin(out),
                   std::ranges::end(out), std::move(init), std::move(op), std::move(transform));
  }
  template <LoopRange R, LoopRange Out, class T, class Op, class Transform>
    requires ScanFunction<Op, T, Transform, std::ranges::iterator_t<R>, std::ranges::iterator_t<Out>>
  ScanResult<R, Out> operator()(R&& range, Out&& out, T init, Op op, Transform transform) const {
    return (*this)(AlgorithmOptions{}, range, out, std::move(init), std::move(op), std::move(transform));
  }
};

}  // namespace detail

/// @brief Writes the partial sums of a range, each including the item at its position: x0, `op(x0, x1)`, `op(op(x0, x1), x2)`
/// and so on; with an initial value `op(init, x0)`, `op(op(init, x0), x1)` and so on.
///
/// Stops at the end of the shorter range, and returns both positions: {in, out}. `out` may be the range itself; otherwise the
/// two must not overlap.
///
/// `op` must be associative; it need not be commutative. By default it is addition. Several threads call it concurrently
/// through a reference. The sums have the type of `init`; without `init`, the type of the items. The last bits of
/// floating-point sums may differ from call to call. If AlgorithmOptions::deterministic is set, the grouping depends only on
/// the number of items and AlgorithmOptions::min_grain.
///
/// Workers claim blocks from left to right. A worker scans its block immediately if it knows the sum before the block.
/// Otherwise it first sums up the block, and the block is scanned, still in the cache, when the sum before it is known. No
/// worker waits for that sum.
///
/// Throws the exceptions of `op` and assignments, and Stopped after a stop request. All items of `out` are then valid, and some
/// have been assigned.
///
/// O(n): at most two calls of `op` for each item, and one on a pool of one thread; for sums of numbers 1.5 times as many.
/// Memory: two sums for each of at most 16 blocks per thread, or for each half megabyte of large inputs; with
/// AlgorithmOptions::deterministic for each 2048 items.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::inclusive_scan(sizes, ends);
///   blitz::inclusive_scan(numbers, numbers, [](double a, double b) { return std::max(a, b); });
/// @endcode
inline constexpr detail::Algorithm<detail::InclusiveScan> inclusive_scan{};

/// @brief Writes the partial sums of a range, each excluding the item at its position: `init`, `op(init, x0)`, `op(op(init,
/// x0), x1)` and so on.
///
/// Stops at the end of the shorter range, and returns both positions: {in, out}. `out` may be the range itself; otherwise the
/// two must not overlap. The sums have the type of `init`. For `op`, the algorithm and floating-point sums see
/// blitz::inclusive_scan.
///
/// Throws the exceptions of `op` and assignments, and Stopped after a stop request. All items of `out` are then valid, and some
/// have been assigned.
///
/// O(n): at most two calls of `op` for each item. Memory: see blitz::inclusive_scan.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::exclusive_scan(sizes, begins, std::size_t{0});
/// @endcode
inline constexpr detail::Algorithm<detail::ExclusiveScan> exclusive_scan{};

/// Writes the partial sums of the results of `transform` for each item, each including the item at its position. Stops at the
/// end of the shorter range, and returns both positions: {in, out}.
///
/// The sums have the type of `init`; without `init`, the type of these results. Several threads call `op` and `transform`
/// concurrently through references. For `op`, the output and floating-point sums see blitz::inclusive_scan.
///
/// Throws the exceptions of `op`, `transform` and assignments, and Stopped after a stop request. All items of `out` are then
/// valid, and some have been assigned.
///
/// O(n): at most two calls of `op` and of `transform` for each item. Memory: see blitz::inclusive_scan.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::transform_inclusive_scan(words, ends, std::plus<>{},
///                                   [](const std::string& word) { return word.size(); });
/// @endcode
inline constexpr detail::Algorithm<detail::TransformInclusiveScan> transform_inclusive_scan{};

/// Writes the partial sums of the results of `transform` for each item, from `init` on, each excluding the item at its
/// position. Stops at the end of the shorter range, and returns both positions: {in, out}.
///
/// The sums have the type of `init`. Several threads call `op` and `transform` concurrently through references. For `op`, the
/// output and floating-point sums see blitz::inclusive_scan.
///
/// Throws the exceptions of `op`, `transform` and assignments, and Stopped after a stop request. All items of `out` are then
/// valid, and some have been assigned.
///
/// O(n): at most two calls of `op` and of `transform` for each item. Memory: see blitz::inclusive_scan.
///
/// Thread-safety: any thread.
///
/// @code
///   blitz::transform_exclusive_scan(words, begins, std::size_t{0}, std::plus<>{},
///                                   [](const std::string& word) { return word.size(); });
/// @endcode
inline constexpr detail::Algorithm<detail::TransformExclusiveScan> transform_exclusive_scan{};

}  // namespace blitz
