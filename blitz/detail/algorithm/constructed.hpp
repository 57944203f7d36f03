/// @file
/// Constructed: a guard for objects that an algorithm constructs in memory of its caller.
#pragma once

#include <iterator>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/base/raw_memory.hpp"

namespace blitz::detail {

/// Owns the constructed objects [begin, end), and destroys them unless they are released. It is the value of each part of a
/// fold. Adjacent parts are joined; objects that are left over after an exception or a stop request are destroyed. Not
/// thread-safe.
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

  /// The address for the next object. Construct it there, then call extend().
  [[nodiscard]] void* place() const {
    return const_cast<void*>(static_cast<const volatile void*>(detail::address_of(*end_)));
  }
  void extend() { ++end_; }
  /// The caller has constructed the objects up to `end`.
  void extend_to(I end) { end_ = end; }
  /// Constructs an object at the end.
  template <class... X>
  void emplace_back(X&&... x) {
    ::new (place()) std::iter_value_t<I>(std::forward<X>(x)...);
    extend();
  }
  /// Takes ownership of the objects of `next` if they directly follow. Otherwise `next` keeps and destroys them.
  void append(Constructed& next) {
    if (end_ == next.begin_) end_ = next.release();
  }
  /// Releases ownership of the objects. Returns their end.
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
    // The blocks of one value are adjacent, from left to right.
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

/// Constructs `count` objects at `first`. `make(objects, from, to)` constructs those of the positions [from, to) at the end of
/// `objects`. If an exception, including Stopped, is thrown, all of them are destroyed.
template <std::random_access_iterator I, class Make>
void construct_blocks(const AlgorithmOptions& options, const I& first, LoopIndex count, const Make& make) {
  Constructed<I> all = fold_blocks(options, count, 1, ConstructFold<I, Make>{first, make});
  all.release();
}

}  // namespace blitz::detail
