/// @file
/// Memory of an algorithm beside its input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <utility>

#include "blitz/base/cache_line.hpp"
#include "blitz/base/kept_memory.hpp"

namespace blitz::detail {

/// Room for `size` objects of type T, which are not constructed: they are those of the user, who destroys what was
/// constructed before this ends. Of 4 MiB and more it lies in large pages, where the kernel has them. For one owner.
template <class T>
class Scratch {
 public:
  Scratch() = default;
  /// Throws std::bad_alloc, also if no machine has so much.
  explicit Scratch(std::size_t size) : Scratch(size, std::nothrow) {
    if (data_ == nullptr && size > 0) throw std::bad_alloc();
  }
  /// Without memory, data() is null.
  Scratch(std::size_t size, std::nothrow_t) noexcept {
    if (size == 0 || size > (std::numeric_limits<std::size_t>::max() - kHugePage) / sizeof(T)) return;
    data_ = static_cast<T*>(::operator new(bytes(size), alignment(size), std::nothrow));
    if (data_ == nullptr) return;
    size_ = size;
    if (is_large(size)) ask_for_huge_pages(data_, bytes(size));
  }
  Scratch(Scratch&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, std::size_t{0})) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Scratch() {
    if (data_ != nullptr) ::operator delete(data_, alignment(size_));
  }

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  [[nodiscard]] static constexpr bool is_large(std::size_t size) noexcept { return size * sizeof(T) >= 2 * kHugePage; }
  /// What `size` objects are given: whole large pages, so that the last one is large too.
  [[nodiscard]] static constexpr std::size_t bytes(std::size_t size) noexcept {
    const std::size_t bytes = size * sizeof(T);
    return is_large(size) ? (bytes + kHugePage - 1) / kHugePage * kHugePage : bytes;
  }
  [[nodiscard]] static constexpr std::align_val_t alignment(std::size_t size) noexcept {
    return std::align_val_t{std::max(alignof(T), is_large(size) ? kHugePage : kCacheLine)};
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace blitz::detail
