/// @file
/// Objects that were made in memory of others.
#pragma once

#include <iterator>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/base/raw_memory.hpp"

namespace blitz::detail {

/// Constructed objects [begin, end), which this destroys unless they are released. As the value of a part of a fold: parts are
/// neighbours, so that what they have made joins up, and what an exception or a stop request leaves over is destroyed. For
/// one owner.
template <std::random_access_iterator I>
class Constructed {
 public:
  Constructed() = default;
  explicit Constructed(I begin) : begin_(begin), end_(begin) {}
  Constructed(Constructed&& other) noexcept : begin_(other.begin_), end_(other.release()) {}
  Constructed& operator=(Constructed&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(end_, other.end_);
    return *this;
  }
  ~Constructed() { std::destroy(begin_, end_); }

  [[nodiscard]] I begin() const { return begin_; }
  [[nodiscard]] I end() const { return end_; }
  [[nodiscard]] bool empty() const { return begin_ == end_; }

  /// Where the next object is to be made; then call extend().
  [[nodiscard]] void* place() const {
    return const_cast<void*>(static_cast<const volatile void*>(detail::address_of(*end_)));
  }
  void extend() { ++end_; }
  /// The objects up to `end` have been made.
  void extend_to(I end) { end_ = end; }
  /// Makes one more object at the end.
  template <class... X>
  void emplace_back(X&&... x) {
    ::new (place()) std::iter_value_t<I>(std::forward<X>(x)...);
    extend();
  }
  /// Takes over what lies directly behind; anything else is left to `next`, which destroys it.
  void append(Constructed& next) {
    if (end_ == next.begin_) end_ = next.release();
  }
  /// Gives the objects up. Returns their end.
  I release() {
    const I end = end_;
    end_ = begin_;
    return end;
  }

 private:
  I begin_{};
  I end_{};
};

/// The fold of construct_blocks.
template <std::random_access_iterator I, class Make>
struct ConstructFold {
  using Value = Constructed<I>;
  [[nodiscard]] Value identity() const { return Value(); }
  void fold(Value& objects, LoopIndex from, LoopIndex to) const {
    // The blocks of one value are neighbours, from left to right.
    if (objects.empty()) objects = Value(at(first, from));
    make(objects, from, to);
  }
  void combine(Value& left, Value&& right) const {
    if (left.empty()) {
      left = std::move(right);
    } else {
      left.append(right);
    }
  }
  const I& first;
  const Make& make;
};

/// Makes `count` objects from `first` on. `make(objects, from, to)` makes those of the positions [from, to) at the end of
/// `objects`. After an exception, or Stopped, none of them is left.
template <std::random_access_iterator I, class Make>
void construct_blocks(const AlgorithmOptions& options, const I& first, LoopIndex count, const Make& make) {
  Constructed<I> all = fold_blocks(options, count, 1, ConstructFold<I, Make>{first, make});
  all.release();
}

}  // namespace blitz::detail
