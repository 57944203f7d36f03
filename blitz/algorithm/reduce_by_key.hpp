/// @file
/// reduce_by_key: reduces each run of neighbours with equal keys.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/call.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/loop/pace.hpp"
#include "blitz/parallel_reduce.hpp"

namespace blitz {

/// The result of blitz::reduce_by_key: the ends of the two outputs. Plain data.
template <class K, class V>
struct ReduceByKeyResult {
  K keys_out;    ///< One after the last key.
  V values_out;  ///< One after the last value.
};

namespace detail {

/// The algorithm, in two passes over pieces of the input. The first pass counts the runs that begin in each piece, which
/// determines the output position of each piece. The second pass reduces the runs. A piece stores the partial results of a run
/// that began before it and of its last run, which may continue in the next piece. They are combined at the end, from left to
/// right.
///
/// For n items on p threads: T1 = O(n). The critical path is O(n / p), and one operation for each of at most 1024 pieces.
template <class K, class V, class KO, class VO, class Equal, class Op>
class RunReduction {
 public:
  RunReduction(LoopIndex count, LoopIndex pieces, K keys, V values, KO keys_out, VO values_out, LoopIndex room,
               Equal& equal, Op& op)
      : pieces_(count, pieces),
        keys_(std::move(keys)),
        values_(std::move(values)),
        keys_out_(std::move(keys_out)),
        values_out_(std::move(values_out)),
        room_(room),
        equal_(equal),
        op_(op),
        parts_(pieces) {}

  /// Returns the number of runs that were written.
  LoopIndex run(const AlgorithmOptions& options) {
    for_each_piece(options, [this](LoopIndex piece) { count_runs(piece); });
    for (Part& part : parts_) part.first_run = std::exchange(runs_, runs_ + part.first_run);
    for_each_piece(options, [this](LoopIndex piece) { reduce_runs(piece); });
    write_open_runs();
    return std::min(runs_, room_);
  }

 private:
  using Value = std::iter_value_t<V>;

  struct Part {
    LoopIndex first_run = 0;     // the number of runs that begin in the piece; later the number that begin before it
    std::optional<Value> front;  // the part of the run that began before the piece
    std::optional<Value> back;   // the part of the last run that begins in it
  };

  template <class F>
  void for_each_piece(const AlgorithmOptions& options, const F& f) {
    for_blocks({.stop = options.stop, .pool = options.pool}, parts_.size(), 1, [&](LoopIndex first, LoopIndex last) {
      for (; first != last; ++first) f(first);
    });
    throw_if_stopped(options);
  }

  void count_runs(LoopIndex piece) {
    LoopIndex i = pieces_.begin(piece);
    LoopIndex runs = i == 0 ? 1 : 0;
    K key = at(keys_, i == 0 ? i : i - 1);
    if (i == 0) ++i;
    for (const LoopIndex end = pieces_.begin(piece + 1); i != end; ++i) {
      const K before = key++;
      runs += static_cast<LoopIndex>(!std::invoke(equal_, *before, *key));
    }
    parts_[piece].first_run = runs;
  }

  void reduce_runs(LoopIndex piece) {
    Part& part = parts_[piece];
    const LoopIndex end = pieces_.begin(piece + 1);
    LoopIndex i = pieces_.begin(piece);
    if (i > 0 && std::invoke(equal_, *at(keys_, i - 1), *at(keys_, i))) part.front.emplace(reduce_run(i, end));
    // An inconsistent equality may find more runs than before: do not write to the places of other pieces.
    const LoopIndex last_run = std::min(runs_up_to(piece), room_);
    for (LoopIndex run = part.first_run; i != end && run < last_run; ++run) {
      *at(keys_out_, run) = *at(keys_, i);
      Value value = reduce_run(i, end);
      if (i != end) {
        *at(values_out_, run) = std::move(value);
      } else {
        part.back.emplace(std::move(value));
      }
    }
  }

  /// Reduces the values from `first` to the next run or to `last`. Sets `first` to the position where it stopped.
  Value reduce_run(LoopIndex& first, const LoopIndex last) {
    K key = at(keys_, first);
    V item = at(values_, first);
    Value value(to_copy<Value>(*item));
    LoopIndex i = first + 1;
    for (; i != last; ++i) {
      const K before = key++;
      if (!std::invoke(equal_, *before, *key)) break;
      take(value, *++item);
    }
    first = i;
    return value;
  }

  /// The number of runs that begin in the piece and before it.
  [[nodiscard]] LoopIndex runs_up_to(LoopIndex piece) const {
    return piece + 1 < parts_.size() ? parts_[piece + 1].first_run : runs_;
  }

  /// Writes the last run that begins in each piece. There is always an open run at the checks below, unless equal_ was
  /// inconsistent.
  void write_open_runs() {
    std::optional<Value> open;
    for (LoopIndex piece = 0; piece < parts_.size(); ++piece) {
      Part& part = parts_[piece];
      const LoopIndex behind = runs_up_to(piece);
      if (part.front && open) take(*open, std::move(*part.front));
      if (behind == part.first_run) continue;  // No run begins here.
      if (open) *at(values_out_, part.first_run - 1) = std::move(*open);
      if (behind > room_) return;
      open = std::move(part.back);
    }
    if (open) *at(values_out_, runs_ - 1) = std::move(*open);
  }

  template <class X>
  void take(Value& value, X&& x) {
    value = static_cast<Value>(std::invoke(op_, std::move(value), std::forward<X>(x)));
  }

  Pieces pieces_;
  K keys_;
  V values_;
  KO keys_out_;
  VO values_out_;
  LoopIndex room_;
  LoopIndex runs_ = 0;  // the total, after the first pass
  Equal& equal_;
  Op& op_;
  std::vector<Part> parts_;
};

/// Keys of runs, values that `Op` reduces, and outputs for both.
template <class K, class V, class KO, class VO, class Equal, class Op>
concept ReducibleByKey =
    std::indirect_binary_predicate<const Equal, K, K> && CopyableTo<K, KO> && Writable<VO, std::iter_value_t<V>> &&
    ReduceFunction<Op, std::iter_value_t<V>, std::iter_reference_t<V>>;

struct ReduceByKey {
  template <std::random_access_iterator K, std::sized_sentinel_for<K> KS, std::random_access_iterator V,
            std::sized_sentinel_for<V> VS, std::random_access_iterator KO, std::sized_sentinel_for<KO> KOS,
            std::random_access_iterator VO, std::sized_sentinel_for<VO> VOS, class Equal = std::ranges::equal_to,
            class Op = std::plus<>>
    requires ReducibleByKey<K, V, KO, VO, Equal, Op>
  ReduceByKeyResult<KO, VO> operator()(const AlgorithmOptions& options, K keys, KS keys_last, V values, VS values_last,
                                       KO keys_out, KOS keys_out_last, VO values_out, VOS values_out_last,
                                       Equal equal = {}, Op op = {}) const {
    return run(options, keys, values, std::min(count_of(keys, keys_last), count_of(values, values_last)), keys_out,
               values_out, std::min(count_of(keys_out, keys_out_last), count_of(values_out, values_out_last)), equal,
               op);
  }
  template <std::random_access_iterator K, std::sized_sentinel_for<K> KS, std::random_access_iterator V,
            std::sized_sentinel_for<V> VS, std::random_access_iterator KO, std::sized_sentinel_for<KO> KOS,
            std::random_access_iterator VO, std::sized_sentinel_for<VO> VOS, class Equal = std::ranges::equal_to,
            class Op = std::plus<>>
    requires ReducibleByKey<K, V, KO, VO, Equal, Op>
  ReduceByKeyResult<KO, VO> operator()(K keys, KS keys_last, V values, VS values_last, KO keys_out, KOS keys_out_last,
                                       VO values_out, VOS values_out_last, Equal equal = {}, Op op = {}) const {
    return (*this)(AlgorithmOptions{}, keys, keys_last, values, values_last, keys_out, keys_out_last, values_out,
                   values_out_last, std::move(equal), std::move(op));
  }
  template <LoopRange K, LoopRange V, LoopRange KO, LoopRange VO, class Equal = std::ranges::equal_to,
            class Op = std::plus<>>
    requires ReducibleByKey<std::ranges::iterator_t<K>, std::ranges::iterator_t<V>, std::ranges::iterator_t<KO>,
                            std::ranges::iterator_t<VO>, Equal, Op>
  ReduceByKeyResult<std::ranges::borrowed_iterator_t<KO>, std::ranges::borrowed_iterator_t<VO>> operator()(
      const AlgorithmOptions& options, K&& keys, V&& values, KO&& keys_out, VO&& values_out, Equal equal = {},
      Op op = {}) const {
    const auto least = [](std::uint64_t a, std::uint64_t b) { return static_cast<LoopIndex>(std::min(a, b)); };
    const auto ends = run(options, std::ranges::begin(keys), std::ranges::begin(values),
                          least(std::ranges::size(keys), std::ranges::size(values)), std::ranges::begin(keys_out),
                          std::ranges::begin(values_out),
                          least(std::ranges::size(keys_out), std::ranges::size(values_out)), equal, op);
    return {ends.keys_out, ends.values_out};
  }
  template <LoopRange K, LoopRange V, LoopRange KO, LoopRange VO, class Equal = std::ranges::equal_to,
            class Op = std::plus<>>
    requires ReducibleByKey<std::ranges::iterator_t<K>, std::ranges::iterator_t<V>, std::ranges::iterator_t<KO>,
                            std::ranges::iterator_t<VO>, Equal, Op>
  ReduceByKeyResult<std::ranges::borrowed_iterator_t<KO>, std::ranges::borrowed_iterator_t<VO>> operator()(
      K&& keys, V&& values, KO&& keys_out, VO&& values_out, Equal equal = {}, Op op = {}) const {
    return (*this)(AlgorithmOptions{}, keys, values, keys_out, values_out, std::move(equal), std::move(op));
  }

 private:
  template <class K, class V, class KO, class VO, class Equal, class Op>
  static ReduceByKeyResult<KO, VO> run(const AlgorithmOptions& options, const K& keys, const V& values, LoopIndex count,
                                       const KO& keys_out, const VO& values_out, LoopIndex room, Equal& equal, Op& op) {
    LoopIndex runs = 0;
    if (count > 0 && room > 0) {
      constexpr LoopIndex kLeastPiece = 1024;
      constexpr LoopIndex kMostPieces = 1024;  // to share them evenly among many workers
      const LoopIndex pieces = std::clamp<LoopIndex>(count / grain_of(options, kLeastPiece), 1, kMostPieces);
      RunReduction reduction(count, pieces, keys, values, keys_out, values_out, room, equal, op);
      runs = reduction.run(options);
    }
    return {at(keys_out, runs), at(values_out, runs)};
  }
};

}  // namespace detail

/// Reduces the values of each run of neighbours with equal keys: writes the first key of each run, and the combination of its
/// values by `op`, in order. Returns the ends of the two outputs, as `keys_out` and `values_out`.
///
/// `equal` returns whether two neighbours belong to one run; by default `==`. `op` must be associative; it is called as in
/// parallel_reduce(), and is by default addition. Equal keys that are not neighbours form separate runs: sort first, or see
/// blitz::group_by. Keys and values are read up to the end of the shorter range. Runs without room in an output are omitted.
/// The outputs must not overlap the inputs.
///
/// Throws the exceptions of the calls, Stopped after a stop request, and std::bad_alloc; the outputs are then unspecified.
///
/// O(n): 2 (n - 1) calls of `equal`; at most n calls of `op`. Memory: two values for each thousand items, at most 2048.
///
/// Thread-safety: any thread.
///
/// @par Source
/// Thrust's reduce_by_key.
///
/// @code
///   // Of the sorted words "a" "b" "b", each counted once: "a" 1, "b" 2.
///   const auto [words_end, counts_end] =
///       blitz::reduce_by_key(words, ones, different_words, counts);
/// @endcode
inline constexpr detail::Algorithm<detail::ReduceByKey> reduce_by_key{};

}  // namespace blitz
