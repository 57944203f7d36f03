/// @file
/// Array: the container of the items that a pipeline collects.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "blitz/detail/sys/kept_memory.hpp"

namespace blitz {

template <class T>
class Array;

namespace detail {

/// For the library: makes arrays.
struct ArrayMaker {
  /// `memory` has `size` objects.
  template <class T>
  [[nodiscard]] static Array<T> make(ArrayMemory<T>&& memory, std::size_t size) noexcept {
    Array<T> array;
    array.memory_ = std::move(memory);
    array.size_ = size;
    return array;
  }
};

}  // namespace detail

/// A fixed number of contiguous items. Unlike `std::vector`, it does not initialise its memory before the items are created, so
/// the threads that create items are the first to touch their memory. Move-only. Each member is O(1), except the destruction of
/// items. Throws nothing. Thread-safety: as for an int.
///
/// The process caches the memory of the last few arrays: see free_kept_arrays.
/// @code
///   const blitz::Array<double> roots =
///       blitz::par(numbers).map([](double x) { return std::sqrt(x); }).collect();
/// @endcode
template <class T>
class Array {
 public:
  using value_type = T;                    ///< The items' type.
  using size_type = std::size_t;           ///< As in containers.
  using difference_type = std::ptrdiff_t;  ///< As in containers.
  using iterator = T*;                     ///< Contiguous.
  using const_iterator = const T*;         ///< Contiguous.

  /// Makes an empty array.
  Array() = default;
  /// Leaves the other one empty.
  Array(Array&& other) noexcept : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  /// Takes the items of `other`, and destroys the previous items.
  Array& operator=(Array&& other) noexcept {
    Array old(std::move(*this));
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  /// Destroys the items.
  ~Array() { std::destroy(begin(), end()); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }       ///< The number of items.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }        ///< Whether there is no item.
  [[nodiscard]] T* data() noexcept { return memory_.get(); }              ///< The first item.
  [[nodiscard]] const T* data() const noexcept { return memory_.get(); }  ///< The first item.
  [[nodiscard]] T* begin() noexcept { return data(); }                    ///< The first item.
  [[nodiscard]] T* end() noexcept { return data() + size_; }              ///< One after the last item.
  [[nodiscard]] const T* begin() const noexcept { return data(); }        ///< The first item.
  [[nodiscard]] const T* end() const noexcept { return data() + size_; }  ///< One after the last item.
  /// Item i, which must be below size().
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data()[i]; }
  /// Item i, which must be below size().
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  [[nodiscard]] T& front() noexcept { return data()[0]; }                     ///< The first item; there must be one.
  [[nodiscard]] const T& front() const noexcept { return data()[0]; }         ///< The first item; there must be one.
  [[nodiscard]] T& back() noexcept { return data()[size_ - 1]; }              ///< The last item; there must be one.
  [[nodiscard]] const T& back() const noexcept { return data()[size_ - 1]; }  ///< The last item; there must be one.

 private:
  friend detail::ArrayMaker;

  detail::ArrayMemory<T> memory_;
  std::size_t size_ = 0;
};

/// Frees the cached memory of destroyed arrays and of temporary arrays of algorithms. The process caches the four arrays of 64
/// KiB to 256 MiB that were freed last, at most half a GiB, for the next array of about the same size, so that its pages need
/// not be cleared again. On Linux the kernel may reclaim cached arrays larger than 16 MiB if it is short of memory. Existing
/// arrays are not affected.
/// @code
///   blitz::free_kept_arrays();  // in a program that has made its last large array
/// @endcode
/// @throws Nothing. Complexity: O(1). Thread-safety: any thread; memory that other threads free concurrently may remain cached.
inline void free_kept_arrays() noexcept { detail::free_all_kept(); }

}  // namespace blitz
