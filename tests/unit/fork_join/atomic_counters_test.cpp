#include "blitz/detail/fork_join/atomic_counters.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

using blitz::detail::AtomicCounters;
using blitz::detail::Counters;

namespace {

struct Fields {
  unsigned sleeping;
  std::uint64_t jec;

  friend bool operator==(const Fields&, const Fields&) = default;
};

Fields fields(Counters counters) { return {counters.sleeping(), counters.jec()}; }
Fields fields(const AtomicCounters& counters) { return fields(counters.load()); }

// True for every tested processor; on others the standard library takes a lock for each 64-bit word.
static_assert(blitz::detail::Atomic<std::uint64_t>::is_always_lock_free);

constexpr std::uint64_t kLastJec = 0xffff'ffff'ffff;

bool needed(const AtomicCounters& counters) { return !counters.all_awake(); }

}  // namespace

TEST_CASE("counters: all slots begin asleep") {
  CHECK(fields(AtomicCounters(3)) == Fields{3, 0});
  CHECK(fields(AtomicCounters(1, 7)) == Fields{1, 7});
}

TEST_CASE("counters: an even JEC is sleepy and an odd one active") {
  CHECK(AtomicCounters(1, 0).load().sleepy());
  CHECK_FALSE(AtomicCounters(1, 1).load().sleepy());
  CHECK(AtomicCounters(1, kLastJec - 1).load().sleepy());
  CHECK_FALSE(AtomicCounters(1, kLastJec).load().sleepy());
}

TEST_CASE("counters: a post makes a sleepy JEC active and keeps an active one") {
  AtomicCounters counters(2, 4);
  CHECK(fields(counters.make_active()) == Fields{2, 5});
  CHECK(fields(counters.make_active()) == Fields{2, 5});
  CHECK(fields(counters) == Fields{2, 5});
}

TEST_CASE("counters: an announcement makes an active JEC sleepy and keeps a sleepy one") {
  AtomicCounters counters(2, 5);
  CHECK(fields(counters.announce_sleepy()) == Fields{2, 6});
  CHECK(fields(counters.announce_sleepy()) == Fields{2, 6});
  CHECK(fields(counters) == Fields{2, 6});
}

TEST_CASE("counters: the JEC wraps around and changes nothing else") {
  AtomicCounters counters(AtomicCounters::kMaxSlots, kLastJec);
  CHECK(counters.announce_sleepy().jec() == 0);
  CHECK(fields(counters) == Fields{0xffff, 0});
  counters.make_active();
  CHECK(fields(counters) == Fields{0xffff, 1});
}

TEST_CASE("counters: a worker that announced before the JEC wrapped around cannot register after") {
  AtomicCounters counters(1, kLastJec - 1);
  counters.sub_sleeping();
  const std::uint64_t announced = counters.announce_sleepy().jec();
  CHECK(announced == kLastJec - 1);
  counters.make_active();
  CHECK(counters.announce_sleepy().jec() == 0);
  CHECK_FALSE(counters.try_add_sleeping(announced));
  CHECK(counters.try_add_sleeping(0));
  CHECK(fields(counters) == Fields{1, 0});
}

TEST_CASE("counters: a worker registers as sleeping only if nothing was posted since it announced") {
  AtomicCounters counters(2, 1);
  counters.sub_sleeping();
  const std::uint64_t announced = counters.announce_sleepy().jec();

  SUBCASE("nothing was") {
    CHECK(counters.try_add_sleeping(announced));
    CHECK(fields(counters) == Fields{2, 2});
  }
  SUBCASE("a job was posted") {
    counters.make_active();
    CHECK_FALSE(counters.try_add_sleeping(announced));
    CHECK(fields(counters) == Fields{1, 3});
  }
  SUBCASE("a job was posted, and another worker has announced itself since") {
    counters.make_active();
    (void)counters.announce_sleepy();
    CHECK_FALSE(counters.try_add_sleeping(announced));
    CHECK(fields(counters) == Fields{1, 4});
  }
}

TEST_CASE("counters: a slot that sleeps or wakes changes nothing else") {
  AtomicCounters counters(4, 9);
  counters.sub_sleeping();
  CHECK(fields(counters) == Fields{3, 9});
  CHECK(fields(counters.add_sleeping()) == Fields{4, 9});
  CHECK(fields(counters) == Fields{4, 9});
}

TEST_CASE("counters: the largest number of slots fits") {
  constexpr std::size_t kMax = AtomicCounters::kMaxSlots;
  CHECK(kMax == 0xffff);
  AtomicCounters counters(kMax, kLastJec);
  for (std::size_t i = 0; i < kMax; ++i) counters.sub_sleeping();
  CHECK(fields(counters) == Fields{0, kLastJec});
  for (std::size_t i = 0; i < kMax; ++i) (void)counters.add_sleeping();
  CHECK(fields(counters) == Fields{0xffff, kLastJec});
}

TEST_CASE("counters: a push must be posted if a slot sleeps or has announced itself") {
  AtomicCounters asleep(1, 1);
  CHECK(needed(asleep));  // one slot sleeps
  asleep.sub_sleeping();
  CHECK_FALSE(needed(asleep));  // it searches
  (void)asleep.announce_sleepy();
  CHECK(needed(asleep));  // it has announced itself
  asleep.make_active();
  CHECK_FALSE(needed(asleep));
}

TEST_CASE("counters: every push must be posted without asymmetric fences") {
  AtomicCounters counters(1, 1, AtomicCounters::kNever);
  CHECK(needed(counters));
  counters.sub_sleeping();
  CHECK(needed(counters));
}

TEST_CASE("counters: the highest slot count is not mistaken for the JEC") {
  AtomicCounters counters(AtomicCounters::kMaxSlots, 0);
  CHECK(needed(counters));
  for (std::size_t i = 0; i < AtomicCounters::kMaxSlots; ++i) counters.sub_sleeping();
  CHECK(counters.load().sleeping() == 0);
  CHECK(needed(counters));  // sleepy still
  counters.make_active();
  CHECK_FALSE(needed(counters));
}
