// Divide and conquer down to pieces for one thread: a few thousand joins of large parts.
//
// Each is written once, as `divide(work, fork)`: `fork(x, y)` calls x and y, possibly in parallel, and returns when both are
// done.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/harness/hash.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

inline constexpr auto kSerialFork = [](const auto& x, const auto& y) {
  x();
  y();
};

// --- c += a * b for square matrices, by halving the longest side until the blocks fit in the caches. Halving the rows or
// the columns of c makes two independent products, halving the terms of the sums two that follow each other. ---

/// The part of the product that adds the terms [term, term + terms) to a block of c.
struct Product {
  std::size_t row;
  std::size_t column;
  std::size_t term;
  std::size_t rows;
  std::size_t columns;
  std::size_t terms;
};

/// All values are small whole numbers, so that sums are exact in any order.
struct Matmul : Workload {
  explicit Matmul(std::size_t length) : side(length), a(side * side), b(side * side), c(side * side) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<double>(random_at(1, i) % 4);
      b[i] = static_cast<double>(random_at(2, i) % 4);
    }
    multiply_block(whole());
    expected_ = c;
  }

  void reset() override { c.assign(c.size(), 0.0); }
  bool check(std::size_t runs) const override {
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (c[i] != static_cast<double>(runs) * expected_[i]) return false;
    }
    return true;
  }

  void run();

  [[nodiscard]] Product whole() const { return {0, 0, 0, side, side, side}; }

  BENCH_NOINLINE void multiply_block(const Product& p) {
    for (std::size_t i = p.row; i < p.row + p.rows; ++i) {
      double* const c_row = c.data() + i * side + p.column;
      for (std::size_t k = p.term; k < p.term + p.terms; ++k) {
        const double factor = a[i * side + k];
        const double* const b_row = b.data() + k * side + p.column;
        for (std::size_t j = 0; j < p.columns; ++j) c_row[j] += factor * b_row[j];
      }
    }
  }

  static constexpr std::size_t kBlock = 64;

  const std::size_t side;

 private:
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> c;
  std::vector<double> expected_;
};

template <class Fork>
void multiply(Matmul& work, const Product& p, const Fork& fork) {
  Product first = p;
  Product second = p;
  if (p.rows > Matmul::kBlock && p.rows >= p.columns && p.rows >= p.terms) {
    first.rows /= 2;
    second.row += first.rows;
    second.rows -= first.rows;
  } else if (p.columns > Matmul::kBlock && p.columns >= p.terms) {
    first.columns /= 2;
    second.column += first.columns;
    second.columns -= first.columns;
  } else if (p.terms > Matmul::kBlock) {
    first.terms /= 2;
    second.term += first.terms;
    second.terms -= first.terms;
    multiply(work, first, fork);
    multiply(work, second, fork);
    return;
  } else {
    work.multiply_block(p);
    return;
  }
  fork([&work, &first, &fork] { multiply(work, first, fork); },
       [&work, &second, &fork] { multiply(work, second, fork); });
}

template <class Fork>
void divide(Matmul& work, const Fork& fork) {
  multiply(work, work.whole(), fork);
}

inline void Matmul::run() { divide(*this, kSerialFork); }

// --- Sorting distinct random numbers by recursion, down to pieces that std::sort does: two coarse, nearly even halves
// after a part that one thread does (quicksort), and two even halves before a part that can be cut again (mergesort). ---

using Numbers = std::vector<std::uint64_t>;

/// The input, which does not change, and an array for the sorted numbers.
struct Sort : Workload {
  explicit Sort(std::size_t items) : input(items), sorted(items) {
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = mix(i + 1);
    sorted = input;
    std::sort(sorted.begin(), sorted.end());
    record(sorted.data(), sorted.data() + sorted.size());
    expected_ = digest_.load(std::memory_order_relaxed);
  }

  void reset() override { digest_.store(0, std::memory_order_relaxed); }
  bool check(std::size_t runs) const override { return digest_.load(std::memory_order_relaxed) == runs * expected_; }

  /// Called once per run for each number of `sorted` in its final position. Adds up the numbers, weighted by their positions,
  /// so that another order has another sum.
  void record(const std::uint64_t* first, const std::uint64_t* last) {
    std::uint64_t sum = 0;
    for (; first != last; ++first) sum += *first * static_cast<std::uint64_t>(first - sorted.data() + 1);
    digest_.fetch_add(sum, std::memory_order_relaxed);
  }

  static constexpr std::ptrdiff_t kCutOff = 2048;

  Numbers input;
  Numbers sorted;

 private:
  std::atomic<std::uint64_t> digest_{0};
  std::uint64_t expected_;
};

struct Quicksort : Sort {
  using Sort::Sort;

  void run();
};

/// The median of three numbers; of distinct ones, so that neither side of it can be empty.
inline std::uint64_t pivot_of(const std::uint64_t* first, const std::uint64_t* last) {
  std::array<std::uint64_t, 3> three{*first, first[(last - first) / 2], last[-1]};
  std::sort(three.begin(), three.end());
  return three[1];
}

/// Sorts numbers that are in the right part of `sorted` already.
template <class Fork>
void quicksort(Quicksort& work, std::uint64_t* first, std::uint64_t* last, const Fork& fork) {
  if (last - first <= Sort::kCutOff) {
    std::sort(first, last);
    work.record(first, last);
    return;
  }
  const std::uint64_t pivot = pivot_of(first, last);
  std::uint64_t* const middle = std::partition(first, last, [pivot](std::uint64_t x) { return x < pivot; });
  fork([&, first, middle] { quicksort(work, first, middle, fork); },
       [&, middle, last] { quicksort(work, middle, last, fork); });
}

/// The first partition brings the numbers from the input to their part of `sorted`.
template <class Fork>
void divide(Quicksort& work, const Fork& fork) {
  std::uint64_t* const first = work.sorted.data();
  std::uint64_t* const last = first + work.sorted.size();
  const std::uint64_t pivot = pivot_of(work.input.data(), work.input.data() + work.input.size());
  const auto [middle, rest] = std::partition_copy(work.input.begin(), work.input.end(), first,
                                                  std::reverse_iterator(last), [pivot](auto x) { return x < pivot; });
  fork([&, m = middle] { quicksort(work, first, m, fork); }, [&, m = middle] { quicksort(work, m, last, fork); });
}

inline void Quicksort::run() { divide(*this, kSerialFork); }

struct Mergesort : Sort {
  explicit Mergesort(std::size_t items) : Sort(items), other(items) {}

  void run();

  Numbers other;  ///< every second level of the recursion sorts into this
};

/// A piece of one of the two arrays, in order.
struct SortedRun {
  const std::uint64_t* first;
  const std::uint64_t* last;

  [[nodiscard]] std::ptrdiff_t size() const { return last - first; }
};

/// Merges two sorted runs by cutting the longer one in the middle. `final`: into the final place.
template <class Fork>
void merge_runs(Mergesort& work, SortedRun a, SortedRun b, std::uint64_t* out, bool final, const Fork& fork) {
  if (a.size() + b.size() <= 2 * Sort::kCutOff) {
    std::uint64_t* const end = std::merge(a.first, a.last, b.first, b.last, out);
    if (final) work.record(out, end);
    return;
  }
  if (a.size() < b.size()) std::swap(a, b);
  const std::uint64_t* const a_cut = a.first + a.size() / 2;
  const std::uint64_t* const b_cut = std::lower_bound(b.first, b.last, *a_cut);
  std::uint64_t* const out_cut = out + (a_cut - a.first) + (b_cut - b.first);
  fork(
      [&, a, b, out] {
        merge_runs(work, {a.first, a_cut}, {b.first, b_cut}, out, final, fork);
      },
      [&, a, b, out_cut] {
        merge_runs(work, {a_cut, a.last}, {b_cut, b.last}, out_cut, final, fork);
      });
}

/// Sorts the numbers of the input between two places into the same places of `to`; `other` is scratch.
template <class Fork>
void mergesort(Mergesort& work, std::size_t first, std::size_t last, Numbers& to, Numbers& other, bool final,
               const Fork& fork) {
  std::uint64_t* const out = to.data() + first;
  if (static_cast<std::ptrdiff_t>(last - first) <= Sort::kCutOff) {
    std::sort(out, std::copy(work.input.data() + first, work.input.data() + last, out));
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  fork([&, first, middle] { mergesort(work, first, middle, other, to, false, fork); },
       [&, middle, last] { mergesort(work, middle, last, other, to, false, fork); });
  const std::uint64_t* const from = other.data();
  merge_runs(work, {from + first, from + middle}, {from + middle, from + last}, out, final, fork);
}

template <class Fork>
void divide(Mergesort& work, const Fork& fork) {
  mergesort(work, 0, work.sorted.size(), work.sorted, work.other, true, fork);
}

inline void Mergesort::run() { divide(*this, kSerialFork); }

constexpr Spec per_piece(std::string_view name, std::string_view title, std::string_view unit,
                         Quick quick = Quick::yes) {
  return {name, title, unit, Metric::milliseconds, Timing::runs, quick};
}

inline constexpr std::tuple kDivide{
    Case<Matmul>{per_piece("matmul", "a product of matrices of 1024 x 1024 by divide and conquer", "product"), 1024,
                 256, 128},
    Case<Matmul>{
        per_piece("matmul_2048", "a product of matrices of 2048 x 2048 by divide and conquer", "product", Quick::no),
        2048, 512, 256},
    Case<Quicksort>{per_piece("quicksort", "quicksort of random numbers, the two sides of a pivot a join", "sort"),
                    2'000'000, 250'000, 10'000},
    Case<Mergesort>{per_piece("mergesort", "mergesort of random numbers, halves and merges joins", "sort"), 2'000'000,
                    250'000, 10'000},
};

}  // namespace bench
