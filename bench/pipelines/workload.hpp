// The rows of the table of algorithms that are complete pipelines: see bench/algorithms/workload.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "bench/algorithms/workload.hpp"

namespace bench {

/// Replaces each number x by x + i for all i below x mod 4, in a new container.
struct FlatMap : Row {
  static constexpr Spec spec = row_spec("flat_map", "up to three numbers for each, collected");
  explicit FlatMap(Scale) {}
  void set(std::size_t items) override {
    in = random_numbers(items);
    Numbers out;
    for (const Number x : in) {
      for (Number i = 0; i < many(x); ++i) out.push_back(x + i);
    }
    expected_ = digest_of(out);
  }
  void reset() override { digest_ = 0; }
  bool check(std::size_t runs) const override { return digest_ == runs * expected_; }

  static constexpr Number many(Number x) { return x % 4; }
  /// Takes the result of one run.
  void take(const auto& out) { digest_ += digest_of(out); }
  Numbers in;

 private:
  /// Reads only a few items, so that its time is negligible.
  static std::uint64_t digest_of(const auto& out) {
    std::uint64_t digest = mix(out.size() + 1);
    for (std::size_t i = 0; i < out.size(); i += 1009) digest = mix(digest ^ out[i]);
    return out.size() == 0 ? digest : mix(digest ^ out[out.size() - 1]);
  }

  std::uint64_t digest_ = 0;
  std::uint64_t expected_ = 0;
};

struct ScanFilterSum : ValueRow<Number> {
  static constexpr Spec spec = row_spec("scan_filter_sum", "the sum of those sums of prefixes that are even");
  explicit ScanFilterSum(Scale) {}
  void set(std::size_t items) override {
    in = random_numbers(items);
    expected = 0;
    Number sum = 0;
    for (const Number x : in) expected += filtered(sum += x);
  }
  static bool keep(Number x) { return x % 2 == 0; }
  static Number filtered(Number x) { return keep(x) ? x : 0; }
  Numbers in;
};

/// The first `words` words of the licences and headers of this machine, repeated if they are fewer. Words with letters outside
/// ASCII are left out, because Rust requires UTF-8.
inline std::string real_text(std::size_t words) {
  namespace fs = std::filesystem;
  std::string text;
  std::size_t found = 0;
  for (const char* const folder : {"/usr/share/common-licenses", "/usr/include"}) {
    if (found == words) break;
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(folder, none)) {
      if (entry.is_regular_file(none)) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      std::ifstream in(file);
      for (std::string word; found < words && in >> word;) {
        if (std::any_of(word.begin(), word.end(), [](char c) { return static_cast<unsigned char>(c) > 127; })) continue;
        text += word + ' ';
        ++found;
      }
    }
  }
  for (std::size_t begin = 0; found > 0 && found < words; ++found) {
    const std::size_t end = text.find(' ', begin) + 1;
    text.append(text, begin, end - begin);
    begin = end;
  }
  return text;
}

/// A text of `words` words from real files. If there are none, the words are from a vocabulary of ten thousand, with the k-th
/// occurring 1 / k as often as the first.
struct WordHistogram : Row {
  static constexpr Spec spec = row_spec("word_histogram", "how often each word occurs");
  using Counts = std::unordered_map<std::string_view, std::size_t>;

  explicit WordHistogram(Scale) {}
  void set(std::size_t items) override {
    text = real_text(items);
    if (text.empty()) text = made_text(items);
    Counts counts;
    add(text, counts);
    expected_ = digest_of(counts);
  }
  void reset() override { digest_ = 0; }
  bool check(std::size_t runs) const override { return digest_ == runs * expected_; }

  /// Takes the result of one run: pairs of a word and its number.
  void take(const auto& counts) { digest_ += digest_of(counts); }
  /// Counts the words of `part` of the text. `part` ends after a word.
  static void add(std::string_view part, Counts& counts) {
    for (std::size_t begin = 0; begin < part.size();) {
      const std::size_t end = part.find(' ', begin);
      ++counts[part.substr(begin, end - begin)];
      begin = end + 1;
    }
  }
  static void merge(Counts& counts, const Counts& others) {
    for (const auto& [word, count] : others) counts[word] += count;
  }
  /// The beginning of the piece `i` of kPiece bytes: at a word.
  std::size_t begin_of(std::size_t i) const {
    if (i == 0) return 0;
    return i >= pieces() ? text.size() : text.find(' ', i * kPiece - 1) + 1;
  }
  std::size_t pieces() const { return (text.size() + kPiece - 1) / kPiece; }
  std::string_view piece(std::size_t i) const {
    return std::string_view(text).substr(begin_of(i), begin_of(i + 1) - begin_of(i));
  }
  std::string text;

 private:
  static constexpr std::size_t kPiece = 4096;

  static std::string made_text(std::size_t words) {
    constexpr std::size_t kWords = 10'000;
    std::vector<double> until(kWords);
    double total = 0;
    for (std::size_t k = 0; k < kWords; ++k) until[k] = total += 1 / static_cast<double>(k + 1);
    std::string made;
    for (const double x : random_reals(words)) {
      made += word(static_cast<std::size_t>(std::lower_bound(until.begin(), until.end(), x * total) - until.begin()));
      made += ' ';
    }
    return made;
  }
  static std::string word(std::size_t number) {
    std::string letters;
    for (std::uint64_t x = mix(number + 1), i = 0; i < 2 + number % 9; ++i, x /= 26) {
      letters += static_cast<char>('a' + x % 26);
    }
    return letters;
  }
  static std::uint64_t digest_of(const auto& counts) {
    std::uint64_t digest = counts.size();
    for (const auto& [word, count] : counts) {
      std::uint64_t of_word = count;
      for (const char c : std::string_view(word)) of_word = of_word * 1099511628211 + static_cast<std::uint64_t>(c);
      digest += mix(of_word);
    }
    return digest;
  }

  std::uint64_t digest_ = 0;
  std::uint64_t expected_ = 0;
};

/// A step of Lloyd's algorithm: the sum and the number of the points nearest to each of 16 centres.
struct KMeans : Row {
  static constexpr Spec spec = row_spec("k_means", "a step of the k-means algorithm in the plane, 16 centres");
  static constexpr std::size_t kCentres = 16;
  struct Sums {
    std::array<double, kCentres> x{};
    std::array<double, kCentres> y{};
    std::array<std::uint64_t, kCentres> count{};
  };

  explicit KMeans(Scale) {}
  void set(std::size_t items) override {
    x = random_reals(items);
    y = random_reals(items, 1);
    expected_ = {};
    for (std::size_t i = 0; i < items; ++i) add(expected_, x[i], y[i]);
  }
  void reset() override { sums = {}; }
  bool check(std::size_t) const override {
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); };
    return sums.count == expected_.count && std::equal(sums.x.begin(), sums.x.end(), expected_.x.begin(), near) &&
           std::equal(sums.y.begin(), sums.y.end(), expected_.y.begin(), near);
  }

  /// Not inline, so that all peers run the same code: depending on the surrounding code, g++ selects or branches, with twice
  /// the time.
  [[gnu::noinline]] static void add(Sums& sums, double px, double py) {
    std::size_t best = 0;
    double least = 2;  // larger than any distance
    for (std::size_t c = 0; c < kCentres; ++c) {
      const double dx = px - centre_x(c);
      const double dy = py - centre_y(c);
      const double square = dx * dx + dy * dy;
      if (square < least) {
        least = square;
        best = c;
      }
    }
    sums.x[best] += px;
    sums.y[best] += py;
    ++sums.count[best];
  }
  static void merge(Sums& sums, const Sums& others) {
    for (std::size_t c = 0; c < kCentres; ++c) {
      sums.x[c] += others.x[c];
      sums.y[c] += others.y[c];
      sums.count[c] += others.count[c];
    }
  }
  static double centre_x(std::size_t c) { return static_cast<double>(c % 4) / 4 + 0.1; }
  static double centre_y(std::size_t c) { return static_cast<double>(c / 4) / 4 + 0.15; }

  Reals x;
  Reals y;
  Sums sums;

 private:
  Sums expected_;
};

/// A square image of at most `items` pixels: points inside the set cost three hundred times as much as others.
struct MandelbrotImage : OutputRow<std::uint32_t> {
  static constexpr Spec spec = row_spec("mandelbrot", "the Mandelbrot set, pixel by pixel");
  explicit MandelbrotImage(Scale) {}
  void set(std::size_t items) override {
    side = static_cast<std::size_t>(std::sqrt(static_cast<double>(items)));
    out.resize(side * side);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = pixel(i, side);
    expect(out);
  }
  static std::uint32_t pixel(std::size_t i, std::size_t side) {
    constexpr std::uint32_t kLimit = 300;
    const double scale = 2.6 / static_cast<double>(side);
    const double re = static_cast<double>(i % side) * scale - 2.0;
    const double im = static_cast<double>(i / side) * scale - 1.3;
    double a = 0;
    double b = 0;
    std::uint32_t n = 0;
    for (; n < kLimit && a * a + b * b <= 4; ++n) {
      const double next = a * a - b * b + re;
      b = 2 * a * b + im;
      a = next;
    }
    return n;
  }
  std::size_t side = 0;
};

/// The forces between bodies in space: at most `items` pairs, of as many bodies as its square root.
struct NBody : Row {
  static constexpr Spec spec = row_spec("n_body", "what bodies pull each other by, pair by pair");
  struct Vector {
    double x;
    double y;
    double z;
  };

  explicit NBody(Scale) {}
  void set(std::size_t items) override {
    const auto count = static_cast<std::size_t>(std::sqrt(static_cast<double>(items)));
    const Reals reals = random_reals(3 * count);
    bodies.resize(count);
    for (std::size_t i = 0; i < count; ++i) bodies[i] = {reals[3 * i], reals[3 * i + 1], reals[3 * i + 2]};
    out.resize(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = pull(bodies[i], bodies);
    expected_ = out;
  }
  void reset() override { std::fill(out.begin(), out.end(), Vector{}); }
  bool check(std::size_t) const override {
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); };
    return std::equal(out.begin(), out.end(), expected_.begin(), [near](const Vector& a, const Vector& b) {
      return near(a.x, b.x) && near(a.y, b.y) && near(a.z, b.z);
    });
  }

  static Vector pull(const Vector& at, const std::vector<Vector>& bodies) {
    Vector sum{};
    for (const Vector& body : bodies) {
      const Vector to{body.x - at.x, body.y - at.y, body.z - at.z};
      const double square = to.x * to.x + to.y * to.y + to.z * to.z + 1e-6;
      const double factor = 1 / (square * std::sqrt(square));
      sum.x += to.x * factor;
      sum.y += to.y * factor;
      sum.z += to.z * factor;
    }
    return sum;
  }
  std::vector<Vector> bodies;
  std::vector<Vector> out;

 private:
  std::vector<Vector> expected_;
};

}  // namespace bench
