/// Helpers shared by the tests of algorithms: pools, items and ranges of all kinds, and calls that throw.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <random>
#include <ranges>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

namespace blitz_test {

using blitz::AlgorithmOptions;

/// These tests are compiled without optimization under a sanitizer, which then makes them many times slower. They skip sizes
/// that give no more coverage than smaller ones.
#if defined(BLITZ_THREAD_SANITIZER) || defined(BLITZ_ADDRESS_SANITIZER)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Pools of the async backend with 1, 2, 3 and 16 threads. They live as long as the program.
inline const std::array<blitz::PoolRef, 4>& async_pools() {
  static blitz::AsyncThreadPool one({.num_threads = 1});
  static blitz::AsyncThreadPool two({.num_threads = 2});
  static blitz::AsyncThreadPool three({.num_threads = 3});
  static blitz::AsyncThreadPool many({.num_threads = 16});
  static const std::array<blitz::PoolRef, 4> all{&one, &two, &three, &many};
  return all;
}

/// Pools with 1, 2, 3 and 16 threads, and one of the async backend with 3 threads. They live as long as the program.
inline const std::array<blitz::PoolRef, 5>& pools() {
  static blitz::ThreadPool one({.num_threads = 1});
  static blitz::ThreadPool two({.num_threads = 2});
  static blitz::ThreadPool three({.num_threads = 3});
  static blitz::ThreadPool many({.num_threads = 16});
  static const std::array<blitz::PoolRef, 5> all{&one, &two, &three, &many, async_pools()[2]};
  return all;
}

/// For calls that are tested with no other options.
inline AlgorithmOptions two_threads() { return {.pool = pools()[1]}; }

/// Returns 0, 1, 2, ... in successive calls.
inline std::size_t next_turn() {
  static std::size_t turn = 0;
  return turn++;
}

/// The number of options that for_each_pool makes.
inline constexpr std::size_t kWays = 10;

/// Calls `test(options)` with options that name each of the pools, with the algorithm's default grain and with 1. The pool of
/// the async backend has 1, 2, 3 or 16 threads, in turn.
template <class Test>
void for_each_pool(Test&& test) {
  const std::size_t turn = next_turn();
  for (const std::size_t grain : {std::size_t{0}, std::size_t{1}}) {
    const blitz::PoolRef async = async_pools()[(turn + 2 * grain) % 4];
    for (std::size_t pool = 0; pool < 5; ++pool) {
      CAPTURE(turn);
      CAPTURE(grain);
      CAPTURE(pool);
      test(AlgorithmOptions{.min_grain = grain, .pool = pool < 4 ? pools()[pool] : async});
    }
  }
}

/// Every length from 0 to `most_small`, then some around powers of two up to `most`. With a sanitizer fewer of both.
inline std::vector<std::size_t> lengths(std::size_t most = 20'000, std::size_t most_small = 300) {
  std::vector<std::size_t> all;
  if (kSanitized) {
    for (std::size_t n = 0; n <= std::min<std::size_t>(most_small, 35); ++n) all.push_back(n);
    for (const std::size_t n : {65, 129, 300, 1000}) {
      if (n <= most) all.push_back(n);
    }
    return all;
  }
  for (std::size_t n = 0; n <= most_small; ++n) all.push_back(n);
  for (std::size_t power = 512; power <= most; power *= 2) all.insert(all.end(), {power - 1, power, power + 1});
  return all;
}

/// Calls `test(options, n)` for every length n from 0 to 300, and for some around powers of two up to `most`, with all options
/// of for_each_pool. Exception: each length between `most_small` and 300 gets only one of the options, in turn.
template <class Test>
void for_each_length(std::size_t most, std::size_t most_small, Test&& test) {
  std::size_t way = 0;
  for_each_pool([&](const AlgorithmOptions& options) {
    for (const std::size_t n : lengths(most)) {
      if (!kSanitized && n > most_small && n <= 300 && n % kWays != way) continue;
      CAPTURE(n);
      test(options, n);
    }
    ++way;
  });
}
template <class Test>
void for_each_length(std::size_t most, Test&& test) {
  for_each_length(most, 66, test);
}

/// The numbers before, at and after each of these limits, at which an algorithm changes its method.
inline std::vector<std::size_t> around(std::initializer_list<std::size_t> limits) {
  std::vector<std::size_t> all;
  for (const std::size_t limit : limits) all.insert(all.end(), {limit - 1, limit, limit + 1});
  return all;
}

/// The same sequence in each run: the length is enough to identify a failing case.
inline std::mt19937_64& random_bits() {
  static std::mt19937_64 bits(20'221'101);
  return bits;
}

/// `count` random numbers below `kinds`, which may be small.
inline std::vector<int> random_ints(std::size_t count, int kinds = 1'000'000) {
  std::vector<int> numbers(count);
  for (int& number : numbers) number = static_cast<int>(random_bits()() % static_cast<std::uint64_t>(kinds));
  return numbers;
}

// --- items ---

/// The number of existing Item objects.
inline std::atomic<std::ptrdiff_t> items_alive{0};

/// Move-only, not default-constructible, on the heap: a leak or a double destruction shows in items_alive and under a
/// sanitizer. Ordered by value; `place` distinguishes equal items.
class Item {
 public:
  explicit Item(int the_value, std::size_t the_place = 0) : value_(std::make_unique<int>(the_value)), place(the_place) {
    ++items_alive;
  }
  Item(Item&& other) noexcept : value_(std::move(other.value_)), place(other.place) { ++items_alive; }
  Item& operator=(Item&& other) noexcept = default;
  ~Item() { --items_alive; }

  /// Fails if the item was moved from and not assigned to since.
  [[nodiscard]] int value() const {
    REQUIRE(value_ != nullptr);
    return *value_;
  }
  friend bool operator==(const Item& a, const Item& b) { return a.value() == b.value(); }
  friend auto operator<=>(const Item& a, const Item& b) { return a.value() <=> b.value(); }

 private:
  std::unique_ptr<int> value_;

 public:
  std::size_t place;
};

/// Like an int, but over-aligned.
struct alignas(128) Wide {
  int value = 0;
  Wide() = default;
  explicit(false) Wide(int the_value) : value(the_value) {}
  friend bool operator==(const Wide&, const Wide&) = default;
  friend auto operator<=>(const Wide&, const Wide&) = default;
};

/// A base class that makes derived classes not trivially copyable.
struct NotTrivial {
  NotTrivial() = default;
  NotTrivial(const NotTrivial&) {}
  NotTrivial(NotTrivial&&) noexcept {}
  NotTrivial& operator=(const NotTrivial&) { return *this; }
  NotTrivial& operator=(NotTrivial&&) noexcept { return *this; }
  ~NotTrivial() {}
};
struct Trivial {};

/// An int that is copied only from a const reference, like a type-erased box: a constructor template takes every other lvalue
/// and const rvalues, and wraps itself around them.
template <class Base, std::size_t kExtra = 0>
struct Greedy : Base {
  Greedy() = default;
  explicit Greedy(int its_value) : value(its_value) {}
  Greedy(const Greedy&) = default;
  Greedy(Greedy&&) = default;
  template <class X>
    requires(std::same_as<std::remove_cvref_t<X>, Greedy> && !std::same_as<X, Greedy> &&
             !std::same_as<X, const Greedy&>)
  explicit(false) Greedy(X&& x) : value(x.value), is_wrapped(true) {}
  Greedy& operator=(const Greedy&) = default;
  Greedy& operator=(Greedy&&) = default;
  friend bool operator==(const Greedy& a, const Greedy& b) { return a.value == b.value; }
  friend auto operator<=>(const Greedy& a, const Greedy& b) { return a.value <=> b.value; }

  int value = 0;
  bool is_wrapped = false;
  std::array<unsigned char, kExtra + 1> extra{};
};
#define BLITZ_TEST_GREEDY Greedy<Trivial>, Greedy<Trivial, 40>, Greedy<NotTrivial>
static_assert(std::is_trivially_copyable_v<Greedy<Trivial>> && sizeof(Greedy<Trivial>) <= 16);
static_assert(std::is_trivially_copyable_v<Greedy<Trivial, 40>> && sizeof(Greedy<Trivial, 40>) > 16);

template <class R>
bool none_wrapped(const R& items) {
  return std::ranges::none_of(items, [](const auto& x) { return x.is_wrapped; });
}

template <class T>
T item_from(int value) {
  if constexpr (std::same_as<T, std::string>) {
    // Short ones, and long ones on the heap.
    return std::string(value % 3 == 0 ? 40 : 8, 'x').append(std::to_string(value));
  } else {
    return T(value);
  }
}

/// The number that an item was made from.
template <class T>
int number_of(const T& item) {
  if constexpr (std::same_as<T, std::string>) {
    return std::stoi(item.substr(item.find_first_not_of('x')));
  } else if constexpr (std::same_as<T, int>) {
    return item;
  } else if constexpr (requires { item.value(); }) {
    return item.value();
  } else {
    return item.value;
  }
}

/// The numbers that the items were made from.
template <class Items>
std::vector<int> numbers_of(const Items& items) {
  std::vector<int> numbers;
  for (const auto& item : items) numbers.push_back(number_of(item));
  return numbers;
}

/// Whether the items were made from these numbers, in any order.
template <class Items>
bool made_of(const Items& items, std::vector<int> numbers) {
  std::vector<int> found = numbers_of(items);
  std::ranges::sort(found);
  std::ranges::sort(numbers);
  return found == numbers;
}

/// The numbers as items of type T, in a container.
template <class Container>
Container items_from(const std::vector<int>& numbers) {
  using T = typename Container::value_type;
  Container items;
  for (const int number : numbers) items.push_back(item_from<T>(number));
  return items;
}

/// Calls `test(items, numbers)` with `numbers` as containers of all kinds of items and iterators.
template <class Test>
void for_each_kind(const std::vector<int>& numbers, Test&& test) {
  const auto run = [&]<class Container>(const char* kind, Container) {
    CAPTURE(kind);
    auto items = items_from<Container>(numbers);
    test(items, numbers);
  };
  run("ints", std::vector<int>{});
  run("strings in a deque", std::deque<std::string>{});
  run("over-aligned", std::vector<Wide>{});
}

/// A type-erased comparison. An algorithm takes a second to compile, so tests that differ only in their comparison use it.
template <class T>
using Order = std::function<bool(const T&, const T&)>;

/// Numbers unrelated to any argument, different for each call.
inline std::uint64_t whatever() {
  static std::atomic<std::uint64_t> state{1};
  return blitz::detail::splitmix64(state.fetch_add(1, std::memory_order_relaxed));
}

/// Comparisons that are not an order: true for an item and itself; true for both directions; false for both, although the items
/// are not equivalent to the same others (as with NaNs); cyclic; different each time.
inline const std::array<Order<int>, 8>& disorders() {
  static const auto number = [](int x) { return x % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : x; };
  static const std::array<Order<int>, 8> all{
      [](int, int) { return true; },
      [](int, int) { return false; },
      [](int a, int b) { return a <= b; },
      [](int a, int b) { return number(a) < number(b); },
      [](int a, int b) { return (a * 31 + b * 17) % 3 == 0; },
      [](int, int) { return whatever() % 2 == 0; },
      [](int, int) { return whatever() % 100 == 0; },
      [](int, int) { return whatever() % 100 != 0; },
  };
  return all;
}

// --- exceptions ---

struct Thrown {};

/// Counts calls on all threads. One of the calls throws Thrown or requests a stop.
class CallCounter {
 public:
  /// Restarts the count at 0. Call number `at` will throw.
  void throw_at(std::size_t at) {
    calls_ = 0;
    at_ = at;
    stop_ = std::stop_source(std::nostopstate);
  }
  void never_throw() { throw_at(~std::size_t{0}); }
  /// Like throw_at, but the call requests a stop. Returns the token that receives the request.
  std::stop_token stop_at(std::size_t at) {
    throw_at(at);
    stop_ = std::stop_source();
    return stop_.get_token();
  }
  void operator()() {
    if (calls_.fetch_add(1, std::memory_order_relaxed) != at_) return;
    if (!stop_.stop_possible()) throw Thrown{};
    stop_.request_stop();
  }
  [[nodiscard]] std::size_t calls() const { return calls_.load(); }
  /// The call that throws.
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  std::atomic<std::size_t> calls_{0};
  std::size_t at_ = ~std::size_t{0};
  std::stop_source stop_{std::nostopstate};
};

/// The call to interrupt after call `at`: the next one. With a sanitizer, an exception takes a millisecond or more, so later
/// calls are sampled.
inline std::size_t next_to_interrupt(std::size_t at) { return at + 1 + (kSanitized ? at / 16 : 0); }

/// Calls `run(counter)`, which calls `counter()`, with the counter throwing at call 0, 1, 2, ... until run returns without an
/// exception. Calls `check()` after each exception. `run` must not call the counter within CHECK(...), which catches.
template <class Run, class Check>
void throw_at_each_call(Run&& run, Check&& check) {
  CallCounter counter;
  for (std::size_t at = 0;; at = next_to_interrupt(at)) {
    REQUIRE(at < 1'000'000);
    CAPTURE(at);
    counter.throw_at(at);
    try {
      run(counter);
      return;
    } catch (const Thrown&) {
      check();
    }
  }
}

/// A callable like `f`: `counter` counts each call, which may throw.
template <class F>
auto counted(CallCounter& counter, F f) {
  return [&counter, f]<class... Args>(Args&&... args) -> decltype(auto) {
    counter();
    return f(std::forward<Args>(args)...);
  };
}

/// Like an int on the heap. `counter` counts its copies and moves, which may throw, unless `moves_count` is false. A moved-from
/// object is empty.
class Fragile {
 public:
  inline static CallCounter counter;
  inline static bool moves_count = true;

  explicit Fragile(int the_value) : value_(std::make_unique<int>(the_value)) { ++items_alive; }
  Fragile(const Fragile& other) : value_(copy_of(other)) { ++items_alive; }
  Fragile(Fragile&& other) : value_(taken_from(other)) { ++items_alive; }
  Fragile& operator=(const Fragile& other) {
    value_ = copy_of(other);
    return *this;
  }
  Fragile& operator=(Fragile&& other) {
    value_ = taken_from(other);
    return *this;
  }
  Fragile& operator=(int number) {
    if (moves_count) counter();
    value_ = std::make_unique<int>(number);
    return *this;
  }
  ~Fragile() { --items_alive; }

  [[nodiscard]] bool empty() const { return value_ == nullptr; }
  /// 0 if the object is empty.
  [[nodiscard]] int value() const { return empty() ? 0 : *value_; }

 private:
  static std::unique_ptr<int> copy_of(const Fragile& other) {
    if (moves_count) counter();
    return other.empty() ? nullptr : std::make_unique<int>(*other.value_);
  }
  static std::unique_ptr<int> taken_from(Fragile& other) {
    if (moves_count) counter();
    return std::move(other.value_);
  }

  std::unique_ptr<int> value_;
};

}  // namespace blitz_test
