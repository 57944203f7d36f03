/// The algorithms of random programs: each case compares an algorithm with its serial form. every_algorithm_test.py checks the
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

/// Many items have equal ranks; `place` distinguishes them.
struct Ranked {
  std::uint64_t rank = 0;
  std::size_t place = 0;
  friend bool operator==(const Ranked&, const Ranked&) = default;
};

using Items = std::vector<Ranked>;
using Numbers = std::vector<std::uint64_t>;

// The callables of the algorithms. Any callable may run other jobs, and the first two sometimes do, except in serial forms.
inline std::uint64_t busy(std::uint64_t number) {
  if (number % 64 == 0) static_cast<void>(blitz::yield_local());
  return number;
}
inline std::uint64_t rank(const Ranked& item) { return busy(item.rank); }
inline std::uint64_t rank_in(const Ranked& item) { return item.rank; }
inline constexpr auto odd = [](std::uint64_t number) { return number % 2 != 0; };

/// The input and output of a case.
struct World {
  const blitz::AlgorithmOptions& options;
  std::uint64_t dice;
  const Items& items;
  Items found = items;     // for the algorithm to change
  Items expected = items;  // for its serial form to change

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
  /// At most three adjacent items.
  [[nodiscard]] std::span<const Ranked> some_items() const {
    const std::span all(items);
    const auto first = static_cast<std::size_t>(middle());
    return all.subspan(first, std::min<std::size_t>(3, all.size() - first));
  }

  /// Sorts the parts of `found` and `expected` before and after `middle()`.
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
  /// Whether the items before these positions are equal.
  [[nodiscard]] bool same_up_to(Items::const_iterator end, Items::const_iterator expected_end) const {
    return std::equal(found.begin(), end, expected.begin(), expected_end);
  }
  /// Whether these are all items, in any order.
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

// Each list has its own file because it takes long to compile.
[[nodiscard]] std::span<const Case> cases_that_read();
[[nodiscard]] std::span<const Case> cases_that_write();
[[nodiscard]] std::span<const Case> cases_that_order();

}  // namespace blitz_test::program
