#include "blitz/detail/fence/asymmetric_fence.hpp"

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/xorshift.hpp"
#include "support/child_process.hpp"

using blitz::detail::Atomic;
using blitz::detail::kCacheLine;
using blitz::detail::XorShift64Star;

namespace {

struct alignas(kCacheLine) Word {
  Atomic<std::uint32_t> value{0};
};

/// The store-buffering litmus test: each thread stores its own word and then loads the other's.
///
/// Returns the number of rounds in which both threads missed the other's store. The fences must prevent this. Each round stores
/// its own number.
template <class FenceA, class FenceB>
int rounds_in_which_both_missed(std::uint32_t rounds, FenceA fence_a, FenceB fence_b) {
  Word word[2];
  Word arrived[2];
  std::vector<std::uint32_t> seen[2] = {std::vector<std::uint32_t>(rounds), std::vector<std::uint32_t>(rounds)};

  const auto run = [&](int self, auto fence) {
    const int other = 1 - self;
    XorShift64Star random(blitz::detail::splitmix64(static_cast<std::uint64_t>(self)));
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      arrived[self].value.store(round, std::memory_order_release);
      for (int spins = 0; arrived[other].value.load(std::memory_order_acquire) < round; ++spins) {
        if (spins > 1000) blitz::detail::yield_thread();
      }
      // The threads leave the rendezvous at slightly different times; sometimes the one is ahead, sometimes the other.
      for (std::uint32_t delay = random.bounded(32); delay > 0; --delay) blitz::detail::compiler_fence();
      word[self].value.store(round, std::memory_order_relaxed);
      fence();
      seen[self][round - 1] = word[other].value.load(std::memory_order_relaxed);
    }
  };
  std::thread thread([&] { run(1, fence_b); });
  run(0, fence_a);
  thread.join();

  int missed = 0;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    missed += seen[0][round - 1] < round && seen[1][round - 1] < round;
  }
  return missed;
}

// Without a fence, one round in a few ten thousand fails on x86-64.
constexpr std::uint32_t kRounds = 100'000;

int rounds_missed_with_asymmetric_fences(std::uint32_t rounds = kRounds) {
  return rounds_in_which_both_missed(
      rounds, [] { blitz::detail::asymmetric_light_fence(); }, [] { blitz::detail::asymmetric_heavy_fence(); });
}

}  // namespace

TEST_CASE("asymmetric_fence: the symmetric fence orders a store before a load") {
  const auto fence = [] { blitz::detail::seq_cst_fence(); };
  CHECK(rounds_in_which_both_missed(kRounds, fence, fence) == 0);
}

TEST_CASE("asymmetric_fence: the pair orders a store before a load") {
  MESSAGE("asymmetric fences: " << blitz::detail::asymmetric_fences_available());
  CHECK(rounds_missed_with_asymmetric_fences() == 0);
}

TEST_CASE("asymmetric_fence: the pair orders a store before a load while others ask for fences") {
  Atomic<bool> done{false};
  const auto ask = [&done] {
    while (!done.load(std::memory_order_relaxed)) {
      blitz::detail::asymmetric_heavy_fence();
      blitz::detail::yield_thread();  // The other threads may need this processor.
    }
  };
  std::thread one(ask);
  std::thread another(ask);
  CHECK(rounds_missed_with_asymmetric_fences(kRounds / 20) == 0);
  done.store(true, std::memory_order_relaxed);
  one.join();
  another.join();
}

#if !defined(BLITZ_NO_ASYMMETRIC_FENCES)

TEST_CASE("asymmetric_fence: the fallback orders a store before a load") {
  const bool registered = blitz::detail::membarrier_registered;
  blitz::detail::membarrier_registered = false;
  CHECK_FALSE(blitz::detail::asymmetric_fences_available());
  CHECK(rounds_missed_with_asymmetric_fences() == 0);
  blitz::detail::membarrier_registered = registered;
}

TEST_CASE("asymmetric_fence: a second registration changes nothing") {
  const bool registered = blitz::detail::asymmetric_fences_available();
  CHECK(blitz::detail::register_asymmetric_fences() == registered);
  CHECK(blitz::detail::asymmetric_fences_available() == registered);
}

#if defined(__unix__)
TEST_CASE("asymmetric_fence: works in a forked child") {
  const auto use = [] {
    blitz::detail::register_asymmetric_fences();
    blitz::detail::asymmetric_heavy_fence();
    return 0;
  };
  CHECK(blitz_test::wait_for(blitz_test::start_child(use, std::chrono::seconds(100))) == 0);
}
#endif

#endif
