/// @file
/// BuiltArray: an array that several threads construct. permute(): moves items to new positions with two moves each.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/algorithm/sort/merge_path.hpp"
#include "blitz/detail/base/raw_memory.hpp"

namespace blitz::detail {

/// An array of objects that several threads construct.
template <class T>
class BuiltArray {
 public:
  /// For n objects. If the allocation fails, data() is null.
  explicit BuiltArray(std::size_t n) noexcept : memory_(n, std::nothrow) {}
  BuiltArray(const BuiltArray&) = delete;
  BuiltArray& operator=(const BuiltArray&) = delete;
  ~BuiltArray() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      if (parts_ == 0) return;
      for_parts({}, memory_.size(), parts_, [this](std::size_t part, std::size_t begin, std::size_t) {
        std::destroy_n(data() + begin, built_[part]);
      });
    }
  }

  /// Constructs object i from `make(i)`. Throws Stopped, and the exceptions of `make`.
  template <class Make>
  void build(const AlgorithmOptions& options, std::size_t parts, Make make) {
    parts_ = parts;
    std::fill_n(built_.begin(), parts, std::size_t{0});
    for_parts(options, memory_.size(), parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i != end; ++i) {
        std::construct_at(data() + i, make(i));
        built_[part] = i + 1 - begin;
      }
    });
  }

  /// Calls `f(i, object)` for each object that was constructed.
  template <class F>
  void for_built(F f) {
    for (std::size_t part = 0; part != parts_; ++part) {
      const std::size_t begin = part_begin(memory_.size(), parts_, part);
      for (std::size_t i = begin; i != begin + built_[part]; ++i) f(i, data()[i]);
    }
  }

  [[nodiscard]] T* data() const noexcept { return memory_.data(); }

 private:
  Scratch<T> memory_;
  std::size_t parts_ = 0;
  std::array<std::size_t, kMostParts> built_;  // for each part, the number of objects that were constructed
};

/// Moves the item at first[from(i)] to first[i], for each i in [0, n). `from` must be a permutation. `scratch` must have room
/// for n items. If a move throws, some items may be lost; all elements are valid.
template <std::random_access_iterator I, class From>
void permute(I first, std::size_t n, std::size_t parts, BuiltArray<std::iter_value_t<I>>& scratch, From from) {
  using T = std::iter_value_t<I>;
  try {
    scratch.build({}, parts, [&](std::size_t i) -> T { return std::ranges::iter_move(at(first, from(i))); });
  } catch (...) {
    scratch.for_built([&](std::size_t i, T& item) { *at(first, from(i)) = std::move(item); });
    throw;
  }
  for_parts({}, n, parts, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (; begin != end; ++begin) *at(first, begin) = std::move(scratch.data()[begin]);
  });
}

}  // namespace blitz::detail
