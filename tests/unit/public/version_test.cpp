#include "blitz/version.hpp"

#include <string>

#include <doctest/doctest.h>

TEST_CASE("version: the parts, the text and the number agree") {
  static_assert(BLITZ_VERSION == BLITZ_VERSION_MAJOR * 10000 + BLITZ_VERSION_MINOR * 100 + BLITZ_VERSION_PATCH);
  static_assert(BLITZ_VERSION_MINOR < 100 && BLITZ_VERSION_PATCH < 100);
  CHECK(BLITZ_VERSION_STRING == std::to_string(BLITZ_VERSION_MAJOR) + "." + std::to_string(BLITZ_VERSION_MINOR) + "." +
                                    std::to_string(BLITZ_VERSION_PATCH));
}
