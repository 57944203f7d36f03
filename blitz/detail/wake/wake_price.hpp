/// When a wake-up pays: for the thread that could wake a sleeping worker, and for a worker that could go to sleep.
///
/// A wake-up costs its waker some microseconds of system calls, and the woken thread arrives tens of microseconds later. Both
/// times depend on the machine, and on how long it has been idle, so a pool learns them from its own wake-ups. Two rules
/// follow, both of competitive waiting: whatever happens next, the loss is not much more than the price of a wake-up.
///   - A caller wakes a worker for work that takes longer than the price, or if help would have saved as much in the calls of a
///     series, each of them too short. A loop knows its remaining work; for a join, see fork_history.hpp.
///   - A worker that has run out of work waits for reach(), a few times the price, before it sleeps, if its previous wait was
///     shorter than reach() when it was woken, or if it was woken for a series.
///
/// A. R. Karlin, K. Li, M. S. Manasse, S. Owicki, "Empirical studies of competitive spinning for a shared-memory
/// multiprocessor", SOSP 1991.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/robust_average.hpp"
#include "blitz/detail/base/ticks.hpp"
#include "blitz/detail/sys/usual_cpus.hpp"
#include "blitz/detail/wake/handover.hpp"

namespace blitz::detail {

/// The price of a wake-up.
struct Price {
  Ticks latency;  ///< From the beginning of the wake-up until the woken thread is ready for work.
  Ticks cost;     ///< The part of it that takes the waker's time.

  /// How much later than the waker the woken thread begins to work; at least 1. The waker goes on after `cost`.
  [[nodiscard]] constexpr Ticks delay() const noexcept { return latency > cost ? latency - cost : 1; }
  /// The least work that is worth a wake-up. Two workers that begin so far apart end it as soon as one that wakes nobody.
  [[nodiscard]] constexpr Ticks of_work() const noexcept { return latency + cost; }
  /// Like of_work() for the half of a fork. The half can only be taken as a whole, and before the other half has ended.
  [[nodiscard]] constexpr Ticks of_half() const noexcept { return latency; }
};

/// The price of a wake-up in a pool, by how long the worker has slept. Any thread. Hints: nothing is ordered by them.
///
/// It has its own cache lines, because workers write it whenever they sleep or wake, and the idle protocols keep it next to
/// words that every push reads.
class alignas(kCacheLine) WakePrice {
 public:
  /// For a worker that sleeps at the time `now`. If it fell asleep before `last`, its sleep counts from `last`.
  [[nodiscard]] Price at(Ticks now, Ticks last = 0) const noexcept {
    const Averages& averages = after(asleep_for(now, last));
    return {averages.latency.value(), averages.cost.value()};
  }
  /// How long a worker waits for work, and how far apart the calls of a series may be. Serial phases of 100 microseconds are
  /// common between parallel calls, and a worker that sleeps in each costs more than one that waits.
  [[nodiscard]] Ticks reach() const noexcept { return 4 * (averages_[0].latency.value() + averages_[0].cost.value()); }

  /// A thread that had slept for `slept` began to run `latency` after its waker began to wake it.
  void learn(Ticks latency, Ticks slept) noexcept { learn(after(slept).latency, latency); }
  /// To wake a worker that slept at the time `now` took its waker `cost`.
  void learn_cost(Ticks cost, Ticks now) noexcept { learn(after(asleep_for(now)).cost, cost); }

  /// Weighs `work`, in the time of one thread, against a wake-up. Returns whether it is worth one.
  [[nodiscard]] bool weigh(Ticks work, Ticks now) noexcept {
    return weigh(work, at(now).of_work(), after(asleep_for(now)));
  }
  /// Whether `work` is not worth a wake-up while `awake` workers run: no processor is free, so the woken thread would wait for the
  /// end of another thread's time slice.
  [[nodiscard]] bool is_crowded_out(Ticks work, std::size_t awake) const noexcept {
    return awake >= processors_ && work < kTimeSlice * ticks_per_microsecond();
  }
  /// Weighs the half of a fork. Its caller could have woken a worker at the time `last`.
  [[nodiscard]] bool weigh_half(Ticks half, Ticks now, Ticks last) noexcept {
    return weigh(half, at(now, last).of_half(), after(asleep_for(now, last)));
  }

  /// A worker goes to sleep.
  void sleeps(Ticks now) noexcept { asleep_since_.store(now, std::memory_order_relaxed); }

 private:
  // Microseconds.
  static constexpr Ticks kFirstLatency = 25;
  static constexpr Ticks kFirstCost = 10;
  static constexpr Ticks kMost = 200;
  static constexpr Ticks kTimeSlice = 1000;
  static constexpr Ticks kDeepSleep = 3000;  // after it processors are in a deeper idle state, by measurement

  struct Averages {
    RobustAverage latency{kFirstLatency * ticks_per_microsecond()};
    RobustAverage cost{kFirstCost * ticks_per_microsecond()};
  };

  /// Each refusal lowers a price that is at most twice the work, so that a wake-up is eventually retried if the price was
  /// learnt on a busier machine.
  [[nodiscard]] static bool weigh(Ticks work, Ticks least, Averages& averages) noexcept {
    if (work >= least) return true;
    if (2 * work >= least) {
      averages.latency.fall();
      averages.cost.fall();
    }
    return false;
  }

  static void learn(RobustAverage& average, Ticks sample) noexcept {
    average.learn(sample, 4, kMost * ticks_per_microsecond());
  }
  [[nodiscard]] Ticks asleep_for(Ticks now, Ticks last = 0) const noexcept {
    const Ticks fell_asleep = asleep_since_.load(std::memory_order_relaxed);
    const Ticks since = fell_asleep > last ? fell_asleep : last;
    return ticks_between(since, now);
  }
  [[nodiscard]] Averages& after(Ticks slept) noexcept {
    return averages_[slept > kDeepSleep * ticks_per_microsecond() ? 1 : 0];
  }
  [[nodiscard]] const Averages& after(Ticks slept) const noexcept { return const_cast<WakePrice*>(this)->after(slept); }

  Averages averages_[2];  // after a short and after a long sleep; written by wakers, woken threads, and callers
  Atomic<Ticks> asleep_since_{0};                // written by workers that go to sleep
  const std::size_t processors_ = usual_cpus();  // read here, because the first call reads files
};

/// The calls that one worker has made without help. Only that worker uses it.
class Series {
 public:
  /// The caller's remaining `work` is not worth a wake-up by itself. `stolen`: the number of its jobs that other workers have
  /// taken so far. Returns whether to wake a worker for the series.
  [[nodiscard]] bool add(Ticks work, const WakePrice& price, std::uint64_t stolen, Ticks now) noexcept {
    const Ticks least = price.at(now).of_work();
    const Ticks early = ticks_between(now, ends_);  // until the end of the last call; very long if the clock jumps back
    if (early > work / 2 && early <= least) return false;  // The same call, a block later.
    const Ticks gap = ticks_between(ends_, now);
    ends_ = now + work;
    // Between the calls the helper waits. A program that waits for its calls accepts part of this cost.
    const Ticks cost = kHandover * ticks_per_microsecond() + gap / 64;
    const Ticks before = early <= least && gap < price.reach() ? saved_ : 0;
    saved_ = before + work / 2 > cost ? before + work / 2 - cost : 0;
    if (now < arrives_) stolen_ = stolen;
    const bool first = arrives_ == 0 || stolen != stolen_;
    if (saved_ < least << (first ? 0 : in_vain_)) return false;
    saved_ = 0;
    if (first) in_vain_ = 0;
    if (in_vain_ < kMostInVain) ++in_vain_;
    arrives_ = now + 2 * price.at(now).latency;
    stolen_ = stolen;
    promises_ = true;
    return true;
  }
  /// Before a wake-up: returns whether it is for the series. The woken worker then waits for the next call.
  [[nodiscard]] bool take_promise() noexcept { return std::exchange(promises_, false); }

 private:
  static constexpr int kMostInVain = 6;

  Ticks ends_ = 0;            // when the last call ends without help
  Ticks saved_ = 0;           // the time that help would have saved
  Ticks arrives_ = 0;         // when the worker that it last woke has arrived; 0: it has woken none
  std::uint64_t stolen_ = 0;  // at that time
  int in_vain_ = 0;           // wake-ups since help last came; each of them doubles the saving that the next one needs
  bool promises_ = false;
};

/// How long a worker without work waits before it sleeps. One for each slot, used by the slot's runner.
class Patience {
 public:
  /// After kRoundsOfSearch, in a wait that began at `since`. Returns whether to search on.
  [[nodiscard]] bool lasts(Ticks since, const WakePrice& price) const noexcept {
    const Ticks now = ticks_now();
    if (since >= now) return false;  // The clock did not advance, or went backwards.
    return gap_ < price.reach() && now - since < price.reach();
  }
  /// The worker, without work since `since`, was woken for work by a waker that began at `began`, perhaps for a series.
  void woken(Ticks since, Ticks began, bool for_series) noexcept { gap_ = for_series ? 0 : began - since; }

 private:
  Ticks gap_ = ~Ticks{0};  // how long it had been without work when it was last woken; 0 if it was woken for a series
};

}  // namespace blitz::detail
