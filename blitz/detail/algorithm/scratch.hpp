/// @file
/// Scratch: temporary memory of an algorithm.
#pragma once

#include <cstddef>
#include <new>

#include "blitz/detail/sys/kept_memory.hpp"

namespace blitz::detail {

/// Uninitialized memory for `size` objects of type T. The user constructs objects in it, and must destroy them before this
/// object is destroyed. The memory is array memory: in large pages, and reused by later arrays. Not thread-safe.
template <class T>
class Scratch {
 public:
  Scratch() = default;
  /// Throws std::bad_alloc, also for sizes that no machine can provide.
  explicit Scratch(std::size_t size) : memory_(array_memory<T>(size)) {}
  /// If the allocation fails, data() is null.
  Scratch(std::size_t size, std::nothrow_t) noexcept
      : memory_(as_memory_of<T>(array_memory(size, sizeof(T), alignof(T), std::nothrow))) {}

  [[nodiscard]] T* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return memory_ ? memory_.deleter().bytes / sizeof(T) : 0; }

 private:
  ArrayMemory<T> memory_;
};

/// Uninitialized memory for n objects of type T on the stack.
template <class T, std::size_t n>
class StackScratch {
 public:
  [[nodiscard]] T* data() noexcept { return reinterpret_cast<T*>(bytes_); }

 private:
  alignas(T) std::byte bytes_[n * sizeof(T)];
};

}  // namespace blitz::detail
