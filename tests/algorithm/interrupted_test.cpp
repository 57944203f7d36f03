/// Algorithms that are interrupted at each of their calls in turn: a comparison, a predicate, an operation, a copy or a move
/// throws, or requests a stop. Those with stricter promises have tests of these beside the others.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using Ints = std::vector<int>;
using Items = std::vector<Fragile>;

// Each of these calls counts, as do the copies and moves of the items.
bool less(const Fragile& a, const Fragile& b) { return Fragile::counter(), a.value() < b.value(); }
bool same(const Fragile& a, const Fragile& b) { return Fragile::counter(), a.value() == b.value(); }
bool odd(const Fragile& a) { return Fragile::counter(), a.value() % 2 != 0; }
bool never(const Fragile&) { return Fragile::counter(), false; }
Fragile sum(const Fragile& a, const Fragile& b) { return Fragile::counter(), Fragile(a.value() + b.value()); }

bool odd_int(int x) { return x % 2 != 0; }

Items items_of(const Ints& numbers) {
  Items items;
  items.reserve(numbers.size());
  for (const int number : numbers) items.emplace_back(number);
  return items;
}

/// What algorithms are given: fresh for each call.
struct World {
  Ints numbers;  // of which `a` is made
  Ints others;   // of which `b` is made
  Items a = items_of(numbers);
  Items b = items_of(others);
  Items out = items_of(Ints(a.size() + b.size(), -1));

  [[nodiscard]] auto middle() { return a.begin() + std::ssize(a) / 3; }
};

bool are(const auto& items, const Ints& numbers) { return std::ranges::equal(items, numbers, {}, &Fragile::value); }

/// Whether the items up to `end` are the numbers up to `numbers_end`.
bool holds(const Items& items, Items::const_iterator end, const Ints& numbers, Ints::const_iterator numbers_end) {
  return are(std::ranges::subrange(items.begin(), end), Ints(numbers.begin(), numbers_end));
}

template <class Change>
Ints changed(Ints numbers, Change change) {
  change(numbers);
  return numbers;
}

struct Case {
  const char* name;
  bool partial;                                              // returns what ran, when a stop was requested
  std::function<bool(const AlgorithmOptions&, World&)> run;  // whether the result is right
};

/// Calls each of the cases with items of these numbers, interrupted at each of its calls.
void check_interrupted(const std::vector<Case>& cases, const Ints& numbers, const Ints& others) {
  Fragile::counter.never_throw();
  for (const Case& each : cases) {
    CAPTURE(std::string(each.name));
    for (const blitz::PoolRef pool : {pools()[0], pools()[2], pools()[4]}) {
      AlgorithmOptions options{.min_grain = 4, .pool = pool};
      bool was_run = false;
      for (std::size_t at = 0; !was_run; ++at) {
        CAPTURE(at);
        World world{numbers, others};
        Fragile::counter.throw_at(at);
        try {
          const bool right = each.run(options, world);
          Fragile::counter.never_throw();
          was_run = true;
          CHECK(right);
        } catch (const Thrown&) {
          Fragile::counter.never_throw();
          CHECK(world.a.size() == numbers.size());
        }
      }
      bool stopped = true;
      for (std::size_t at = 0; stopped; ++at) {
        CAPTURE(at);
        World world{numbers, others};
        options.stop = Fragile::counter.stop_at(at);
        bool right = true;
        try {
          right = each.run(options, world) || (each.partial && options.stop.stop_requested());
        } catch (const blitz::Stopped&) {
          right = options.stop.stop_requested();
        }
        stopped = options.stop.stop_requested();
        options.stop = {};
        Fragile::counter.never_throw();
        CHECK(right);
      }
    }
    CHECK(items_alive == 0);
  }
}

TEST_CASE("interrupted: copies and permutations") {
  const auto turn = [](Ints& x) { std::ranges::reverse(x); };
  check_interrupted(
      {
          {"for_each", true,
           [](auto& options, World& w) {
             blitz::for_each(options, w.a, [](Fragile& x) { x = sum(x, x); });
             return are(w.a,
                        changed(w.numbers, [](Ints& x) { std::ranges::transform(x, x, x.begin(), std::plus<>()); }));
           }},
          {"transform", false,
           [](auto& options, World& w) {
             blitz::transform(options, w.a, w.a, w.a, sum);
             return are(w.a,
                        changed(w.numbers, [](Ints& x) { std::ranges::transform(x, x, x.begin(), std::plus<>()); }));
           }},
          {"copy", false,
           [](auto& options, World& w) {
             return holds(w.out, blitz::copy(options, w.a, w.out).out, w.numbers, w.numbers.end()) &&
                    are(w.a, w.numbers);
           }},
          {"move", false,
           [](auto& options, World& w) {
             return holds(w.out, blitz::move(options, w.a, w.out).out, w.numbers, w.numbers.end()) &&
                    std::ranges::all_of(w.a, &Fragile::empty);
           }},
          {"swap_ranges", false,
           [](auto& options, World& w) {
             const auto n = std::ssize(w.a);
             blitz::swap_ranges(options, w.a.begin(), w.middle(), w.a.end() - n / 3, w.a.end());
             return are(w.a, changed(w.numbers, [&](Ints& x) {
                          std::swap_ranges(x.begin(), x.begin() + n / 3, x.end() - n / 3);
                        }));
           }},
          {"reverse", false,
           [&](auto& options, World& w) {
             blitz::reverse(options, w.a);
             return are(w.a, changed(w.numbers, turn));
           }},
          {"reverse_copy", false,
           [&](auto& options, World& w) {
             const Ints expected = changed(w.numbers, turn);
             return holds(w.out, blitz::reverse_copy(options, w.a, w.out).out, expected, expected.end());
           }},
          {"rotate", false,
           [](auto& options, World& w) {
             blitz::rotate(options, w.a, w.middle());
             return are(w.a,
                        changed(w.numbers, [](Ints& x) { std::ranges::rotate(x, x.begin() + std::ssize(x) / 3); }));
           }},
          {"shift_left", false,
           [](auto& options, World& w) {
             const auto rest = blitz::shift_left(options, w.a, 5);
             return are(rest, Ints(w.numbers.begin() + 5, w.numbers.end()));
           }},
          {"shift_right", false,
           [](auto& options, World& w) {
             const auto rest = blitz::shift_right(options, w.a, 5);
             return are(rest, Ints(w.numbers.begin(), w.numbers.end() - 5));
           }},
          {"shuffle", false,
           [](auto& options, World& w) {
             blitz::shuffle(options, w.a, std::mt19937(3));
             Ints found(w.a.size());
             std::ranges::transform(w.a, found.begin(), &Fragile::value);
             return std::ranges::is_permutation(found, w.numbers);
           }},
          {"fill", false,
           [](auto& options, World& w) {
             blitz::fill(options, w.out, w.a[0]);
             return are(w.out, Ints(w.out.size(), w.numbers[0]));
           }},
          {"replace_if", false,
           [](auto& options, World& w) {
             const Fragile seven(7);
             blitz::replace_if(options, w.a, odd, seven);
             return are(w.a, changed(w.numbers, [](Ints& x) { std::ranges::replace_if(x, odd_int, 7); }));
           }},
          {"exclusive_scan", false,
           [](auto& options, World& w) {
             const Fragile zero(0);
             blitz::exclusive_scan(options, w.a, w.a, zero, sum);
             return are(w.a,
                        changed(w.numbers, [](Ints& x) { std::exclusive_scan(x.begin(), x.end(), x.begin(), 0); }));
           }},
          {"adjacent_difference", false,
           [](auto& options, World& w) {
             blitz::adjacent_difference(options, w.a, w.a, sum);
             return are(w.a, changed(w.numbers, [](Ints& x) {
                          std::adjacent_difference(x.begin(), x.end(), x.begin(), std::plus<>());
                        }));
           }},
          {"partition_copy", false,
           [](auto& options, World& w) {
             const auto ends = blitz::partition_copy(options, w.a, w.out, w.b, odd);
             Ints odds(w.numbers.size());
             const auto end = std::ranges::copy_if(w.numbers, odds.begin(), odd_int).out;
             return holds(w.out, ends.out1, odds, end);
           }},
          {"remove_copy_if", false,
           [](auto& options, World& w) {
             Ints evens(w.numbers.size());
             const auto end = std::ranges::remove_copy_if(w.numbers, evens.begin(), odd_int).out;
             return holds(w.out, blitz::remove_copy_if(options, w.a, w.out, odd).out, evens, end);
           }},
          {"unique_copy", false,
           [](auto& options, World& w) {
             Ints firsts(w.numbers.size());
             const auto end = std::ranges::unique_copy(w.numbers, firsts.begin()).out;
             return holds(w.out, blitz::unique_copy(options, w.a, w.out, same).out, firsts, end);
           }},
      },
      random_ints(41, 5), Ints(41, 0));
}

TEST_CASE("interrupted: searches and comparisons") {
  // No match before the end, so that every item is looked at.
  Ints numbers(41);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(2 * i + 2);
  const Ints tail(numbers.end() - 3, numbers.end());
  check_interrupted(
      {
          {"count_if", true, [](auto& options, World& w) { return blitz::count_if(options, w.a, never) == 0; }},
          {"all_of", false, [](auto& options, World& w) { return !blitz::all_of(options, w.a, odd); }},
          {"find_last_if", false,
           [](auto& options, World& w) { return blitz::find_last_if(options, w.a, odd).begin() == w.a.end(); }},
          {"adjacent_find", false,
           [](auto& options, World& w) { return blitz::adjacent_find(options, w.a, same) == w.a.end(); }},
          {"search", false,
           [](auto& options, World& w) { return blitz::search(options, w.a, w.b, same).begin() == w.a.end() - 3; }},
          {"find_end", false,
           [](auto& options, World& w) { return blitz::find_end(options, w.a, w.b, same).begin() == w.a.end() - 3; }},
          {"find_first_of", false,
           [](auto& options, World& w) { return blitz::find_first_of(options, w.a, w.b, same) == w.a.end() - 3; }},
          {"mismatch", false,
           [](auto& options, World& w) { return blitz::mismatch(options, w.a, w.a, same).in1 == w.a.end(); }},
          {"equal", false, [](auto& options, World& w) { return blitz::equal(options, w.a, w.a, same); }},
          {"lexicographical_compare", false,
           [](auto& options, World& w) { return !blitz::lexicographical_compare(options, w.a, w.a, less); }},
          {"is_sorted_until", false,
           [](auto& options, World& w) { return blitz::is_sorted_until(options, w.a, less) == w.a.end(); }},
          {"is_partitioned", false, [](auto& options, World& w) { return blitz::is_partitioned(options, w.a, odd); }},
          {"minmax_element", false,
           [](auto& options, World& w) {
             const auto [least, greatest] = blitz::minmax_element(options, w.a, less);
             return least == w.a.begin() && greatest == w.a.end() - 1;
           }},
          {"max", false,
           [](auto& options, World& w) { return blitz::max(options, w.a, less).value() == w.numbers.back(); }},
          {"includes", false, [](auto& options, World& w) { return blitz::includes(options, w.a, w.b, less); }},
      },
      numbers, tail);
}

TEST_CASE("interrupted: sorts and merges of items whose moves throw") {
  const auto sorted = [](Ints& x) { std::ranges::sort(x); };
  check_interrupted(
      {
          {"sort", false,
           [&](auto& options, World& w) {
             blitz::sort(options, w.a, less);
             return are(w.a, changed(w.numbers, sorted));
           }},
          {"stable_sort", false,
           [&](auto& options, World& w) {
             blitz::stable_sort(options, w.a, less);
             return are(w.a, changed(w.numbers, sorted));
           }},
          {"partial_sort", false,
           [&](auto& options, World& w) {
             blitz::partial_sort(options, w.a, w.a.begin() + 9, less);
             const Ints all = changed(w.numbers, sorted);
             return are(w.a | std::views::take(9), Ints(all.begin(), all.begin() + 9));
           }},
          {"nth_element", false,
           [&](auto& options, World& w) {
             blitz::nth_element(options, w.a, w.a.begin() + 9, less);
             return w.a[9].value() == changed(w.numbers, sorted)[9];
           }},
      },
      random_ints(41, 30), {});
  check_interrupted(
      {
          {"merge", false,
           [](auto& options, World& w) {
             blitz::merge(options, w.a, w.b, w.out, less);
             Ints expected(w.out.size());
             std::ranges::merge(w.numbers, w.others, expected.begin());
             return are(w.out, expected);
           }},
          {"inplace_merge", false,
           [&](auto& options, World& w) {
             // What is in order may be called two parts.
             blitz::rotate(options, w.a, w.middle());
             blitz::inplace_merge(options, w.a, w.a.end() - std::ssize(w.a) / 3, less);
             return are(w.a, w.numbers);
           }},
          {"set_union", false,
           [](auto& options, World& w) {
             Ints expected(w.out.size());
             const auto end = std::ranges::set_union(w.numbers, w.others, expected.begin()).out;
             return holds(w.out, blitz::set_union(options, w.a, w.b, w.out, less).out, expected, end);
           }},
          {"set_symmetric_difference", false,
           [](auto& options, World& w) {
             Ints expected(w.out.size());
             const auto end = std::ranges::set_symmetric_difference(w.numbers, w.others, expected.begin()).out;
             return holds(w.out, blitz::set_symmetric_difference(options, w.a, w.b, w.out, less).out, expected, end);
           }},
      },
      changed(random_ints(41, 30), sorted), changed(random_ints(30, 30), sorted));
}

}  // namespace
}  // namespace blitz_test
