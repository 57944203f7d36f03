// Every terminal copies items from const references, so that it never selects a constructor template: see Greedy.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <list>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using blitz::par;

template <class T>
std::vector<T> some(std::size_t n) {
  std::vector<T> items;
  for (const int number : random_ints(n, 10)) items.emplace_back(number);
  return items;
}

/// Calls `test(options, items)` with few items and with many.
template <class T, class Test>
void for_each_input(Test&& test) {
  for_each_pool([&](const AlgorithmOptions& options) {
    for (const std::size_t n : {std::size_t{3}, std::size_t{3000}}) {
      CAPTURE(n);
      auto items = some<T>(n);  // not const: an item is a T&
      test(options, items);
    }
  });
}

TEST_CASE_TEMPLATE("pipelines: terminals that collect do not wrap items", T, Greedy<Trivial>, Greedy<NotTrivial>) {
  for_each_input<T>([](const AlgorithmOptions& options, auto& items) {
    const auto is_odd = [](const T& x) { return x.value % 2 != 0; };
    const auto greater = [](const T& a, const T& b) { return a.value < b.value ? b : a; };
    const auto itself = [](T& x) -> T& { return x; };
    const auto all = par(items).with(options);
    CHECK(none_wrapped(all.collect()));
    CHECK(none_wrapped(all.template collect<std::vector<T>>()));
    CHECK(none_wrapped(all.map(itself).collect()));
    CHECK(none_wrapped(all.filter(is_odd).collect()));
    CHECK(none_wrapped(all.filter_map([](T& x) { return x.value % 2 != 0 ? &x : nullptr; }).collect()));
    std::vector<std::vector<T>> nested(3, items);
    CHECK(none_wrapped(par(nested).flat_map([](auto& inner) -> auto& { return inner; }).with(options).collect()));
    CHECK(none_wrapped(all.chain(par(items)).collect()));
    CHECK(none_wrapped(all.rev().collect()));
    CHECK(none_wrapped(all.scan(greater).collect()));
    CHECK(none_wrapped(all.exclusive_scan(T(0), greater).collect()));
    CHECK(none_wrapped(blitz::from(items).with(options).collect()));
    CHECK(none_wrapped(blitz::from(items).ordered().with(options).collect()));
    std::vector<T> out(items.size());
    all.collect_into(out);
    CHECK(none_wrapped(out));
    all.filter(is_odd).append_to(out);
    CHECK(none_wrapped(out));
    const auto [odd, even] = all.partition(is_odd);
    CHECK(none_wrapped(odd));
    CHECK(none_wrapped(even));
    const auto [more_odd, more_even] = blitz::from(items).with(options).partition(is_odd);
    CHECK(none_wrapped(more_odd));
    CHECK(none_wrapped(more_even));
    CHECK(none_wrapped(all.group_by([](const T& x) { return x.value; }).items()));
  });
}

TEST_CASE_TEMPLATE("pipelines: terminals that collect several items per position do not wrap them", T, Greedy<Trivial>,
                   Greedy<NotTrivial>) {
  for_each_input<T>([](const AlgorithmOptions& options, auto& items) {
    const auto all = par(items).with(options);
    const auto no_pair_wrapped = [](const auto& pairs) {
      return std::ranges::none_of(pairs,
                                  [](const auto& x) { return std::get<0>(x).is_wrapped || std::get<1>(x).is_wrapped; });
    };
    const auto both = all.zip(par(items));
    CHECK(no_pair_wrapped(both.collect()));
    CHECK(std::ranges::none_of(all.enumerate().collect(), [](const auto& x) { return std::get<1>(x).is_wrapped; }));
    const auto is_odd = [](const T& x, const T&) { return x.value % 2 != 0; };
    CHECK(no_pair_wrapped(both.filter(is_odd).collect()));
    const auto [odd, even] = both.partition(is_odd);
    CHECK(no_pair_wrapped(odd));
    CHECK(no_pair_wrapped(even));
    CHECK_FALSE(std::get<1>(*both.first()).is_wrapped);
    const auto [lefts, rights] = both.unzip();
    CHECK(none_wrapped(lefts));
    CHECK(none_wrapped(rights));
    std::vector<std::pair<T, T>> pairs;
    for (const T& x : items) pairs.emplace_back(x, x);
    const auto [firsts, seconds] = par(pairs).with(options).unzip();
    CHECK(none_wrapped(firsts));
    CHECK(none_wrapped(seconds));
    std::vector<T> out(items.size());
    std::vector<T> more(items.size());
    par(pairs).with(options).unzip_into(out, more);
    CHECK(none_wrapped(out));
    CHECK(none_wrapped(more));
  });
}

TEST_CASE_TEMPLATE("pipelines: folds and searches do not wrap items", T, Greedy<Trivial>, Greedy<NotTrivial>) {
  for_each_input<T>([](AlgorithmOptions options, auto& items) {
    for (const bool deterministic : {false, true}) {
      options.deterministic = deterministic;
      const auto greater = [](const T& a, const T& b) { return a.value < b.value ? b : a; };
      const auto any = [](const T&) { return true; };
      const auto all = par(items).with(options);
      CHECK_FALSE(all.reduce(greater)->is_wrapped);
      CHECK_FALSE(all.reduce(T(0), greater).is_wrapped);
      CHECK_FALSE(all.fold(T(0), greater, greater).is_wrapped);
      CHECK_FALSE(all.min()->is_wrapped);
      CHECK_FALSE(all.max()->is_wrapped);
      CHECK_FALSE(all.minmax()->first.is_wrapped);
      CHECK_FALSE(all.minmax()->second.is_wrapped);
      CHECK_FALSE(all.find_first(any)->is_wrapped);
      CHECK_FALSE(all.find_any(any)->is_wrapped);
      CHECK_FALSE(all.find_last(any)->is_wrapped);
      CHECK_FALSE(all.first()->is_wrapped);
      CHECK_FALSE(all.last()->is_wrapped);
      CHECK_FALSE(all.try_for_each([](T& x) { return &x; })->is_wrapped);
      std::vector<std::optional<T>> maybe(items.size(), T(1));
      CHECK_FALSE(par(maybe)
                      .with(options)
                      .try_reduce(T(0), [&](T a, T b) { return std::optional<T>(greater(a, b)); })
                      ->is_wrapped);
    }
  });
}

TEST_CASE_TEMPLATE("pipelines: sources do not wrap items", T, Greedy<Trivial>, Greedy<NotTrivial>) {
  for_each_pool([](const AlgorithmOptions& options) {
    std::vector<T> children(3, T(0));
    const auto below = [&](const T& node) -> std::span<T> {
      return node.value == 0 ? std::span(children) : std::span<T>();
    };
    for (T& child : children) child.value = 1;
    CHECK(none_wrapped(blitz::walk_tree(T(0), below).with(options).collect()));
    const auto whole = [](T x) { return std::pair<T, std::optional<T>>(std::move(x), std::nullopt); };
    CHECK(none_wrapped(blitz::split(T(0), whole).with(options).collect()));
    std::list<T> list(300, T(1));
    std::atomic<int> wrapped{0};
    const auto check = [&](T& x, blitz::Feeder<T>&) { wrapped += x.is_wrapped ? 1 : 0; };
    blitz::parallel_for_each({.pool = options.pool}, list, check);
    CHECK(wrapped == 0);
  });
}

}  // namespace
}  // namespace blitz_test
