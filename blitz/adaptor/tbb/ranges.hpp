/// @file
/// oneTBB's ranges. Its algorithms divide them by their splitting constructors.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "blitz/adaptor/tbb/tbb_version.hpp"
#include "blitz/detail/base/saturated.hpp"

namespace tbb {

/// The tag of a constructor that splits its argument into two halves. The new object is the second half.
class split {};

/// The tag of a constructor that splits its argument in the proportion `left` to `right`. The new object is the right part.
class proportional_split {
 public:
  explicit proportional_split(std::size_t left = 1, std::size_t right = 1) : left_(left), right_(right) {}
  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  [[nodiscard]] std::size_t right() const noexcept { return right_; }
  explicit operator split() const noexcept { return {}; }

 private:
  std::size_t left_;
  std::size_t right_;
};

namespace detail {

/// The bounds of a blocked_range: integers, pointers, random-access iterators, and other types with their `<`, `-` and `+`.
template <class V>
concept RangeValue = std::copyable<V> && requires(const V& a, const V& b) {
  { a < b } -> std::convertible_to<bool>;
  { a - b } -> std::convertible_to<std::size_t>;
  { a + (b - a) } -> std::convertible_to<V>;
};
template <class T>
concept Splittable = std::constructible_from<T, T&, split>;
/// A range that an algorithm can divide.
template <class R>
concept SplitRange = std::copy_constructible<R> && Splittable<R> && requires(const R& range) {
  { range.empty() } -> std::convertible_to<bool>;
  { range.is_divisible() } -> std::convertible_to<bool>;
};

}  // namespace detail

/// [begin, end). Divisible while it has more than `grainsize` values.
template <detail::RangeValue Value>
class blocked_range {
 public:
  using const_iterator = Value;
  using size_type = std::size_t;

  blocked_range() = default;
  blocked_range(Value begin, Value end, size_type grainsize = 1) : end_(end), begin_(begin), grainsize_(grainsize) {}
  blocked_range(blocked_range& whole, split) : blocked_range(whole, whole.size() / 2) {}
  blocked_range(blocked_range& whole, proportional_split& parts)
      : blocked_range(whole, proportion(whole.size(), parts)) {}

  [[nodiscard]] const_iterator begin() const { return begin_; }
  [[nodiscard]] const_iterator end() const { return end_; }
  [[nodiscard]] size_type size() const { return begin_ < end_ ? static_cast<size_type>(end_ - begin_) : 0; }
  [[nodiscard]] size_type grainsize() const { return grainsize_; }
  [[nodiscard]] bool empty() const { return !(begin_ < end_); }
  [[nodiscard]] bool is_divisible() const { return grainsize_ < size(); }

  /// The part at positions [first, last).
  [[nodiscard]] blocked_range part(size_type first, size_type last) const {
    return {static_cast<Value>(begin_ + static_cast<Offset>(first)),
            static_cast<Value>(begin_ + static_cast<Offset>(last)), grainsize_};
  }

 private:
  using Offset = decltype(std::declval<const Value&>() - std::declval<const Value&>());

  [[nodiscard]] static size_type proportion(size_type size, const proportional_split& parts) {
    const auto left = static_cast<double>(parts.left());
    const double part = left / (left + static_cast<double>(parts.right()));
    // A double may round a large size up.
    return static_cast<size_type>(
        std::min<std::uint64_t>(blitz::detail::saturated(static_cast<double>(size) * part + 0.5), size));
  }

  blocked_range(blocked_range& whole, size_type middle)
      : end_(whole.end_),
        begin_(static_cast<Value>(whole.begin_ + static_cast<Offset>(middle))),
        grainsize_(whole.grainsize_) {
    whole.end_ = begin_;
  }

  Value end_{};
  Value begin_{};
  size_type grainsize_ = 1;
};

namespace detail {

/// Whether `a` has more grains than `b`.
template <class A, class B>
[[nodiscard]] bool is_longer(const A& a, const B& b) {
  return static_cast<double>(a.size()) * static_cast<double>(b.grainsize()) >
         static_cast<double>(b.size()) * static_cast<double>(a.grainsize());
}

}  // namespace detail

/// A rectangle of rows and columns, divided along the side that has more grains.
template <detail::RangeValue RowValue, detail::RangeValue ColValue = RowValue>
class blocked_range2d {
 public:
  using row_range_type = blocked_range<RowValue>;
  using col_range_type = blocked_range<ColValue>;

  blocked_range2d(RowValue row_begin, RowValue row_end, std::size_t row_grainsize, ColValue col_begin, ColValue col_end,
                  std::size_t col_grainsize)
      : rows_(row_begin, row_end, row_grainsize), cols_(col_begin, col_end, col_grainsize) {}
  blocked_range2d(RowValue row_begin, RowValue row_end, ColValue col_begin, ColValue col_end)
      : blocked_range2d(row_begin, row_end, 1, col_begin, col_end, 1) {}
  blocked_range2d(blocked_range2d& whole, split tag) : blocked_range2d(whole) { cut(whole, tag); }
  blocked_range2d(blocked_range2d& whole, proportional_split& tag) : blocked_range2d(whole) { cut(whole, tag); }

  [[nodiscard]] bool empty() const { return rows_.empty() || cols_.empty(); }
  [[nodiscard]] bool is_divisible() const { return rows_.is_divisible() || cols_.is_divisible(); }
  [[nodiscard]] const row_range_type& rows() const { return rows_; }
  [[nodiscard]] const col_range_type& cols() const { return cols_; }

 private:
  template <class Tag>
  void cut(blocked_range2d& whole, Tag& tag) {
    if (detail::is_longer(cols_, rows_)) {
      cols_ = col_range_type(whole.cols_, tag);
    } else {
      rows_ = row_range_type(whole.rows_, tag);
    }
  }

  row_range_type rows_;
  col_range_type cols_;
};

/// A box of pages, rows and columns, divided along the side that has the most grains.
template <detail::RangeValue PageValue, detail::RangeValue RowValue = PageValue, detail::RangeValue ColValue = RowValue>
class blocked_range3d {
 public:
  using page_range_type = blocked_range<PageValue>;
  using row_range_type = blocked_range<RowValue>;
  using col_range_type = blocked_range<ColValue>;

  blocked_range3d(PageValue page_begin, PageValue page_end, std::size_t page_grainsize, RowValue row_begin,
                  RowValue row_end, std::size_t row_grainsize, ColValue col_begin, ColValue col_end,
                  std::size_t col_grainsize)
      : pages_(page_begin, page_end, page_grainsize),
        rows_(row_begin, row_end, row_grainsize),
        cols_(col_begin, col_end, col_grainsize) {}
  blocked_range3d(PageValue page_begin, PageValue page_end, RowValue row_begin, RowValue row_end, ColValue col_begin,
                  ColValue col_end)
      : blocked_range3d(page_begin, page_end, 1, row_begin, row_end, 1, col_begin, col_end, 1) {}
  blocked_range3d(blocked_range3d& whole, split tag) : blocked_range3d(whole) { cut(whole, tag); }
  blocked_range3d(blocked_range3d& whole, proportional_split& tag) : blocked_range3d(whole) { cut(whole, tag); }

  [[nodiscard]] bool empty() const { return pages_.empty() || rows_.empty() || cols_.empty(); }
  [[nodiscard]] bool is_divisible() const {
    return pages_.is_divisible() || rows_.is_divisible() || cols_.is_divisible();
  }
  [[nodiscard]] const page_range_type& pages() const { return pages_; }
  [[nodiscard]] const row_range_type& rows() const { return rows_; }
  [[nodiscard]] const col_range_type& cols() const { return cols_; }

 private:
  template <class Tag>
  void cut(blocked_range3d& whole, Tag& tag) {
    if (detail::is_longer(pages_, rows_) && detail::is_longer(pages_, cols_)) {
      pages_ = page_range_type(whole.pages_, tag);
    } else if (detail::is_longer(rows_, cols_)) {
      rows_ = row_range_type(whole.rows_, tag);
    } else {
      cols_ = col_range_type(whole.cols_, tag);
    }
  }

  page_range_type pages_;
  row_range_type rows_;
  col_range_type cols_;
};

/// A box of N dimensions, divided along the side that has the most grains. The last parameter numbers the sides.
template <detail::RangeValue Value, unsigned N, class Sides = std::make_index_sequence<N>>
class blocked_rangeNd;

template <detail::RangeValue Value, unsigned N, std::size_t... kSide>
class blocked_rangeNd<Value, N, std::index_sequence<kSide...>> {
  /// The type of each side.
  template <std::size_t>
  using Side = blocked_range<Value>;

 public:
  using value_type = Value;
  using dim_range_type = blocked_range<Value>;
  using size_type = std::size_t;

  static constexpr unsigned ndims() { return N; }

  blocked_rangeNd(const Side<kSide>&... sides) : dims_{sides...} {}
  blocked_rangeNd(blocked_rangeNd& whole, split tag) : blocked_rangeNd(whole) { cut(whole, tag); }
  blocked_rangeNd(blocked_rangeNd& whole, proportional_split& tag) : blocked_rangeNd(whole) { cut(whole, tag); }

  [[nodiscard]] const dim_range_type& dim(unsigned i) const { return dims_[i]; }
  [[nodiscard]] bool empty() const {
    for (const dim_range_type& side : dims_) {
      if (side.empty()) return true;
    }
    return false;
  }
  [[nodiscard]] bool is_divisible() const {
    for (const dim_range_type& side : dims_) {
      if (side.is_divisible()) return true;
    }
    return false;
  }

 private:
  template <class Tag>
  void cut(blocked_rangeNd& whole, Tag& tag) {
    unsigned longest = 0;
    for (unsigned i = 1; i < N; ++i) {
      if (detail::is_longer(dims_[i], dims_[longest])) longest = i;
    }
    dims_[longest] = dim_range_type(whole.dims_[longest], tag);
  }

  std::array<dim_range_type, N> dims_;
};

}  // namespace tbb
