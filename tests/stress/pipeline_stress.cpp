/// Random pipelines, compared with serial execution: chains of several stages on random sources with random options. One of the
/// terminals ends each chain, and an exception or a stop request interrupts it at a random call. Two types erase the stages,
/// one for stages that keep positions and one for others, so the compile time does not grow with the length of a chain.

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <blitz/fork_join.hpp>
#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"
#include "pipeline/any_stage.hpp"
#include "stress.hpp"

namespace blitz_test {
namespace {

using blitz::par;
using blitz::detail::LoopIndex;

// Arithmetic modulo 2^32: all sums are exact in any order.
using Number = std::uint32_t;
using Numbers = std::vector<Number>;

using Indexed = blitz::Pipeline<AnyStage<Number, true>>;
using Unindexed = blitz::Pipeline<AnyStage<Number, false>>;
using Any = std::variant<Indexed, Unindexed>;

/// The pipeline with its stage's type erased.
template <class S>
Any hidden(const blitz::Pipeline<S>& pipeline) {
  using Stage = AnyStage<Number, S::kIndexed>;
  return blitz::Pipeline(Stage(pipeline.stage()), pipeline.options());
}

/// One run of a pipeline: its choices, and how its result may differ from the serial one.
struct Case {
  Random& random;
  CallCounter& counter;  // called for each item of the source
  const blitz::AlgorithmOptions& options;
  bool in_order = true;        // The source keeps its items in order.
  bool may_end_early = false;  // Some items of the source may be skipped.
  bool stops = false;          // Folds and for_each may return before they have seen all items.

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random.below(n)); }
};

/// The data that a pipeline refers to.
struct Input {
  Numbers numbers;
  std::list<Number> list;
  std::string text;
};

bool is_kept(Number x) { return x % 3 != 1; }
Number mapped(Number x) { return 5 * x + 1; }
std::optional<Number> mapped_if_kept(Number x) { return is_kept(x) ? std::optional(mapped(x)) : std::nullopt; }
std::array<Number, 3> many_of(Number x) { return {x, x + 1, x ^ 7U}; }

template <class F>
Numbers each(const Numbers& numbers, F f) {
  Numbers all;
  for (const Number x : numbers) f(all, x);
  return all;
}
template <class P>
Numbers kept_by(const Numbers& numbers, P pred) {
  Numbers all;
  std::ranges::copy_if(numbers, std::back_inserter(all), pred);
  return all;
}
template <class R>
Number sum_of(const R& range) {
  return std::accumulate(range.begin(), range.end(), Number{0});
}

Numbers sorted(Numbers numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

/// Checks a result that was computed before the call: CHECK would catch exceptions.
void check(bool is_right, const Case& c) { CHECK((is_right || c.stops)); }

/// Whether `all` are the expected items, in the expected order if the source keeps it.
template <class R>
bool are_expected(const R& all, const Numbers& expected, const Case& c) {
  const Numbers found(all.begin(), all.end());
  return c.in_order ? found == expected : sorted(found) == sorted(expected);
}

// --- sources ---

/// Makes a pipeline of the input and puts its items in `expected`.
Any source(Input& input, Numbers& expected, Case& c) {
  const Numbers& numbers = input.numbers;
  const auto counting = [&counter = c.counter](Number x) {
    counter();
    return x;
  };
  const auto number = [&numbers, counting](std::size_t i) { return counting(numbers[i]); };
  const auto counted_sum = [counting](const auto& group) { return counting(sum_of(group)); };
  const std::size_t n = numbers.size();
  const std::size_t size = 1 + c.below(40);
  expected = numbers;
  switch (c.below(11)) {
    case 0:
      return hidden(par(std::size_t{0}, n).with(c.options).map(number));
    case 1:
      for (std::size_t i = 0; i < n; ++i) expected[i] += numbers[i] + static_cast<Number>(i);
      return hidden(par(numbers, numbers, std::views::iota(Number{0}, static_cast<Number>(n)))
                        .with(c.options)
                        .map([counting](Number x, Number y, Number i) { return counting(x) + y + i; }));
    case 2:
      input.list.assign(numbers.begin(), numbers.end());
      c.in_order = false;
      return hidden(blitz::from({.batch = size}, input.list).with(c.options).map(counting));
    case 3:
      input.list.assign(numbers.begin(), numbers.end());
      return hidden(blitz::from(input.list).ordered().with(c.options).map(counting));
    case 4: {
      using Part = std::pair<std::size_t, std::size_t>;
      const auto halves = [size](Part part) {
        const std::size_t middle = std::midpoint(part.first, part.second);
        if (part.second - part.first <= size) return std::pair(part, std::optional<Part>());
        return std::pair(Part(part.first, middle), std::optional(Part(middle, part.second)));
      };
      return hidden(blitz::split(Part(0, n), halves)
                        .with(c.options)
                        .flat_map([](Part part) { return std::views::iota(part.first, part.second); })
                        .map(number));
    }
    case 5: {
      // Node 0 has the child 1, and node i has the children 2 i and 2 i + 1: level by level, the nodes are in ascending order.
      expected.insert(expected.begin(), 0);
      const auto children = [n](std::size_t i) {
        return std::views::iota(std::min(std::max(2 * i, std::size_t{1}), n + 1), std::min(2 * i + 2, n + 1));
      };
      return hidden(blitz::walk_tree(std::size_t{0}, children).with(c.options).map([number](std::size_t i) {
        return i == 0 ? Number{0} : number(i - 1);
      }));
    }
    case 6:
    case 7: {
      const bool in_lines = c.below(2) == 0;
      for (const Number x : numbers) input.text.append(std::to_string(x)).append(in_lines ? "\n" : ";");
      const auto parts = in_lines ? blitz::lines(input.text) : blitz::split_at(input.text, ';');
      return hidden(parts.with(c.options).map([counting](std::string_view digits) {
        Number x = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), x);
        return counting(x);
      }));
    }
    case 8:
      expected.clear();
      for (std::size_t i = 0; i < n; i += size)
        expected.push_back(sum_of(std::span(numbers).subspan(i, std::min(size, n - i))));
      return hidden(par(numbers).with(c.options).chunks(size).map(counted_sum));
    case 9:
      expected.clear();
      for (std::size_t i = 0; i + size <= n; ++i) expected.push_back(sum_of(std::span(numbers).subspan(i, size)));
      return hidden(par(numbers).with(c.options).windows(size).map(counted_sum));
    default:
      return hidden(par(numbers).with(c.options).map(counting));
  }
}

// --- stages ---

/// Adds one of the stages that accept any pipeline.
template <class P>
Any extend_any(const P& pipeline, const Input& input, Numbers& expected, Case& c) {
  switch (c.below(6)) {
    case 0:
      std::ranges::transform(expected, expected.begin(), mapped);
      return hidden(pipeline.map(mapped));
    case 1:
      expected = kept_by(expected, is_kept);
      return hidden(pipeline.filter(is_kept));
    case 2:
      expected = kept_by(expected, is_kept);
      std::ranges::transform(expected, expected.begin(), mapped);
      return hidden(pipeline.filter_map(mapped_if_kept));
    case 3:
      if (expected.size() > 20'000) return pipeline;
      expected = each(expected, [](Numbers& to, Number x) { std::ranges::copy(many_of(x), std::back_inserter(to)); });
      return hidden(pipeline.flat_map(many_of));
    case 4:
      return hidden(pipeline.inspect([](Number) {}));
    default: {
      const std::size_t from = c.below(input.numbers.size() + 1);
      expected.insert(expected.end(), input.numbers.begin() + static_cast<std::ptrdiff_t>(from), input.numbers.end());
      const auto next = par(input.numbers).skip(from).map([](Number x) { return x; });
      return hidden(pipeline.chain(std::get<Indexed>(hidden(next))));
    }
  }
}

/// Adds one of the stages that need positions.
Any extend_indexed(const Indexed& pipeline, const Input& input, Numbers& expected, Case& c) {
  Numbers next;
  switch (c.below(6)) {
    case 0: {
      const std::size_t skipped = c.below(expected.size() + 2);
      const std::size_t taken = c.below(expected.size() + 2);
      const std::size_t step = 1 + c.below(3);
      for (std::size_t i = skipped; i < expected.size() && i - skipped < taken; i += step) next.push_back(expected[i]);
      expected = next;
      c.may_end_early = true;  // Items that are left out are not made.
      return hidden(pipeline.skip(skipped).take(taken).step_by(step));
    }
    case 1:
      std::ranges::reverse(expected);
      return hidden(pipeline.rev());
    case 2:
      std::partial_sum(expected.begin(), expected.end(), expected.begin());
      return hidden(pipeline.scan(std::plus<Number>()));
    case 3:
      std::exclusive_scan(expected.begin(), expected.end(), expected.begin(), Number{7});
      return hidden(pipeline.exclusive_scan(Number{7}, std::plus<Number>()));
    case 4:
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += static_cast<Number>(i);
      return hidden(pipeline.enumerate().map([](std::size_t i, Number x) { return x + static_cast<Number>(i); }));
    default:
      c.may_end_early = c.may_end_early || input.numbers.size() < expected.size();
      expected.resize(std::min(expected.size(), input.numbers.size()));
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] ^= input.numbers[i];
      return hidden(pipeline.zip(par(input.numbers)).map([](Number x, Number y) { return x ^ y; }));
  }
}

// --- terminals ---

template <class P>
std::optional<Number> first_of(const Numbers& expected, P pred) {
  const auto found = std::ranges::find_if(expected, pred);
  return found == expected.end() ? std::nullopt : std::optional(*found);
}
template <class P>
std::optional<Number> last_of(const Numbers& expected, P pred) {
  return first_of(Numbers(expected.rbegin(), expected.rend()), pred);
}
std::optional<Number> extreme_of(const Numbers& expected, bool least) {
  if (expected.empty()) return std::nullopt;
  return least ? *std::ranges::min_element(expected) : *std::ranges::max_element(expected);
}

/// Terminals that need positions, or use positions if a pipeline has them.
void end_indexed(const Indexed& pipeline, const Numbers& expected, Case& c) {
  switch (c.below(5)) {
    case 0: {
      const auto items = pipeline.collect();
      CHECK(are_expected(items, expected, c));
      return;
    }
    case 1: {
      c.may_end_early = true;
      const Number wanted = expected.empty() ? 0 : expected[c.below(expected.size())] % 64;
      const auto is_wanted = [wanted](Number x) { return x % 64 == wanted; };
      const std::optional<std::size_t> found = pipeline.position_first(is_wanted);
      const auto place = static_cast<std::size_t>(std::ranges::find_if(expected, is_wanted) - expected.begin());
      CHECK(found == (place == expected.size() ? std::nullopt : std::optional(place)));
      return;
    }
    case 2: {
      const auto both = pipeline.minmax();
      return check((both ? std::optional(both->first) : std::nullopt) == extreme_of(expected, true) &&
                       (both ? std::optional(both->second) : std::nullopt) == extreme_of(expected, false),
                   c);
    }
    case 3: {
      Numbers out(c.below(expected.size() + 3), 0);
      const std::size_t written = pipeline.collect_into(out);
      CHECK(written == std::min(out.size(), expected.size()));
      CHECK(std::ranges::equal(out | std::views::take(written), expected | std::views::take(written)));
      c.may_end_early = true;
      return;
    }
    default: {
      const Number sum = pipeline.sum();
      return check(sum == sum_of(expected), c);
    }
  }
}

/// Terminals that return one value, do not depend on the order, or may end early.
void end_in_a_value(const Unindexed& pipeline, const Numbers& expected, Case& c) {
  const Number wanted = expected.empty() ? 0 : expected[c.below(expected.size())] % 16;
  const auto is_wanted = [wanted](Number x) { return x % 16 == wanted; };
  const bool has_wanted = std::ranges::any_of(expected, is_wanted);
  const auto always = [](Number) { return true; };
  const bool folds_may_stop = c.stops;
  c.may_end_early = true;
  c.stops = false;
  const auto agrees = [&c](const std::optional<Number>& found, const std::optional<Number>& right) {
    return c.in_order ? found == right : found.has_value() == right.has_value();
  };
  switch (c.below(14)) {
    case 0: {
      const std::optional<Number> found = pipeline.find_first(is_wanted);
      return check(agrees(found, first_of(expected, is_wanted)), c);
    }
    case 1: {
      const std::optional<Number> found = pipeline.find_last(is_wanted);
      return check(agrees(found, last_of(expected, is_wanted)), c);
    }
    case 2: {
      const std::optional<Number> found = pipeline.find_any(is_wanted);
      return check(found ? is_wanted(*found) : !has_wanted, c);
    }
    case 3: {
      const bool found = pipeline.any_of(is_wanted);
      return check(found == has_wanted, c);
    }
    case 4: {
      const bool all = pipeline.all_of(is_wanted);
      return check(all == std::ranges::all_of(expected, is_wanted), c);
    }
    case 5: {
      const bool none = pipeline.none_of(is_wanted);
      return check(none != has_wanted, c);
    }
    case 6: {
      const std::optional<Number> found = pipeline.first();
      return check(agrees(found, first_of(expected, always)), c);
    }
    case 7: {
      const std::optional<Number> found = pipeline.last();
      return check(agrees(found, last_of(expected, always)), c);
    }
    case 8: {
      const auto error = [is_wanted](Number x) { return is_wanted(x) ? std::optional(x) : std::nullopt; };
      const std::optional<Number> found = pipeline.try_for_each(error);
      return check(agrees(found, first_of(expected, is_wanted)), c);
    }
    default:
      break;
  }
  c.stops = folds_may_stop;
  switch (c.below(6)) {
    case 0: {
      const auto checked = [is_wanted](Number x) { return is_wanted(x) ? std::nullopt : std::optional(x); };
      const auto add = [](Number x, Number y) { return std::optional(x + y); };
      const std::optional<Number> sum = pipeline.map(checked).try_reduce(Number{0}, add);
      return check(sum == (has_wanted ? std::nullopt : std::optional(sum_of(expected))), c);
    }
    case 1: {
      const std::size_t count = pipeline.count();
      return check(count == expected.size(), c);
    }
    case 2: {
      const std::optional<Number> least = pipeline.min();
      return check(least == extreme_of(expected, true), c);
    }
    case 3: {
      const std::optional<Number> greatest = pipeline.max();
      return check(greatest == extreme_of(expected, false), c);
    }
    case 4: {
      const Number sum = pipeline.sum();
      return check(sum == sum_of(expected), c);
    }
    default: {
      const std::optional<Number> sum = pipeline.reduce(std::plus<Number>());
      return check(sum == (expected.empty() ? std::nullopt : std::optional(sum_of(expected))), c);
    }
  }
}

/// Terminals that return all items or call a function for each of them.
void end_in_items(const Unindexed& pipeline, const Numbers& expected, Case& c) {
  switch (c.below(8)) {
    case 0: {
      const auto items = pipeline.collect();
      CHECK(are_expected(items, expected, c));
      return;
    }
    case 1: {
      Numbers out(c.below(expected.size() + 3), 0);
      const std::size_t written = pipeline.collect_into(out);
      CHECK(written == std::min(out.size(), expected.size()));
      if (c.in_order) CHECK(std::ranges::equal(out | std::views::take(written), expected | std::views::take(written)));
      return;
    }
    case 2: {
      Numbers out{1, 2};
      pipeline.append_to(out);
      CHECK((out[0] == 1 && out[1] == 2));
      CHECK(are_expected(out | std::views::drop(2), expected, c));
      return;
    }
    case 3: {
      const auto [kept, others] = pipeline.partition(is_kept);
      CHECK(are_expected(kept, kept_by(expected, is_kept), c));
      CHECK(are_expected(others, kept_by(expected, std::not_fn(is_kept)), c));
      return;
    }
    case 4: {
      const auto [firsts, seconds] = pipeline.map([](Number x) { return std::pair(x, mapped(x)); }).unzip();
      CHECK(are_expected(firsts, expected, c));
      CHECK(sorted(Numbers(seconds.begin(), seconds.end())) ==
            sorted(each(expected, [](Numbers& to, Number x) { to.push_back(mapped(x)); })));
      CHECK(std::ranges::equal(firsts | std::views::transform(mapped), seconds));
      return;
    }
    case 5: {
      const auto key_of = [](Number x) { return x % 5; };
      const auto groups = pipeline.group_by(key_of);
      std::size_t grouped = 0;
      for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto group = groups[i];
        const Number key = key_of(*group.begin());
        CHECK(are_expected(group, kept_by(expected, [=](Number x) { return key_of(x) == key; }), c));
        grouped += group.size();
      }
      CHECK(grouped == expected.size());
      return;
    }
    case 6: {
      const Numbers all = pipeline.fold(
          Numbers(), [](Numbers& some, Number x) { some.push_back(x); },
          [](Numbers& left, const Numbers& right) { left.insert(left.end(), right.begin(), right.end()); });
      return check(are_expected(all, expected, c), c);
    }
    default: {
      std::atomic<Number> sum{0};
      pipeline.for_each([&](Number x) { sum.fetch_add(x, std::memory_order_relaxed); });
      return check(sum == sum_of(expected), c);
    }
  }
}

/// Makes a pipeline of the numbers, runs it, and compares its result with the result of a loop.
void run(Numbers numbers, Case& c) {
  Input input;
  input.numbers = std::move(numbers);
  Numbers expected;
  Any pipeline = source(input, expected, c);
  for (std::size_t stages = c.below(6); stages > 0; --stages) {
    const Indexed* const indexed = std::get_if<Indexed>(&pipeline);
    if (indexed != nullptr && c.below(2) == 0) {
      pipeline = extend_indexed(*indexed, input, expected, c);
    } else {
      pipeline = std::visit([&](const auto& p) { return extend_any(p, input, expected, c); }, pipeline);
    }
  }
  CAPTURE(c.in_order);
  CAPTURE(c.stops);
  CAPTURE(expected.size());
  const Indexed* const indexed = std::get_if<Indexed>(&pipeline);
  if (indexed != nullptr && c.below(2) == 0) return end_indexed(*indexed, expected, c);
  // Terminals treat this pipeline as one without positions.
  const Unindexed unindexed =
      std::visit([](const auto& p) { return Unindexed(AnyStage<Number, false>(p.stage()), p.options()); }, pipeline);
  if (c.below(2) == 0) return end_in_items(unindexed, expected, c);
  end_in_a_value(unindexed, expected, c);
}

TEST_CASE("pipelines: a random pipeline gives the serial result on every pool") {
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
    blitz::AlgorithmOptions options{.min_grain = static_cast<std::size_t>(random.below(3) * 5),
                                    .deterministic = random.one_in(3),
                                    .pool = pools()[random.below(pools().size())]};
    Case c{.random = random, .counter = counter, .options = options};
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
      run(numbers, c);
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
