// Rows of algorithms with the same call in the standard library, in its parallel form and in blitz. To add one: a class here,
// its name in StandardCalls, and the algorithm in BENCH_STANDARD_ALGORITHMS.
#pragma once

#include <span>
#include <tuple>

#include "bench/algorithms/workload.hpp"

namespace bench {

/// The inputs and outputs of such an algorithm.
struct StandardData {
  Numbers in;
  Numbers other;
  Numbers items;  ///< modified, and restored before each call
  Numbers out;
  std::ptrdiff_t answer = -1;

  friend bool operator==(const StandardData&, const StandardData&) = default;
};

/// The output of an algorithm.
struct Output : std::span<Number> {
  explicit Output(Numbers& out) : std::span<Number>(out) {}
};

/// The standard library's arguments for an argument of blitz: both ends of a range, the beginning of an output.
template <class Argument>
auto iterators(Argument& argument) {
  if constexpr (std::is_same_v<Argument, Output>) {
    return std::tuple(argument.begin());
  } else if constexpr (std::ranges::range<Argument>) {
    return std::tuple(argument.begin(), argument.end());
  } else {
    return std::tuple(argument);
  }
}
/// The iterator in a result of the standard library or blitz: the output's, otherwise the first.
auto iterator(const auto& found) {
  if constexpr (requires { found.out; }) {
    return found.out;
  } else if constexpr (requires { found.in1; }) {
    return found.in1;
  } else if constexpr (requires { found.first; }) {
    return found.first;
  } else if constexpr (requires { found.begin(); }) {
    return found.begin();
  } else {
    return found;
  }
}

// The algorithms: a library is a class with a member function for each, which takes ranges.
#define BENCH_STANDARD_ALGORITHMS(F) \
  F(adjacent_difference)             \
  F(copy)                            \
  F(copy_if)                         \
  F(equal)                           \
  F(exclusive_scan)                  \
  F(find_end)                        \
  F(find_first_of)                   \
  F(for_each)                        \
  F(includes)                        \
  F(inplace_merge)                   \
  F(is_sorted)                       \
  F(merge)                           \
  F(minmax_element)                  \
  F(mismatch)                        \
  F(remove_if)                       \
  F(replace_if)                      \
  F(rotate)                          \
  F(search)                          \
  F(set_intersection)                \
  F(set_union)                       \
  F(stable_partition)                \
  F(transform_reduce)                \
  F(unique)

struct SerialAlgorithms {
#define BENCH_CALL(algorithm)                                                                                       \
  auto algorithm(auto&&... arguments) const {                                                                       \
    return std::apply([](auto... its) { return std::algorithm(its...); }, std::tuple_cat(iterators(arguments)...)); \
  }
  BENCH_STANDARD_ALGORITHMS(BENCH_CALL)
#undef BENCH_CALL
};

/// `Call::make(data, items, seed)` makes an input, and `Call::run(data, library)` calls the algorithm of a library. The serial
/// algorithm computes the expected result.
template <class Call>
class StandardRow : public Row {
 public:
  static constexpr Spec spec = Call::spec;
  explicit StandardRow(Scale) {}

  void set(std::size_t items) override {
    turns_.clear();
    for (std::uint64_t seed = 0; seed < inputs_for(items); ++seed) {
      StandardData given;
      Call::make(given, items, seed);
      StandardData expected = given;
      Call::run(expected, SerialAlgorithms());
      turns_.push_back({given, given, std::move(expected)});
    }
  }
  void reset() override {
    for (Turn& turn : turns_) turn.data = turn.given;
  }
  void gap() override {
    turn_ = (turn_ + 1) % turns_.size();
    data().items = turns_[turn_].given.items;
  }
  bool check(std::size_t) const override { return turns_[turn_].data == turns_[turn_].expected; }

  StandardData& data() { return turns_[turn_].data; }
  template <class Library>
  void run(const Library& library) {
    Call::run(data(), library);
  }

 private:
  struct Turn {
    StandardData given;
    StandardData data;
    StandardData expected;
  };
  std::vector<Turn> turns_;
  std::size_t turn_ = 0;
};

/// `numbers`, sorted.
inline Numbers sorted(Numbers numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}
inline Numbers::iterator at(Numbers& numbers, std::size_t place) {
  return numbers.begin() + static_cast<std::ptrdiff_t>(place);
}
inline constexpr std::size_t kPattern = 16;

struct AdjacentDifference {
  static constexpr Spec spec = row_spec("adjacent_difference", "what each item is above the one before it", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) {
    d.in = random_numbers(items, 0, seed);
    d.out.resize(items);
  }
  static void run(StandardData& d, const auto& library) { library.adjacent_difference(d.in, Output(d.out)); }
};
struct Copy {
  static constexpr Spec spec = row_spec("copy", "copy", true);
  static constexpr auto make = AdjacentDifference::make;
  static void run(StandardData& d, const auto& library) { library.copy(d.in, Output(d.out)); }
};
struct CopyIf {
  static constexpr Spec spec = row_spec("copy_if", "copy_if, of half of random numbers", true);
  static constexpr auto make = AdjacentDifference::make;
  static void run(StandardData& d, const auto& library) {
    d.answer = iterator(library.copy_if(d.in, Output(d.out), is_even)) - Output(d.out).begin();
  }
};
struct Equal {
  static constexpr Spec spec = row_spec("equal", "the comparison of two equal arrays", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) {
    d.in = d.other = random_numbers(items, 0, seed);
  }
  static void run(StandardData& d, const auto& library) { d.answer = library.equal(d.in, d.other); }
};
struct ExclusiveScan {
  static constexpr Spec spec = row_spec("exclusive_scan", "the sums of what stands before each item", true);
  static constexpr auto make = AdjacentDifference::make;
  static void run(StandardData& d, const auto& library) { library.exclusive_scan(d.in, Output(d.out), Number{0}); }
};
struct FindEnd {
  static constexpr Spec spec = row_spec("find_end", "the last of a pattern, and it is the beginning", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) {
    d.in = random_numbers(items, 4, seed);
    d.other.assign(d.in.begin(), at(d.in, std::min(items, kPattern)));
  }
  static void run(StandardData& d, const auto& library) {
    d.answer = iterator(library.find_end(d.in, d.other)) - d.in.begin();
  }
};
struct FindFirstOf {
  static constexpr Spec spec = row_spec("find_first_of", "one of 16 numbers, at nine tenths of the items", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) {
    d.in = random_numbers(items, 1 << 20, seed);
    for (Number i = 0; i < kPattern; ++i) d.other.push_back((1 << 20) + i);
    if (items > 0) d.in[items * 9 / 10] = d.other[7];
  }
  static void run(StandardData& d, const auto& library) {
    d.answer = iterator(library.find_first_of(d.in, d.other)) - d.in.begin();
  }
};
struct ForEach {
  static constexpr Spec spec = row_spec("for_each", "a hash in place", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) { d.items = random_numbers(items, 0, seed); }
  static void run(StandardData& d, const auto& library) {
    library.for_each(d.items, [](Number& x) { x = mix(x); });
  }
};
struct Includes {
  static constexpr Spec spec = row_spec("includes", "every other number of sorted ones", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) {
    d.in = sorted(random_numbers(items, 0, seed));
    for (std::size_t i = 0; i < items; i += 1 + mix(i + seed) % 3) d.other.push_back(d.in[i]);
  }
  static void run(StandardData& d, const auto& library) { d.answer = library.includes(d.in, d.other); }
};
struct InplaceMerge {
  static constexpr Spec spec = row_spec("inplace_merge", "two sorted halves of random numbers", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) {
    d.items = random_numbers(items, 0, seed);
    std::sort(d.items.begin(), at(d.items, items / 2));
    std::sort(at(d.items, items / 2), d.items.end());
  }
  static void run(StandardData& d, const auto& library) {
    library.inplace_merge(d.items.begin(), at(d.items, d.items.size() / 2), d.items.end());
  }
};
struct IsSorted {
  static constexpr Spec spec = row_spec("is_sorted", "is_sorted, of sorted numbers", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) {
    d.in = sorted(random_numbers(items, 0, seed));
  }
  static void run(StandardData& d, const auto& library) { d.answer = library.is_sorted(d.in); }
};
struct Merge {
  static constexpr Spec spec = row_spec("merge", "two sorted halves of random numbers", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) { make_halves(d, items, 0, seed); }
  static void make_halves(StandardData& d, std::size_t items, Number below, std::uint64_t seed) {
    const Numbers numbers = random_numbers(items, below, seed);
    d.in = sorted({numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(items / 2)});
    d.other = sorted({numbers.begin() + static_cast<std::ptrdiff_t>(items / 2), numbers.end()});
    d.out.resize(items);
  }
  static void run(StandardData& d, const auto& library) { library.merge(d.in, d.other, Output(d.out)); }
};
struct MinmaxElement {
  static constexpr Spec spec = row_spec("minmax_element", "the least and the greatest number", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) { d.in = random_numbers(items, 0, seed); }
  static void run(StandardData& d, const auto& library) {
    const auto [least, greatest] = library.minmax_element(d.in);
    d.answer = (least - d.in.begin()) * 3 + (greatest - d.in.begin());
  }
};
struct Mismatch {
  static constexpr Spec spec = row_spec("mismatch", "the first difference, at nine tenths of the items", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) {
    d.in = d.other = random_numbers(items, 0, seed);
    if (items > 0) ++d.other[items * 9 / 10];
  }
  static void run(StandardData& d, const auto& library) {
    d.answer = iterator(library.mismatch(d.in, d.other)) - d.in.begin();
  }
};
struct RemoveIf {
  static constexpr Spec spec = row_spec("remove_if", "half of random numbers", true);
  static constexpr auto make = ForEach::make;
  static void run(StandardData& d, const auto& library) {
    d.items.erase(iterator(library.remove_if(d.items, is_even)), d.items.end());
  }
};
struct ReplaceIf {
  static constexpr Spec spec = row_spec("replace_if", "half of random numbers", true);
  static constexpr auto make = ForEach::make;
  static void run(StandardData& d, const auto& library) { library.replace_if(d.items, is_even, Number{1}); }
};
struct Rotate {
  static constexpr Spec spec = row_spec("rotate", "rotate, by a third", true);
  static constexpr auto make = ForEach::make;
  static void run(StandardData& d, const auto& library) {
    library.rotate(d.items.begin(), at(d.items, d.items.size() / 3), d.items.end());
  }
};
struct Search {
  static constexpr Spec spec = row_spec("search", "a pattern, and it is the end", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) {
    d.in = random_numbers(items, 4, seed);
    d.other.assign(at(d.in, items - std::min(items, kPattern)), d.in.end());
  }
  static void run(StandardData& d, const auto& library) {
    d.answer = iterator(library.search(d.in, d.other)) - d.in.begin();
  }
};
struct SetIntersection {
  static constexpr Spec spec = row_spec("set_intersection", "what two sorted halves share", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) {
    Merge::make_halves(d, items, 1 + items, seed);
  }
  static void run(StandardData& d, const auto& library) {
    d.answer = iterator(library.set_intersection(d.in, d.other, Output(d.out))) - Output(d.out).begin();
  }
};
struct SetUnion {
  static constexpr Spec spec = row_spec("set_union", "the union of two sorted halves, which share some numbers", true);
  static constexpr auto make = SetIntersection::make;
  static void run(StandardData& d, const auto& library) {
    d.answer = iterator(library.set_union(d.in, d.other, Output(d.out))) - Output(d.out).begin();
  }
};
struct StablePartition {
  static constexpr Spec spec = row_spec("stable_partition", "stable_partition of random numbers in halves", true);
  static constexpr auto make = ForEach::make;
  static void run(StandardData& d, const auto& library) {
    d.answer = iterator(library.stable_partition(d.items, is_even)) - d.items.begin();
  }
};
struct TransformReduce {
  static constexpr Spec spec = row_spec("transform_reduce", "the sum of hashes", true);
  static constexpr auto make = MinmaxElement::make;
  static void run(StandardData& d, const auto& library) {
    const auto hash = [](Number x) { return mix(x); };
    d.answer = static_cast<std::ptrdiff_t>(library.transform_reduce(d.in, Number{0}, std::plus<>(), hash));
  }
};
/// The input has runs of two items on average.
struct Unique {
  static constexpr Spec spec = row_spec("unique", "unique, of runs of two", true);
  static void make(StandardData& d, std::size_t items, std::uint64_t seed) {
    d.items = random_numbers(items, 2, seed);
    std::partial_sum(d.items.begin(), d.items.end(), d.items.begin());
  }
  static void run(StandardData& d, const auto& library) {
    d.items.erase(iterator(library.unique(d.items)), d.items.end());
  }
};

template <class... Calls>
struct StandardCallList {};
using StandardCalls =
    StandardCallList<AdjacentDifference, Copy, CopyIf, Equal, ExclusiveScan, FindEnd, FindFirstOf, ForEach, Includes,
                     InplaceMerge, IsSorted, Merge, MinmaxElement, Mismatch, RemoveIf, ReplaceIf, Rotate, Search,
                     SetIntersection, SetUnion, StablePartition, TransformReduce, Unique>;

/// Registers Call::run<Row> for all these rows; `Call` is a class for the reason given at RegisterSorts.
template <class Call>
struct RegisterStandard {
  explicit RegisterStandard(std::string_view peer) : RegisterStandard(peer, StandardCalls()) {}

 private:
  template <class... Calls>
  RegisterStandard(std::string_view peer, StandardCallList<Calls...>) {
    (static_cast<void>(Register<&Call::template run<StandardRow<Calls>>>(peer)), ...);
  }
};

}  // namespace bench
