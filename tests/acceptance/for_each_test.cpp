// parallel_for_each: every item of any range once, and every item that is added while it runs.
#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "loops.hpp"
#include "support/policies.hpp"

using namespace blitz_test;

namespace {

using blitz::Feeder;
using blitz::Flow;

/// The number of existing Tracked objects.
std::atomic<int> tracked{0};

/// Move-only, not default-constructible, and counted.
struct Tracked {
  explicit Tracked(std::size_t the_id) : id(std::make_unique<std::size_t>(the_id)) { ++tracked; }
  Tracked(Tracked&& other) noexcept : id(std::move(other.id)) { ++tracked; }
  Tracked& operator=(Tracked&& other) noexcept = default;
  ~Tracked() { --tracked; }
  std::unique_ptr<std::size_t> id;
};

/// A single-pass range of the function's results, until it returns nothing.
template <class F>
class Generated {
 public:
  using T = typename std::invoke_result_t<F&>::value_type;
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(Generated* from) : from_(from) {}
    Iterator(Iterator&&) = default;
    Iterator& operator=(Iterator&&) = default;
    T&& operator*() const { return std::move(*from_->next_); }
    Iterator& operator++() {
      from_->next_ = from_->make_();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !from_->next_; }

   private:
    Generated* from_;
  };

  explicit Generated(F make) : make_(std::move(make)), next_(make_()) {}
  Iterator begin() { return Iterator(this); }
  std::default_sentinel_t end() { return {}; }

 private:
  F make_;
  std::optional<T> next_;
};

/// `count` tracked items.
auto tracked_items(std::size_t count) {
  return Generated(
      [i = std::size_t{0}, count]() mutable { return i < count ? std::optional<Tracked>(i++) : std::nullopt; });
}

/// The numbers below `count`.
template <class Container>
Container below(std::size_t count) {
  Container numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.insert(numbers.end(), i);
  return numbers;
}

POOL_TEST_CASE("parallel_for_each: visits every item of a range of any kind once") {
  from_outside_and_inside([](Pool& pool) {
    for (std::size_t n = 0; n <= 1000; n += n < 300 ? 1 : 233) {
      CAPTURE(n);
      const auto all = std::views::iota(std::size_t{0}, n);
      const auto check = [&](auto&& range, auto to_index) {
        Visits visits(n);
        blitz::parallel_for_each({.pool = &pool}, range, [&](auto&& x) { visits(to_index(x)); });
        CHECK(visits.each_once());
      };
      check(all, std::identity{});
      check(below<std::list<std::size_t>>(n), std::identity{});
      check(below<std::set<std::size_t>>(n), std::identity{});
      check(std::views::filter(all, [](std::size_t) { return true; }), std::identity{});
      check(tracked_items(n), [](const Tracked& x) { return *x.id; });
      CHECK(tracked == 0);
      std::stringstream text;
      for (const std::size_t i : all) text << i << ' ';
      check(std::views::istream<std::size_t>(text), std::identity{});
    }
  });
}

TEST_CASE("parallel_for_each: passes references to the items of the range") {
  std::forward_list<int> list(500, 1);
  blitz::parallel_for_each(list, [](int& x) { ++x; });
  for (const int x : list) REQUIRE(x == 2);
  std::map<int, std::string> map{{1, "a"}, {2, "b"}};
  blitz::parallel_for_each(map, [](auto& entry) { entry.second += 'c'; });
  CHECK(map == std::map<int, std::string>{{1, "ac"}, {2, "bc"}});
  std::vector<bool> bits(100, true);
  std::atomic<int> set{0};
  blitz::parallel_for_each(bits | std::views::take(70), [&](auto bit) { set += bit; });
  CHECK(set == 70);
}

POOL_TEST_CASE("parallel_for_each: visits items that the body adds once") {
  from_outside_and_inside([](Pool& pool) {
    // The tree of all i below n: i has the children 2 i + 1 and 2 i + 2.
    for (std::size_t n = 1; n <= 5000; n += n < 300 ? 1 : 1033) {
      CAPTURE(n);
      Visits visits(n);
      blitz::parallel_for_each({.pool = &pool}, std::views::single(std::size_t{0}),
                               [&](std::size_t i, Feeder<std::size_t>& feeder) {
                                 visits(i);
                                 for (const std::size_t child : {2 * i + 1, 2 * i + 2}) {
                                   if (child < n) feeder.add(child);
                                 }
                               });
      CHECK(visits.each_once());
    }
    // A chain that recursion would not survive, from two starting points.
    constexpr std::size_t kLong = 200'000;
    const std::list<std::size_t> starts{0, kLong / 2};
    Visits visits(kLong);
    blitz::parallel_for_each({.pool = &pool}, starts, [&](std::size_t i, Feeder<std::size_t>& feeder) {
      visits(i);
      if (++i % (kLong / 2) != 0) feeder.add(i);
    });
    CHECK(visits.each_once());
    // Many from one.
    Visits many(10'000);
    blitz::parallel_for_each({.pool = &pool}, std::array{-1}, [&](int i, Feeder<int>& feeder) {
      for (int child = 0; i < 0 && child < 10'000; ++child) feeder.add(child);
      if (i >= 0) many(static_cast<std::size_t>(i));
    });
    CHECK(many.each_once());
  });
}

TEST_CASE("parallel_for_each: the body may take an owned item by value or by reference") {
  blitz::ThreadPool pool({.num_threads = 3});
  std::atomic<std::size_t> sum{0};
  const auto add = [&](const Tracked& x, Feeder<Tracked>& feeder) {
    sum += *x.id;
    if (*x.id < 10) feeder.add(Tracked(*x.id + 10));
  };
  const auto check = [&](auto body) {
    sum = 0;
    blitz::parallel_for_each({.pool = &pool}, tracked_items(10), body);
    CHECK(sum == 45 + 145);
    CHECK(tracked == 0);
  };
  check([&](Tracked x, Feeder<Tracked>& feeder) { add(x, feeder); });
  check([&](Tracked&& x, Feeder<Tracked>& feeder) { add(x, feeder); });
  check([&](const Tracked& x, Feeder<Tracked>& feeder) { add(x, feeder); });
  check([&](Tracked& x, Feeder<Tracked>& feeder) { add(x, feeder); });
}

TEST_CASE("parallel_for_each: finds the same vertices as a serial search of a graph") {
  using Vertex = std::size_t;
  constexpr std::size_t kVertices = 20'000;
  std::vector<std::vector<Vertex>> graph(kVertices);
  for (Vertex v = 0; v < kVertices; ++v) graph[v] = {(v * 7 + 1) % kVertices, (v * 3 + 2) % kVertices, v / 2};
  std::vector<bool> expected(kVertices);
  std::vector<Vertex> front{5};
  expected[5] = true;
  while (!front.empty()) {
    const Vertex v = front.back();
    front.pop_back();
    for (const Vertex w : graph[v]) {
      if (!expected[w]) front.push_back(w);
      expected[w] = true;
    }
  }
  for (const std::size_t threads : kPoolSizes) {
    blitz::ThreadPool pool({.num_threads = threads});
    std::vector<std::atomic<bool>> seen(kVertices);
    seen[5] = true;
    blitz::parallel_for_each({.pool = &pool}, std::views::single(Vertex{5}), [&](Vertex v, Feeder<Vertex>& feeder) {
      for (const Vertex w : graph[v]) {
        if (!seen[w].exchange(true, std::memory_order_relaxed)) feeder.add(w);
      }
    });
    std::size_t different = 0;
    for (Vertex v = 0; v < kVertices; ++v) different += seen[v] != expected[v];
    CHECK(different == 0);
  }
}

POOL_TEST_CASE("parallel_for_each: two workers run items concurrently") {
  Pool pool({.num_threads = 2});
  // Each of two items waits until the other has begun.
  std::atomic<int> begun{0};
  const auto meet = [&] {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  };
  blitz::parallel_for_each({.pool = &pool}, std::list<int>{1, 2}, [&](int) { meet(); });
  begun = 0;
  std::istringstream text("1 2");
  blitz::parallel_for_each({.pool = &pool}, std::views::istream<int>(text), [&](int) { meet(); });
  begun = 0;
  blitz::parallel_for_each({.pool = &pool}, std::list<int>{0}, [&](int i, Feeder<int>& feeder) {
    if (i > 0) return meet();
    feeder.add(1);
    feeder.add(2);
  });
}

POOL_TEST_CASE("parallel_for_each: an exception at any call ends the loop and is rethrown") {
  for_each_size([](Pool& pool) {
    for (int at = 0; at < 40; ++at) {
      std::atomic<int> calls{0};
      const auto body = [&](Tracked x, Feeder<Tracked>& feeder) {
        if (calls++ == at) throw std::out_of_range("an item");
        if (*x.id < 20) feeder.add(Tracked(*x.id + 100));
      };
      CHECK_THROWS_AS(blitz::parallel_for_each({.pool = &pool}, tracked_items(20), body), std::out_of_range);
      CHECK(tracked == 0);
    }
    const std::list<int> list(100, 1);
    std::atomic<int> calls{0};
    CHECK_THROWS_AS(blitz::parallel_for_each({.pool = &pool}, list,
                                             [&](int) {
                                               if (calls++ == 50) throw std::out_of_range("an item");
                                             }),
                    std::out_of_range);
    // An exception of the range itself.
    auto failing = Generated([i = 0]() mutable {
      if (++i == 20) throw std::out_of_range("the range");
      return std::optional(i);
    });
    CHECK_THROWS_AS(blitz::parallel_for_each({.pool = &pool}, failing, [](int) {}), std::out_of_range);
  });
}

POOL_TEST_CASE("parallel_for_each: Flow::kStop and a stop request end the loop") {
  for_each_size([](Pool& pool) {
    const auto endless = [] { return Generated([i = 0]() mutable { return std::optional(i++); }); };
    std::atomic<std::size_t> calls{0};
    blitz::parallel_for_each({.pool = &pool}, endless(),
                             [&](int) { return ++calls >= 1000 ? Flow::kStop : Flow::kContinue; });
    CHECK(calls >= 1000);
    CHECK(calls < 1000 + pool.num_threads());
    calls = 0;
    blitz::parallel_for_each({.pool = &pool}, std::views::single(0), [&](int i, Feeder<int>& feeder) {
      feeder.add(i);
      feeder.add(i);
      return ++calls >= 1000 ? Flow::kStop : Flow::kContinue;
    });
    CHECK(calls >= 1000);
    CHECK(calls < 1000 + pool.num_threads());
    std::stop_source source;
    calls = 0;
    blitz::parallel_for_each({.stop = source.get_token(), .pool = &pool}, endless(), [&](int) {
      if (++calls == 1000) source.request_stop();
    });
    CHECK(calls >= 1000);
    calls = 0;
    blitz::parallel_for_each({.stop = source.get_token(), .pool = &pool}, endless(), [&](int) { ++calls; });
    CHECK(calls == 0);
  });
}

POOL_TEST_CASE("parallel_for_each: may be nested and uses the pool of the options") {
  Pool pool({.num_threads = 3});
  Visits visits(40 * 40);
  const auto list = below<std::list<std::size_t>>(40);
  blitz::parallel_for_each({.pool = &pool}, list, [&](std::size_t i) {
    CHECK(pool.current_thread_index().has_value());
    blitz::parallel_for_each(list, [&](std::size_t j) { visits(40 * i + j); });
  });
  CHECK(visits.each_once());
}

TEST_CASE("parallel_for_each: a tree of added items needs memory for its depth only") {
  blitz::ThreadPool pool({.num_threads = 1});
  int most = 0;
  blitz::parallel_for_each({.pool = &pool}, tracked_items(1), [&](Tracked x, Feeder<Tracked>& feeder) {
    if (*x.id < 15) {
      for (int child = 0; child < 2; ++child) feeder.add(Tracked(*x.id + 1));
    }
    most = std::max(most, tracked.load());
  });
  CHECK(most <= 40);
}

}  // namespace
