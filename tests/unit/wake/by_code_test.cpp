#include "blitz/detail/wake/by_code.hpp"

#include <cstdint>

#include <doctest/doctest.h>

using blitz::detail::ByCode;

TEST_CASE("by code: stores the time of an item of a loop") {
  ByCode<float> history;
  constexpr std::uintptr_t kLoop = 0x5d01'5670;
  CHECK(history[kLoop] == 0);
  history[kLoop] = 3;
  CHECK(history[kLoop] == 3);
  history[kLoop] = 5;
  CHECK(history[kLoop] == 5);
}

TEST_CASE("by code: forgets some of many loops and never confuses two") {
  ByCode<float> history;
  constexpr std::uintptr_t kFirst = 0x5d01'0000;
  constexpr int kLoops = 1000;
  for (int i = 0; i < kLoops; ++i) {
    const std::uintptr_t loop = kFirst + 48 * static_cast<std::uintptr_t>(i);
    CHECK(history[loop] == 0);
    history[loop] = static_cast<float>(i + 1);
    CHECK(history[loop] == static_cast<float>(i + 1));
  }
  int remembered = 0;
  for (int i = 0; i < kLoops; ++i) {
    const float kept = history[kFirst + 48 * static_cast<std::uintptr_t>(i)];
    CHECK((kept == 0 || kept == static_cast<float>(i + 1)));
    if (kept != 0) ++remembered;
  }
  CHECK(remembered < kLoops);
}

TEST_CASE("by code: remembers a few loops with adjacent code") {
  ByCode<float> history;
  constexpr std::uintptr_t kFirst = 0x5d01'0000;
  for (std::uintptr_t i = 0; i < 8; ++i) history[kFirst + 16 * i] = static_cast<float>(i + 1);
  for (std::uintptr_t i = 0; i < 8; ++i) CHECK(history[kFirst + 16 * i] == static_cast<float>(i + 1));
}
