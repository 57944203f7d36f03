#include "blitz/detail/fork_join/atomic_counters.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

using blitz::detail::AtomicCounters;
using Added = AtomicCounters::Added;
using blitz::detail::Counters;

namespace {

struct Fields {
  unsigned sleeping;
  unsigned inactive;
  std::uint32_t jec;

  friend bool operator==(const Fields&, const Fields&) = default;
};

Fields fields(Counters counters) { return {counters.sleeping(), counters.inactive(), counters.jec()}; }
Fields fields(const AtomicCounters& counters) { return fields(counters.load()); }

// True for every tested processor; on others the standard library takes a lock for each 64-bit word.
static_assert(blitz::detail::Atomic<std::uint64_t>::is_always_lock_free);

constexpr std::uint32_t kLastJec = 0xffffffff;

bool needed(const AtomicCounters& counters) { return !counters.all_awake(); }

}  // namespace

TEST_CASE("counters: all slots begin asleep") {
  CHECK(fields(AtomicCounters(3)) == Fields{3, 3, 0});
  CHECK(fields(AtomicCounters(1, 7)) == Fields{1, 1, 7});
  CHECK(AtomicCounters(5).load().awake_but_idle() == 0);
}

TEST_CASE("counters: an even JEC is sleepy, an odd one active") {
  CHECK(AtomicCounters(1, 0).load().sleepy());
  CHECK_FALSE(AtomicCounters(1, 1).load().sleepy());
  CHECK(AtomicCounters(1, kLastJec - 1).load().sleepy());
  CHECK_FALSE(AtomicCounters(1, kLastJec).load().sleepy());
}

TEST_CASE("counters: a post makes a sleepy JEC active, and leaves an active one") {
  AtomicCounters counters(2, 4);
  CHECK(fields(counters.make_active()) == Fields{2, 2, 5});
  CHECK(fields(counters.make_active()) == Fields{2, 2, 5});
  CHECK(fields(counters) == Fields{2, 2, 5});
}

TEST_CASE("counters: an announcement makes an active JEC sleepy, and leaves a sleepy one") {
  AtomicCounters counters(2, 5);
  CHECK(fields(counters.announce_sleepy()) == Fields{2, 2, 6});
  CHECK(fields(counters.announce_sleepy()) == Fields{2, 2, 6});
  CHECK(fields(counters) == Fields{2, 2, 6});
}

TEST_CASE("counters: the JEC wraps around and touches nothing else") {
  AtomicCounters counters(AtomicCounters::kMaxSlots, kLastJec);
  CHECK(counters.announce_sleepy().jec() == 0);
  CHECK(fields(counters) == Fields{0xffff, 0xffff, 0});
  counters.make_active();
  CHECK(fields(counters) == Fields{0xffff, 0xffff, 1});
}

TEST_CASE("counters: a worker that announced before the JEC wrapped around is not registered after it") {
  AtomicCounters counters(1, kLastJec - 1);
  counters.sub_sleeping();
  const std::uint32_t announced = counters.announce_sleepy().jec();
  CHECK(announced == kLastJec - 1);
  counters.make_active();
  CHECK(counters.announce_sleepy().jec() == 0);
  CHECK(counters.try_add_sleeping(announced, true) == Added::kPosted);
  CHECK(counters.try_add_sleeping(0, true) == Added::kYes);
  CHECK(fields(counters) == Fields{1, 1, 0});
}

TEST_CASE("counters: a worker registers as sleeping only if nothing was posted since its announcement") {
  AtomicCounters counters(2, 1);
  counters.sub_sleeping();
  const std::uint32_t announced = counters.announce_sleepy().jec();

  SUBCASE("nothing was") {
    CHECK(counters.try_add_sleeping(announced, true) == Added::kYes);
    CHECK(fields(counters) == Fields{2, 2, 2});
  }
  SUBCASE("a job was posted") {
    counters.make_active();
    CHECK(counters.try_add_sleeping(announced, true) == Added::kPosted);
    CHECK(fields(counters) == Fields{1, 2, 3});
  }
  SUBCASE("a job was posted, and another worker has announced itself since") {
    counters.make_active();
    (void)counters.announce_sleepy();
    CHECK(counters.try_add_sleeping(announced, true) == Added::kPosted);
    CHECK(fields(counters) == Fields{1, 2, 4});
  }
}

TEST_CASE("counters: the last searcher registers only if it has looked last") {
  AtomicCounters counters(3, 1);
  counters.sub_sleeping();
  counters.sub_sleeping();
  const std::uint32_t announced = counters.announce_sleepy().jec();
  CHECK(counters.try_add_sleeping(announced, false) == Added::kYes);  // Another one searches.
  CHECK(counters.try_add_sleeping(announced, false) == Added::kIsLast);
  CHECK(fields(counters) == Fields{2, 3, 2});
  CHECK(counters.try_add_sleeping(announced, true) == Added::kYes);
  CHECK(fields(counters) == Fields{3, 3, 2});
}

TEST_CASE("counters: a worker's way through searching and sleeping moves its own fields alone") {
  AtomicCounters counters(4, 9);
  counters.sub_sleeping();
  CHECK(fields(counters) == Fields{3, 4, 9});
  CHECK(counters.load().awake_but_idle() == 1);
  CHECK(fields(counters.sub_inactive()) == Fields{3, 3, 9});
  CHECK(fields(counters) == Fields{3, 3, 9});
  counters.add_inactive();
  CHECK(fields(counters) == Fields{3, 4, 9});
}

TEST_CASE("counters: a slot is borrowed and given back in one step each") {
  AtomicCounters counters(2, 3);
  counters.leave_vacant();
  CHECK(fields(counters) == Fields{1, 1, 3});
  CHECK(fields(counters.enter_vacant()) == Fields{2, 2, 3});
  CHECK(fields(counters) == Fields{2, 2, 3});
}

TEST_CASE("counters: the most slots fit, all the way down and up again") {
  constexpr std::size_t kMax = AtomicCounters::kMaxSlots;
  CHECK(kMax == 0xffff);
  AtomicCounters counters(kMax, kLastJec);
  for (std::size_t i = 0; i < kMax; ++i) counters.leave_vacant();
  CHECK(fields(counters) == Fields{0, 0, kLastJec});
  CHECK(counters.hint().inactive() == 0);
  for (std::size_t i = 0; i < kMax; ++i) counters.enter_vacant();
  CHECK(fields(counters) == Fields{0xffff, 0xffff, kLastJec});
}

TEST_CASE("counters: a push must be posted if somebody sleeps or has announced that it will") {
  AtomicCounters asleep(1, 1);
  CHECK(needed(asleep));  // one slot sleeps
  asleep.sub_sleeping();
  CHECK_FALSE(needed(asleep));  // it searches
  (void)asleep.sub_inactive();
  CHECK_FALSE(needed(asleep));  // it works
  asleep.add_inactive();
  (void)asleep.announce_sleepy();
  CHECK(needed(asleep));  // it has announced itself
  asleep.make_active();
  CHECK_FALSE(needed(asleep));
}

TEST_CASE("counters: every push must be posted where there are no asymmetric fences") {
  AtomicCounters counters(1, 1, AtomicCounters::kNever);
  CHECK(needed(counters));
  counters.leave_vacant();
  CHECK(needed(counters));
}

TEST_CASE("counters: the highest slot count does not look like the JEC") {
  AtomicCounters counters(AtomicCounters::kMaxSlots, 0);
  CHECK(needed(counters));
  for (std::size_t i = 0; i < AtomicCounters::kMaxSlots; ++i) counters.sub_sleeping();
  CHECK(counters.load().awake_but_idle() == AtomicCounters::kMaxSlots);
  CHECK(needed(counters));  // sleepy still
  counters.make_active();
  CHECK_FALSE(needed(counters));
}

TEST_CASE("counters: somebody is inactive while it searches or sleeps") {
  AtomicCounters counters(1);
  CHECK(counters.hint().inactive() != 0);
  counters.sub_sleeping();
  CHECK(counters.hint().inactive() != 0);
  (void)counters.sub_inactive();
  CHECK(counters.hint().inactive() == 0);
}
