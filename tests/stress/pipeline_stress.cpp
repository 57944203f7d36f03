/// Random pipelines against their serial meaning: chains of up to two stages on random sources, with random options, each
/// ended by one of the terminals, and interrupted at a random call by an exception or a stop request.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <blitz/blitz.hpp>
#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"
#include "stress.hpp"

namespace blitz_test {
namespace {

// A ring: all sums are exact, whatever their order.
using Number = std::uint32_t;
using Numbers = std::vector<Number>;

/// Of a pipeline that is run once: what it may do, and what decides what it does.
struct Case {
  Random& random;
  CallCounter& counter;        // called for each item that the source gives
  bool in_order = true;        // The source gives its items in their order.
  bool may_end_early = false;  // Some items of the source need not be given.
  bool stops = false;          // Folds and for_each may return before they have seen all items.

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random.below(n)); }
};

bool is_kept(Number x) { return x % 3 != 1; }
Number mapped(Number x) { return 5 * x + 1; }
std::array<Number, 3> many_of(Number x) { return {x, x + 1, x ^ 7U}; }

template <class F>
Numbers each(const Numbers& numbers, F f) {
  Numbers all;
  for (const Number x : numbers) f(all, x);
  return all;
}

Numbers sorted(Numbers numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

/// Checks a result, which is taken before it is checked: CHECK would catch exceptions.
void check(bool is_right, const Case& c) { CHECK((is_right || c.stops)); }

/// Whether `all`, in the order in which they came, are those that were expected.
bool are_expected(const Numbers& all, const Numbers& expected, const Case& c) {
  return c.in_order ? all == expected : sorted(all) == sorted(expected);
}

/// The terminals that end() has not.
template <class P>
void end_otherwise(const P& pipeline, const Numbers& expected, Case& c) {
  switch (c.below(5)) {
    case 0: {
      Numbers out(c.below(expected.size() + 3), 0);
      const std::size_t written = pipeline.collect_into(out);
      CHECK(written == std::min(out.size(), expected.size()));
      if (c.in_order)
        CHECK(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(written), expected.begin()));
      return;
    }
    case 1: {
      c.may_end_early = true;
      const std::size_t count = pipeline.count();
      return check(count == expected.size(), c);
    }
    case 2: {
      const std::optional<Number> least = pipeline.min();
      const auto right = expected.empty() ? std::nullopt : std::optional(*std::ranges::min_element(expected));
      return check(least == right, c);
    }
    case 3: {
      const Numbers all = pipeline.fold(
          Numbers(), [](Numbers& some, Number x) { some.push_back(x); },
          [](Numbers& left, const Numbers& right) { left.insert(left.end(), right.begin(), right.end()); });
      return check(are_expected(all, expected, c), c);
    }
    default: {
      std::atomic<Number> sum{0};
      pipeline.for_each([&](Number x) { sum.fetch_add(x, std::memory_order_relaxed); });
      return check(sum == std::accumulate(expected.begin(), expected.end(), Number{0}), c);
    }
  }
}

/// Runs a terminal, and compares what comes of it with what comes of `expected`, the items in their order. The longest chains,
/// of which there are most, have few terminals: compilers take long for them.
template <bool kLongest, class P>
void end(const P& pipeline, const Numbers& expected, Case& c) {
  CAPTURE(c.in_order);
  CAPTURE(c.stops);
  CAPTURE(expected.size());
  switch (c.below(kLongest ? 3 : 8)) {
    case 0: {
      const auto items = pipeline.collect();
      const bool is_right = are_expected(Numbers(items.begin(), items.end()), expected, c);
      CHECK(is_right);
      return;
    }
    case 1: {
      c.may_end_early = true;
      const Number wanted = expected.empty() ? 0 : expected[c.below(expected.size())] % 16;
      const auto is_wanted = [wanted](Number x) { return x % 16 == wanted; };
      const auto first = std::ranges::find_if(expected, is_wanted);
      const std::optional<Number> found = pipeline.find_first(is_wanted);
      CHECK(found.has_value() == (first != expected.end()));
      if (found && c.in_order) CHECK(*found == *first);
      return;
    }
    case 2: {
      const Number sum = pipeline.sum();
      return check(sum == std::accumulate(expected.begin(), expected.end(), Number{0}), c);
    }
    default:
      if constexpr (!kLongest) end_otherwise(pipeline, expected, c);
  }
}

/// Adds up to kStages stages to the pipeline.
template <int kStages, class P>
void extend(const P& pipeline, const Numbers& expected, Case& c) {
  if constexpr (kStages > 0) {
    constexpr bool kIndexed = requires { pipeline.rev(); };
    switch (c.below(kIndexed ? 8 : 4)) {
      case 0:
        return extend<kStages - 1>(pipeline.map(mapped),
                                   each(expected, [](auto& to, Number x) { to.push_back(mapped(x)); }), c);
      case 1:
        return extend<kStages - 1>(pipeline.filter(is_kept),
                                   each(expected,
                                        [](auto& to, Number x) {
                                          if (is_kept(x)) to.push_back(x);
                                        }),
                                   c);
      case 2:
        return extend<kStages - 1>(pipeline.flat_map(many_of),
                                   each(expected,
                                        [](auto& to, Number x) {
                                          for (const Number y : many_of(x)) to.push_back(y);
                                        }),
                                   c);
      case 3:
        return end<false>(pipeline, expected, c);
      default:
        break;
    }
    if constexpr (kIndexed) {
      Numbers next;
      switch (c.below(4)) {
        case 0: {
          const std::size_t skipped = c.below(expected.size() + 2);
          const std::size_t taken = c.below(expected.size() + 2);
          const std::size_t step = 1 + c.below(3);
          for (std::size_t i = skipped; i < expected.size() && i - skipped < taken; i += step)
            next.push_back(expected[i]);
          c.may_end_early = true;  // Items that are left out are not made.
          return extend<kStages - 1>(pipeline.skip(skipped).take(taken).step_by(step), next, c);
        }
        case 1:
          next.assign(expected.rbegin(), expected.rend());
          return extend<kStages - 1>(pipeline.rev(), next, c);
        case 2:
          next.resize(expected.size());
          std::partial_sum(expected.begin(), expected.end(), next.begin());
          return extend<kStages - 1>(pipeline.scan(std::plus<Number>()), next, c);
        default:
          for (std::size_t i = 0; i < expected.size(); ++i) next.push_back(expected[i] + static_cast<Number>(i));
          return extend<kStages - 1>(
              pipeline.enumerate().map([](std::size_t i, Number x) { return x + static_cast<Number>(i); }), next, c);
      }
    }
  }
  end<kStages == 0>(pipeline, expected, c);
}

/// Makes a pipeline of the numbers, and runs it.
void run(const Numbers& numbers, const blitz::AlgorithmOptions& options, Case& c) {
  const auto counting = [&counter = c.counter](Number x) {
    counter();
    return x;
  };
  switch (c.below(4)) {
    case 0: {
      const std::list<Number> list(numbers.begin(), numbers.end());
      c.in_order = false;
      return extend<1>(blitz::from(list, {.batch = 1 + c.below(40)}).with(options).map(counting), numbers, c);
    }
    case 1: {
      const std::list<Number> list(numbers.begin(), numbers.end());
      return extend<1>(blitz::from(list).ordered().with(options).map(counting), numbers, c);
    }
    default:
      return extend<2>(blitz::par(numbers).with(options).map(counting), numbers, c);
  }
}

TEST_CASE("pipelines: a random pipeline means the same on every pool") {
  TestWatchdog dog;
  Random random(1);
  const Deadline deadline;
  std::size_t whole = 0;
  std::size_t thrown = 0;
  std::size_t stopped = 0;
  do {
    Numbers numbers(static_cast<std::size_t>(random.one_in(4) ? random.below(20'000) : random.below(300)));
    for (Number& x : numbers) x = static_cast<Number>(random.next());
    CallCounter counter;
    Case c{.random = random, .counter = counter};
    blitz::AlgorithmOptions options{.min_grain = static_cast<std::size_t>(random.below(3) * 5),
                                    .deterministic = random.one_in(3),
                                    .pool = pools()[c.below(pools().size())]};
    const std::size_t way = c.below(4);
    const std::size_t at = c.below(numbers.size() + 1);
    if (way == 0) {
      counter.throw_at(at);
    } else if (way == 1) {
      options.stop = counter.stop_at(at);
    } else {
      counter.never_throw();
    }
    c.stops = way == 1;
    try {
      run(numbers, options, c);
      if (way == 0) CHECK((counter.calls() <= at || c.may_end_early));
      ++whole;
    } catch (const Thrown&) {
      CHECK(way == 0);
      ++thrown;
    } catch (const blitz::Stopped&) {
      CHECK(way == 1);
      ++stopped;
    }
  } while (!deadline.passed());
  MESSAGE(whole, " ran to their ends, ", thrown, " threw, ", stopped, " were stopped");
}

}  // namespace
}  // namespace blitz_test
