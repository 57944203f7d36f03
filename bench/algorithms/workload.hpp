// The rows of the table of algorithms. Each is an algorithm on any number of items. To add a row: a Row here, a line in the
// file of each library that has the algorithm, and its traffic in bench/algorithms.py. Rows that need less are in standard.hpp.
//
// The file of a library contains only the calls that its users would write:
//
//   const Register<+[](Sum& row, BlitzPeer& peer) { row.result = blitz::parallel_reduce({.pool = &peer.pool}, row.in, 0.0, std::plus<>()); }>
//       sum("blitz");
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/harness/hash.hpp"
#include "bench/harness/registry.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

using Number = std::uint64_t;
using Numbers = std::vector<Number>;
using Reals = std::vector<double>;

/// The description of a row. `has_gaps`: Row::gap makes the next input before each call, untimed.
constexpr Spec row_spec(std::string_view name, std::string_view title, bool has_gaps = false) {
  return {.name = name,
          .title = title,
          .unit_of_work = "call",
          .metric = Metric::microseconds,
          .timing = has_gaps ? Timing::cadence : Timing::runs};
}

/// The base of all rows. A run overwrites the result of the previous one, so the check sees the last run.
class Row : public Workload {
 public:
  /// Makes the input and the expected result.
  virtual void set(std::size_t items) = 0;
  void reset() override {}
};

/// The number of inputs of `items` items that the calls take in turn, so that the branch predictor cannot learn the answers.
inline std::size_t inputs_for(std::size_t items) { return std::clamp<std::size_t>((1 << 19) / (items + 1), 1, 512); }

/// Random numbers below `below`; 0 means no limit.
inline Numbers random_numbers(std::size_t count, Number below = 0, std::uint64_t seed = 0) {
  Numbers numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Number number = mix(i + 1 + (seed << 32));
    numbers[i] = below == 0 ? number : number % below;
  }
  return numbers;
}
inline constexpr auto is_even = [](Number x) { return x % 2 == 0; };
/// Random reals from 0 to 1.
inline Reals random_reals(std::size_t count, std::uint64_t seed = 0) {
  Reals reals(count);
  for (std::size_t i = 0; i < count; ++i) reals[i] = static_cast<double>(mix(i + 1 + seed) >> 11) * 0x1p-53;
  return reals;
}

// --- one value ---

/// A row that computes a value. Sums of reals may differ in the last bits.
template <class T>
class ValueRow : public Row {
 public:
  void reset() override { result = T{}; }
  bool check(std::size_t) const override {
    if constexpr (std::is_floating_point_v<T>) return std::abs(result - expected) <= 1e-9 * (1 + std::abs(expected));
    return result == expected;
  }
  T result{};

 protected:
  T expected{};
};

struct Sum : ValueRow<double> {
  static constexpr Spec spec = row_spec("sum", "the sum of doubles");
  explicit Sum(Scale) {}
  void set(std::size_t items) override {
    in = random_reals(items);
    expected = std::accumulate(in.begin(), in.end(), 0.0);
  }
  Reals in;
};

struct MapFilterSum : ValueRow<double> {
  static constexpr Spec spec =
      row_spec("map_filter_sum", "the sum of those of the doubles' images that are above a bound");
  explicit MapFilterSum(Scale) {}
  void set(std::size_t items) override {
    in = random_reals(items);
    expected = 0;
    for (const double x : in) expected += filtered(map(x));
  }
  static double map(double x) { return x * 1.5 + 1; }
  static bool keep(double y) { return y > 1.75; }
  static double filtered(double y) { return keep(y) ? y : 0; }
  Reals in;
};

struct Zip : ValueRow<double> {
  static constexpr Spec spec = row_spec("zip", "the sum of x * y + z over three arrays");
  explicit Zip(Scale) {}
  void set(std::size_t items) override {
    x = random_reals(items);
    y = random_reals(items, 1);
    z = random_reals(items, 2);
    expected = 0;
    for (std::size_t i = 0; i < items; ++i) expected += x[i] * y[i] + z[i];
  }
  Reals x;
  Reals y;
  Reals z;
};

/// The position of the first 1 among zeros, after nine tenths of the items.
struct Find : ValueRow<std::size_t> {
  static constexpr Spec spec = row_spec("find", "find, at nine tenths of the items");
  explicit Find(Scale) {}
  void set(std::size_t items) override {
    in.assign(items, 0);
    expected = items * 9 / 10;
    if (items > 0) in[expected] = 1;
  }
  Numbers in;
};

struct AnyOf : ValueRow<int> {
  static constexpr Spec spec = row_spec("any_of", "any_of, and there is none");
  explicit AnyOf(Scale) {}
  void set(std::size_t items) override { in.assign(items, 0); }
  void reset() override { result = -1; }
  Numbers in;
};

/// The position of the least of different doubles.
struct MinElement : ValueRow<std::size_t> {
  static constexpr Spec spec = row_spec("min_element", "the least double");
  explicit MinElement(Scale) {}
  void set(std::size_t items) override {
    in = random_reals(items);
    expected = static_cast<std::size_t>(std::min_element(in.begin(), in.end()) - in.begin());
  }
  Reals in;
};

struct Count : ValueRow<std::size_t> {
  static constexpr Spec spec = row_spec("count", "how often a byte occurs");
  explicit Count(Scale) {}
  void set(std::size_t items) override {
    in = random_numbers(items, 256);
    expected = static_cast<std::size_t>(std::count(in.begin(), in.end(), kValue));
  }
  static constexpr Number kValue = 7;
  Numbers in;
};

// --- an output ---

/// A row that writes the first `written` items of an output.
template <class T>
class OutputRow : public Row {
 public:
  void reset() override { std::fill(out.begin(), out.end(), T{}); }
  bool check(std::size_t) const override {
    return written == expected.size() && std::equal(expected.begin(), expected.end(), out.begin());
  }
  std::vector<T> out;
  std::size_t written = 0;

 protected:
  void expect(std::vector<T> numbers) {
    written = numbers.size();
    expected = std::move(numbers);
  }
  std::vector<T> expected;
};

struct Transform : OutputRow<double> {
  static constexpr Spec spec = row_spec("transform", "a map into memory");
  explicit Transform(Scale) {}
  void set(std::size_t items) override {
    in = random_reals(items);
    out = in;
    for (double& x : out) x = map(x);
    expect(out);
  }
  static constexpr auto map = [](double x) { return x * 1.5 + 1; };
  Reals in;
};

struct Fill : OutputRow<Number> {
  static constexpr Spec spec = row_spec("fill", "one value for each item");
  explicit Fill(Scale) {}
  void set(std::size_t items) override {
    out.assign(items, kValue);
    expect(out);
  }
  static constexpr Number kValue = 7;
};

struct InclusiveScan : OutputRow<Number> {
  static constexpr Spec spec = row_spec("inclusive_scan", "the sums of all prefixes");
  explicit InclusiveScan(Scale) {}
  void set(std::size_t items) override {
    in = random_numbers(items);
    out.resize(items);
    std::partial_sum(in.begin(), in.end(), out.begin());
    expect(out);
  }
  Numbers in;
};

struct ReduceByKey : OutputRow<Number> {
  static constexpr Spec spec = row_spec("reduce_by_key", "the sums of runs of about ten");
  explicit ReduceByKey(Scale) {}
  void set(std::size_t items) override {
    keys = random_numbers(items, 1 + items / 10);
    std::sort(keys.begin(), keys.end());
    values = random_numbers(items);
    keys_out.resize(items);
    out.resize(items);
    expect({out.begin(), out.begin() + static_cast<std::ptrdiff_t>(reduce(0, items, 0))});
    expected_keys_ = keys_out;
  }
  void reset() override {
    OutputRow::reset();
    std::fill(keys_out.begin(), keys_out.end(), 0);
  }
  bool check(std::size_t runs) const override {
    return OutputRow::check(runs) &&
           std::equal(keys_out.begin(), keys_out.begin() + static_cast<std::ptrdiff_t>(written),
                      expected_keys_.begin());
  }
  /// Whether a run begins at `i`.
  bool begins(std::size_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
  /// Writes the sums of the runs that begin in [first, last) to `to` and the places after it. Returns the end of the output.
  std::size_t reduce(std::size_t first, std::size_t last, std::size_t to) {
    while (first < last && !begins(first)) ++first;
    for (std::size_t i = first; i < last || (first < last && i < keys.size() && !begins(i)); ++i) {
      if (begins(i)) {
        keys_out[to] = keys[i];
        out[to++] = 0;
      }
      out[to - 1] += values[i];
    }
    return to;
  }
  Numbers keys;
  Numbers values;
  Numbers keys_out;

 private:
  Numbers expected_keys_;
};

struct Histogram : OutputRow<std::size_t> {
  static constexpr Spec spec = row_spec("histogram", "how often each byte occurs");
  explicit Histogram(Scale) {}
  void set(std::size_t items) override {
    in.resize(items);
    for (std::size_t i = 0; i < items; ++i) in[i] = static_cast<std::uint8_t>(mix(i + 1));
    out.assign(kBins, 0);
    for (const std::uint8_t x : in) ++out[x];
    expect(out);
  }
  static constexpr std::size_t kBins = 256;
  std::vector<std::uint8_t> in;
};

// --- a new array ---

/// A row with calls that make an array and free it again.
template <class T>
class NewArrayRow : public Row {
 public:
  void reset() override { digest_ = 0; }
  bool check(std::size_t) const override { return digest_ == expected_; }

  /// Takes the array of T that one run made.
  template <class Array>
  void take(const Array& made) {
    digest_ = digest_of(made);
  }
  void take_digest(std::uint64_t digest) { digest_ = digest; }

 protected:
  void expect(const std::vector<T>& made) { expected_ = digest_of(made); }

 private:
  /// Reads only a few items, so that its time is negligible.
  template <class Array>
  static std::uint64_t digest_of(const Array& made) {
    const std::size_t count = made.size();
    if (count == 0) return 1;
    const auto bits = [&](std::size_t i) { return std::bit_cast<std::uint64_t>(made[i]); };
    return count + 3 * bits(0) + 5 * bits(count / 2) + 7 * bits(count - 1);
  }

  std::uint64_t digest_ = 0;
  std::uint64_t expected_ = 0;
};

struct MapNew : NewArrayRow<double> {
  static constexpr Spec spec = row_spec("map_new", "a map into a new array");
  explicit MapNew(Scale) {}
  void set(std::size_t items) override {
    in = random_reals(items);
    Reals out = in;
    for (double& x : out) x = Transform::map(x);
    expect(out);
  }
  Reals in;
};

struct FilterNew : NewArrayRow<Number> {
  static constexpr Spec spec = row_spec("filter_new", "half of random numbers in a new array");
  explicit FilterNew(Scale) {}
  void set(std::size_t items) override {
    in = random_numbers(items);
    Numbers out;
    std::copy_if(in.begin(), in.end(), std::back_inserter(out), is_even);
    expect(out);
  }
  Numbers in;
};

// --- by key ---

/// The positions of the items of each key, in groups of any order.
class GroupBy : public Row {
 public:
  void reset() override { digest_ = 0; }
  bool check(std::size_t runs) const override { return digest_ == runs * expected_; }

  /// Takes the groups of one run. `positions_of(group)` is a range of positions.
  template <class Groups, class Positions>
  void take(const Groups& groups, const Positions& positions_of) {
    for (const auto& group : groups) take_group(positions_of(group));
  }
  /// Takes one group.
  template <class Positions>
  void take_group(const Positions& positions) {
    digest_ += digest_of(positions);
  }
  Numbers keys;

 protected:
  void set_keys(std::size_t items, Number different) {
    keys = random_numbers(items, std::max<Number>(different, 1));
    std::unordered_map<Number, Numbers> groups;
    for (std::size_t i = 0; i < items; ++i) groups[keys[i]].push_back(i);
    expected_ = 0;
    for (const auto& [key, positions] : groups) expected_ += digest_of(positions);
  }

 private:
  /// Reads only a few positions, so that its time is negligible.
  template <class Positions>
  static std::uint64_t digest_of(const Positions& positions) {
    return mix(positions.size()) + positions.front() * 3 + positions.back() * 5;
  }

  std::uint64_t digest_ = 0;
  std::uint64_t expected_ = 0;
};

struct GroupByFew : GroupBy {
  static constexpr Spec spec = row_spec("group_by_1000", "the positions of each of a thousand keys");
  explicit GroupByFew(Scale) {}
  void set(std::size_t items) override { set_keys(items, 1000); }
};
struct GroupByMany : GroupBy {
  static constexpr Spec spec =
      row_spec("group_by_many", "the positions of each key, of which there are a tenth as many");
  explicit GroupByMany(Scale) {}
  void set(std::size_t items) override { set_keys(items, items / 10); }
};

// --- in place ---

/// A row that changes its input. Each run gets the next input.
template <class T>
class InPlaceRow : public Row {
 public:
  void reset() override { gap(); }
  void gap() override {
    turn_ = (turn_ + 1) % inputs_.size();
    items = inputs_[turn_].given;
  }
  bool check(std::size_t) const override { return items == expected(); }
  std::vector<T> items;

 protected:
  /// `make(count, seed)` returns an input; `solve` turns a copy of it into the expected result.
  template <class Make, class Solve>
  void begin_with(std::size_t count, const Make& make, const Solve& solve) {
    inputs_.clear();
    items = std::vector<T>();
    for (std::uint64_t seed = 0; seed < inputs_for(count); ++seed) {
      const std::vector<T> given = make(count, seed);
      inputs_.push_back({given, given});
      solve(inputs_.back().expected);
    }
    gap();
  }
  const std::vector<T>& expected() const { return inputs_[turn_].expected; }

 private:
  struct Input {
    std::vector<T> given;
    std::vector<T> expected;
  };
  std::vector<Input> inputs_;
  std::size_t turn_ = 0;
};
/// An in-place row on random numbers.
class InPlaceNumbers : public InPlaceRow<Number> {
 protected:
  template <class Solve>
  void begin_with(std::size_t count, const Solve& solve) {
    InPlaceRow::begin_with(
        count, [](std::size_t n, std::uint64_t seed) { return random_numbers(n, 0, seed); }, solve);
  }
  /// Whether the items have the expected sum, as any permutation of them does.
  bool is_permutation() const {
    return std::accumulate(items.begin(), items.end(), Number{0}) ==
           std::accumulate(expected().begin(), expected().end(), Number{0});
  }
  static constexpr auto kSort = [](Numbers& numbers) { std::sort(numbers.begin(), numbers.end()); };
};

struct Reverse : InPlaceNumbers {
  static constexpr Spec spec = row_spec("reverse", "reverse", true);
  explicit Reverse(Scale) {}
  void set(std::size_t count) override {
    begin_with(count, [](Numbers& numbers) { std::reverse(numbers.begin(), numbers.end()); });
  }
};

/// Any order is right, because each library has its own.
struct Shuffle : InPlaceNumbers {
  static constexpr Spec spec = row_spec("shuffle", "shuffle", true);
  explicit Shuffle(Scale) {}
  void set(std::size_t count) override {
    begin_with(count, [](Numbers&) {});
  }
  bool check(std::size_t) const override { return is_permutation() && (items.size() < 100 || items != expected()); }
};

struct Partition : InPlaceNumbers {
  static constexpr Spec spec = row_spec("partition", "partition of random numbers in halves", true);
  explicit Partition(Scale) {}
  void set(std::size_t count) override {
    begin_with(count, [](Numbers&) {});
  }
  bool check(std::size_t) const override {
    return std::cmp_equal(left, std::count_if(expected().begin(), expected().end(), is_even)) &&
           std::is_partitioned(items.begin(), items.end(), is_even) && is_permutation();
  }
  std::size_t left = 0;
};

struct NthElement : InPlaceNumbers {
  static constexpr Spec spec = row_spec("nth_element", "the median", true);
  explicit NthElement(Scale) {}
  void set(std::size_t count) override { begin_with(count, kSort); }
  bool check(std::size_t) const override {
    const std::size_t n = items.size() / 2;
    if (items.empty()) return expected().empty();
    return items[n] == expected()[n] && is_permutation() &&
           std::all_of(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(n),
                       [&](Number x) { return x <= items[n]; });
  }
  Numbers::iterator middle() { return items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2); }
};

struct PartialSort : InPlaceNumbers {
  static constexpr Spec spec = row_spec("partial_sort", "the least tenth, in order", true);
  explicit PartialSort(Scale) {}
  void set(std::size_t count) override { begin_with(count, kSort); }
  bool check(std::size_t) const override {
    return is_permutation() && std::equal(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(items.size() / 10),
                                          expected().begin());
  }
  Numbers::iterator middle() { return items.begin() + static_cast<std::ptrdiff_t>(items.size() / 10); }
};

// --- sorts ---

struct Pair {
  Number key;
  Number value;
  friend bool operator==(const Pair&, const Pair&) = default;
};

/// The inputs of sorts: `make(count, seed)`, ordered by `Less`. Items that are equal under it are identical.
struct RandomNumbers {
  static constexpr std::string_view name = "random";
  static Numbers make(std::size_t count, std::uint64_t seed) { return random_numbers(count, 0, seed); }
};
struct NumbersByLess : RandomNumbers {
  static constexpr std::string_view name = "by_less";
  /// A comparison that no library recognises as the order of numbers.
  struct Less {
    bool operator()(Number a, Number b) const { return a < b; }
  };
};
struct SortedNumbers {
  static constexpr std::string_view name = "sorted";
  static Numbers make(std::size_t count, std::uint64_t) {
    Numbers numbers(count);
    std::iota(numbers.begin(), numbers.end(), Number{0});
    return numbers;
  }
};
struct ReversedNumbers {
  static constexpr std::string_view name = "reversed";
  static Numbers make(std::size_t count, std::uint64_t) {
    Numbers numbers = SortedNumbers::make(count, 0);
    std::reverse(numbers.begin(), numbers.end());
    return numbers;
  }
};
struct FewNumbers {
  static constexpr std::string_view name = "16_values";
  static Numbers make(std::size_t count, std::uint64_t seed) { return random_numbers(count, 16, seed); }
};
struct OrganPipe {
  static constexpr std::string_view name = "organ_pipe";
  static Numbers make(std::size_t count, std::uint64_t) {
    Numbers numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = std::min(i, count - i);
    return numbers;
  }
};
/// One item in 500 is displaced; sorted by a comparison.
struct NearlySorted : NumbersByLess {
  static constexpr std::string_view name = "nearly_sorted";
  static Numbers make(std::size_t count, std::uint64_t seed) {
    Numbers numbers = SortedNumbers::make(count, 0);
    for (std::size_t i = 0; i < std::min(count, count / 1000 + 1); ++i) {
      const std::uint64_t random = mix(i + 1 + (seed << 32));
      std::swap(numbers[random % count], numbers[(random >> 32) % count]);
    }
    return numbers;
  }
};
/// Neighbours are exchanged; sorted by a comparison.
struct SwappedPairs : NumbersByLess {
  static constexpr std::string_view name = "swapped_pairs";
  static Numbers make(std::size_t count, std::uint64_t) {
    Numbers numbers = SortedNumbers::make(count, 0);
    for (std::size_t i = 1; i < count; i += 2) std::swap(numbers[i - 1], numbers[i]);
    return numbers;
  }
};
struct RandomReals {
  static constexpr std::string_view name = "doubles";
  static Reals make(std::size_t count, std::uint64_t seed) { return random_reals(count, seed << 32); }
};
struct RandomPairs {
  static constexpr std::string_view name = "pairs";
  struct Less {
    bool operator()(const Pair& a, const Pair& b) const { return a.key < b.key; }
  };
  static std::vector<Pair> make(std::size_t count, std::uint64_t seed) {
    std::vector<Pair> pairs(count);
    for (std::size_t i = 0; i < count; ++i) pairs[i] = {mix(i + 1 + (seed << 32)), i};
    return pairs;
  }
};
struct RandomStrings {
  static constexpr std::string_view name = "strings";
  static std::vector<std::string> make(std::size_t count, std::uint64_t seed) {
    std::vector<std::string> strings(count);
    for (std::size_t i = 0; i < count; ++i)
      strings[i] = "a common prefix, " + std::to_string(mix(i + 1 + (seed << 32)));
    return strings;
  }
};

/// The comparison for all libraries: Input::Less, otherwise std::less, which libraries recognise.
template <class Input>
struct LessOf {
  using Type = std::less<typename decltype(Input::make(0, 0))::value_type>;
};
template <class Input>
  requires requires { typename Input::Less; }
struct LessOf<Input> {
  using Type = typename Input::Less;
};

/// The rows sort_NAME and stable_sort_NAME.
template <class Input, bool kStable>
struct SortRow : InPlaceRow<typename decltype(Input::make(0, 0))::value_type> {
  using Less = typename LessOf<Input>::Type;
  static constexpr auto name = [] {
    constexpr std::string_view prefix = kStable ? "stable_sort_" : "sort_";
    std::array<char, prefix.size() + Input::name.size()> text{};
    std::copy(Input::name.begin(), Input::name.end(), std::copy(prefix.begin(), prefix.end(), text.begin()));
    return text;
  }();
  static constexpr Spec spec = row_spec({name.data(), name.size()}, kStable ? "a stable sort" : "a sort", true);
  static constexpr bool kIsStable = kStable;
  explicit SortRow(Scale) {}
  void set(std::size_t count) override {
    this->begin_with(count, Input::make, [](auto& items) { std::stable_sort(items.begin(), items.end(), Less()); });
  }
};

template <class... Inputs>
struct SortInputs {};
using SortsOfNumbers =
    SortInputs<RandomNumbers, NumbersByLess, SortedNumbers, ReversedNumbers, FewNumbers, OrganPipe, NearlySorted,
               SwappedPairs, RandomReals, RandomPairs>;  ///< of items that every language can sort
using SortsOfObjects = SortInputs<RandomStrings>;

/// Registers Call::run<Row> for the rows of these inputs. `Call` is a class because of g++ 12: the instantiations of a template
/// in an unnamed namespace would have external linkage, and the same name in each library's file.
template <class Call, bool kStable>
struct RegisterSorts {
  template <class... Inputs>
  RegisterSorts(std::string_view peer, SortInputs<Inputs...>) {
    (static_cast<void>(Register<&Call::template run<SortRow<Inputs, kStable>>>(peer)), ...);
  }
  explicit RegisterSorts(std::string_view peer) : RegisterSorts(peer, SortsOfNumbers()) {
    static_cast<void>(RegisterSorts(peer, SortsOfObjects()));
  }
};

// --- the machine ---

/// Reads memory as fast as the machine can.
struct MemoryRead : ValueRow<Number> {
  static constexpr Spec spec = row_spec("memory_read", "reading memory");
  explicit MemoryRead(Scale) {}
  void set(std::size_t items) override {
    in = random_numbers(items);
    expected = std::accumulate(in.begin(), in.end(), Number{0});
  }
  Numbers in;
};
struct MemoryCopy : OutputRow<Number> {
  static constexpr Spec spec = row_spec("memory_copy", "copying memory");
  explicit MemoryCopy(Scale) {}
  void set(std::size_t items) override {
    in = random_numbers(items);
    out.resize(items);
    expect(in);
  }
  Numbers in;
};

}  // namespace bench
