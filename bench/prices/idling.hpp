// The prices of the idle protocols, and of the fence that the protocols and thieves need.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <semaphore>
#include <thread>

#include "bench/prices/pricing.hpp"
#include "blitz/detail/async/idle_state.hpp"
#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "blitz/detail/fork_join/sleep.hpp"
#include "blitz/detail/wake/linger.hpp"

namespace bench::prices {

using blitz::detail::IdleState;
using blitz::detail::Rest;
using blitz::detail::Sleep;

/// Two slots with runners that are awake.
template <class Idle>
struct TwoAwake {
  TwoAwake() {
    (void)idle.try_borrow(0);
    (void)idle.try_borrow(1);
    idle.new_jobs();  // later posts have nothing to announce
  }
  /// The runner of `slot` runs out of work, and immediately finds some.
  bool look_and_find(std::size_t slot) {
    auto search = idle.start_looking(slot);
    idle.work_found(search);
    return true;
  }

  Idle idle{2};
};

/// Times `operate(two)`; the rival is the runner of slot 0, which looks for work and finds some.
template <class Idle, class Operate>
void time_two_awake(Pricing& pricing, const Operate& operate) {
  TwoAwake<Idle> two;
  pricing.beside([&] { two.look_and_find(0); });
  pricing.time(kBatch, kNothing, [&] { return operate(two); });
}

template <class Idle>
void new_jobs(Pricing& pricing) {
  time_two_awake<Idle>(pricing, [](auto& two) {
    two.idle.new_jobs();
    return true;
  });
}

template <class Idle>
void look_and_find(Pricing& pricing) {
  time_two_awake<Idle>(pricing, [](auto& two) { return two.look_and_find(1); });
}

/// The latch of a worker: never set, so the worker falls asleep.
struct NeverSet {
  bool probe() const noexcept { return false; }
  bool get_sleepy() noexcept { return true; }
  bool fall_asleep() noexcept {
    asleep = Clock::now();
    return true;
  }
  void woke() noexcept {}

  Clock::time_point asleep{};
};

constexpr auto kNoneInjected = []() noexcept { return false; };

/// The rival runs on the same processor, so the two take turns.
template <class Idle>
void idle_round(Pricing& pricing) {
  TwoAwake<Idle> two;
  if (pricing.contended) {
    pricing.neighbour.begin([here = pricing.cpu(0)] {
      const Pin pin(here);
      for (int i = 0; i < kTurns; ++i) std::this_thread::yield();
    });
  }
  NeverSet latch;
  auto search = two.idle.start_looking(1);
  pricing.time(kBatch, kNothing, [&] {
    search.idling.rounds = 0;
    two.idle.no_work_found(search, latch, Rest::kWait, kNoneInjected);
    return true;
  });
  two.idle.work_found(search);
}

/// One sleep of a worker, and its wake-up.
struct Nap {
  Clock::time_point out_of_work{};
  Clock::time_point asleep{};  // just before it blocks
  Clock::time_point call{};    // the waker's call begins
  Clock::time_point called{};  // the waker's call returns
  Clock::time_point awake{};   // the worker would start to look for work
};

inline Clock::duration time_to_sleep(const Nap& nap) { return nap.asleep - nap.out_of_work; }
inline Clock::duration waker_time(const Nap& nap) { return nap.called - nap.call; }
inline Clock::duration time_to_wake(const Nap& nap) { return nap.awake - nap.call; }
inline Clock::duration whole_cycle(const Nap& nap) { return time_to_sleep(nap) + time_to_wake(nap); }

/// The worker of slot 1 sleeps whenever it can. The calling thread, which runs slot 0, wakes it after a while by posting a job.
/// Contended: no processor is idle.
template <class Idle, Clock::duration (*figure)(const Nap&)>
void sleep_and_wake(Pricing& pricing) {
  constexpr auto kLongEnough = std::chrono::milliseconds(1);
  std::list<Neighbour> busy;
  for (std::size_t i = 1; pricing.contended && i < pricing.cpus.size(); ++i) {
    busy.emplace_back(pricing.cpu(i)).begin([] { blitz::detail::cpu_relax(); });
  }

  Idle idle(2);
  (void)idle.try_borrow(0);
  Nap last;                                // written by the worker before it counts a wake-up
  std::atomic<std::uint64_t> wake_ups{0};  // counted by the worker; publishes `last`
  std::atomic<bool> over{false};
  std::binary_semaphore ready{0};
  std::jthread worker([&] {
    idle.adopt_resident(1);
    ready.release();
    auto search = idle.first_search(1);
    NeverSet latch;
    Nap nap;
    for (std::uint64_t slept = 0;; ++slept) {
      nap.awake = Clock::now();
      idle.work_found(search);
      last = nap;
      wake_ups.store(slept + 1, std::memory_order_release);
      if (over.load(std::memory_order_relaxed)) return;
      nap.out_of_work = Clock::now();
      search = idle.start_looking(1);
      // No yields: each would give the processor to a busy thread for milliseconds.
      if (pricing.contended) search.rounds = blitz::detail::kRoundsOfSearch;
      while (idle.times_slept(1) == slept) idle.no_work_found(search, latch, Rest::kVacate, kNoneInjected);
      nap.asleep = latch.asleep;
    }
  });
  ready.acquire();

  std::uint64_t woken = 0;
  const auto wake = [&] {
    const auto call = Clock::now();
    idle.new_jobs();
    const auto called = Clock::now();
    ++woken;
    while (wake_ups.load(std::memory_order_acquire) < woken) blitz::detail::cpu_relax();
    Nap nap = last;
    nap.call = call;
    nap.called = called;
    return nap;
  };
  const auto wait_until_asleep = [&] {
    do {
      std::this_thread::sleep_for(kLongEnough);
    } while (idle.times_slept(1) < woken);
  };
  wake();
  pricing.measure(1, [&] {
    wait_until_asleep();
    return figure(wake());
  });
  wait_until_asleep();
  over.store(true, std::memory_order_relaxed);
  wake();
}

inline void heavy_fence(Pricing& pricing) {
  pricing.beside([] { blitz::detail::cpu_relax(); });
  pricing.time(kBatch, kNothing, [] {
    blitz::detail::asymmetric_heavy_fence();
    return true;
  });
}

}  // namespace bench::prices
