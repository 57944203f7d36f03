/// Waits until workers sleep, for tests of wake-ups.
#pragma once

#include <algorithm>
#include <thread>
#include <type_traits>

#include <blitz/thread_pool.hpp>

namespace blitz_test {

template <class Pool>
[[nodiscard]] constexpr bool is_async(const Pool& /*pool*/) {
  return std::is_same_v<Pool, blitz::AsyncThreadPool>;
}

/// Returns when every slot of the pool is asleep or vacant, and its worker has slept after its last wake-up.
template <class Pool>
void wait_until_all_sleep(const Pool& pool) {
  const auto all_asleep = [&] {
    const auto stats = pool.stats();
    // A parked slot may be claimed, and count as woken, before its runner sleeps.
    if (is_async(pool)) return stats.parked == pool.num_threads();
    return std::ranges::all_of(stats.workers, [](const auto& w) { return w.times_slept >= w.times_woken; });
  };
  while (!all_asleep()) std::this_thread::yield();
}

}  // namespace blitz_test
