/// @file
/// Terminals that search for an item of a stage.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/invoke.hpp"
#include "blitz/detail/pipeline/run_stage.hpp"

namespace blitz::detail {
BLITZ_BEGIN_BY_OPTIMIZATION

/// Holds for all items.
struct AnyItem {
  template <class... X>
  bool operator()(X&&... /*x*/) const noexcept {
    return true;
  }
};

/// Stores an item that `pred` accepts; if kLast, continues with the next item.
template <bool kLast, bool kOneAtMost, class T, class P>
struct NearestSink {
  template <class... X>
  bool operator()(X&&... x) const {
    // The remaining items of a position are skipped if a nearer item was found.
    if constexpr (!kOneAtMost) {
      if (away > best.load(std::memory_order_relaxed)) return true;
    }
    if (!invoke_inline(pred, std::as_const(x)...)) return false;
    found.emplace(item_to_copy<T>(static_cast<X&&>(x)...));
    return !kLast;
  }
  const P& pred;
  std::optional<T>& found;
  const Atomic<LoopIndex>& best;
  const LoopIndex& away;
};

/// find_first, or find_last if kLast: the accepted item that is nearest to the beginning or to the end. The search starts
/// there. It skips blocks beyond an item that was found.
template <bool kLast, class T, class P>
class NearestItem {
 public:
  using Value = std::optional<T>;

  /// `best`: the distance of the nearest item found so far. Memory orders are as in find_first.
  NearestItem(const P& pred, Atomic<LoopIndex>& best) noexcept : pred_(pred), best_(best) {}

  [[nodiscard]] static Value identity() { return Value(); }
  template <class S>
  BLITZ_ALWAYS_INLINE bool fold(Value& value, const S& stage, LoopIndex first, LoopIndex last) const {
    if (value) return false;
    for (; first < last && first <= best_.load(std::memory_order_relaxed); ++first) {
      const LoopIndex place = kLast ? stage.positions() - 1 - first : first;
      stage.for_each(place, place + 1, NearestSink<kLast, kAtMostOne<S>, T, P>{pred_, value, best_, first});
      if (!value) continue;
      LoopIndex seen = best_.load(std::memory_order_relaxed);
      while (first < seen &&
             !best_.compare_exchange_weak(seen, first, std::memory_order_relaxed, std::memory_order_relaxed)) {
      }
      return false;
    }
    return false;
  }
  static void combine(Value& left, Value&& right) {
    if (!left && right) left.emplace(std::move(*right));
  }

 private:
  const P& pred_;
  Atomic<LoopIndex>& best_;
};

template <bool kLast, class S, class P>
std::optional<PipelineValue<S>> nearest_item(const AlgorithmOptions& options, const S& stage, const P& pred) {
  Atomic<LoopIndex> best{~LoopIndex{0}};
  return fold_stage(options, stage, NearestItem<kLast, PipelineValue<S>, P>(pred, best));
}

/// Stores the first item that `pred` accepts in any block.
template <class T, class P>
struct SomeSink {
  template <class... X>
  bool operator()(X&&... x) const {
    if (!invoke_inline(pred, std::as_const(x)...)) return false;
    if (!hit.exchange(true, std::memory_order_relaxed)) found.emplace(item_to_copy<T>(static_cast<X&&>(x)...));
    return true;
  }
  const P& pred;
  Atomic<bool>& hit;
  std::optional<T>& found;
};

/// A block of find_any.
template <class T, class P>
struct FindSome {
  template <class S>
  BLITZ_ALWAYS_INLINE bool operator()(const S& stage, LoopIndex first, LoopIndex last) const {
    return stage.for_each(first, last, SomeSink<T, P>{pred, hit, found});
  }
  const P& pred;
  Atomic<bool>& hit;
  std::optional<T>& found;
};

/// find_any: an item that `pred` accepts. No block begins once one was found.
template <class S, class P>
std::optional<PipelineValue<S>> some_item(const AlgorithmOptions& options, const S& stage, const P& pred) {
  using T = PipelineValue<S>;
  Atomic<bool> hit{false};  // set by each block that finds one; relaxed, because the end of the loop orders the item
  std::optional<T> found;   // written by the first block that sets `hit`
  for_stage(options, stage, FindSome<T, P>{pred, hit, found});
  if (!found) throw_if_stopped(options);
  return found;
}

/// A block of any_of.
template <class P>
struct TestAny {
  template <class S>
  BLITZ_ALWAYS_INLINE bool operator()(const S& stage, LoopIndex first, LoopIndex last) const {
    const bool here = stage.for_each(first, last, HoldsSink<P>{pred});
    if (here) hit.store(true, std::memory_order_relaxed);
    return here;
  }
  const P& pred;
  Atomic<bool>& hit;
};

/// any_of: whether `pred` holds for any item. No block begins once it has held.
template <class S, class P>
bool any_item(const AlgorithmOptions& options, const S& stage, const P& pred) {
  Atomic<bool> hit{false};  // set by each block that finds one; relaxed, because the end of the loop orders it
  for_stage(options, stage, TestAny<P>{pred, hit});
  if (hit.load(std::memory_order_relaxed)) return true;
  throw_if_stopped(options);
  return false;
}

/// Whether `pred` holds for the item of a position.
template <class S, class P>
struct HoldsAt {
  BLITZ_ALWAYS_INLINE bool operator()(LoopIndex i) const { return stage.at(i, HoldsSink<P>{pred}); }
  const S& stage;
  const P& pred;
};

/// position_first.
template <class S, class P>
std::optional<std::size_t> position_of_first(const AlgorithmOptions& options, const S& stage, const P& pred) {
  const ReadyStage<S> ready(options, stage);
  const LoopIndex count = (*ready).positions();
  const LoopIndex found = find_position<0>(options, count, HoldsAt<S, P>{*ready, pred});
  return found == count ? std::nullopt : std::optional(static_cast<std::size_t>(found));
}

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz::detail
