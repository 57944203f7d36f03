/// When a wake-up pays: for the thread that could wake a sleeping worker, and for a worker that could go to sleep.
///
/// A wake-up costs its waker some microseconds of system calls, and the woken thread arrives tens of microseconds later.
/// How much that is depends on the machine, and on how long it has been idle, so a pool learns it from its own wake-ups.
/// Two rules follow, both of competitive waiting: whatever happens next, not much more is lost than the price of a
/// wake-up.
///   - A caller wakes a worker for work that takes longer than the price, or if help would have saved as much in the
///     calls of a series, each of them too short.
///   - A worker that has run out of work waits for about the price before it sleeps, if work came that soon the last
///     time, or if it was woken for a series and came too late.
///
/// A. R. Karlin, K. Li, M. S. Manasse, S. Owicki, "Empirical studies of competitive spinning for a shared-memory
/// multiprocessor", SOSP 1991.
#pragma once

#include "blitz/base/atomic.hpp"
#include "blitz/base/ticks.hpp"

namespace blitz::detail {

/// The price of a wake-up in a pool. Any thread. Hints: nothing is ordered by them.
class WakePrice {
 public:
  /// Twice the time that woken threads take to arrive, on average: for the wait, and for what waker and woken thread do.
  [[nodiscard]] Ticks value() const noexcept { return price_.load(std::memory_order_relaxed); }
  /// How long a worker waits for work, and how far apart the calls of a series may be. Serial phases of 100 microseconds
  /// are common between parallel calls, and a worker that sleeps in each costs more than one that waits.
  [[nodiscard]] Ticks reach() const noexcept { return 2 * value(); }

  /// A woken thread began to run `latency` after its waker began to wake it. What is far above the average, because of
  /// the machine's other programs, counts as twice the average.
  void learn(Ticks latency) noexcept {
    const Ticks old = value();
    const Ticks next = old - old / 4 + (latency < old ? latency : old) / 2;
    price_.store(next < kMost * ticks_per_microsecond() ? next : kMost * ticks_per_microsecond(),
                 std::memory_order_relaxed);
  }

  /// Whether `work`, the time that one thread takes for it, is worth a wake-up. A price that was learnt in worse times
  /// falls with each refusal, as long as it is at most twice the work: so it is tried again.
  [[nodiscard]] bool covered_by(Ticks work) noexcept {
    const Ticks price = value();
    if (work >= price) return true;
    if (2 * work >= price) price_.store(price - price / 256, std::memory_order_relaxed);
    return false;
  }

  /// A worker is about to be woken for a series: it shall wait for the next call.
  void promise_calls() noexcept { promised_.store(true, std::memory_order_relaxed); }
  /// By the woken worker: whether it was for that.
  [[nodiscard]] bool take_promise() noexcept {
    return promised_.load(std::memory_order_relaxed) && promised_.exchange(false, std::memory_order_relaxed);
  }

 private:
  static constexpr Ticks kFirst = 50;  // microseconds
  static constexpr Ticks kMost = 400;

  Atomic<Ticks> price_{kFirst * ticks_per_microsecond()};  // written by woken threads and by callers
  Atomic<bool> promised_{false};                           // written by a caller, and by the worker that it wakes
};

/// The calls that one worker has made without help. For that worker.
class Series {
 public:
  /// A worker's part in a call is not worth less than this: what it costs both to share it.
  static constexpr Ticks kShare = 2;  // microseconds

  /// The caller has `work` left, which alone is not worth a wake-up. Returns whether it is as part of the series.
  [[nodiscard]] bool add(Ticks work, WakePrice& price, Ticks now = ticks_now()) noexcept {
    const Ticks since = now - last_;
    if (since < work / 2) return false;  // The same call, a block later.
    last_ = now;
    const Ticks gap = since > work ? since - work : 0;
    // Between the calls the helper waits. That is worth something to a program that waits for its calls.
    const Ticks cost = kShare * ticks_per_microsecond() + gap / 16;
    const Ticks before = gap < price.reach() ? saved_ : 0;
    saved_ = before + work / 2 > cost ? before + work / 2 - cost : 0;
    if (saved_ < price.value()) return false;
    saved_ = 0;
    price.promise_calls();
    return true;
  }

 private:
  Ticks last_ = 0;
  Ticks saved_ = 0;  // what help would have saved
};

/// How long a worker without work waits before it sleeps. One for each slot, used by the slot's runner.
class Patience {
 public:
  /// One wait, from the first search without a job to the job.
  struct Wait {
    Ticks since = ticks_now();  ///< When it began, or the worker was last woken.
    Ticks slept_after = 0;      ///< If it was woken: how long it had been without work.
    bool is_long = false;       ///< It has lasted longer than the usual search.
    bool in_vain = false;       ///< Nothing was found since it was woken.
  };

  /// After the usual search. Returns whether to search on.
  [[nodiscard]] bool lasts(Wait& wait, const WakePrice& price) const noexcept {
    wait.is_long = true;
    return gap_ < price.reach() && ticks_now() - wait.since < price.reach();
  }
  /// The waiting worker was woken for work; its waker began at `began`.
  void woken(Wait& wait, Ticks began, WakePrice& price) noexcept {
    wait = {.slept_after = began - wait.since, .is_long = true};
    gap_ = price.take_promise() ? 0 : wait.slept_after;
  }
  /// It has found a job.
  void ended(const Wait& wait) noexcept {
    // Between the parts of one call the worker waits as well, but never for long.
    if (wait.is_long) gap_ = wait.slept_after != 0 && !wait.in_vain ? wait.slept_after : ticks_now() - wait.since;
  }

 private:
  Ticks gap_ = ~Ticks{0};  // how long it was without work the last time; 0 if it was woken for a series
};

}  // namespace blitz::detail
