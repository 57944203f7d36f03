// Pipelines end early once their result is known, an exception was thrown, or a stop was requested.
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using blitz::par;

/// Calls `test(options)` for pools of one thread and of three threads, of both backends. It does so several times because
/// another thread may not take part in every call.
template <class Test>
void for_some_pools(Test&& test) {
  static blitz::AsyncThreadPool alone({.num_threads = 1});
  for (int round = 0; round < 5; ++round) {
    int pool = 0;
    for (const blitz::PoolRef& its_pool : {pools()[0], pools()[2], blitz::PoolRef(&alone), pools()[4]}) {
      CAPTURE(pool);
      test(AlgorithmOptions{.pool = its_pool});
      ++pool;
    }
  }
}

/// Gives another thread of the pool time to make `test()` true. It may stay false.
template <class Test>
void wait_for(const AlgorithmOptions& options, Test&& test) {
  if (blitz::detail::threads_of(options) == 1) return;
  for (int i = 0; i < 10'000 && !test(); ++i) std::this_thread::yield();
}

/// An endless range that throws if it is read far too long.
class Endless {
 public:
  auto items() {
    return blitz::from(std::views::iota(0) | std::views::transform([this](int i) {
                         if (++reads_ > kMany) throw std::logic_error("read too far");
                         return i;
                       }));
  }
  [[nodiscard]] bool read_on() const { return reads_ > kMany; }
  [[nodiscard]] bool is_read() const { return reads_ > 0; }

 private:
  static constexpr int kMany = 50'000'000;  // another thread may be preempted for a long time
  std::atomic<int> reads_ = 0;
};

TEST_CASE("pipelines: stop reading an endless range once an item is found") {
  for_some_pools([](const AlgorithmOptions& options) {
    const auto far = [](int i) { return i == 100'000; };  // one thread finds it and must tell the others
    const auto check = [&](const auto& search) {
      Endless endless;
      CHECK(search(endless.items().with(options)));
      CHECK_FALSE(endless.read_on());
    };
    check([&](const auto& p) { return p.any_of(far); });
    check([&](const auto& p) { return !p.none_of(far); });
    check([&](const auto& p) { return p.find_any(far).has_value(); });
    check([&](const auto& p) { return p.find_first(far).has_value(); });
    check([&](const auto& p) { return p.filter(far).first().has_value(); });
    check([&](const auto& p) {
      return p.try_for_each([&](int i) { return far(i) ? std::optional(i) : std::nullopt; }).has_value();
    });
    // Another source has the item.
    const auto check_behind = [&](const auto& search) {
      Endless endless;
      const auto waits = [&](int i) {
        if (i == 9) wait_for(options, [&] { return endless.is_read(); });
        return i;
      };
      CHECK(search(par(0, 10).map(waits).chain(endless.items().map([](int) { return 0; })).with(options)));
      CHECK_FALSE(endless.read_on());
    };
    const auto is_nine = [](int i) { return i == 9; };
    check_behind([&](const auto& p) { return p.any_of(is_nine); });
    check_behind([&](const auto& p) { return p.find_any(is_nine).has_value(); });
    check_behind([&](const auto& p) { return p.find_first(is_nine).has_value(); });
  });
}

TEST_CASE("pipelines: stop reading an endless range after an exception") {
  for_some_pools([](const AlgorithmOptions& options) {
    const auto throws = [](int i) {
      if (i == 100'000) throw Thrown();
      return i % 2;  // the sum of these is an int, however far another thread reads
    };
    const auto check = [&](const auto& run) {
      Endless endless;
      CHECK_THROWS_AS(run(endless.items().with(options)), Thrown);
      CHECK_FALSE(endless.read_on());
    };
    check([&](const auto& p) { p.for_each(throws); });
    check([&](const auto& p) { static_cast<void>(p.map(throws).sum()); });
    check([&](const auto& p) { static_cast<void>(p.map(throws).collect()); });
    check([&](const auto& p) { static_cast<void>(p.map(throws).any_of([](int) { return false; })); });
    check([&](const auto& p) { p.for_each_with([]() -> int { throw Thrown(); }, [](int, int) {}); });
    // Another source throws.
    Endless endless;
    const auto nine_throws = [&](int i) {
      if (i == 9) {
        wait_for(options, [&] { return endless.is_read(); });
        throw Thrown();
      }
      return i;
    };
    const auto all = par(0, 10).map(nine_throws).chain(endless.items().map([](int) { return 0; })).with(options);
    CHECK_THROWS_AS(static_cast<void>(all.sum()), Thrown);
    CHECK_FALSE(endless.read_on());
  });
}

TEST_CASE("pipelines: stop reading an endless range after a stop request") {
  for_some_pools([](AlgorithmOptions options) {
    const auto check = [&](const auto& run) {
      Endless endless;
      std::stop_source source;
      options.stop = source.get_token();
      run(endless.items().with(options).map([&](int i) {
        if (i == 100'000) source.request_stop();
        return i;
      }));
      CHECK_FALSE(endless.read_on());
    };
    check([](const auto& p) { p.for_each([](int) {}); });
    check([](const auto& p) { CHECK_THROWS_AS(static_cast<void>(p.max()), blitz::Stopped); });
    check([](const auto& p) { CHECK_THROWS_AS(static_cast<void>(p.collect()), blitz::Stopped); });
    check(
        [](const auto& p) { CHECK_THROWS_AS(static_cast<void>(p.any_of([](int) { return false; })), blitz::Stopped); });
    check([](const auto& p) {
      CHECK_THROWS_AS(static_cast<void>(p.find_any([](int) { return false; })), blitz::Stopped);
    });
  });
}

/// Counts calls for numbers below kMany. A result is decisive if it is true, or, for a callable with a different result type,
/// if it is empty. A decisive call near an end first waits for another thread, and a call far from both ends waits for a
/// decisive one. So the number of calls depends little on the threads' speed.
class Calls {
 public:
  explicit Calls(const AlgorithmOptions& options) : options_(options) {}

  template <class F>
  auto counted(F f) {
    return [this, f](const auto&... x) {
      ++calls_;
      const auto result = f(x...);
      const int last = std::get<sizeof...(x) - 1>(std::tie(x...));
      const bool is_far = last >= kMany / 10 && last < kMany - kMany / 10;
      const bool finds = std::same_as<decltype(result), const bool> == static_cast<bool>(result);
      if (finds && !is_far) wait_for(options_, [&] { return waits_ > 0; });
      if (finds) found_ = true;
      if (is_far) wait_for(options_, [&] { return found_ || ++waits_ > kMany; });
      return result;
    };
  }
  /// Whether few of kMany items were visited.
  [[nodiscard]] bool are_few() const { return calls_ < kMany / 4; }
  [[nodiscard]] int number() const { return calls_; }
  [[nodiscard]] bool found() const { return found_; }

  static constexpr int kMany = 400'000;

 private:
  const AlgorithmOptions& options_;
  std::atomic<int> calls_ = 0;
  std::atomic<int> waits_ = 0;
  std::atomic<bool> found_ = false;
};

TEST_CASE("pipelines: searches end early") {
  constexpr int kMany = Calls::kMany;
  for_some_pools([](const AlgorithmOptions& options) {
    const auto all = par(0, kMany).with(options);
    const auto check = [&](const auto& search) {
      Calls calls(options);
      CHECK(search(calls));
      CHECK(calls.are_few());
    };
    const auto early = [](int i) { return i == 10'000; };
    const auto late = [](int i) { return i == kMany - 10'001; };
    check([&](Calls& calls) { return all.find_first(calls.counted(early)) == 10'000; });
    check([&](Calls& calls) { return all.find_last(calls.counted(late)) == kMany - 10'001; });
    check([&](Calls& calls) { return all.filter(calls.counted(late)).last() == kMany - 10'001; });
    check([&](Calls& calls) { return all.find_any(calls.counted(early)).has_value(); });
    check([&](Calls& calls) { return all.any_of(calls.counted(early)); });
  });
}

TEST_CASE("pipelines: find_any also ends the search to the left of the item it has found") {
  for_some_pools([](const AlgorithmOptions& options) {
    Calls calls(options);
    std::atomic<bool> by_another = false;
    const auto waits = [&](int i) {
      if (i == 10) {
        wait_for(options, [&] { return calls.found(); });
        by_another = calls.found();
      }
      return i;
    };
    const auto second_half = [](int i) { return i >= Calls::kMany / 2; };
    const auto any = par(0, Calls::kMany).map(waits).with(options).find_any(calls.counted(second_half));
    CHECK(any.has_value());
    CHECK((!by_another || calls.are_few()));
  });
}

TEST_CASE("pipelines: try_reduce ends at an empty item or result") {
  constexpr int kMany = Calls::kMany;
  for_some_pools([](const AlgorithmOptions& options) {
    const auto most = [](int x, int y) { return std::optional(std::max(x, y)); };
    const auto empty_at_10 = [](int i) { return i == 10 ? std::nullopt : std::optional(i); };
    const auto check = [&](const auto& run) {
      Calls calls(options);
      CHECK_FALSE(run(calls).has_value());
      CHECK(calls.are_few());
      if (blitz::detail::threads_of(options) == 1) CHECK(calls.number() == 11);
    };
    check(
        [&](Calls& calls) { return par(0, kMany).map(calls.counted(empty_at_10)).with(options).try_reduce(0, most); });
    check([&](Calls& calls) {
      const auto some = par(0, kMany).map([](int i) { return std::optional(i); }).with(options);
      return some.try_reduce(0, calls.counted([&](int, int y) { return empty_at_10(y); }));
    });
    Endless endless;
    CHECK_FALSE(endless.items()
                    .map([](int i) { return i == 100'000 ? std::nullopt : std::optional(0); })
                    .with(options)
                    .try_reduce(0, most)
                    .has_value());
    CHECK_FALSE(endless.read_on());
    const std::vector<std::optional<int>> items{1, 2, 3};
    CHECK(par(items).with(options).try_reduce(0, most) == 3);
  });
}

TEST_CASE("pipelines: find_first finds the first item of an ordered range, also in a chain") {
  for_each_pool([](const AlgorithmOptions& options) {
    const auto numbers = std::views::iota(0, 20'000);
    const std::list<int> list(numbers.begin(), numbers.end());
    const auto all = blitz::from(list).ordered().map([](int i) { return i; });
    CHECK(all.with(options).find_first([](int i) { return i % 1000 == 999; }) == 999);
    CHECK(all.chain(par(-10, 0)).with(options).find_first([](int i) { return i < 0 || i == 10'000; }) == 10'000);
    CHECK(par(-10, 0).chain(all).with(options).find_first([](int i) { return i >= 3; }) == 3);
    CHECK(all.chain(all).with(options).count() == 40'000);
  });
}

TEST_CASE("pipelines: after a stop in the first pass for_each returns and other terminals throw") {
  constexpr int kMany = Calls::kMany;
  for_some_pools([](AlgorithmOptions options) {
    const auto check = [&](const char* source, const auto& make) {
      CAPTURE(source);
      const auto run = [&](const auto& terminal) {
        std::stop_source stop;
        std::atomic<int> calls = 0;
        options.stop = stop.get_token();
        const auto stopping = [&](int i) {
          if (++calls == 10) stop.request_stop();
          return i;
        };
        terminal(make(stopping).with(options));
        CHECK(stop.stop_requested());
        CHECK(calls < kMany / 4);
      };
      run([](const auto& p) { p.for_each([](int) { FAIL("There is no item"); }); });
      run([](const auto& p) { CHECK_THROWS_AS(static_cast<void>(p.sum()), blitz::Stopped); });
      run([](const auto& p) { CHECK_THROWS_AS(static_cast<void>(p.collect()), blitz::Stopped); });
      run([](const auto& p) {
        CHECK_THROWS_AS(static_cast<void>(p.find_first([](int) { return false; })), blitz::Stopped);
      });
    };
    check("scan", [](const auto& f) { return par(0, kMany).map(f).scan(std::plus<>()); });
    check("ordered",
          [](const auto& f) { return blitz::from(std::views::iota(0) | std::views::transform(f)).ordered(); });
    check("split", [](const auto& f) {
      return blitz::split(kMany, [f](int n) {
        return f(n) < 2 ? std::pair(n, std::optional<int>()) : std::pair(n / 2, std::optional(n - n / 2));
      });
    });
    check("walk_tree", [](const auto& f) {
      return blitz::walk_tree(1, [f](int i) {
        constexpr int kNodes = Calls::kMany;
        return std::views::iota(std::min(2 * f(i), kNodes), std::min(2 * i + 2, kNodes));
      });
    });
  });
}

TEST_CASE("pipelines: a chain of more than 2^64 - 1 items throws length_error when it runs") {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const auto all = par(std::uint64_t{0}, kMost);
  const auto one = par(std::uint64_t{7}, std::uint64_t{8});
  const auto none = par(std::uint64_t{7}, std::uint64_t{7});
  const auto is_seven = [](std::uint64_t i) { return i == 7; };
  for_each_pool([&](const AlgorithmOptions& options) {
    CHECK(all.chain(none).with(options).find_any(is_seven) == 7);
    for (const auto& refused : {all.chain(one), one.chain(all), all.chain(all)}) {
      CHECK_THROWS_AS(static_cast<void>(refused.with(options).find_any(is_seven)), std::length_error);
      CHECK_THROWS_AS(static_cast<void>(refused.take(3)), std::length_error);
    }
  });
}

TEST_CASE("pipelines: pass on Stopped of a callable without a stop request") {
  const auto throws = [](int n) -> std::pair<int, std::optional<int>> {
    if (n > 0) throw blitz::Stopped();
    return {n, std::nullopt};
  };
  CHECK_THROWS_AS(static_cast<void>(blitz::split(3, throws).count()), blitz::Stopped);
}

}  // namespace
}  // namespace blitz_test
