/// Waits for workers to sleep, in tests of what wakes them.
#pragma once

#include <algorithm>
#include <thread>

namespace blitz_test {

/// Until every slot of the pool is asleep or vacant, and its worker has slept after it was last woken.
template <class Pool>
void wait_until_all_sleep(const Pool& pool) {
  const auto all_asleep = [&] {
    const auto stats = pool.stats();
    return std::ranges::all_of(stats.workers, [](const auto& w) { return w.times_slept >= w.times_woken; });
  };
  while (!all_asleep()) std::this_thread::yield();
}

}  // namespace blitz_test
