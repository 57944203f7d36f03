#include <algorithm>
#include <functional>
#include <ranges>

#include <blitz/algorithm.hpp>

#include "program_cases.hpp"

namespace blitz_test::program {
namespace {

/// Whether two sorted parts of the items give equal results in both libraries.
template <class Ours, class Standards>
bool same_of_parts(World& w, const Ours& ours, const Standards& standards) {
  w.sort_parts();
  Items out(w.items.size());
  Items expected(w.items.size());
  const auto end = ours(w.options, w.left(), w.right(), out, std::ranges::less(), rank, rank).out;
  const auto expected_end = standards(w.left(), w.right(), expected.begin(), std::ranges::less(), rank_in, rank_in).out;
  return std::equal(out.begin(), end, expected.begin(), expected_end);
}

constexpr Case kCases[] = {
    {"copy_if",
     [](World& w) {
       const auto end = blitz::copy_if(w.options, w.items, w.found, odd, rank).out;
       return w.same_up_to(end, std::ranges::copy_if(w.items, w.expected.begin(), odd, rank_in).out);
     }},
    {"remove_copy",
     [](World& w) {
       const auto end = blitz::remove_copy(w.options, w.items, w.found, w.some_rank(), rank).out;
       return w.same_up_to(end, std::ranges::remove_copy(w.items, w.expected.begin(), w.some_rank(), rank_in).out);
     }},
    {"remove_copy_if",
     [](World& w) {
       const auto end = blitz::remove_copy_if(w.options, w.items, w.found, odd, rank).out;
       return w.same_up_to(end, std::ranges::remove_copy_if(w.items, w.expected.begin(), odd, rank_in).out);
     }},
    {"remove",
     [](World& w) {
       const auto rest = blitz::remove(w.options, w.found, w.some_rank(), rank);
       return w.same_up_to(rest.begin(), std::ranges::remove(w.expected, w.some_rank(), rank_in).begin());
     }},
    {"remove_if",
     [](World& w) {
       const auto rest = blitz::remove_if(w.options, w.found, odd, rank);
       return w.same_up_to(rest.begin(), std::ranges::remove_if(w.expected, odd, rank_in).begin());
     }},
    {"unique",
     [](World& w) {
       const auto rest = blitz::unique(w.options, w.found, {}, rank);
       return w.same_up_to(rest.begin(), std::ranges::unique(w.expected, {}, rank_in).begin());
     }},
    {"unique_copy",
     [](World& w) {
       const auto end = blitz::unique_copy(w.options, w.items, w.found, {}, rank).out;
       return w.same_up_to(end, std::ranges::unique_copy(w.items, w.expected.begin(), {}, rank_in).out);
     }},
    {"partition",
     [](World& w) {
       const auto rest = blitz::partition(w.options, w.found, odd, rank);
       return w.same_items() && rest.end() == w.found.end() &&
              std::ranges::all_of(w.found.begin(), rest.begin(), odd, rank_in) &&
              std::ranges::none_of(rest, odd, rank_in);
     }},
    {"stable_partition",
     [](World& w) {
       const auto rest = blitz::stable_partition(w.options, w.found, odd, rank);
       return rest.size() == std::ranges::stable_partition(w.expected, odd, rank_in).size() && w.same();
     }},
    {"partition_copy",
     [](World& w) {
       Items evens(w.items.size());
       Items expected_evens(w.items.size());
       const auto ends = blitz::partition_copy(w.options, w.items, w.found, evens, odd, rank);
       const auto expected_ends =
           std::ranges::partition_copy(w.items, w.expected.begin(), expected_evens.begin(), odd, rank_in);
       return w.same_up_to(ends.out1, expected_ends.out1) &&
              std::equal(evens.begin(), ends.out2, expected_evens.begin(), expected_ends.out2);
     }},
    {"reduce_by_key",
     [](World& w) {
       Numbers keys;
       Numbers sums;
       for (const Ranked& item : w.items) {
         if (keys.empty() || keys.back() != item.rank) {
           keys.push_back(item.rank);
           sums.push_back(0);
         }
         sums.back() += item.rank;
       }
       const Numbers numbers = w.ranks();
       Numbers keys_found(numbers.size());
       Numbers sums_found(numbers.size());
       const auto same = [](std::uint64_t a, std::uint64_t b) { return busy(a) == b; };
       const auto ends = blitz::reduce_by_key(w.options, numbers, numbers, keys_found, sums_found, same);
       return std::equal(keys_found.begin(), ends.keys_out, keys.begin(), keys.end()) &&
              std::equal(sums_found.begin(), ends.values_out, sums.begin(), sums.end());
     }},
    {"sort",
     [](World& w) {
       blitz::sort(w.options, w.found, {}, rank);
       return std::ranges::is_sorted(w.found, {}, rank_in) && w.same_items();
     }},
    {"stable_sort",
     [](World& w) {
       blitz::stable_sort(w.options, w.found, {}, rank);
       std::ranges::stable_sort(w.expected, {}, rank_in);
       return w.same();
     }},
    {"partial_sort",
     [](World& w) {
       blitz::partial_sort(w.options, w.found, w.found.begin() + w.middle(), {}, rank);
       std::ranges::sort(w.expected, {}, rank_in);
       return w.same_items() && std::equal(w.found.begin(), w.found.begin() + w.middle(), w.expected.begin(),
                                           [](const Ranked& a, const Ranked& b) { return a.rank == b.rank; });
     }},
    {"nth_element",
     [](World& w) {
       if (w.items.empty()) return true;
       blitz::nth_element(w.options, w.found, w.found.begin() + w.middle(), {}, rank);
       std::ranges::nth_element(w.expected, w.expected.begin() + w.middle(), {}, rank_in);
       return w.found.begin()[w.middle()].rank == w.expected.begin()[w.middle()].rank && w.same_items();
     }},
    {"sort_by_key",
     [](World& w) {
       Numbers keys = w.ranks();
       blitz::sort_by_key(w.options, keys, w.found, {}, busy);
       std::ranges::stable_sort(w.expected, {}, rank_in);
       return w.same() && std::ranges::equal(keys, w.found, {}, {}, rank_in);
     }},
    {"sort_by_cached_key",
     [](World& w) {
       blitz::sort_by_cached_key(w.options, w.found, rank);
       std::ranges::stable_sort(w.expected, {}, rank_in);
       return w.same();
     }},
    {"inplace_merge",
     [](World& w) {
       w.sort_parts();
       blitz::inplace_merge(w.options, w.found, w.found.begin() + w.middle(), {}, rank);
       std::ranges::inplace_merge(w.expected, w.expected.begin() + w.middle(), {}, rank_in);
       return w.same();
     }},
    {"merge", [](World& w) { return same_of_parts(w, blitz::merge, std::ranges::merge); }},
    {"set_union", [](World& w) { return same_of_parts(w, blitz::set_union, std::ranges::set_union); }},
    {"set_intersection",
     [](World& w) { return same_of_parts(w, blitz::set_intersection, std::ranges::set_intersection); }},
    {"set_difference", [](World& w) { return same_of_parts(w, blitz::set_difference, std::ranges::set_difference); }},
    {"set_symmetric_difference",
     [](World& w) { return same_of_parts(w, blitz::set_symmetric_difference, std::ranges::set_symmetric_difference); }},
};

}  // namespace

std::span<const Case> cases_that_order() { return kCases; }

}  // namespace blitz_test::program
