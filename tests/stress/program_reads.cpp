#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <ranges>

#include <blitz/algorithm.hpp>
#include <blitz/pipeline.hpp>

#include "program_cases.hpp"

namespace blitz_test::program {
namespace {

using Place = Items::const_iterator;

/// The last item with a rank that satisfies `pred`, or the end.
template <class Pred>
Place last_if(const Items& items, Pred pred) {
  for (Place place = items.end(); place != items.begin();) {
    if (pred((--place)->rank)) return place;
  }
  return items.end();
}

/// `found`, with another rank in at most one item.
const Items& changed(World& w) {
  if (!w.found.empty()) w.found[static_cast<std::size_t>(w.middle())].rank ^= w.dice % 3;
  return w.found;
}

constexpr Case kCases[] = {
    {"count",
     [](World& w) {
       return blitz::count(w.options, w.items, w.some_rank(), rank) ==
              std::ranges::count(w.items, w.some_rank(), rank_in);
     }},
    {"count_if",
     [](World& w) {
       return blitz::count_if(w.options, w.items, odd, rank) == std::ranges::count_if(w.items, odd, rank_in);
     }},
    {"all_of",
     [](World& w) {
       return blitz::all_of(w.options, w.items, odd, rank) == std::ranges::all_of(w.items, odd, rank_in);
     }},
    {"any_of",
     [](World& w) {
       const auto is_it = [&](std::uint64_t x) { return x == w.some_rank(); };
       return blitz::any_of(w.options, w.items, is_it, rank) == std::ranges::any_of(w.items, is_it, rank_in);
     }},
    {"none_of",
     [](World& w) {
       const auto is_it = [&](std::uint64_t x) { return x == w.some_rank(); };
       return blitz::none_of(w.options, w.items, is_it, rank) == std::ranges::none_of(w.items, is_it, rank_in);
     }},
    {"find",
     [](World& w) {
       return blitz::find(w.options, w.items, w.some_rank(), rank) ==
              std::ranges::find(w.items, w.some_rank(), rank_in);
     }},
    {"find_if",
     [](World& w) {
       return blitz::find_if(w.options, w.items, odd, rank) == std::ranges::find_if(w.items, odd, rank_in);
     }},
    {"find_if_not",
     [](World& w) {
       return blitz::find_if_not(w.options, w.items, odd, rank) == std::ranges::find_if_not(w.items, odd, rank_in);
     }},
    {"find_last",
     [](World& w) {
       const auto is_it = [&](std::uint64_t x) { return x == w.some_rank(); };
       return blitz::find_last(w.options, w.items, w.some_rank(), rank).begin() == last_if(w.items, is_it);
     }},
    {"find_last_if",
     [](World& w) { return blitz::find_last_if(w.options, w.items, odd, rank).begin() == last_if(w.items, odd); }},
    {"find_last_if_not",
     [](World& w) {
       return blitz::find_last_if_not(w.options, w.items, odd, rank).begin() == last_if(w.items, std::not_fn(odd));
     }},
    {"adjacent_find",
     [](World& w) {
       return blitz::adjacent_find(w.options, w.items, {}, rank) == std::ranges::adjacent_find(w.items, {}, rank_in);
     }},
    {"search",
     [](World& w) {
       return blitz::search(w.options, w.items, w.some_items(), {}, rank, rank).begin() ==
              std::ranges::search(w.items, w.some_items(), {}, rank_in, rank_in).begin();
     }},
    {"find_end",
     [](World& w) {
       return blitz::find_end(w.options, w.items, w.some_items(), {}, rank, rank).begin() ==
              std::ranges::find_end(w.items, w.some_items(), {}, rank_in, rank_in).begin();
     }},
    {"find_first_of",
     [](World& w) {
       return blitz::find_first_of(w.options, w.items, w.some_items(), {}, rank, rank) ==
              std::ranges::find_first_of(w.items, w.some_items(), {}, rank_in, rank_in);
     }},
    {"mismatch",
     [](World& w) {
       const Items& others = changed(w);
       return blitz::mismatch(w.options, w.items, others, {}, rank, rank).in1 ==
              std::ranges::mismatch(w.items, others, {}, rank_in, rank_in).in1;
     }},
    {"equal",
     [](World& w) {
       const Items& others = changed(w);
       return blitz::equal(w.options, w.items, others, {}, rank, rank) ==
              std::ranges::equal(w.items, others, {}, rank_in, rank_in);
     }},
    {"lexicographical_compare",
     [](World& w) {
       const Items& others = changed(w);
       return blitz::lexicographical_compare(w.options, w.items, others, {}, rank, rank) ==
              std::ranges::lexicographical_compare(w.items, others, {}, rank_in, rank_in);
     }},
    {"is_sorted",
     [](World& w) {
       w.sort_parts();
       return blitz::is_sorted(w.options, w.found, {}, rank) == std::ranges::is_sorted(w.found, {}, rank_in);
     }},
    {"is_sorted_until",
     [](World& w) {
       w.sort_parts();
       return blitz::is_sorted_until(w.options, w.found, {}, rank) ==
              std::ranges::is_sorted_until(w.found, {}, rank_in);
     }},
    {"is_partitioned",
     [](World& w) {
       const auto is_low = [&](std::uint64_t x) { return x < 128; };
       w.sort_parts();
       return blitz::is_partitioned(w.options, w.found, is_low, rank) ==
              std::ranges::is_partitioned(w.found, is_low, rank_in);
     }},
    {"includes",
     [](World& w) {
       w.sort_parts();
       return blitz::includes(w.options, w.left(), w.right(), {}, rank, rank) ==
              std::ranges::includes(w.left(), w.right(), {}, rank_in, rank_in);
     }},
    {"min_element",
     [](World& w) {
       return blitz::min_element(w.options, w.items, {}, rank) == std::ranges::min_element(w.items, {}, rank_in);
     }},
    {"max_element",
     [](World& w) {
       return blitz::max_element(w.options, w.items, {}, rank) == std::ranges::max_element(w.items, {}, rank_in);
     }},
    {"minmax_element",
     [](World& w) {
       const auto found = blitz::minmax_element(w.options, w.items, {}, rank);
       const auto expected = std::ranges::minmax_element(w.items, {}, rank_in);
       return found.min == expected.min && found.max == expected.max;
     }},
    {"min",
     [](World& w) {
       return w.items.empty() || blitz::min(w.options, w.items, {}, rank) == std::ranges::min(w.items, {}, rank_in);
     }},
    {"max",
     [](World& w) {
       return w.items.empty() || blitz::max(w.options, w.items, {}, rank) == std::ranges::max(w.items, {}, rank_in);
     }},
    {"minmax",
     [](World& w) {
       if (w.items.empty()) return true;
       const auto found = blitz::minmax(w.options, w.items, {}, rank);
       const auto expected = std::ranges::minmax(w.items, {}, rank_in);
       return found.min == expected.min && found.max == expected.max;
     }},
    {"reduce",
     [](World& w) {
       const Numbers numbers = w.ranks();
       const auto plus = [](std::uint64_t a, std::uint64_t b) { return a + busy(b); };
       return blitz::reduce(w.options, numbers, std::uint64_t{7}, plus) ==
              std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{7});
     }},
    {"transform_reduce",
     [](World& w) {
       return blitz::transform_reduce(w.options, w.items, std::uint64_t{7}, std::plus<>(), rank) ==
              std::transform_reduce(w.items.begin(), w.items.end(), std::uint64_t{7}, std::plus<>(), rank_in);
     }},
    {"histogram",
     [](World& w) {
       std::vector<std::size_t> expected(256);
       for (const Ranked& item : w.items) ++expected[item.rank];
       return blitz::histogram(w.options, w.items, 256, rank) == expected;
     }},
    {"group_by",
     [](World& w) {
       std::map<std::uint64_t, std::vector<std::size_t>> expected;
       for (const Ranked& item : w.items) expected[item.rank].push_back(item.place);
       const blitz::Groups groups = blitz::group_by(w.options, w.items, rank);
       return groups.size() == expected.size() && std::ranges::all_of(groups, [&](const auto& group) {
                return std::ranges::equal(group, expected[w.items[group.front()].rank]);
              });
     }},
    {"pipeline that filters and maps",
     [](World& w) {
       const auto is_odd = [](const Ranked& item) { return odd(rank(item)); };
       const auto kept = blitz::par(w.items).with(w.options).filter(is_odd).map(rank).collect();
       return std::ranges::equal(kept, w.ranks() | std::views::filter(odd));
     }},
    {"pipeline that scans",
     [](World& w) {
       Numbers sums = w.ranks();
       std::partial_sum(sums.begin(), sums.end(), sums.begin());
       return blitz::par(w.items).with(w.options).map(rank).scan(std::plus<>()).sum() ==
              std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
     }},
};

}  // namespace

std::span<const Case> cases_that_read() { return kCases; }

}  // namespace blitz_test::program
