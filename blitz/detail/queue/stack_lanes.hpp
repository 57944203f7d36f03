/// The injector of the default backend: Treiber stacks side by side, its lanes. All pushers of one stack write the same cache line,
/// and its takers exclude one another. With lanes they do so only within a lane.
///
/// A job's lane depends on its address, so that the jobs of one pusher are on all lanes. A taker takes the oldest job of a lane, and
/// begins at the lane that its caller names: at random, so that each lane has its turn while others are never empty.
///
/// The proofs for one stack hold for each lane: a job stays in the lane that it was pushed on, and empty() looks at every lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/queue/treiber_stack.hpp"

namespace blitz::detail {

template <class Node>
class StackLanes {
 public:
  /// One lane.
  StackLanes() noexcept = default;
  /// The lanes of a team of `slots`. Throws std::bad_alloc.
  explicit StackLanes(std::size_t slots) {
    if (slots < 2 * kSlotsOfLane) return;
    count_ = slots / kSlotsOfLane;
    several_ = make_array<TreiberStack<Node>>(count_);
    lanes_ = several_.get();
    end_ = lanes_ + count_;
  }
  StackLanes(const StackLanes&) = delete;
  StackLanes& operator=(const StackLanes&) = delete;

  /// The lane if there is one; null if there are several.
  [[nodiscard]] const TreiberStack<Node>* only() const noexcept { return count_ == 1 ? &only_ : nullptr; }
  [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(count_); }

  /// The lane of a node. Fibonacci hashing of the place in a chunk of JobMemory: neighbours are on different lanes.
  [[nodiscard]] std::size_t lane_of(const Node* node) const noexcept {
    constexpr std::size_t kPlaces = 2048;  // of 32 bytes each, in a chunk
    const std::size_t hash = reinterpret_cast<std::uintptr_t>(node) / 32 % kPlaces * 1265 % kPlaces;  // 2048 / 1.618
    return hash * count_ / kPlaces;
  }

  void push(Node* node) noexcept { lanes_[lane_of(node)].push(node); }

  /// Takes the oldest node of a lane, first of lane `from`, below count(). Null if there is none, and also while other threads take
  /// one.
  [[nodiscard]] Node* take(std::uint32_t from = 0) noexcept {
    for (std::size_t i = from; i < count_; ++i) {
      if (Node* const node = lanes_[i].take()) return node;
    }
    for (std::size_t i = 0; i < from; ++i) {
      if (Node* const node = lanes_[i].take()) return node;
    }
    return nullptr;
  }

  /// True only if every node that was pushed before this call has been taken. O(slots).
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool empty() const noexcept {
    const TreiberStack<Node>* lane = lanes_;
    do {
      if (!lane->empty()) return false;
    } while (++lane != end_);
    return true;
  }

 private:
  static constexpr std::size_t kSlotsOfLane = 4;

  TreiberStack<Node> only_;
  OwnedArray<TreiberStack<Node>> several_;
  TreiberStack<Node>* lanes_ = &only_;
  TreiberStack<Node>* end_ = &only_ + 1;
  std::size_t count_ = 1;
};

}  // namespace blitz::detail
