/// @file
/// Memory of an algorithm beside its input.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "blitz/base/export.hpp"

namespace blitz::detail {

/// Memory for `count` objects of that size and alignment; see Scratch. None for none. Throws std::bad_alloc.
[[nodiscard]] BLITZ_API void* allocate_scratch(std::size_t count, std::size_t size, std::size_t alignment);
/// The same, but null if there is no memory.
[[nodiscard]] BLITZ_API void* allocate_scratch(std::size_t count, std::size_t size, std::size_t alignment,
                                               std::nothrow_t) noexcept;
/// Frees what was allocated with the same arguments, unless it is null.
BLITZ_API void free_scratch(void* memory, std::size_t count, std::size_t size, std::size_t alignment) noexcept;

/// Room for `size` objects of type T, which are not constructed: they are those of the user, who destroys what was
/// constructed before this ends. Of 4 MiB and more it lies in large pages, where the kernel has them. For one owner.
template <class T>
class Scratch {
 public:
  Scratch() = default;
  /// Throws std::bad_alloc, also if no machine has so much.
  explicit Scratch(std::size_t size)
      : data_(static_cast<T*>(allocate_scratch(size, sizeof(T), alignof(T)))), size_(size) {}
  /// Without memory, data() is null.
  Scratch(std::size_t size, std::nothrow_t) noexcept
      : data_(static_cast<T*>(allocate_scratch(size, sizeof(T), alignof(T), std::nothrow))),
        size_(data_ == nullptr ? 0 : size) {}
  Scratch(Scratch&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, std::size_t{0})) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Scratch() { free_scratch(data_, size_, sizeof(T), alignof(T)); }

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace blitz::detail
