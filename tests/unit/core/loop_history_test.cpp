#include "blitz/detail/wake/loop_history.hpp"

#include <cstdint>

#include <doctest/doctest.h>

using blitz::detail::LoopHistory;

TEST_CASE("loop history: keeps what an item of a loop took") {
  LoopHistory history;
  constexpr std::uintptr_t kLoop = 0x5d01'5670;
  CHECK(history.per_item(kLoop) == 0);
  history.per_item(kLoop) = 3;
  CHECK(history.per_item(kLoop) == 3);
  history.per_item(kLoop) = 5;
  CHECK(history.per_item(kLoop) == 5);
}

TEST_CASE("loop history: of more loops than it has places for, some are forgotten, and none is taken for another") {
  LoopHistory history;
  constexpr std::uintptr_t kFirst = 0x5d01'0000;
  constexpr int kLoops = 1000;
  for (int i = 0; i < kLoops; ++i) {
    const std::uintptr_t loop = kFirst + 48 * static_cast<std::uintptr_t>(i);
    CHECK(history.per_item(loop) == 0);
    history.per_item(loop) = static_cast<float>(i + 1);
    CHECK(history.per_item(loop) == static_cast<float>(i + 1));
  }
  int remembered = 0;
  for (int i = 0; i < kLoops; ++i) {
    const float kept = history.per_item(kFirst + 48 * static_cast<std::uintptr_t>(i));
    CHECK((kept == 0 || kept == static_cast<float>(i + 1)));
    if (kept != 0) ++remembered;
  }
  CHECK(remembered < kLoops);
}

TEST_CASE("loop history: a few loops near to one another are all remembered") {
  LoopHistory history;
  constexpr std::uintptr_t kFirst = 0x5d01'0000;
  for (std::uintptr_t i = 0; i < 8; ++i) history.per_item(kFirst + 16 * i) = static_cast<float>(i + 1);
  for (std::uintptr_t i = 0; i < 8; ++i) CHECK(history.per_item(kFirst + 16 * i) == static_cast<float>(i + 1));
}
