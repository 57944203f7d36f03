#include "blitz/detail/sys/placement.hpp"

#if defined(__linux__) && !defined(BLITZ_PORTABLE)

#include <algorithm>
#include <iterator>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <sched.h>

#include "blitz/detail/sys/cpu_count.hpp"

using blitz::detail::Placement;

namespace {

using Mask = std::vector<unsigned>;

Mask own_mask() {
  const blitz::detail::Processors allowed = blitz::detail::allowed_processors();
  return Mask(allowed.begin(), allowed.end());
}

void set_own_mask(const Mask& mask) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const unsigned processor : mask) CPU_SET(processor, &set);
  CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
}

/// Calls `f(whole, narrowed)` on a thread that was kept off its current processor, if it may run on several, and returns the
/// mask after restore().
template <class F>
Mask restored_after(F&& f) {
  Mask restored;
  std::thread([&] {
    const Mask whole = own_mask();
    Placement placement;
    placement.adopt();
    placement.keep_off_this_processor();
    f(whole, own_mask());
    placement.restore();
    restored = own_mask();
  }).join();
  return restored;
}

}  // namespace

TEST_CASE("placement: keeps a thread off one processor until it restores its mask") {
  const Mask all = own_mask();
  const Mask restored = restored_after([&](const Mask& whole, const Mask& narrowed) {
    CHECK(whole == all);
    CHECK(narrowed.size() == std::max<std::size_t>(whole.size() - 1, 1));
    CHECK(std::ranges::includes(whole, narrowed));
  });
  CHECK(restored == all);
}

TEST_CASE("placement: restore keeps a mask that was set in the meantime") {
  const Mask all = own_mask();
  if (all.size() < 2) return;
  Mask set;
  const Mask restored = restored_after([&](const Mask& whole, const Mask& narrowed) {
    // The processor that was taken out.
    std::ranges::set_difference(whole, narrowed, std::back_inserter(set));
    set_own_mask(set);
  });
  CHECK(set.size() == 1);
  CHECK(restored == set);
  CHECK(own_mask() == all);
}

TEST_CASE("placement: does nothing before adopt and without a change to undo") {
  const Mask all = own_mask();
  Placement placement;
  placement.keep_off_this_processor();
  CHECK(own_mask() == all);
  placement.restore();
  CHECK(own_mask() == all);
}

#endif
