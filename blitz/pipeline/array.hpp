/// @file
/// Array: what a pipeline collects its items in.
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

/// Contiguous items of a fixed number, in memory that the library has not initialised before they were made: a thread that
/// makes items is the first to touch their memory, which std::vector cannot have. Move-only. Each member O(1), but for the
/// destruction of items. Throws nothing. As thread-safe as an int.
///
/// The process keeps the memory of the last few for the next ones: see free_kept_arrays.
/// @code
///   const blitz::Array<double> roots = blitz::par(numbers).map([](double x) { return std::sqrt(x); }).collect();
/// @endcode
template <class T>
class Array {
 public:
  using value_type = T;                    ///< The items' type.
  using size_type = std::size_t;           ///< As of containers.
  using difference_type = std::ptrdiff_t;  ///< As of containers.
  using iterator = T*;                     ///< Contiguous.
  using const_iterator = const T*;         ///< Contiguous.

  /// Empty.
  Array() = default;
  /// Leaves the other one empty.
  Array(Array&& other) noexcept : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  /// Takes the items of `other`, and destroys those that this had.
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
  [[nodiscard]] T* end() noexcept { return data() + size_; }              ///< Behind the last item.
  [[nodiscard]] const T* begin() const noexcept { return data(); }        ///< The first item.
  [[nodiscard]] const T* end() const noexcept { return data() + size_; }  ///< Behind the last item.
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

/// Gives back the memory of arrays that were destroyed, and of what algorithms needed beside their input. Of what lay in memory
/// of 64 KiB to 256 MiB the process keeps the four that were freed last, half a GiB at most, for the next one of about the same
/// size, whose pages then need not be cleared; on Linux the kernel may take what is kept of more than 16 MiB when it is short of
/// memory. Arrays that exist are not touched.
/// @code
///   blitz::free_kept_arrays();  // in a program that has made its last large array
/// @endcode
/// @throws Nothing. Complexity: O(1). Thread-safety: any thread; what other threads free at the same moment may be kept.
inline void free_kept_arrays() noexcept { detail::free_all_kept(); }

}  // namespace blitz
