// c += a * b for square matrices, by halving the longest side until the blocks fit in the caches. Halving the rows or
// the columns of c makes two independent products, halving the terms of the sums two that follow each other.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/harness/hash.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

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

/// Of 1024 x 1024, or 2048 x 2048, with full inputs.
template <bool Large>
struct SizedMatmul : Matmul {
  static constexpr Spec spec{.name = Large ? "matmul_2048" : "matmul",
                             .title = Large ? "a product of matrices of 2048 x 2048 by divide and conquer"
                                            : "a product of matrices of 1024 x 1024 by divide and conquer",
                             .unit_of_work = "product",
                             .metric = Metric::milliseconds,
                             .timing = Timing::runs,
                             .quick = Large ? Quick::no : Quick::yes};

  explicit SizedMatmul(Scale scale) : Matmul(pick<std::size_t>(scale, 1024, 256, 128) * (Large ? 2 : 1)) {}
};

/// `fork(x, y)` calls x and y, perhaps at once, and returns when both are done.
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

}  // namespace bench
