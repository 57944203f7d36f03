// Large and const results of calls: the number of copies made, and the stack that they use.
//
// Also compiled without optimization: then no two objects share a place on the stack.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>
#include <pthread.h>

#include "support/policies.hpp"

using namespace blitz_test;

namespace {

constexpr std::size_t kStack = std::size_t{8} << 20;
constexpr std::size_t kMegabyte = std::size_t{1} << 20;

/// The number of objects of a type, now and at most.
struct Census {
  std::atomic<int> alive{0};
  std::atomic<int> most{0};

  void born() {
    const int now = ++alive;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
  }
};

/// A counted result; `Which` distinguishes the results of a call.
template <int Which, std::size_t Size = kMegabyte>
class Large {
 public:
  explicit Large(int fill) noexcept {
    bytes_.fill(static_cast<unsigned char>(fill));
    census.born();
  }
  Large(Large&& other) noexcept {
    std::memcpy(bytes_.data(), other.bytes_.data(), Size);
    census.born();
  }
  Large& operator=(Large&&) = delete;
  ~Large() { --census.alive; }

  [[nodiscard]] bool is(int fill) const { return bytes_.front() == fill && bytes_.back() == fill; }

  static inline Census census;

 private:
  std::array<unsigned char, Size> bytes_;
};

/// Calls `f` on a thread with a stack of 8 MB that is no worker.
void on_outside_thread(const std::function<void()>& f) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, kStack) == 0);
  pthread_t thread{};
  REQUIRE(pthread_create(
              &thread, &attributes,
              [](void* argument) -> void* {
                (*static_cast<const std::function<void()>*>(argument))();
                return nullptr;
              },
              const_cast<std::function<void()>*>(&f)) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  REQUIRE(pthread_attr_destroy(&attributes) == 0);
}

/// Calls `f(pool)` on an outside thread that borrows a slot; on a worker of the pool; on an outside thread when no slot is
/// free; and on a worker of another pool.
void from_everywhere(std::size_t size, const std::function<void(Pool&)>& f) {
#if defined(BLITZ_PORTABLE)
  constexpr std::size_t kWorkersStack = 0;  // It cannot be chosen.
#else
  constexpr std::size_t kWorkersStack = kStack;
#endif
  const blitz::ThreadPoolOptions options{.num_threads = size, .stack_size = kWorkersStack};
  Pool pool(options);
  on_outside_thread([&] { f(pool); });
  pool.async([&] { f(pool); }).get();

  blitz::ThreadPoolOptions single = options;
  single.num_threads = 1;
  Pool other(single);
  other.async([&] { f(pool); }).get();

  std::atomic<bool> done{false};
  std::latch taken(1);
  auto busy = pool.async([&] {
    taken.count_down();
    while (!done) static_cast<void>(blitz::yield_now());
  });
  if (size == 1) {
    taken.wait();
    on_outside_thread([&] { f(pool); });
  }
  done = true;
  busy.get();
}

template <std::size_t Size, int... Which>
void check_two_at_most() {
  const auto check = [](Census& census) {
    CHECK(census.most <= 2);
    CHECK(census.alive == 0);
    census.most = 0;
  };
  (check(Large<Which, Size>::census), ...);
}

}  // namespace

POOL_TEST_CASE("results: join makes at most two copies of a megabyte and fits a stack of 8 MB") {
  for (const std::size_t size : {1U, 2U}) {
    CAPTURE(size);
    from_everywhere(size, [](Pool& pool) {
      const auto [a, b] = pool.join([] { return Large<1>(1); }, [] { return Large<2>(2); });
      CHECK(a.is(1));
      CHECK(b.is(2));
    });
    check_two_at_most<kMegabyte, 1, 2>();
    from_everywhere(size, [](Pool& pool) {
      pool.install([] {
        const auto [a, b] = blitz::join([] { return Large<1>(1); }, [] { return Large<2>(2); });
        CHECK(a.is(1));
        CHECK(b.is(2));
      });
    });
    check_two_at_most<kMegabyte, 1, 2>();
  }
}

POOL_TEST_CASE("results: a join with a stolen callable makes at most two copies of a result") {
  from_everywhere(2, [](Pool& pool) {
    std::latch stolen(1);
    const auto [a, b] = pool.join(
        [&] {
          stolen.wait();
          return Large<1>(1);
        },
        [&] {
          stolen.count_down();
          return Large<2>(2);
        });
    CHECK(a.is(1));
    CHECK(b.is(2));
  });
  check_two_at_most<kMegabyte, 1, 2>();
}

POOL_TEST_CASE("results: a join of a large result and none makes at most two copies") {
  from_everywhere(2, [](Pool& pool) {
    int calls = 0;
    const auto left = pool.join([] { return Large<1>(1); }, [&] { ++calls; });
    CHECK(left.first.is(1));
    const auto right = pool.join([&]() -> int& { return calls; }, [] { return Large<2>(2); });
    CHECK(&right.first == &calls);
    CHECK(right.second.is(2));
    CHECK(calls == 1);
  });
  check_two_at_most<kMegabyte, 1, 2>();
}

TEST_CASE("results: a join in the global pool makes at most two copies of a result") {
  on_outside_thread([] {
    const auto [a, b] = blitz::join([] { return Large<1>(1); }, [] { return Large<2>(2); });
    CHECK(a.is(1));
    CHECK(b.is(2));
  });
  check_two_at_most<kMegabyte, 1, 2>();
}

POOL_TEST_CASE("results: a join of three makes at most two copies and fits a stack of 8 MB") {
  for (const std::size_t size : {1U, 2U}) {
    CAPTURE(size);
    from_everywhere(size, [](Pool& pool) {
      const auto [a, b, c] =
          pool.join([] { return Large<1>(1); }, [] { return Large<2>(2); }, [] { return Large<3>(3); });
      CHECK(a.is(1));
      CHECK(b.is(2));
      CHECK(c.is(3));
    });
    check_two_at_most<kMegabyte, 1, 2, 3>();
  }
  // Two of them stolen.
  from_everywhere(3, [](Pool& pool) {
    std::latch all(3);
    const auto meet = [&all]<int Which>(std::integral_constant<int, Which>) {
      return [&all] {
        all.arrive_and_wait();
        return Large<Which>(Which);
      };
    };
    const auto [a, b, c] = pool.join(meet(std::integral_constant<int, 1>()), meet(std::integral_constant<int, 2>()),
                                     meet(std::integral_constant<int, 3>()));
    CHECK(a.is(1));
    CHECK(b.is(2));
    CHECK(c.is(3));
  });
  check_two_at_most<kMegabyte, 1, 2, 3>();
}

POOL_TEST_CASE("results: a join of three destroys all results if one callable throws") {
  static constexpr auto kFail = []() -> Large<1> { throw std::string("no"); };
  static constexpr auto kMake = [] { return Large<2>(2); };
  from_everywhere(2, [](Pool& pool) {
    // A function for each: without optimization, the results of all calls in one function have separate room.
    const auto fails = [&pool](auto... f) { CHECK_THROWS_AS(static_cast<void>(pool.join(f...)), std::string); };
    fails(kFail, kMake, kMake);
    fails(kMake, kFail, kMake);
    fails(kMake, kMake, kFail);
  });
  CHECK(Large<1>::census.alive == 0);
  CHECK(Large<2>::census.alive == 0);
}

POOL_TEST_CASE("results: join_all makes at most two copies of each result") {
  constexpr std::size_t kSize = 1024;
  const auto make = [] { return Large<1, kSize>(1); };
  const std::vector callables(10, make);
  from_everywhere(2, [&](Pool& pool) {
    const std::vector<Large<1, kSize>> results = pool.join_all(callables);
    CHECK(results.size() == 10);
    for (const auto& result : results) CHECK(result.is(1));
  });
  CHECK(Large<1, kSize>::census.most <= 20);
  CHECK(Large<1, kSize>::census.alive == 0);
}

POOL_TEST_CASE("results: a join of four makes at most two copies of each result") {
  constexpr std::size_t kSize = kMegabyte / 8;
  from_everywhere(2, [](Pool& pool) {
    const auto [a, b, c, d] = pool.join([] { return Large<1, kSize>(1); }, [] { return Large<2, kSize>(2); },
                                        [] { return Large<3, kSize>(3); }, [] { return Large<4, kSize>(4); });
    CHECK(a.is(1));
    CHECK(b.is(2));
    CHECK(c.is(3));
    CHECK(d.is(4));
  });
  check_two_at_most<kSize, 1, 2, 3, 4>();
}

POOL_TEST_CASE("results: install and async and scope make at most two copies of a result") {
  from_everywhere(1, [](Pool& pool) {
    CHECK(pool.install([] { return Large<1>(1); }).is(1));
    CHECK(pool.install_blocking([] { return Large<1>(2); }).is(2));
    CHECK(pool.async([] { return Large<1>(3); }).get().is(3));
    CHECK(pool.scope([](blitz::Scope&) { return Large<1>(4); }).is(4));
  });
  check_two_at_most<kMegabyte, 1>();
}

POOL_TEST_CASE("results: a join with an exception makes at most two copies of the other result") {
  static constexpr auto kFail = []() -> Large<1> { throw std::string("no"); };
  static constexpr auto kMake = [] { return Large<2>(2); };
  from_everywhere(2, [](Pool& pool) { CHECK_THROWS_AS(static_cast<void>(pool.join(kFail, kMake)), std::string); });
  from_everywhere(2, [](Pool& pool) { CHECK_THROWS_AS(static_cast<void>(pool.join(kMake, kFail)), std::string); });
  from_everywhere(2, [](Pool& pool) {
    std::latch stolen(1);
    CHECK_THROWS_AS(static_cast<void>(pool.join(
                        [&] {
                          stolen.wait();
                          return kMake();
                        },
                        [&] {
                          stolen.count_down();
                          return kFail();
                        })),
                    std::string);
  });
  check_two_at_most<kMegabyte, 1, 2>();
}

POOL_TEST_CASE("results: a const class result is returned without the const") {
  using Pointer = std::unique_ptr<int>;
  const auto text = []() -> const std::string { return "text"; };
  const auto pointer = []() -> const Pointer { return std::make_unique<int>(7); };
  from_everywhere(2, [&](Pool& pool) {
    auto two = pool.join(text, pointer);
    static_assert(std::is_same_v<decltype(two), std::pair<std::string, Pointer>>);
    CHECK(two.first == "text");
    CHECK(*two.second == 7);
    auto three = pool.join(pointer, text, pointer);
    static_assert(std::is_same_v<decltype(three), std::tuple<Pointer, std::string, Pointer>>);
    CHECK(std::get<1>(three) == "text");
    auto in_context = pool.join_context([](blitz::JoinContext) -> const std::string { return "a"; },
                                        [](blitz::JoinContext) -> const Pointer { return nullptr; });
    static_assert(std::is_same_v<decltype(in_context), std::pair<std::string, Pointer>>);

    static_assert(std::is_same_v<decltype(pool.install(text)), std::string>);
    CHECK(*pool.install(pointer) == 7);
    static_assert(std::is_same_v<decltype(pool.install_blocking(text)), std::string>);
    CHECK(*pool.install_blocking(pointer) == 7);
    CHECK(pool.install([&] { return *blitz::isolate(pointer); }) == 7);
    static_assert(std::is_same_v<decltype(blitz::isolate(text)), std::string>);

    auto handle = pool.async(pointer);
    static_assert(std::is_same_v<decltype(handle), blitz::AsyncHandle<Pointer>>);
    CHECK(*handle.get() == 7);
    pool.spawn(text);
    blitz::TaskGroup group(pool);
    group.run(text);
    group.run_and_wait(pointer);

    const auto body = [&](blitz::Scope& scope) -> const Pointer {
      scope.spawn(text);
      scope.spawn_fifo(pointer);
      return std::make_unique<int>(8);
    };
    static_assert(std::is_same_v<decltype(pool.scope(body)), Pointer>);
    CHECK(*pool.scope(body) == 8);
    CHECK(*pool.scope_fifo(body) == 8);
    CHECK(*pool.in_place_scope(body) == 8);
    CHECK(pool.install([&] { return *blitz::scope(body) + *blitz::in_place_scope_fifo(body); }) == 16);

    const std::vector<std::string> texts =
        pool.broadcast([](blitz::BroadcastContext) -> const std::string { return "each"; });
    CHECK(std::count(texts.begin(), texts.end(), "each") == static_cast<std::ptrdiff_t>(pool.num_threads()));
    pool.parallel_invoke(text, pointer, text);
  });
}
