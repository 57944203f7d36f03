/// @file
/// Memory of an algorithm beside its input.
#pragma once

#include <cstddef>
#include <new>

#include "blitz/detail/sys/kept_memory.hpp"

namespace blitz::detail {

/// Room for `size` objects of type T, which are not constructed: they are those of the user, who destroys what was
/// constructed before this ends. It is memory of arrays: in large pages, and kept for the next ones. For one owner.
template <class T>
class Scratch {
 public:
  Scratch() = default;
  /// Throws std::bad_alloc, also if no machine has so much.
  explicit Scratch(std::size_t size) : memory_(array_memory<T>(size)) {}
  /// Without memory, data() is null.
  Scratch(std::size_t size, std::nothrow_t) noexcept
      : memory_(as_memory_of<T>(array_memory(size, sizeof(T), alignof(T), std::nothrow))) {}

  [[nodiscard]] T* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return memory_ ? memory_.deleter().bytes / sizeof(T) : 0; }

 private:
  ArrayMemory<T> memory_;
};

/// Room for n objects of type T on the stack.
template <class T, std::size_t n>
class StackScratch {
 public:
  [[nodiscard]] T* data() noexcept { return reinterpret_cast<T*>(bytes_); }

 private:
  alignas(T) std::byte bytes_[n * sizeof(T)];
};

}  // namespace blitz::detail
