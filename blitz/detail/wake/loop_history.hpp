/// What an item took in the last loops of a worker, so that a loop that is called again can be judged before it begins.
#pragma once

#include <cstddef>
#include <cstdint>

namespace blitz::detail {

/// For one worker. A loop is known by the address of its block's code. Two loops may share a place: then the last one
/// counts, and the other is timed anew.
class LoopHistory {
 public:
  /// The ticks that an item of this loop took the last time; 0 if that is not known.
  [[nodiscard]] float& per_item(std::uintptr_t loop) noexcept {
    Entry& entry = entries_[(loop >> 4 ^ loop >> 10) % kEntries];
    if (entry.loop != loop) entry = {loop, 0};
    return entry.per_item;
  }

 private:
  static constexpr std::size_t kEntries = 64;
  struct Entry {
    std::uintptr_t loop = 0;
    float per_item = 0;
  };
  Entry entries_[kEntries];
};

}  // namespace blitz::detail
