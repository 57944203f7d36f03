#include "blitz/detail/job/job.hpp"

#include <concepts>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <doctest/doctest.h>

#include "blitz/detail/job/latch.hpp"
#include "support/counted.hpp"
#include "unit/fake_worker.hpp"

using blitz::Unit;
using blitz::detail::call_value;
using blitz::detail::CallValue;
using blitz::detail::JobResult;
using blitz::detail::ResultRoom;
using blitz::detail::WorkerBase;
using blitz::detail::WorkerLatch;
using blitz_test::Counted;
using blitz_test::FakeWorker;
using blitz_test::Lives;

static_assert(std::same_as<CallValue<void (&)()>, Unit>);
static_assert(std::same_as<CallValue<int (&)(char), char>, int>);
static_assert(std::same_as<CallValue<int& (&)()>, int&>);
static_assert(std::same_as<CallValue<const std::string (&)()>, std::string>);
static_assert(std::same_as<CallValue<const std::string& (&)()>, const std::string&>);
static_assert(std::is_empty_v<Unit>);

TEST_CASE("unit: all values are equal") { CHECK(Unit{} == Unit{}); }

TEST_CASE("call_value: returns the result of the callable and Unit for void") {
  int calls = 0;
  CHECK(call_value([&](int by) { calls += by; }, 3) == Unit{});
  CHECK(calls == 3);
  CHECK(call_value([](int i) { return i + 1; }, 4) == 5);
  int here = 1;
  int& there = call_value([&]() -> int& { return here; });
  CHECK(&there == &here);
}

TEST_CASE("result: take moves a value out and it is destroyed once") {
  Lives lives;
  {
    JobResult<Counted> result;
    CHECK(lives.made == 0);
    result.run([&] { return Counted(lives, 7); });
    CHECK(lives.alive == 1);
    CHECK(lives.made == 1);  // built in place
    SUBCASE("taken") {
      const Counted value = result.take();
      CHECK(value.value == 7);
      CHECK(lives.alive == 1);
    }
    SUBCASE("dropped") {
      result.discard();
      CHECK(lives.alive == 0);
    }
  }
  CHECK(lives.alive == 0);
}

TEST_CASE("result: holds move-only values and references") {
  JobResult<std::unique_ptr<int>> unique;
  unique.run([] { return std::make_unique<int>(3); });
  CHECK(*unique.take() == 3);

  int target = 1;
  JobResult<int&> reference;
  reference.run([&]() -> int& { return target; });
  CHECK(&reference.take() == &target);

  const std::string text = "text";
  JobResult<const std::string&> constant;
  constant.run([&]() -> const std::string& { return text; });
  CHECK(&constant.take() == &text);

  JobResult<std::string&&> rvalue;
  std::string source = "moved";
  rvalue.run([&]() -> std::string&& { return std::move(source); });
  const std::string moved = rvalue.take();
  CHECK(moved == "moved");

  JobResult<int&> dropped;
  dropped.run([&]() -> int& { return target; });
  dropped.discard();
  CHECK(target == 1);
}

TEST_CASE("result: take rethrows an exception and discard drops it and it is freed once") {
  Lives lives;
  {
    JobResult<int> result;
    result.run([&]() -> int { throw Counted(lives, 9); });
    CHECK(lives.alive == 1);
    SUBCASE("rethrown") {
      bool caught = false;
      try {
        (void)result.take();
      } catch (const Counted& error) {
        caught = true;
        CHECK(error.value == 9);
      }
      CHECK(caught);
    }
    SUBCASE("dropped") { result.discard(); }
    CHECK(lives.alive == 0);
  }
  CHECK(lives.alive == 0);
}

TEST_CASE("room: make constructs in place and get refers to the value and destroy ends it") {
  Lives lives;
  ResultRoom<Counted> room;
  static_assert(!ResultRoom<Counted>::kIsTrivial);
  CHECK_THROWS_WITH(room.make([]() -> Counted { throw std::runtime_error("no"); }), "no");
  room.make([&] { return Counted(lives, 7); });
  CHECK(lives.made == 1);
  Counted&& there = room.get();
  CHECK(there.value == 7);
  CHECK(lives.made == 1);
  room.destroy();
  CHECK(lives.alive == 0);
}

TEST_CASE("room: holds references") {
  int target = 1;
  ResultRoom<int&> room;
  static_assert(ResultRoom<int&>::kIsTrivial);
  static_assert(std::same_as<decltype(room.get()), int&>);
  room.make([&]() -> int& { return target; });
  CHECK(&room.get() == &target);
  room.destroy();
  ResultRoom<const int&&> rvalue;
  static_assert(std::same_as<decltype(rvalue.get()), const int&&>);
  rvalue.make([&]() -> const int&& { return std::move(target); });
  CHECK(&static_cast<const int&>(rvalue.get()) == &target);
}

TEST_CASE("result: destroys a value whose move throws") {
  struct Sticky {
    explicit Sticky(int& the_alive) : alive(the_alive) { ++alive; }
    Sticky(Sticky&& other) : alive(other.alive) { throw std::runtime_error("stuck"); }
    ~Sticky() { --alive; }
    int& alive;
  };
  int alive = 0;
  JobResult<Sticky> result;
  result.run([&] { return Sticky(alive); });
  CHECK(alive == 1);
  CHECK_THROWS_WITH((void)result.take(), "stuck");
  CHECK(alive == 0);
}
