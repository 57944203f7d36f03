// Loops over arrays larger than most caches: the threads share one memory, and a good loop leaves it busy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "bench/harness/hash.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

// The floating-point values are small whole numbers, so that the results are exact in any order, with and without fused
// multiply-add.

// --- y += a * x ---

struct Saxpy : Workload {
  explicit Saxpy(std::size_t items) : x(items), y(items) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 8);
  }

  void reset() override { std::fill(y.begin(), y.end(), 0.0f); }
  bool check(std::size_t runs) const override {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (y[i] != static_cast<float>(runs) * kA * x[i]) return false;
    }
    return true;
  }
  double units() const override { return 3.0 * sizeof(float) * static_cast<double>(x.size()); }

  template <class Index = std::size_t>
  void run() {
    const auto size = static_cast<Index>(x.size());
    const float* const from = x.data();
    float* const to = y.data();
    for (Index i = 0; i < size; ++i) to[i] += kA * from[i];
  }

  static constexpr float kA = 2;
  std::vector<float> x;
  std::vector<float> y;
};

// --- a = b + s * c, as in McCalpin's STREAM: unlike saxpy it does not read the array that it writes, so the hardware may
// needlessly fetch the lines that are overwritten ---

/// A run overwrites the result of the one before: `s` is the number of the run, so that the result of an earlier run cannot
/// pass for the last.
struct Triad : Workload {
  explicit Triad(std::size_t items) : a(items), b(items), c(items) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      b[i] = static_cast<double>(i % 16);
      c[i] = static_cast<double>(i % 8 + 1);
    }
  }

  void reset() override {
    std::fill(a.begin(), a.end(), 0.0);
    runs_ = 0;
  }
  bool check(std::size_t runs) const override {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] != b[i] + static_cast<double>(runs) * c[i]) return false;
    }
    return true;
  }
  double units() const override { return 3.0 * sizeof(double) * static_cast<double>(a.size()); }

  template <class Index = std::size_t>
  void run() {
    const auto size = static_cast<Index>(a.size());
    const double* const from_b = b.data();
    const double* const from_c = c.data();
    double* const to = a.data();
    const double s = next_scalar();
    for (Index i = 0; i < size; ++i) to[i] = from_b[i] + s * from_c[i];
  }

  /// The `s` of the run that begins.
  double next_scalar() { return static_cast<double>(++runs_); }

  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> c;

 private:
  std::size_t runs_ = 0;
};

// --- The sum of an array: bandwidth, if the additions do not wait for each other ---

struct Reduce : Workload {
  explicit Reduce(std::size_t items) : values(items) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 16);
    for (const double x : values) expected_ += x;
  }

  void reset() override { sum = 0; }
  bool check(std::size_t runs) const override { return sum == static_cast<double>(runs) * expected_; }

  void run() {
    double total = 0;
    for (const double x : values) total += x;
    sum += total;
  }

  std::vector<double> values;
  double sum = 0;

 private:
  double expected_ = 0;
};

// --- Inclusive prefix sums. A loop in parallel cannot carry a sum along, so it takes two passes: the sums of the blocks,
// then, with those summed up one after the other, the prefix sums of each block. ---

struct ScanSize {
  std::size_t items = 10'000'000;
  std::size_t block = 16'384;
};

/// A run overwrites the result of the one before: the sums start at the number of the run, so that the result of an earlier run
/// cannot pass for the last.
struct Scan : Workload {
  using Size = ScanSize;

  explicit Scan(const Size& size)
      : values(size.items),
        sums(values.size()),
        block_size_(size.block),
        offsets_((values.size() + block_size_ - 1) / block_size_) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = random_at(5, i);
  }

  void reset() override {
    std::fill(sums.begin(), sums.end(), 0u);
    runs_ = 0;
  }
  bool check(std::size_t runs) const override {
    std::uint64_t sum = runs;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sum += values[i];
      if (sums[i] != sum) return false;
    }
    return true;
  }

  void run() {
    const std::uint64_t* const in = values.data();
    std::uint64_t* const out = sums.data();
    std::uint64_t sum = next_start();
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = sum += in[i];
  }

  /// The start of the sums of the run that begins.
  std::uint64_t next_start() { return ++runs_; }

  /// One run by two passes. `for_each(count, f)` calls `f` with every index below `count`, in parallel.
  template <class ForEach>
  void run_in_two_passes(const ForEach& for_each) {
    for_each(offsets_.size(), [this](std::size_t block) { offsets_[block] = sum_of(block); });
    std::uint64_t sum = next_start();
    for (std::uint64_t& offset : offsets_) {
      const std::uint64_t of_block = offset;
      offset = sum;
      sum += of_block;
    }
    for_each(offsets_.size(), [this](std::size_t block) { scan(block); });
  }

  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> sums;

 private:
  [[nodiscard]] std::size_t begin_of(std::size_t block) const { return block * block_size_; }
  [[nodiscard]] std::size_t end_of(std::size_t block) const { return std::min(values.size(), begin_of(block + 1)); }

  [[nodiscard]] std::uint64_t sum_of(std::size_t block) const {
    const std::uint64_t* const in = values.data();
    std::uint64_t sum = 0;
    for (std::size_t i = begin_of(block), end = end_of(block); i < end; ++i) sum += in[i];
    return sum;
  }

  void scan(std::size_t block) {
    const std::uint64_t* const in = values.data();
    std::uint64_t* const out = sums.data();
    std::uint64_t sum = offsets_[block];
    for (std::size_t i = begin_of(block), end = end_of(block); i < end; ++i) out[i] = sum += in[i];
  }

  const std::size_t block_size_;
  std::vector<std::uint64_t> offsets_;  // of each block: its own sum, then the sum of all before it
  std::size_t runs_ = 0;
};

constexpr Spec per_byte(std::string_view name, std::string_view title, Quick quick) {
  return {name, title, "byte", Metric::gigabytes_per_second, Timing::runs, quick};
}

inline constexpr std::tuple kMemory{
    Case<Saxpy>{per_byte("saxpy", "y += a * x on floats, two arrays read, one written", Quick::with_clang), 16'000'000,
                4'000'000, 5'000},
    Case<Triad>{
        per_byte("triad", "a = b + s * c on doubles, two arrays read, one written, called from main", Quick::no),
        8'000'000, 4'000'000, 5'000},
    Case<Reduce>{
        {"reduce", "the sum of ten million doubles", "call", Metric::milliseconds, Timing::runs, Quick::with_clang},
        10'000'000,
        4'000'000,
        5'000},
    Case<Scan>{{"scan", "the inclusive prefix sums of an array of 64-bit numbers, called from main", "call",
                Metric::milliseconds, Timing::runs},
               {},
               {.items = 4'000'000},
               {.items = 5'000, .block = 64}},
};

}  // namespace bench
