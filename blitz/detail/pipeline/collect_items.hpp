/// @file
/// Terminals that make a container of the items of a stage, or assign the items to ranges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/algorithm/transform.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/constructed.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/invoke.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/pipeline/rope.hpp"
#include "blitz/detail/pipeline/run_stage.hpp"
#include "blitz/detail/pipeline/source.hpp"
#include "blitz/detail/pipeline/stage.hpp"
#include "blitz/pipeline/array.hpp"

namespace blitz::detail {
BLITZ_BEGIN_BY_OPTIMIZATION

// --- into memory ---

/// Constructs an object from each item, contiguously.
template <class T>
struct MakeSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    ::new (static_cast<void*>(out)) T(item_to_copy<T>(static_cast<X&&>(x)...));
    ++out;
    return false;
  }
  T*& out;
};
/// MakeSink that counts the objects.
template <class T>
struct ConstructSink {
  template <class... X>
  bool operator()(X&&... x) const {
    objects.emplace_back(item_to_copy<T>(static_cast<X&&>(x)...));
    return false;
  }
  Constructed<T*>& objects;
};

/// Makes the items of a stage, for construct_blocks.
template <class T, class S>
struct ConstructItems {
  void operator()(Constructed<T*>& objects, LoopIndex first, LoopIndex last) const {
    if constexpr (std::is_trivially_copyable_v<T>) {
      // Nothing must be destroyed, so the objects are counted after the block.
      T* out = objects.end();
      stage.for_each(first, last, MakeSink<T>{out});
      objects.extend_to(out);
    } else {
      stage.for_each(first, last, ConstructSink<T>{objects});
    }
  }
  const S& stage;
};

/// The scan below a stage that has one item for each item of the scan; null if there is none.
template <class S>
constexpr std::nullptr_t scan_below(const S& /*stage*/) noexcept {
  return nullptr;
}
template <class S, class T, class Op, bool kExclusive>
const auto* scan_below(const ScanStage<S, T, Op, kExclusive>& stage) noexcept {
  return &stage;
}
template <class S, class F>
auto scan_below(const MapStage<S, F>& stage) noexcept {
  return scan_below(stage.below());
}
template <class S, class F>
auto scan_below(const InspectStage<S, F>& stage) noexcept {
  return scan_below(stage.below());
}
template <class S>
inline constexpr bool kScanned = !std::same_as<decltype(scan_below(std::declval<const S&>())), std::nullptr_t>;

/// Makes the items of a block of a scan. Their position in the result is known.
template <class T>
struct ConstructScan {
  template <class S>
  BLITZ_ALWAYS_INLINE bool operator()(const S& stage, LoopIndex first, LoopIndex last) const {
    T* out = memory + first * scan_below(stage)->kBlock;
    return stage.for_each(first, last, MakeSink<T>{out});
  }
  T* memory;
};

// --- into ropes ---

/// Appends each item to a rope.
template <class T>
struct RopeSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    rope.open_piece().template emplace_back<T>(item_to_copy<T>(static_cast<X&&>(x)...));
    return false;
  }
  RopeEnd& rope;
};
/// Writes each item. The next item overwrites it unless `pred` holds. Branch-free, because a branch would be mispredicted for
/// random items.
template <class T, class P>
struct KeepSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    const bool keep = static_cast<bool>(invoke_inline(pred, std::as_const(x)...));
    ::new (static_cast<void*>(out)) T(item_to_copy<T>(static_cast<X&&>(x)...));
    out += keep ? 1 : 0;
    return false;
  }
  const P& pred;
  T*& out;
};

/// Appends the items of the positions to a rope.
template <class T, PipelineStage S>
void append_items(RopeEnd& rope, const S& stage, LoopIndex first, LoopIndex last) {
  stage.for_each(first, last, RopeSink<T>{rope});
}
/// Appends the items of a filter. They are copied as bytes.
template <class T, IndexedStage S, class P>
  requires std::is_trivially_copyable_v<T>
void append_items(RopeEnd& rope, const FilterStage<S, P>& stage, LoopIndex first, LoopIndex last) {
  while (first != last) {
    MadeItems& items = rope.open_piece();
    T* out = objects_in<T>(items.end());
    const LoopIndex next =
        first + std::min(last - first, static_cast<LoopIndex>(objects_in<T>(rope.end_of_piece()) - out));
    for_each_unrolled(stage.below(), first, next, KeepSink<T, P>{stage.pred(), out});
    items.extend_to(out);
    first = next;
  }
}

/// Appends the items of a stage, for collect_blocks.
template <class T, class S>
struct AppendItems {
  void operator()(RopeEnd& rope, LoopIndex first, LoopIndex last) const {
    LoopPart<S> part(stage);
    append_items<T>(rope, stage, first, last);
    part.end();
  }
  const S& stage;
};

/// collect.
template <class T, PipelineStage S>
Array<T> collect_items(const AlgorithmOptions& options, const S& stage) {
  if constexpr (S::kIndexed) {
    const ReadyStage<S> ready(options, stage);
    const LoopIndex count = (*ready).positions();
    ArrayMemory<T> memory = array_memory<T>(count);
    construct_blocks(options, memory.get(), count, ConstructItems<T, S>{*ready});
    return ArrayMaker::make(std::move(memory), count);
  } else if constexpr (kScanned<S> && std::is_trivially_copyable_v<T>) {
    const LoopIndex count = scan_below(stage)->count();
    ArrayMemory<T> memory = array_memory<T>(count);
    for_stage(options, stage, ConstructScan<T>{memory.get()});
    throw_if_stopped(options);
    return ArrayMaker::make(std::move(memory), count);
  } else {
    const ReadyStage<S> ready(options, stage);
    CollectedItems items =
        collect_blocks(options, kItemKind<T>, (*ready).positions(), kAtMostOne<S>, AppendItems<T, S>{*ready});
    return ArrayMaker::make(as_memory_of<T>(std::move(items.memory)), items.count);
  }
}

// --- into two ---

/// Appends each item to one rope if `pred` holds, otherwise to the other.
template <class T, class P>
struct PartSink {
  template <class... X>
  bool operator()(X&&... x) const {
    RopeEnd& rope = invoke_inline(pred, std::as_const(x)...) ? kept : others;
    rope.open_piece().template emplace_back<T>(item_to_copy<T>(static_cast<X&&>(x)...));
    return false;
  }
  const P& pred;
  RopeEnd& kept;
  RopeEnd& others;
};
/// Like KeepSink, for two places: each item is written to both, and the next item overwrites it in the wrong place.
template <class T, class P>
struct KeepBothSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    const bool keep = static_cast<bool>(invoke_inline(pred, std::as_const(x)...));
    const T* const item = ::new (static_cast<void*>(to_left)) T(item_to_copy<T>(static_cast<X&&>(x)...));
    ::new (static_cast<void*>(to_right)) T(*item);
    to_left += keep ? 1 : 0;
    to_right += keep ? 0 : 1;
    return false;
  }
  const P& pred;
  T*& to_left;
  T*& to_right;
};

/// partition: appends the items that `pred` accepts to one rope, and the others to another.
template <class T, class P>
struct AppendParted {
  template <class S>
  void operator()(RopeEnd& kept, RopeEnd& others, const S& stage, LoopIndex first, LoopIndex last) const {
    if constexpr (S::kIndexed && std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T>) {
      while (first != last) {
        MadeItems& left = kept.open_piece();
        MadeItems& right = others.open_piece();
        T* to_left = objects_in<T>(left.end());
        T* to_right = objects_in<T>(right.end());
        const auto room =
            std::min(objects_in<T>(kept.end_of_piece()) - to_left, objects_in<T>(others.end_of_piece()) - to_right);
        const LoopIndex next = first + std::min(last - first, static_cast<LoopIndex>(room));
        for_each_unrolled(stage, first, next, KeepBothSink<T, P>{pred, to_left, to_right});
        left.extend_to(to_left);
        right.extend_to(to_right);
        first = next;
      }
    } else {
      stage.for_each(first, last, PartSink<T, P>{pred, kept, others});
    }
  }
  const P& pred;
};

/// The first or the second part of a sink's arguments, which are a pair or two items.
template <std::size_t kPart, class... X>
BLITZ_ALWAYS_INLINE decltype(auto) part_of(X&&... x) {
  if constexpr (sizeof...(X) == 1) {
    return std::get<kPart>(std::forward<X>(x)...);
  } else {
    return std::get<kPart>(std::forward_as_tuple(std::forward<X>(x)...));
  }
}

template <class First, class Second>
struct UnzipSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    firsts.open_piece().template emplace_back<First>(to_copy<First>(part_of<0>(static_cast<X&&>(x)...)));
    seconds.open_piece().template emplace_back<Second>(to_copy<Second>(part_of<1>(static_cast<X&&>(x)...)));
    return false;
  }
  RopeEnd& firsts;
  RopeEnd& seconds;
};

/// unzip: appends the parts of each item.
template <class First, class Second>
struct AppendParts {
  template <class S>
  void operator()(RopeEnd& firsts, RopeEnd& seconds, const S& stage, LoopIndex first, LoopIndex last) const {
    stage.for_each(first, last, UnzipSink<First, Second>{firsts, seconds});
  }
};

/// Appends the items of a stage to two ropes, for collect_two.
template <class S, class Append>
struct AppendToBoth {
  void operator()(RopeEnd& rope, RopeEnd& other, LoopIndex first, LoopIndex last) const {
    LoopPart<S> part(stage);
    append(rope, other, stage, first, last);
    part.end();
  }
  const S& stage;
  const Append& append;
};

/// Two arrays of the items that `append(rope, other_rope, stage, first, last)` makes from the positions.
template <class T, class Other, PipelineStage S, class Append>
std::pair<Array<T>, Array<Other>> collect_both(const AlgorithmOptions& options, const S& stage, const Append& append) {
  const ReadyStage<S> ready(options, stage);
  auto [items, others] = collect_two(options, kItemKind<T>, kItemKind<Other>, (*ready).positions(), kAtMostOne<S>,
                                     AppendToBoth<S, Append>{*ready, append});
  return std::pair(ArrayMaker::make(as_memory_of<T>(std::move(items.memory)), items.count),
                   ArrayMaker::make(as_memory_of<Other>(std::move(others.memory)), others.count));
}

// --- into ranges ---

/// Assigns items by an iterator.
template <class Item, class It>
struct AssignSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    *place = as_item<Item>(static_cast<X&&>(x)...);
    ++place;
    return false;
  }
  It& place;
};

/// A block of assign_items.
template <class S, class It>
struct AssignBlock {
  void operator()(LoopIndex first, LoopIndex last) const {
    It place = at(begin, first);
    stage.for_each(first, last, AssignSink<PipelineItem<S>, It>{place});
  }
  const S& stage;
  const It& begin;
};

/// collect_into: assigns as many items as both have. Returns their number.
template <IndexedStage S, class R>
std::size_t assign_items(const AlgorithmOptions& options, const S& stage, R& out) {
  using It = std::ranges::iterator_t<R>;
  const ReadyStage<S> ready(options, stage);
  const It begin = std::ranges::begin(out);
  const LoopIndex size = std::min(static_cast<LoopIndex>(std::ranges::size(out)), (*ready).positions());
  write_blocks(options, size, AssignBlock<S, It>{*ready, begin});
  return static_cast<std::size_t>(size);
}

/// `count` items, starting at `begin`.
template <class It>
struct Places {
  template <class R>
  explicit Places(R& range, LoopIndex most)
      : begin(std::ranges::begin(range)), count(std::min(static_cast<LoopIndex>(std::ranges::size(range)), most)) {}
  It begin;
  LoopIndex count;
};

/// Assigns the two parts of the item at position `i`, each if its range has room.
template <class First, class Second>
struct AssignPartsSink {
  template <class... X>
  BLITZ_ALWAYS_INLINE bool operator()(X&&... x) const {
    if (i < firsts.count) *at(firsts.begin, i) = part_of<0>(static_cast<X&&>(x)...);
    if (i < seconds.count) *at(seconds.begin, i) = part_of<1>(static_cast<X&&>(x)...);
    ++i;
    return false;
  }
  const Places<First>& firsts;
  const Places<Second>& seconds;
  LoopIndex& i;
};

/// A block of assign_parts.
template <class S, class First, class Second>
struct AssignPartsBlock {
  void operator()(LoopIndex first, LoopIndex last) const {
    LoopIndex i = first;
    stage.for_each(first, last, AssignPartsSink<First, Second>{firsts, seconds, i});
  }
  const S& stage;
  const Places<First>& firsts;
  const Places<Second>& seconds;
};

/// unzip_into: assigns the parts of the items, as many as each range has room for. Returns the number for each.
template <IndexedStage S, class Firsts, class Seconds>
std::pair<std::size_t, std::size_t> assign_parts(const AlgorithmOptions& options, const S& stage, Firsts& firsts,
                                                 Seconds& seconds) {
  using First = std::ranges::iterator_t<Firsts>;
  using Second = std::ranges::iterator_t<Seconds>;
  const ReadyStage<S> ready(options, stage);
  const Places<First> first_places(firsts, (*ready).positions());
  const Places<Second> second_places(seconds, (*ready).positions());
  write_blocks(options, std::max(first_places.count, second_places.count),
               AssignPartsBlock<S, First, Second>{*ready, first_places, second_places});
  return std::pair(static_cast<std::size_t>(first_places.count), static_cast<std::size_t>(second_places.count));
}

/// An item as an rvalue.
template <class T>
struct MoveOut {
  T&& operator()(T& item) const noexcept { return std::move(item); }
};

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz::detail
