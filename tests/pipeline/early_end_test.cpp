// What a pipeline leaves out once its result is known, once something was thrown, and once a stop was requested.
#include <atomic>
#include <cstddef>
#include <list>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using blitz::par;

/// Calls `test(options)` for pools of one thread and of three, of both backends: several times, for another thread need not
/// come to help.
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

/// A range without an end, which notices if it is read for much too long.
class Endless {
 public:
  auto items() {
    return blitz::from(std::views::iota(0) | std::views::transform([this](int i) {
                         if (++reads_ > kMany) throw std::logic_error("It is read on and on");
                         return i;
                       }));
  }
  [[nodiscard]] bool read_on() const { return reads_ > kMany; }
  /// Gives another thread the time to begin with the range.
  void wait_for_reader(const AlgorithmOptions& options) const {
    if (blitz::detail::threads_of(options) == 1) return;
    for (int i = 0; i < 10'000 && reads_ == 0; ++i) std::this_thread::yield();
  }

 private:
  static constexpr int kMany = 50'000'000;  // another thread may be preempted meanwhile
  std::atomic<int> reads_ = 0;
};

TEST_CASE("pipelines: from an endless range, once its item is found") {
  for_some_pools([](const AlgorithmOptions& options) {
    const auto far = [](int i) { return i == 100'000; };  // one thread finds it, and the others must be told
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
    // Another source has it.
    const auto check_behind = [&](const auto& search) {
      Endless endless;
      const auto waits = [&](int i) {
        if (i == 9) endless.wait_for_reader(options);
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

TEST_CASE("pipelines: from an endless range, until something is thrown") {
  for_some_pools([](const AlgorithmOptions& options) {
    const auto throws = [](int i) {
      if (i == 100'000) throw Thrown();
      return i;
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
        endless.wait_for_reader(options);
        throw Thrown();
      }
      return i;
    };
    const auto all = par(0, 10).map(nine_throws).chain(endless.items().map([](int) { return 0; })).with(options);
    CHECK_THROWS_AS(static_cast<void>(all.sum()), Thrown);
    CHECK_FALSE(endless.read_on());
  });
}

TEST_CASE("pipelines: from an endless range, until a stop is requested") {
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
    check([](const auto& p) { CHECK(p.max() >= 100'000); });
    check([](const auto& p) { CHECK_THROWS_AS(static_cast<void>(p.collect()), blitz::Stopped); });
    check(
        [](const auto& p) { CHECK_THROWS_AS(static_cast<void>(p.any_of([](int) { return false; })), blitz::Stopped); });
  });
}

TEST_CASE("pipelines: the first of a range with its order, behind others and before others") {
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

}  // namespace
}  // namespace blitz_test
