/// The result of a theft from a work-stealing queue.
#pragma once

#include <cstdint>

namespace blitz::detail {

template <class T>
struct StealResult {
  enum class Outcome : unsigned char {
    kEmpty,  ///< The queue was empty.
    kLost,   ///< Another thread was faster; there may be more items.
    kItem    ///< `item` was stolen.
  };

  Outcome outcome;
  std::uint32_t moved;  ///< Further items, which are now in the thief's own queue.
  T* item;              ///< Null unless outcome is kItem.

  [[nodiscard]] static constexpr StealResult empty() noexcept { return {Outcome::kEmpty, 0, nullptr}; }
  [[nodiscard]] static constexpr StealResult lost() noexcept { return {Outcome::kLost, 0, nullptr}; }
  [[nodiscard]] static constexpr StealResult of(T* item, std::uint32_t moved = 0) noexcept {
    return {Outcome::kItem, moved, item};
  }
};

}  // namespace blitz::detail
