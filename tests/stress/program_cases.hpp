/// The algorithms of random programs: a case for each, which compares it with its serial form. every_algorithm_test.py holds the
/// names of the cases against the headers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <blitz/algorithm/algorithm_options.hpp>
#include <blitz/fork_join.hpp>

namespace blitz_test::program {

/// Many have the same rank; `place` tells these apart.
struct Ranked {
  std::uint64_t rank = 0;
  std::size_t place = 0;
  friend bool operator==(const Ranked&, const Ranked&) = default;
};

using Items = std::vector<Ranked>;
using Numbers = std::vector<std::uint64_t>;

// What the algorithms call. Any callable may run other jobs, and the first two do so now and then; serial forms do not.
inline std::uint64_t busy(std::uint64_t number) {
  if (number % 64 == 0) static_cast<void>(blitz::yield_local());
  return number;
}
inline std::uint64_t rank(const Ranked& item) { return busy(item.rank); }
inline std::uint64_t rank_in(const Ranked& item) { return item.rank; }
inline constexpr auto odd = [](std::uint64_t number) { return number % 2 != 0; };

/// What a case has.
struct World {
  const blitz::AlgorithmOptions& options;
  std::uint64_t dice;
  const Items& items;
  Items found = items;     // for the algorithm to change
  Items expected = items;  // and for its serial form

  /// A position among the items; 0 if there are none.
  [[nodiscard]] std::ptrdiff_t middle() const {
    return static_cast<std::ptrdiff_t>(items.empty() ? 0 : dice % items.size());
  }
  /// A rank that some items may have.
  [[nodiscard]] std::uint64_t some_rank() const { return dice % 256; }
  /// All ranks.
  [[nodiscard]] Numbers ranks() const {
    Numbers numbers(items.size());
    std::ranges::transform(items, numbers.begin(), rank_in);
    return numbers;
  }
  /// At most three items that stand side by side.
  [[nodiscard]] std::span<const Ranked> some_items() const {
    const std::span all(items);
    const auto first = static_cast<std::size_t>(middle());
    return all.subspan(first, std::min<std::size_t>(3, all.size() - first));
  }

  /// Brings `found` up to `middle()` into order, and what is behind it; `expected` as well.
  void sort_parts() {
    std::ranges::stable_sort(found.begin(), found.begin() + middle(), {}, rank_in);
    std::ranges::stable_sort(found.begin() + middle(), found.end(), {}, rank_in);
    expected = found;
  }
  [[nodiscard]] std::span<const Ranked> left() const {
    return std::span(found).first(static_cast<std::size_t>(middle()));
  }
  [[nodiscard]] std::span<const Ranked> right() const {
    return std::span(found).subspan(static_cast<std::size_t>(middle()));
  }

  [[nodiscard]] bool same() const { return found == expected; }
  /// Whether what lies before these places is the same.
  [[nodiscard]] bool same_up_to(Items::const_iterator end, Items::const_iterator expected_end) const {
    return std::equal(found.begin(), end, expected.begin(), expected_end);
  }
  /// Whether these are the items, in any order.
  [[nodiscard]] bool same_items() const {
    Items sorted = found;
    std::ranges::sort(sorted, {}, &Ranked::place);
    return sorted == items;
  }
};

struct Case {
  const char* name;
  bool (*agrees)(World& w);
};

// Each in a file of its own, for they take long to compile.
[[nodiscard]] std::span<const Case> cases_that_read();
[[nodiscard]] std::span<const Case> cases_that_write();
[[nodiscard]] std::span<const Case> cases_that_order();

}  // namespace blitz_test::program
