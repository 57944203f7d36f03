/// Every algorithm is interrupted at each of its calls in turn: a comparison, a predicate, a projection, an operation, a copy
/// or a move throws or requests a stop. In addition, each of its allocations fails in turn. Nothing is leaked, all elements are
/// valid, and an algorithm that only changes the order of items loses none unless a move throws. Algorithms with stronger
/// guarantees have tests of these in their own files. every_algorithm_test.py checks the names of the cases against the
/// headers.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"
#include "support/fail_each.hpp"
#include "support/failing_new.hpp"

namespace blitz_test {
namespace {

using Ints = std::vector<int>;
using Items = std::vector<Fragile>;

// Each of these calls counts, and so do the copies and moves of the items. Comparisons and predicates take items, or the
// results of `value`.
constexpr auto less = [](const auto& a, const auto& b) { return Fragile::counter(), number_of(a) < number_of(b); };
constexpr auto same = [](const auto& a, const auto& b) { return Fragile::counter(), number_of(a) == number_of(b); };
constexpr auto odd = [](const auto& a) { return Fragile::counter(), number_of(a) % 2 != 0; };
constexpr auto even = [](const auto& a) { return Fragile::counter(), number_of(a) % 2 == 0; };
constexpr auto never = [](const auto&) { return Fragile::counter(), false; };
Fragile sum(const Fragile& a, const Fragile& b) { return Fragile::counter(), Fragile(a.value() + b.value()); }

// Projections. These calls count, too, in every algorithm that has a projection.
int value(const Fragile& a) { return Fragile::counter(), a.value(); }
Fragile& itself(Fragile& a) { return Fragile::counter(), a; }

bool odd_int(int x) { return x % 2 != 0; }

Items items_of(const Ints& numbers) {
  Items items;
  items.reserve(numbers.size());
  for (const int number : numbers) items.emplace_back(number);
  return items;
}

/// The input of an algorithm: new for each call.
struct World {
  Ints numbers;  // the numbers of `a`
  Ints others;   // the numbers of `b`
  Items a = items_of(numbers);
  Items b = items_of(others);
  Items out = items_of(Ints(a.size() + b.size(), -1));

  [[nodiscard]] auto middle() { return a.begin() + std::ssize(a) / 3; }
};

bool are(const auto& items, const Ints& numbers) { return std::ranges::equal(items, numbers, {}, &Fragile::value); }

/// Whether the items up to `end` have the numbers up to `numbers_end`.
bool holds(const Items& items, Items::const_iterator end, const Ints& numbers, Ints::const_iterator numbers_end) {
  return are(std::ranges::subrange(items.begin(), end), Ints(numbers.begin(), numbers_end));
}

/// Whether a set operation gives the result of the standard's.
bool set_operation(const AlgorithmOptions& options, World& w, auto ours, auto standards) {
  Ints expected(w.out.size());
  const auto end = standards(w.numbers, w.others, expected.begin(), {}, {}, {}).out;
  return holds(w.out, ours(options, w.a, w.b, w.out, less, value, value).out, expected, end);
}

template <class Change>
Ints changed(Ints numbers, Change change) {
  change(numbers);
  return numbers;
}

/// The guarantee of an interrupted algorithm.
enum class Promise {
  kValid,    // all elements are valid; a stop request ends it by Stopped
  kPartial,  // like kValid, but after a stop request it returns
  kSame      // like kValid, and unless a move throws, the items are the original ones in some order
};

struct Case {
  const char* name;
  Promise promise;
  std::function<bool(const AlgorithmOptions&, World&)> run;  // whether the result is right
};

/// Calls `each` with each allocation failing in turn, including those of its items. It must work without that memory or throw
/// std::bad_alloc.
void check_without_memory(const Case& each, const Ints& numbers, const Ints& others) {
  if (!allocations_can_fail()) return;
  Fragile::counter.never_throw();
  for (const blitz::PoolRef pool : {pools()[0], pools()[2], pools()[4]}) {
    const std::size_t in_use = allocations_in_use();
    const std::size_t failures = fail_each(
        [&](std::size_t nth) {
          World world{numbers, others};
          bool right = true;
          bool thrown = false;
          fail_allocation_after(nth);
          try {
            right = each.run({.min_grain = 4, .pool = pool}, world);
          } catch (const std::bad_alloc&) {
            thrown = true;
          }
          const bool failed = stop_failing();
          CHECK(right);
          CHECK((failed || !thrown));
          if (each.promise == Promise::kSame) CHECK(made_of(world.a, numbers));
          return failed;
        },
        next_to_interrupt);
    // The pool keeps some memory for its jobs.
    CHECK(allocations_in_use() < in_use + 20 + failures / 2);
  }
}

/// Calls each case with items of these numbers, interrupted at each call: first only calls of callables count, then copies and
/// moves as well.
void check_interrupted(const std::vector<Case>& cases, const Ints& numbers, const Ints& others) {
  Fragile::counter.never_throw();
  for (const Case& each : cases) {
    CAPTURE(std::string(each.name));
    const auto check_items = [&](const World& world) {
      Fragile::counter.never_throw();
      if (each.promise == Promise::kSame && !Fragile::moves_count) CHECK(made_of(world.a, numbers));
    };
    for (const blitz::PoolRef pool : {pools()[0], pools()[2], pools()[4]}) {
      for (const bool moves_count : {false, true}) {
        CAPTURE(moves_count);
        Fragile::moves_count = moves_count;
        AlgorithmOptions options{.min_grain = 4, .pool = pool};
        bool was_run = false;
        for (std::size_t at = 0; !was_run; at = next_to_interrupt(at)) {
          CAPTURE(at);
          World world{numbers, others};
          Fragile::counter.throw_at(at);
          try {
            const bool right = each.run(options, world);
            was_run = true;
            CHECK(right);
          } catch (const Thrown&) {
          }
          check_items(world);
        }
        bool stopped = true;
        for (std::size_t at = 0; stopped; at = next_to_interrupt(at)) {
          CAPTURE(at);
          World world{numbers, others};
          options.stop = Fragile::counter.stop_at(at);
          bool right = true;
          try {
            right = each.run(options, world) || (each.promise == Promise::kPartial && options.stop.stop_requested());
          } catch (const blitz::Stopped&) {
            right = options.stop.stop_requested();
          }
          stopped = options.stop.stop_requested();
          options.stop = {};
          check_items(world);
          CHECK(right);
        }
        // A stop request before the call, with many blocks and with one.
        std::stop_source before;
        before.request_stop();
        for (const std::size_t grain : {4, 1'000'000}) {
          CAPTURE(grain);
          World world{numbers, others};
          bool ended = false;
          try {
            static_cast<void>(each.run({.min_grain = grain, .stop = before.get_token(), .pool = pool}, world));
          } catch (const blitz::Stopped&) {
            ended = true;
          }
          check_items(world);
          CHECK((ended || each.promise == Promise::kPartial));
        }
      }
    }
    check_without_memory(each, numbers, others);
    CHECK(items_alive == 0);
  }
}

TEST_CASE("interrupted: copies and permutations leave valid items") {
  const auto turn = [](Ints& x) { std::ranges::reverse(x); };
  check_interrupted(
      {
          {"for_each", Promise::kPartial,
           [](auto& options, World& w) {
             blitz::for_each(
                 options, w.a, [](Fragile& x) { x = sum(x, x); }, itself);
             return are(w.a,
                        changed(w.numbers, [](Ints& x) { std::ranges::transform(x, x, x.begin(), std::plus<>()); }));
           }},
          {"for_each_n", Promise::kPartial,
           [](auto& options, World& w) {
             blitz::for_each_n(
                 options, w.a.begin(), 20, [](Fragile& x) { x = sum(x, x); }, itself);
             return are(w.a, changed(w.numbers, [](Ints& x) {
                          std::transform(x.begin(), x.begin() + 20, x.begin(), [](int i) { return 2 * i; });
                        }));
           }},
          {"transform", Promise::kValid,
           [](auto& options, World& w) {
             blitz::transform(options, w.a, w.a, w.a, sum, itself, itself);
             return are(w.a,
                        changed(w.numbers, [](Ints& x) { std::ranges::transform(x, x, x.begin(), std::plus<>()); }));
           }},
          {"copy", Promise::kValid,
           [](auto& options, World& w) {
             return holds(w.out, blitz::copy(options, w.a, w.out).out, w.numbers, w.numbers.end()) &&
                    are(w.a, w.numbers);
           }},
          {"copy_n", Promise::kValid,
           [](auto& options, World& w) {
             const auto end = blitz::copy_n(options, w.a.begin(), 20, w.out.begin()).out;
             return holds(w.out, end, w.numbers, w.numbers.begin() + 20);
           }},
          {"move", Promise::kValid,
           [](auto& options, World& w) {
             return holds(w.out, blitz::move(options, w.a, w.out).out, w.numbers, w.numbers.end()) &&
                    std::ranges::all_of(w.a, &Fragile::empty);
           }},
          {"swap_ranges", Promise::kValid,
           [](auto& options, World& w) {
             const auto n = std::ssize(w.a);
             blitz::swap_ranges(options, w.a.begin(), w.middle(), w.a.end() - n / 3, w.a.end());
             return are(w.a, changed(w.numbers, [&](Ints& x) {
                          std::swap_ranges(x.begin(), x.begin() + n / 3, x.end() - n / 3);
                        }));
           }},
          {"reverse", Promise::kValid,
           [&](auto& options, World& w) {
             blitz::reverse(options, w.a);
             return are(w.a, changed(w.numbers, turn));
           }},
          {"reverse_copy", Promise::kValid,
           [&](auto& options, World& w) {
             const Ints expected = changed(w.numbers, turn);
             return holds(w.out, blitz::reverse_copy(options, w.a, w.out).out, expected, expected.end());
           }},
          {"rotate", Promise::kValid,
           [](auto& options, World& w) {
             blitz::rotate(options, w.a, w.middle());
             return are(w.a,
                        changed(w.numbers, [](Ints& x) { std::ranges::rotate(x, x.begin() + std::ssize(x) / 3); }));
           }},
          {"rotate_copy", Promise::kValid,
           [](auto& options, World& w) {
             const Ints expected = changed(w.numbers, [](Ints& x) { std::ranges::rotate(x, x.begin() + 13); });
             return holds(w.out, blitz::rotate_copy(options, w.a, w.a.begin() + 13, w.out).out, expected,
                          expected.end());
           }},
          {"shift_left", Promise::kValid,
           [](auto& options, World& w) {
             const auto rest = blitz::shift_left(options, w.a, 5);
             return are(rest, Ints(w.numbers.begin() + 5, w.numbers.end()));
           }},
          {"shift_right", Promise::kValid,
           [](auto& options, World& w) {
             const auto rest = blitz::shift_right(options, w.a, 5);
             return are(rest, Ints(w.numbers.begin(), w.numbers.end() - 5));
           }},
          {"shuffle", Promise::kValid,
           [](auto& options, World& w) {
             blitz::shuffle(options, w.a, std::mt19937(3));
             Ints found(w.a.size());
             std::ranges::transform(w.a, found.begin(), &Fragile::value);
             return std::ranges::is_permutation(found, w.numbers);
           }},
          {"fill", Promise::kValid,
           [](auto& options, World& w) {
             blitz::fill(options, w.out, w.a[0]);
             return are(w.out, Ints(w.out.size(), w.numbers[0]));
           }},
          {"fill_n", Promise::kValid,
           [](auto& options, World& w) {
             blitz::fill_n(options, w.out.begin(), 20, w.a[0]);
             return are(w.out | std::views::take(20), Ints(20, w.numbers[0]));
           }},
          {"generate", Promise::kValid,
           [](auto& options, World& w) {
             blitz::generate(options, w.out, [] { return Fragile::counter(), Fragile(3); });
             return are(w.out, Ints(w.out.size(), 3));
           }},
          {"iota", Promise::kValid,
           [](auto& options, World& w) {
             blitz::iota(options, w.a, 0);
             return are(w.a, changed(w.numbers, [](Ints& x) { std::iota(x.begin(), x.end(), 0); }));
           }},
          {"replace", Promise::kValid,
           [](auto& options, World& w) {
             const Fragile seven(7);
             blitz::replace(options, w.a, 3, seven, value);
             return are(w.a, changed(w.numbers, [](Ints& x) { std::ranges::replace(x, 3, 7); }));
           }},
          {"replace_if", Promise::kValid,
           [](auto& options, World& w) {
             const Fragile seven(7);
             blitz::replace_if(options, w.a, odd, seven, value);
             return are(w.a, changed(w.numbers, [](Ints& x) { std::ranges::replace_if(x, odd_int, 7); }));
           }},
          {"inclusive_scan", Promise::kValid,
           [](auto& options, World& w) {
             blitz::inclusive_scan(options, w.a, w.a, sum);
             return are(w.a, changed(w.numbers, [](Ints& x) { std::partial_sum(x.begin(), x.end(), x.begin()); }));
           }},
          {"transform_inclusive_scan", Promise::kValid,
           [](auto& options, World& w) {
             Ints sums(w.a.size());
             blitz::transform_inclusive_scan(options, w.a, sums, std::plus<>(), value);
             return sums == changed(w.numbers, [](Ints& x) { std::partial_sum(x.begin(), x.end(), x.begin()); });
           }},
          {"transform_exclusive_scan", Promise::kValid,
           [](auto& options, World& w) {
             Ints sums(w.a.size());
             blitz::transform_exclusive_scan(options, w.a, sums, 0, std::plus<>(), value);
             return sums == changed(w.numbers, [](Ints& x) { std::exclusive_scan(x.begin(), x.end(), x.begin(), 0); });
           }},
          {"exclusive_scan", Promise::kValid,
           [](auto& options, World& w) {
             const Fragile zero(0);
             blitz::exclusive_scan(options, w.a, w.a, zero, sum);
             return are(w.a,
                        changed(w.numbers, [](Ints& x) { std::exclusive_scan(x.begin(), x.end(), x.begin(), 0); }));
           }},
          {"adjacent_difference", Promise::kValid,
           [](auto& options, World& w) {
             blitz::adjacent_difference(options, w.a, w.a, sum);
             return are(w.a, changed(w.numbers, [](Ints& x) {
                          std::adjacent_difference(x.begin(), x.end(), x.begin(), std::plus<>());
                        }));
           }},
      },
      random_ints(41, 5), Ints(41, 0));
}

TEST_CASE("interrupted: filters and partitions leave valid items") {
  check_interrupted(
      {
          {"partition_copy", Promise::kValid,
           [](auto& options, World& w) {
             Items evens = items_of(Ints(w.a.size(), -1));
             const auto ends = blitz::partition_copy(options, w.a, w.out, evens, odd, value);
             Ints odds(w.numbers.size());
             const auto end = std::ranges::copy_if(w.numbers, odds.begin(), odd_int).out;
             return holds(w.out, ends.out1, odds, end);
           }},
          {"partition", Promise::kSame,
           [](auto& options, World& w) {
             const auto odds = w.a.size() - blitz::partition(options, w.a, odd, value).size();
             return std::ranges::all_of(w.a | std::views::take(odds), odd_int, &Fragile::value) &&
                    made_of(w.a, w.numbers);
           }},
          {"stable_partition", Promise::kValid,
           [](auto& options, World& w) {
             blitz::stable_partition(options, w.a, odd, value);
             return are(w.a, changed(w.numbers, [](Ints& x) { std::ranges::stable_partition(x, odd_int); }));
           }},
          {"copy_if", Promise::kValid,
           [](auto& options, World& w) {
             Ints odds(w.numbers.size());
             const auto end = std::ranges::copy_if(w.numbers, odds.begin(), odd_int).out;
             return holds(w.out, blitz::copy_if(options, w.a, w.out, odd, value).out, odds, end);
           }},
          {"remove_if", Promise::kValid,
           [](auto& options, World& w) {
             Ints evens = w.numbers;
             std::erase_if(evens, odd_int);
             return holds(w.a, blitz::remove_if(options, w.a, odd, value).begin(), evens, evens.end());
           }},
          {"remove", Promise::kValid,
           [](auto& options, World& w) {
             Ints others = w.numbers;
             std::erase(others, 3);
             return holds(w.a, blitz::remove(options, w.a, 3, value).begin(), others, others.end());
           }},
          {"remove_copy", Promise::kValid,
           [](auto& options, World& w) {
             Ints others = w.numbers;
             std::erase(others, 3);
             return holds(w.out, blitz::remove_copy(options, w.a, w.out, 3, value).out, others, others.end());
           }},
          {"unique", Promise::kValid,
           [](auto& options, World& w) {
             Ints firsts = w.numbers;
             firsts.erase(std::ranges::unique(firsts).begin(), firsts.end());
             return holds(w.a, blitz::unique(options, w.a, same, value).begin(), firsts, firsts.end());
           }},
          {"remove_copy_if", Promise::kValid,
           [](auto& options, World& w) {
             Ints evens(w.numbers.size());
             const auto end = std::ranges::remove_copy_if(w.numbers, evens.begin(), odd_int).out;
             return holds(w.out, blitz::remove_copy_if(options, w.a, w.out, odd, value).out, evens, end);
           }},
          {"unique_copy", Promise::kValid,
           [](auto& options, World& w) {
             Ints firsts(w.numbers.size());
             const auto end = std::ranges::unique_copy(w.numbers, firsts.begin()).out;
             return holds(w.out, blitz::unique_copy(options, w.a, w.out, same, value).out, firsts, end);
           }},
      },
      random_ints(150, 5), {});  // the flags of 64 items are one block
}

TEST_CASE("interrupted: searches, comparisons and folds leave valid items") {
  // No match before the end, so every item is visited.
  Ints numbers(41);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(2 * i + 2);
  const Ints tail(numbers.end() - 3, numbers.end());
  check_interrupted(
      {
          {"count_if", Promise::kValid,
           [](auto& options, World& w) { return blitz::count_if(options, w.a, never, value) == 0; }},
          {"count", Promise::kValid, [](auto& options, World& w) { return blitz::count(options, w.a, 1, value) == 0; }},
          {"any_of", Promise::kValid,
           [](auto& options, World& w) { return !blitz::any_of(options, w.a, never, value); }},
          {"none_of", Promise::kValid,
           [](auto& options, World& w) { return blitz::none_of(options, w.a, never, value); }},
          {"find", Promise::kValid,
           [](auto& options, World& w) { return blitz::find(options, w.a, 82, value) == w.a.end() - 1; }},
          {"find_if", Promise::kValid,
           [](auto& options, World& w) { return blitz::find_if(options, w.a, odd, value) == w.a.end(); }},
          {"find_if_not", Promise::kValid,
           [](auto& options, World& w) { return blitz::find_if_not(options, w.a, even, value) == w.a.end(); }},
          {"find_last", Promise::kValid,
           [](auto& options, World& w) { return blitz::find_last(options, w.a, 2, value).begin() == w.a.begin(); }},
          {"find_last_if_not", Promise::kValid,
           [](auto& options, World& w) {
             return blitz::find_last_if_not(options, w.a, even, value).begin() == w.a.end();
           }},
          {"all_of", Promise::kValid, [](auto& options, World& w) { return !blitz::all_of(options, w.a, odd, value); }},
          {"find_last_if", Promise::kValid,
           [](auto& options, World& w) { return blitz::find_last_if(options, w.a, odd, value).begin() == w.a.end(); }},
          {"adjacent_find", Promise::kValid,
           [](auto& options, World& w) { return blitz::adjacent_find(options, w.a, same, value) == w.a.end(); }},
          {"search", Promise::kValid,
           [](auto& options, World& w) {
             return blitz::search(options, w.a, w.b, same, value, value).begin() == w.a.end() - 3;
           }},
          {"find_end", Promise::kValid,
           [](auto& options, World& w) {
             return blitz::find_end(options, w.a, w.b, same, value, value).begin() == w.a.end() - 3;
           }},
          {"find_first_of", Promise::kValid,
           [](auto& options, World& w) {
             return blitz::find_first_of(options, w.a, w.b, same, value, value) == w.a.end() - 3;
           }},
          {"mismatch", Promise::kValid,
           [](auto& options, World& w) {
             return blitz::mismatch(options, w.a, w.a, same, value, value).in1 == w.a.end();
           }},
          {"equal", Promise::kValid,
           [](auto& options, World& w) { return blitz::equal(options, w.a, w.a, same, value, value); }},
          {"lexicographical_compare", Promise::kValid,
           [](auto& options, World& w) {
             return !blitz::lexicographical_compare(options, w.a, w.a, less, value, value);
           }},
          {"is_sorted_until", Promise::kValid,
           [](auto& options, World& w) { return blitz::is_sorted_until(options, w.a, less, value) == w.a.end(); }},
          {"is_partitioned", Promise::kValid,
           [](auto& options, World& w) { return blitz::is_partitioned(options, w.a, odd, value); }},
          {"is_sorted", Promise::kValid,
           [](auto& options, World& w) { return blitz::is_sorted(options, w.a, less, value); }},
          {"min_element", Promise::kValid,
           [](auto& options, World& w) { return blitz::min_element(options, w.a, less, value) == w.a.begin(); }},
          {"max_element", Promise::kValid,
           [](auto& options, World& w) { return blitz::max_element(options, w.a, less, value) == w.a.end() - 1; }},
          {"min", Promise::kValid,
           [](auto& options, World& w) { return blitz::min(options, w.a, less, value).value() == w.numbers.front(); }},
          {"minmax", Promise::kValid,
           [](auto& options, World& w) {
             return blitz::minmax(options, w.a, less, value).max.value() == w.numbers.back();
           }},
          {"reduce", Promise::kValid,
           [](auto& options, World& w) {
             const Fragile total = blitz::reduce(options, w.a, Fragile(0), sum);
             return total.value() == std::accumulate(w.numbers.begin(), w.numbers.end(), 0);
           }},
          {"transform_reduce", Promise::kValid,
           [](auto& options, World& w) {
             const Fragile total = blitz::transform_reduce(options, w.a, w.a, Fragile(0), sum, sum);
             return total.value() == 2 * std::accumulate(w.numbers.begin(), w.numbers.end(), 0);
           }},
          {"histogram", Promise::kValid,
           [](auto& options, World& w) {
             return blitz::histogram(options, w.a, 83, value) == blitz::histogram(two_threads(), w.numbers, 83);
           }},
          {"group_by", Promise::kValid,
           [](auto& options, World& w) {
             const blitz::Groups groups = blitz::group_by(
                 options, w.a, [](const Fragile& x) { return std::string(20, 'x') += char(value(x) % 10); });
             return groups.size() == 5 && groups[0].size() == 9 && groups[4].front() == 4;
           }},
          {"minmax_element", Promise::kValid,
           [](auto& options, World& w) {
             const auto [least, greatest] = blitz::minmax_element(options, w.a, less, value);
             return least == w.a.begin() && greatest == w.a.end() - 1;
           }},
          {"max", Promise::kValid,
           [](auto& options, World& w) { return blitz::max(options, w.a, less, value).value() == w.numbers.back(); }},
          {"includes", Promise::kValid,
           [](auto& options, World& w) { return blitz::includes(options, w.a, w.b, less, value, value); }},
      },
      numbers, tail);
}

TEST_CASE("interrupted: sorts keep all items unless a move throws, and merges leave valid items") {
  const auto sorted = [](Ints& x) { std::ranges::sort(x); };
  const Ints numbers = random_ints(41, 30);
  check_interrupted(
      {
          {"sort", Promise::kSame,
           [&](auto& options, World& w) {
             blitz::sort(options, w.a, less, value);
             return are(w.a, changed(w.numbers, sorted));
           }},
          {"stable_sort", Promise::kSame,
           [&](auto& options, World& w) {
             blitz::stable_sort(options, w.a, less, value);
             return are(w.a, changed(w.numbers, sorted));
           }},
          {"partial_sort", Promise::kSame,
           [&](auto& options, World& w) {
             blitz::partial_sort(options, w.a, w.a.begin() + 9, less, value);
             const Ints all = changed(w.numbers, sorted);
             return are(w.a | std::views::take(9), Ints(all.begin(), all.begin() + 9));
           }},
          {"nth_element", Promise::kSame,
           [&](auto& options, World& w) {
             blitz::nth_element(options, w.a, w.a.begin() + 9, less, value);
             return w.a[9].value() == changed(w.numbers, sorted)[9];
           }},
          {"sort of items that are not contiguous", Promise::kSame,
           [&](auto& options, World& w) {
             std::deque<Fragile> items;
             for (const int number : w.numbers) items.emplace_back(number);
             blitz::sort(options, items, less);
             return are(items, changed(w.numbers, sorted));
           }},
          {"sort_by_key", Promise::kSame,
           [&](auto& options, World& w) {
             blitz::sort_by_key(options, w.a, w.b, less, value);
             return are(w.a, changed(w.numbers, sorted)) && are(w.b, changed(w.others, sorted));
           }},
          {"sort_by_cached_key", Promise::kSame,
           [&](auto& options, World& w) {
             blitz::sort_by_cached_key(
                 options, w.a, [](const Fragile& x) { return sum(x, x); }, less);
             return are(w.a, changed(w.numbers, sorted));
           }},
      },
      numbers, numbers);
  check_interrupted(
      {
          {"merge", Promise::kValid,
           [](auto& options, World& w) {
             blitz::merge(options, w.a, w.b, w.out, less, value, value);
             Ints expected(w.out.size());
             std::ranges::merge(w.numbers, w.others, expected.begin());
             return are(w.out, expected);
           }},
          {"inplace_merge", Promise::kValid,
           [&](auto& options, World& w) {
             // The sorted numbers may be treated as two sorted parts.
             blitz::rotate(options, w.a, w.middle());
             blitz::inplace_merge(options, w.a, w.a.end() - std::ssize(w.a) / 3, less, value);
             return are(w.a, w.numbers);
           }},
          {"set_union", Promise::kValid,
           [](auto& options, World& w) { return set_operation(options, w, blitz::set_union, std::ranges::set_union); }},
          {"set_intersection", Promise::kValid,
           [](auto& options, World& w) {
             return set_operation(options, w, blitz::set_intersection, std::ranges::set_intersection);
           }},
          {"set_difference", Promise::kValid,
           [](auto& options, World& w) {
             return set_operation(options, w, blitz::set_difference, std::ranges::set_difference);
           }},
          {"set_symmetric_difference", Promise::kValid,
           [](auto& options, World& w) {
             return set_operation(options, w, blitz::set_symmetric_difference, std::ranges::set_symmetric_difference);
           }},
          {"reduce_by_key", Promise::kValid,
           [](auto& options, World& w) {
             Ints keys;
             Ints sums;
             for (const int number : w.numbers) {
               if (keys.empty() || keys.back() != number) {
                 keys.push_back(number);
                 sums.push_back(0);
               }
               sums.back() += number;
             }
             Items sums_out = items_of(Ints(keys.size(), -1));
             const auto ends = blitz::reduce_by_key(options, w.a, w.a, w.out, sums_out, same, sum);
             return holds(w.out, ends.keys_out, keys, keys.end()) && are(sums_out, sums);
           }},
      },
      changed(numbers, sorted), changed(random_ints(30, 30), sorted));
}

/// A default-constructible Fragile.
struct Born : Fragile {
  Born() : Born(1) {}
  explicit Born(int number) : Fragile((Fragile::counter(), number)) {}
};

/// Whether `construct` makes objects with these numbers in uninitialized memory. Destroys them afterwards.
template <class T, class Construct>
bool constructs(const Ints& expected, Construct construct) {
  const blitz::detail::Scratch<T> memory(expected.size());
  const std::span<T> objects(memory.data(), expected.size());
  construct(objects);
  const bool right = are(objects, expected);
  std::ranges::destroy(objects);
  return right;
}

TEST_CASE("interrupted: algorithms on uninitialized memory leak no object") {
  const auto first = [](auto objects) { return objects.data(); };
  const auto all = [](auto objects) { return static_cast<std::ptrdiff_t>(objects.size()); };
  check_interrupted(
      {
          {"uninitialized_copy", Promise::kValid,
           [](auto& options, World& w) {
             return constructs<Fragile>(w.numbers, [&](auto to) { blitz::uninitialized_copy(options, w.a, to); });
           }},
          {"uninitialized_move", Promise::kValid,
           [](auto& options, World& w) {
             return constructs<Fragile>(w.numbers, [&](auto to) { blitz::uninitialized_move(options, w.a, to); });
           }},
          {"uninitialized_copy_n", Promise::kValid,
           [&](auto& options, World& w) {
             return constructs<Fragile>(w.numbers, [&](auto to) {
               blitz::uninitialized_copy_n(options, w.a.begin(), all(to), to.begin(), to.end());
             });
           }},
          {"uninitialized_move_n", Promise::kValid,
           [&](auto& options, World& w) {
             return constructs<Fragile>(w.numbers, [&](auto to) {
               blitz::uninitialized_move_n(options, w.a.begin(), all(to), to.begin(), to.end());
             });
           }},
          {"uninitialized_fill", Promise::kValid,
           [](auto& options, World&) {
             return constructs<Born>(Ints(41, 7), [&](auto to) { blitz::uninitialized_fill(options, to, 7); });
           }},
          {"uninitialized_fill_n", Promise::kValid,
           [&](auto& options, World&) {
             return constructs<Born>(Ints(41, 7),
                                     [&](auto to) { blitz::uninitialized_fill_n(options, first(to), all(to), 7); });
           }},
          {"uninitialized_default_construct", Promise::kValid,
           [](auto& options, World&) {
             return constructs<Born>(Ints(41, 1),
                                     [&](auto to) { blitz::uninitialized_default_construct(options, to); });
           }},
          {"uninitialized_default_construct_n", Promise::kValid,
           [&](auto& options, World&) {
             return constructs<Born>(
                 Ints(41, 1), [&](auto to) { blitz::uninitialized_default_construct_n(options, first(to), all(to)); });
           }},
          {"uninitialized_value_construct", Promise::kValid,
           [](auto& options, World&) {
             return constructs<Born>(Ints(41, 1), [&](auto to) { blitz::uninitialized_value_construct(options, to); });
           }},
          {"uninitialized_value_construct_n", Promise::kValid,
           [&](auto& options, World&) {
             return constructs<Born>(
                 Ints(41, 1), [&](auto to) { blitz::uninitialized_value_construct_n(options, first(to), all(to)); });
           }},
          // These two ignore a stop request, and call nothing that throws.
          {"destroy", Promise::kPartial,
           [](auto& options, World& w) {
             const blitz::detail::Scratch<Fragile> memory(w.a.size());
             const std::span<Fragile> objects(memory.data(), w.a.size());
             std::ranges::uninitialized_copy(w.a, objects);
             blitz::destroy(options, objects);
             return items_alive == std::ssize(w.a) + std::ssize(w.out);
           }},
          {"destroy_n", Promise::kPartial,
           [](auto& options, World& w) {
             const blitz::detail::Scratch<Fragile> memory(w.a.size());
             std::uninitialized_copy(w.a.begin(), w.a.end(), memory.data());
             blitz::destroy_n(options, memory.data(), std::ssize(w.a));
             return items_alive == std::ssize(w.a) + std::ssize(w.out);
           }},
      },
      random_ints(41), {});
}

TEST_CASE("interrupted: loops over tiles and over added items leave valid items") {
  check_interrupted(
      {
          {"parallel_for_tiles", Promise::kPartial,
           [](auto& options, World& w) {
             blitz::parallel_for_tiles({.stop = options.stop, .pool = options.pool}, {5, 8}, {2, 3},
                                       [&](const blitz::Tile<2>& tile) {
                                         for (const std::size_t row : tile.rows()) {
                                           for (const std::size_t col : tile.cols()) {
                                             Fragile& x = w.a[8 * row + col];
                                             x = sum(x, x);
                                           }
                                         }
                                       });
             return are(w.a, Ints(40, 2));
           }},
          {"parallel_for_tiles in three dimensions", Promise::kPartial,
           [](auto& options, World& w) {
             blitz::parallel_for_tiles({.stop = options.stop, .pool = options.pool}, {2, 4, 5}, {1, 2, 2},
                                       [&](const blitz::Tile<3>& tile) {
                                         for (const std::size_t page : tile.pages()) {
                                           for (const std::size_t row : tile.rows()) {
                                             for (const std::size_t col : tile.cols()) {
                                               Fragile& x = w.a[20 * page + 5 * row + col];
                                               x = sum(x, x);
                                             }
                                           }
                                         }
                                       });
             return are(w.a, Ints(40, 2));
           }},
          {"parallel_for_each with a feeder", Promise::kPartial,
           [](auto& options, World& w) {
             std::atomic<int> calls = 0;
             blitz::parallel_for_each({.stop = options.stop, .pool = options.pool}, w.a | std::views::take(5),
                                      [&](const Fragile& x, blitz::Feeder<Fragile>& feeder) {
                                        ++calls;
                                        if (value(x) < 4) {
                                          for (int i = 0; i < 2; ++i) feeder.add(sum(x, w.a[5]));
                                        }
                                      });
             return calls == 5 * (1 + 2 + 4 + 8);
           }},
      },
      Ints(40, 1), {});
}

}  // namespace
}  // namespace blitz_test
