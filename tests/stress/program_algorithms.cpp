#include "program_algorithms.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <ranges>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/pipeline.hpp>

namespace blitz_test::program {
namespace {

/// Many have the same rank; `place` tells these apart.
struct Ranked {
  std::uint64_t rank;
  std::size_t place;
  friend bool operator==(const Ranked&, const Ranked&) = default;
};

using Items = std::vector<Ranked>;

// What the algorithms call. Any callable may run other jobs, and these do so now and then; their serial forms do not.
std::uint64_t rank(const Ranked& item) {
  if (item.rank % 64 == 0) static_cast<void>(blitz::yield_local());
  return item.rank;
}
bool is_odd(const Ranked& item) { return rank(item) % 2 != 0; }
std::uint64_t rank_in(const Ranked& item) { return item.rank; }
bool has_odd_rank(const Ranked& item) { return item.rank % 2 != 0; }
bool equal_ranks(const Ranked& a, const Ranked& b) { return rank(a) == rank(b); }

/// Those that are visited are not reordered: so the place of each is its own.
Items visit(const blitz::AlgorithmOptions& options, std::uint64_t dice, std::size_t count,
            const std::function<std::uint64_t(std::size_t)>& rank_of) {
  // Few ranks, or many.
  const std::uint64_t ranks = dice % 3 == 0 ? 4 : 256;
  const auto item_of = [&](std::size_t place) { return Ranked{rank_of(place) % ranks, place}; };
  Items items(count);
  const auto places = std::views::iota(std::size_t{0}, count);
  switch (dice / 3 % 3) {
    case 0:
      blitz::transform(options, places, items, item_of);
      break;
    case 1:
      blitz::for_each(options, places, [&](std::size_t place) { items[place] = item_of(place); });
      break;
    default:
      blitz::par(places).with(options).map(item_of).collect_into(items);
  }
  return items;
}

bool same_items(Items found, const Items& items) {
  std::ranges::sort(found, {}, &Ranked::place);
  return found == items;
}

/// The items up to `middle` and behind it, each in order.
std::ptrdiff_t sort_halves(Items& items, std::uint64_t dice) {
  const auto middle = static_cast<std::ptrdiff_t>(items.empty() ? 0 : dice % items.size());
  std::ranges::stable_sort(items.begin(), items.begin() + middle, {}, &Ranked::rank);
  std::ranges::stable_sort(items.begin() + middle, items.end(), {}, &Ranked::rank);
  return middle;
}

constexpr std::uint64_t kAlgorithms = 16;

bool agrees(const blitz::AlgorithmOptions& options, std::uint64_t algorithm, std::uint64_t dice, const Items& items) {
  Items found = items;
  Items expected = items;
  const auto first = [&](Items& all, std::ptrdiff_t count) {
    return std::ranges::subrange(all.begin(), all.begin() + count);
  };
  switch (algorithm) {
    case 0:
      blitz::sort(options, found, {}, rank);
      return std::ranges::is_sorted(found, {}, &Ranked::rank) && same_items(found, items);
    case 1:
      blitz::stable_sort(options, found, {}, rank);
      std::ranges::stable_sort(expected, {}, &Ranked::rank);
      return found == expected;
    case 2: {
      const std::ptrdiff_t middle = sort_halves(found, dice);
      expected = found;
      std::ranges::inplace_merge(expected, expected.begin() + middle, {}, &Ranked::rank);
      Items merged(items.size());
      blitz::merge(options, first(found, middle), std::ranges::subrange(found.begin() + middle, found.end()), merged,
                   {}, rank, rank);
      return merged == expected;
    }
    case 3: {
      const std::ptrdiff_t middle = sort_halves(found, dice);
      expected = found;
      std::ranges::inplace_merge(expected, expected.begin() + middle, {}, &Ranked::rank);
      blitz::inplace_merge(options, found, found.begin() + middle, {}, rank);
      return found == expected;
    }
    case 4: {
      if (items.empty()) return true;
      const auto nth = static_cast<std::ptrdiff_t>(dice % items.size());
      blitz::nth_element(options, found, found.begin() + nth, {}, rank);
      std::ranges::nth_element(expected, expected.begin() + nth, {}, &Ranked::rank);
      return found[static_cast<std::size_t>(nth)].rank == expected[static_cast<std::size_t>(nth)].rank &&
             same_items(found, items);
    }
    case 5: {
      std::vector<std::uint64_t> sums(items.size());
      blitz::transform_inclusive_scan(options, items, sums, std::plus<>(), rank);
      std::vector<std::uint64_t> wanted(items.size());
      std::transform_inclusive_scan(items.begin(), items.end(), wanted.begin(), std::plus<>(), rank_in);
      return sums == wanted;
    }
    case 6:
      return blitz::transform_reduce(options, items, std::uint64_t{7}, std::plus<>(), rank) ==
             std::transform_reduce(items.begin(), items.end(), std::uint64_t{7}, std::plus<>(), rank_in);
    case 7: {
      const auto end = blitz::copy_if(options, items, found, is_odd).out;
      const auto other = std::ranges::copy_if(items, expected.begin(), has_odd_rank).out;
      return std::ranges::equal(std::ranges::subrange(found.begin(), end),
                                std::ranges::subrange(expected.begin(), other));
    }
    case 8: {
      const auto rest = blitz::unique(options, found, equal_ranks);
      const auto other = std::ranges::unique(expected, {}, &Ranked::rank);
      return std::ranges::equal(std::ranges::subrange(found.begin(), rest.begin()),
                                std::ranges::subrange(expected.begin(), other.begin()));
    }
    case 9: {
      const auto rest = blitz::stable_partition(options, found, is_odd);
      const auto other = std::ranges::stable_partition(expected, has_odd_rank);
      return found == expected && rest.size() == other.size();
    }
    case 10: {
      const auto rest = blitz::partition(options, found, is_odd);
      return std::all_of(found.begin(), rest.begin(), has_odd_rank) &&
             std::none_of(rest.begin(), rest.end(), has_odd_rank) && same_items(found, items);
    }
    case 11:
      return blitz::find_if(options, items, is_odd) == std::ranges::find_if(items, has_odd_rank);
    case 12:
      return blitz::min_element(options, items, {}, rank) == std::ranges::min_element(items, {}, &Ranked::rank) &&
             blitz::count_if(options, items, is_odd) == std::ranges::count_if(items, has_odd_rank);
    case 13: {
      const auto middle = static_cast<std::ptrdiff_t>(items.empty() ? 0 : dice % items.size());
      blitz::rotate(options, found, found.begin() + middle);
      std::ranges::rotate(expected, expected.begin() + middle);
      return found == expected;
    }
    case 14: {
      const auto kept = blitz::par(items).with(options).filter(is_odd).map(rank).collect();
      return std::ranges::equal(kept, items | std::views::filter(has_odd_rank) | std::views::transform(&Ranked::rank));
    }
    default: {
      std::vector<std::uint64_t> sums(items.size());
      std::transform_inclusive_scan(items.begin(), items.end(), sums.begin(), std::plus<>(), rank_in);
      return blitz::par(items).with(options).map(rank).scan(std::plus<>()).sum() ==
             std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
    }
  }
}

}  // namespace

bool algorithms_agree(const blitz::AlgorithmOptions& options, std::uint64_t dice, std::size_t count,
                      const std::function<std::uint64_t(std::size_t)>& rank_of) {
  const Items items = visit(options, dice, count, rank_of);
  return agrees(options, dice / 9 % kAlgorithms, dice / (9 * kAlgorithms), items);
}

}  // namespace blitz_test::program
