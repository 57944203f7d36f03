/// Iterators in the style of libraries older than C++20: random access by their category, but not by the concept.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

namespace blitz_test {

/// Counts. It supports neither the subscript operator nor `n + iterator`.
class CountingIterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = int;

  CountingIterator() = default;
  explicit CountingIterator(int value) : value_(value) {}

  int operator*() const { return value_; }
  CountingIterator& operator++() {
    ++value_;
    return *this;
  }
  CountingIterator operator+(std::ptrdiff_t n) const { return CountingIterator(value_ + static_cast<int>(n)); }
  std::ptrdiff_t operator-(const CountingIterator& other) const { return value_ - other.value_; }
  bool operator==(const CountingIterator& other) const { return value_ == other.value_; }

 private:
  int value_ = 0;
};

/// The results of `f` for the items of another iterator. If `f` has captures, this iterator is neither default-constructible
/// nor assignable.
template <class It, class F>
class TransformIterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using reference = decltype(std::declval<const F&>()(*std::declval<const It&>()));
  using value_type = reference;
  using difference_type = std::ptrdiff_t;
  using pointer = void;

  TransformIterator(It it, F f) : it_(std::move(it)), f_(std::move(f)) {}

  reference operator*() const { return f_(*it_); }
  TransformIterator& operator++() {
    ++it_;
    return *this;
  }
  TransformIterator operator+(std::ptrdiff_t n) const { return TransformIterator(it_ + n, f_); }
  std::ptrdiff_t operator-(const TransformIterator& other) const { return it_ - other.it_; }
  bool operator==(const TransformIterator& other) const { return it_ == other.it_; }

 private:
  It it_;
  F f_;
};

}  // namespace blitz_test
