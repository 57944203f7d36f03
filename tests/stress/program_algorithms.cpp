#include "program_algorithms.hpp"

#include <functional>
#include <ranges>

#include <blitz/algorithm.hpp>
#include <blitz/pipeline.hpp>

#include "program_cases.hpp"

namespace blitz_test::program {
namespace {

/// The algorithms that visit the items here do not reorder them, so each call writes only its own place.
Items visit(const blitz::AlgorithmOptions& options, std::uint64_t dice, std::size_t count,
            const std::function<std::uint64_t(std::size_t)>& rank_of) {
  // Few different ranks, or many.
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

/// Case `number` of all cases, modulo their count.
const Case& case_at(std::uint64_t number) {
  static const std::vector<Case> all = [] {
    std::vector<Case> cases;
    for (const auto some : {cases_that_read(), cases_that_write(), cases_that_order()}) {
      cases.insert(cases.end(), some.begin(), some.end());
    }
    return cases;
  }();
  return all[number % all.size()];
}

}  // namespace

bool algorithms_agree(const blitz::AlgorithmOptions& options, std::uint64_t dice, std::size_t count,
                      const std::function<std::uint64_t(std::size_t)>& rank_of) {
  const Items items = visit(options, dice, count, rank_of);
  World world{.options = options, .dice = dice >> 20, .items = items};
  return case_at(dice / 9).agrees(world);
}

}  // namespace blitz_test::program
