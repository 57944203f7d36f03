#include "blitz/detail/fork_join/searchers.hpp"

#include <cstddef>

#include <doctest/doctest.h>

using blitz::detail::kSlotsOfWord;
using blitz::detail::Searchers;

TEST_CASE("searchers: none is counted at first for every number of slots") {
  for (const std::size_t slots :
       {std::size_t{1}, kSlotsOfWord - 1, kSlotsOfWord, kSlotsOfWord + 1, 10 * kSlotsOfWord}) {
    CAPTURE(slots);
    Searchers searchers(slots);
    CHECK_FALSE(searchers.more_than(0));
    CHECK(searchers.hint() == 0);
    searchers.add(slots - 1);
    CHECK(searchers.more_than(0));
    CHECK(searchers.hint() == 1);
  }
}

TEST_CASE("searchers: the count includes the slots of all words") {
  constexpr std::size_t kSlots = 3 * kSlotsOfWord + 1;
  Searchers searchers(kSlots);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    searchers.add(slot);
    REQUIRE(searchers.more_than(slot));
    REQUIRE_FALSE(searchers.more_than(slot + 1));
    REQUIRE(searchers.hint() == slot + 1);
  }
  for (std::size_t slot = kSlots; slot-- > 0;) {
    searchers.sub(slot);
    REQUIRE_FALSE(searchers.more_than(slot));
    REQUIRE((slot == 0 || searchers.more_than(slot - 1)));
  }
}
