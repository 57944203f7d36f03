/// A worker's experience with its calls, by the address of their code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace blitz::detail {

/// A small table. If two calls share an entry, it belongs to the last one, and the other begins again with `T{}`. O(1).
template <class T>
class ByCode {
 public:
  [[nodiscard]] T& operator[](std::uintptr_t code) noexcept {
    Entry& entry = entries_[(code >> 4 ^ code >> 10) % kEntries];
    if (entry.code != code) entry = {.code = code};
    return entry.known;
  }

 private:
  static constexpr std::size_t kEntries = 64;
  struct Entry {
    std::uintptr_t code = 0;
    T known{};
  };
  Entry entries_[kEntries];
};

}  // namespace blitz::detail
