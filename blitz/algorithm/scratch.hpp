/// @file
/// Memory of an algorithm beside its input.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <utility>

namespace blitz::detail {

/// Room for `size` objects of type T, which are not constructed: they are those of the user, who destroys what was
/// constructed before this ends. For one owner.
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
    if (size == 0 || size > std::numeric_limits<std::size_t>::max() / sizeof(T)) return;
    data_ = static_cast<T*>(::operator new(size * sizeof(T), kAlignment, std::nothrow));
    if (data_ != nullptr) size_ = size;
  }
  Scratch(Scratch&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, std::size_t{0})) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Scratch() { ::operator delete(data_, kAlignment); }

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::align_val_t kAlignment{alignof(T) > 64 ? alignof(T) : 64};  // as cache lines are

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace blitz::detail
