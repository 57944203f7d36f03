// Each algorithm of <execution> on N items. Reads names of algorithms, one per line, and prints for each the minimum time of
// several calls, in nanoseconds; for an empty line it prints the names. pstl.py compiles it twice: with libstdc++'s backend on
// oneTBB, and with blitz/adaptor/pstl. The calls take turns on inputs of half a million items in total, because on a few items
// a processor would learn all branches after a hundred calls, unlike in a real program.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Value = std::uint64_t;
constexpr auto par = std::execution::par;

std::size_t n;
std::string wanted;

/// Each number is the sum of its predecessor and a random number below `step`.
std::vector<Value> ascending(std::size_t items, Value step, std::mt19937_64& random) {
  std::vector<Value> numbers(items);
  Value last = 0;
  for (Value& x : numbers) x = last += random() % step;
  return numbers;
}

/// The inputs of the algorithms. An algorithm that writes to them leaves inputs that are as good.
struct Input {
  Input(std::size_t items, std::mt19937_64& random)
      : v(items),
        w(items),
        sorted(ascending(items, 20, random)),
        others(ascending(items, 20, random)),
        pairs(ascending(items, 3, random)),
        words(items / 10) {
    for (Value& x : v) x = random() % (10 * items);
    for (Value& x : w) x = random() % (10 * items);
    for (std::string& s : words) s = std::to_string(random());
    reals.assign(v.begin(), v.end());
  }
  std::vector<Value> v, w;
  std::vector<Value> sorted, others;  // one in twenty equals its predecessor
  std::vector<Value> pairs;           // one in three equals its predecessor
  std::vector<double> reals;
  std::vector<std::string> words;
};

std::function<void()> next_input;

/// The row `name`: the minimum time of `f()`; `refresh` makes the input of a call, untimed.
template <class Refresh, class F>
void time(const char* name, const Refresh& refresh, const F& f) {
  if (wanted.empty()) std::printf("%s\n", name);
  if (wanted != name) return;
  const auto budget = std::chrono::milliseconds(60);
  auto least = Clock::duration::max();
  Clock::duration spent{};
  for (int call = 0; call < 4 || (spent < budget && call < 500); ++call) {
    next_input();
    refresh();
    const auto start = Clock::now();
    f();
    const auto took = Clock::now() - start;
    spent += took;
    if (call > 0 && took < least) least = took;
  }
  std::printf("%lld\n", static_cast<long long>(std::chrono::nanoseconds(least).count()));
}

template <class T>
void use(const T& result) {
  asm volatile("" : : "r"(&result) : "memory");
}

}  // namespace

int main(int argc, char** argv) {
  n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100000;
  std::mt19937_64 random(1);
  std::vector<Input> inputs;
  for (std::size_t items = 0; items < std::max<std::size_t>(n, std::size_t{1} << 19); items += n)
    inputs.emplace_back(n, random);
  Input input = std::move(inputs.back());
  inputs.pop_back();
  next_input = [&, next = std::size_t{0}]() mutable {
    if (!inputs.empty()) std::swap(input, inputs[next++ % inputs.size()]);
  };
  std::vector<Value>&v = input.v, &w = input.w, &sorted = input.sorted, &others = input.others, &pairs = input.pairs;
  std::vector<double>& reals = input.reals;
  std::vector<std::string>& words = input.words;
  std::vector<Value> out(2 * n), scratch(n);
  std::vector<double> real_out(n);
  std::vector<std::string> word_scratch, built = words;
  const std::vector<Value> absent = {~Value{0}, ~Value{1}, ~Value{2}};
  const Value middle = 5 * n;
  const auto below = [=](Value x) { return x < middle; };
  const auto nothing = [] {};
  const auto fresh = [&] { scratch = v; };

  while (std::getline(std::cin, wanted)) {
    time("for_each", nothing, [&] { std::for_each(par, v.begin(), v.end(), [](Value& x) { x ^= 1; }); });
    time("transform", nothing, [&] { std::transform(par, v.begin(), v.end(), w.begin(), out.begin(), std::plus<>()); });
    time("fill", nothing, [&] { std::fill(par, out.begin(), out.end(), 1); });
    time("copy", nothing, [&] { std::copy(par, v.begin(), v.end(), out.begin()); });
    time("generate", nothing, [&] { std::generate(par, out.begin(), out.end(), [] { return Value{1}; }); });
    time("replace", nothing, [&] { std::replace(par, w.begin(), w.end(), absent[0], absent[1]); });
    time("replace_if", fresh, [&] { std::replace_if(par, scratch.begin(), scratch.end(), below, middle); });
    time("replace_copy", nothing, [&] { std::replace_copy(par, v.begin(), v.end(), out.begin(), v[0], middle); });
    time("replace_copy_if", nothing,
         [&] { std::replace_copy_if(par, v.begin(), v.end(), out.begin(), below, middle); });
    time("reverse_copy", nothing, [&] { std::reverse_copy(par, v.begin(), v.end(), out.begin()); });
    time("rotate_copy", nothing, [&] {
      std::rotate_copy(par, v.begin(), v.begin() + static_cast<std::ptrdiff_t>(n / 3), v.end(), out.begin());
    });
    time("reverse", nothing, [&] { std::reverse(par, w.begin(), w.end()); });
    time("rotate", nothing,
         [&] { std::rotate(par, w.begin(), w.begin() + static_cast<std::ptrdiff_t>(n / 3), w.end()); });
    time("swap_ranges", nothing, [&] { std::swap_ranges(par, w.begin(), w.end(), scratch.begin()); });
    time("reduce", nothing, [&] { use(std::reduce(par, v.begin(), v.end())); });
    time("reduce_double", nothing, [&] { use(std::reduce(par, reals.begin(), reals.end())); });
    time("transform_reduce", nothing,
         [&] { use(std::transform_reduce(par, v.begin(), v.end(), w.begin(), Value{0})); });
    time("count_if", nothing, [&] { use(std::count_if(par, v.begin(), v.end(), below)); });
    time("min_element", nothing, [&] { use(std::min_element(par, v.begin(), v.end())); });
    time("minmax_element", nothing, [&] { use(std::minmax_element(par, v.begin(), v.end())); });
    time("find_none", nothing, [&] { use(std::find(par, v.begin(), v.end(), 10 * n)); });
    time("find_third", nothing, [&] { use(std::find(par, v.begin(), v.end(), v[n / 3])); });
    time("find_two_thirds", nothing, [&] { use(std::find(par, v.begin(), v.end(), v[n / 3 * 2])); });
    time("any_of_none", nothing,
         [&] { use(std::any_of(par, v.begin(), v.end(), [](Value x) { return x == ~Value{0}; })); });
    time("all_of_first", nothing,
         [&] { use(std::all_of(par, v.begin(), v.end(), [](Value x) { return x == ~Value{0}; })); });
    time("adjacent_find", nothing, [&] {
      use(std::adjacent_find(par, v.begin(), v.end(), [](Value x, Value y) { return x + y == ~Value{0}; }));
    });
    time("equal", nothing, [&] { use(std::equal(par, v.begin(), v.end(), v.begin())); });
    time("mismatch", nothing, [&] { use(std::mismatch(par, v.begin(), v.end(), v.begin())); });
    time("lexicographical_compare", nothing,
         [&] { use(std::lexicographical_compare(par, v.begin(), v.end(), v.begin(), v.end())); });
    time("search_none", nothing,
         [&] { use(std::search(par, v.begin(), v.end(), sorted.begin(), sorted.begin() + 3)); });
    time("find_end_none", nothing,
         [&] { use(std::find_end(par, v.begin(), v.end(), sorted.begin(), sorted.begin() + 3)); });
    time("find_first_of_none", nothing,
         [&] { use(std::find_first_of(par, v.begin(), v.end(), absent.begin(), absent.end())); });
    time("search_n_none", nothing, [&] { use(std::search_n(par, v.begin(), v.end(), 3, absent[0])); });
    time("is_sorted_until", nothing, [&] { use(std::is_sorted_until(par, sorted.begin(), sorted.end())); });
    time("is_heap", nothing, [&] { use(std::is_heap(par, sorted.rbegin(), sorted.rend())); });
    time("is_sorted", nothing, [&] { use(std::is_sorted(par, sorted.begin(), sorted.end())); });
    time("is_partitioned", nothing, [&] { use(std::is_partitioned(par, sorted.begin(), sorted.end(), below)); });
    time("includes", nothing,
         [&] { use(std::includes(par, sorted.begin(), sorted.end(), sorted.begin(), sorted.end())); });
    time("inclusive_scan", nothing, [&] { std::inclusive_scan(par, v.begin(), v.end(), out.begin()); });
    time("exclusive_scan", nothing, [&] { std::exclusive_scan(par, v.begin(), v.end(), out.begin(), Value{0}); });
    time("inclusive_scan_double", nothing,
         [&] { std::inclusive_scan(par, reals.begin(), reals.end(), real_out.begin()); });
    time("transform_inclusive_scan", nothing,
         [&] { std::transform_inclusive_scan(par, v.begin(), v.end(), out.begin(), std::plus<>(), std::negate<>()); });
    time("transform_exclusive_scan", nothing, [&] {
      std::transform_exclusive_scan(par, v.begin(), v.end(), out.begin(), Value{0}, std::plus<>(), std::negate<>());
    });
    time("adjacent_difference", nothing, [&] { std::adjacent_difference(par, v.begin(), v.end(), out.begin()); });
    time("copy_if", nothing, [&] { use(std::copy_if(par, v.begin(), v.end(), out.begin(), below)); });
    time("partition_copy", nothing,
         [&] { use(std::partition_copy(par, v.begin(), v.end(), out.begin(), scratch.begin(), below)); });
    time("remove_copy", nothing, [&] { use(std::remove_copy(par, v.begin(), v.end(), out.begin(), v[n / 2])); });
    time("unique_copy", nothing, [&] { use(std::unique_copy(par, sorted.begin(), sorted.end(), out.begin())); });
    time("unique_copy_of_pairs", nothing, [&] { use(std::unique_copy(par, pairs.begin(), pairs.end(), out.begin())); });
    time("remove_if", fresh, [&] { use(std::remove_if(par, scratch.begin(), scratch.end(), below)); });
    time(
        "unique", [&] { scratch = sorted; }, [&] { use(std::unique(par, scratch.begin(), scratch.end())); });
    time("partition", fresh, [&] { use(std::partition(par, scratch.begin(), scratch.end(), below)); });
    time("stable_partition", fresh, [&] { use(std::stable_partition(par, scratch.begin(), scratch.end(), below)); });
    time("merge", nothing,
         [&] { std::merge(par, sorted.begin(), sorted.end(), others.begin(), others.end(), out.begin()); });
    time(
        "inplace_merge",
        [&] {
          scratch = v;
          std::copy(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(n / 2), scratch.begin());
          std::copy(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(n - n / 2),
                    scratch.begin() + static_cast<std::ptrdiff_t>(n / 2));
        },
        [&] {
          std::inplace_merge(par, scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(n / 2), scratch.end());
        });
    time("set_union", nothing,
         [&] { std::set_union(par, sorted.begin(), sorted.end(), others.begin(), others.end(), out.begin()); });
    time("set_intersection", nothing,
         [&] { std::set_intersection(par, sorted.begin(), sorted.end(), others.begin(), others.end(), out.begin()); });
    time("set_difference", nothing,
         [&] { std::set_difference(par, sorted.begin(), sorted.end(), others.begin(), others.end(), out.begin()); });
    time("set_symmetric_difference", nothing, [&] {
      std::set_symmetric_difference(par, sorted.begin(), sorted.end(), others.begin(), others.end(), out.begin());
    });
    time("sort", fresh, [&] { std::sort(par, scratch.begin(), scratch.end()); });
    time(
        "sort_sorted", [&] { scratch = sorted; }, [&] { std::sort(par, scratch.begin(), scratch.end()); });
    time("stable_sort", fresh, [&] { std::stable_sort(par, scratch.begin(), scratch.end()); });
    time(
        "sort_strings", [&] { word_scratch = words; },
        [&] { std::sort(par, word_scratch.begin(), word_scratch.end()); });
    time("partial_sort", fresh, [&] {
      std::partial_sort(par, scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(n / 100), scratch.end());
    });
    time("partial_sort_copy", nothing, [&] {
      std::partial_sort_copy(par, v.begin(), v.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n / 100));
    });
    time("nth_element", fresh, [&] {
      std::nth_element(par, scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(n / 2), scratch.end());
    });

    // Memory: numbers, and strings.
    time("uninitialized_copy", nothing, [&] { std::uninitialized_copy(par, v.begin(), v.end(), out.begin()); });
    time("uninitialized_move", nothing, [&] { std::uninitialized_move(par, v.begin(), v.end(), out.begin()); });
    time("uninitialized_fill", nothing, [&] { std::uninitialized_fill(par, out.begin(), out.end(), Value{1}); });
    time("uninitialized_value_construct", nothing,
         [&] { std::uninitialized_value_construct(par, out.begin(), out.end()); });
    std::string* const first = built.data();
    std::string* const last = first + built.size();
    bool there = true;
    const auto make = [&] { there = there || std::uninitialized_copy(words.begin(), words.end(), first) == last; };
    const auto destroy = [&] { std::destroy(there ? first : last, last), there = false; };
    time("uninitialized_copy_strings", destroy,
         [&] { there = std::uninitialized_copy(par, words.begin(), words.end(), first) == last; });
    time("destroy_strings", make, [&] { std::destroy(par, first, last), there = false; });
    make();
    if (wanted.empty()) std::printf("\n");
    std::fflush(stdout);
  }
}
