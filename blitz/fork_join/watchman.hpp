/// The watchman: a worker that naps and searches in turn, instead of sleeping until it is woken.
///
/// A wake-up costs its caller some microseconds, and the woken thread arrives tens of microseconds later. In a series
/// of tiny loops it always comes too late, and should not be paid for each time. A worker whose wake-ups came too late
/// therefore becomes the watchman the next time it has nothing to do. There is one at most; it naps for kWatch, and
/// then sleeps like any other worker. To a protocol of sleeping it is a worker that searches slowly.
///
/// Who may call what: nap and end, a worker; call, any thread.
///
/// Pairs:
///   [duty]  end, nap: on_duty_.store(release)  ->  nap: on_duty_.exchange(acquire), then the parker is this worker's
#pragma once

#include "blitz/base/atomic.hpp"
#include "blitz/base/export.hpp"
#include "blitz/base/parker.hpp"

namespace blitz::detail {

class Watchman {
  using Clock = std::chrono::steady_clock;

 public:
  /// First nap.
  static constexpr std::chrono::microseconds kShortNap{50};
  /// Longest nap; naps double.
  static constexpr std::chrono::microseconds kLongNap{1000};
  /// Length of a watch: some thirty naps, a third of a millisecond of processor time.
  static constexpr std::chrono::milliseconds kWatch{25};

  /// A worker's score, kept from search to search by that worker alone. Positive: recent wake-ups came too late.
  /// Negative: the last watch found nothing.
  class Score {
   public:
    /// After a watch that found nothing, this many late wake-ups are ignored: work that comes more rarely does not reward
    /// watching.
    static constexpr int kForgiven = 4;

    [[nodiscard]] bool calls_for_watch() const noexcept { return value_ > 0; }

    /// The worker was woken and found no job. Counts twice as much as a job found in time.
    void late_wake() noexcept { value_ = value_ < kMost - kLateWake ? value_ + kLateWake : kMost; }
    /// The worker was woken, or watched, and found a job.
    void in_time() noexcept {
      if (value_ > 0) --value_;
    }
    /// The worker failed to fall asleep too often: calls for a watch.
    void kept_awake() noexcept { value_ = value_ > 1 ? value_ : 1; }
    /// A watch found nothing.
    void watched_in_vain() noexcept { value_ = -kForgiven * kLateWake; }

   private:
    static constexpr int kLateWake = 2;
    static constexpr int kMost = 8;

    int value_ = 0;
  };

  /// One worker's watch, within one search for work.
  struct Watch {
    bool on = false;  ///< The worker is the watchman.
    Clock::time_point end = {};
    std::chrono::microseconds nap = kShortNap;
  };

  /// Called in place of sleeping. Naps and returns true if the worker is the watchman, or becomes it: its score calls
  /// for a watch, and there is no watchman. False: the worker is to sleep.
  [[nodiscard]] BLITZ_COLD bool nap(Watch& watch, Score& score) noexcept {
    if (!watch.on) {
      if (!score.calls_for_watch() || on_duty_.exchange(true, std::memory_order_acquire)) return false;  // [duty]
      watch.on = true;
      watch.end = Clock::now() + kWatch;
    }
    if (Clock::now() < watch.end) {
      parker_.park_for(watch.nap);
      watch.nap = 2 * watch.nap < kLongNap ? 2 * watch.nap : kLongNap;
      return true;
    }
    score.watched_in_vain();
    end(watch);
    return false;
  }

  /// Ends the watch if it is on: the worker has found a job.
  void end(Watch& watch) noexcept {
    if (watch.on) on_duty_.store(false, std::memory_order_release);  // [duty]
    watch.on = false;
  }

  /// Whether there is one. A hint.
  [[nodiscard]] bool on_duty() const noexcept { return on_duty_.load(std::memory_order_relaxed); }

  /// Ends the nap of the watchman, if there is one.
  void call() noexcept {
    // Relaxed: a call that misses the watchman costs one nap.
    if (on_duty_.load(std::memory_order_relaxed)) parker_.unpark();
  }

 private:
  Atomic<bool> on_duty_{false};  // written by the watchman
  Parker parker_;                // the watchman's
};

}  // namespace blitz::detail
