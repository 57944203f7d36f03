/// Decides whether to wake a worker for the half of a fork, by the time of earlier forks with the same code.
///
/// A fork (a join) does not know how long it will take. Assume that it was too short for help the last time, and its half was
/// not stolen. Then it wakes nobody until it has lasted for the price of a wake-up, and longer than the last time; the same
/// holds for the forks within it. A deep tree forks again by then. A flat fork that has become longer runs once without help.
/// The history subtracts the time that such forks lost without help from the time that the short ones saved. If the difference
/// is negative, all forks wake a worker until as much would have been saved again. So waking nobody never loses more than
/// waking a worker for each short fork.
///
/// The history belongs to one worker. It times only the outermost forks that begin while all workers that could take the half
/// sleep. So a fork has no overhead if a worker already searches for its half.
#pragma once

#include <cstdint>
#include <utility>

#include "blitz/detail/base/ticks.hpp"
#include "blitz/detail/wake/by_code.hpp"
#include "blitz/detail/wake/wake_price.hpp"

namespace blitz::detail {

class ForkHistory {
 public:
  /// After begin(): the number of the next forks that need not ask, unless the timed one ends before. So most forks of a light
  /// tree do not read the clock.
  [[nodiscard]] unsigned skips() const noexcept { return skips_; }
  /// A fork offers `half`, its job, until the fork ends; `code` is the address of its code. `stolen`: see Series. Returns
  /// whether to wake a worker.
  [[nodiscard]] bool begin(const void* half, std::uintptr_t code, WakePrice& prices, Series& series,
                           std::uint64_t stolen, Ticks now) noexcept {
    if (half_ != nullptr) return begin_inner(now);
    half_ = half;
    // If each fork wakes a worker, that worker sleeps from one fork to the next. So this is the sleep that counts, even if all
    // workers have slept for longer because no fork has woken one yet.
    const Ticks last = std::exchange(began_, now);
    price_ = prices.at(now, last);
    known_ = &by_code_[code];
    was_short_ = known_->time != 0 && !prices.weigh_half(known_->time / 2, now, last);
    wakes_ = !was_short_ || known_->saved < 0 || series.add(known_->time, prices, stolen, now);
    woke_after_ = 0;
    looked_ = now;
    skips_ = 0;
    return wakes_;
  }
  /// Whether end() must be called for that half's fork.
  [[nodiscard]] bool is_timed(const void* half) const noexcept { return half_ == half; }
  /// The fork of that half has ended, timed or not. `stolen`: another worker has run the half.
  void end(const void* half, bool stolen) noexcept {
    if (is_timed(half)) end(stolen, ticks_now());
  }
  /// The timed fork has ended.
  void end(bool stolen, Ticks now) noexcept {
    half_ = nullptr;
    const Ticks time = ticks_between(began_, now) + 1;  // Never 0, as it may be on a clock of 24 ticks a microsecond.
    // A half that was stolen is worth a wake-up. If a worker was woken and came too late, it was not worth its price,
    // however long the fork took.
    known_->time = stolen ? 0 : wakes_ && price_.latency < time ? price_.latency : time;
    known_->lasted = stolen ? 0 : time;
    if (was_short_) settle(stolen);
  }

 private:
  static constexpr unsigned kMostSkips = 15;  // 0, 1, 3, 7, 15
  // In wake-ups. Losses by long forks are forgotten after as many short ones, and savings after some long ones.
  static constexpr std::int64_t kMostLost = 256;
  static constexpr std::int64_t kMostSaved = 16;

  struct Known {
    Ticks time = 0;    // of the last fork, at most the latency of a worker that came too late; 0: unknown, or shared
    Ticks lasted = 0;  // of the last fork, without that limit; 0: unknown, or shared
    std::int64_t saved = 0;  // by waking nobody
  };

  /// For a fork within the timed one. While such forks follow one another fast, more and more of them are skipped. So the
  /// wake-up is late by at most kMostSkips forks: short ones, or once, when the forks become longer, long ones.
  [[nodiscard]] bool begin_inner(Ticks now) noexcept {
    if (wakes_) return true;
    const Ticks lasts = ticks_between(began_, now);
    wakes_ = lasts >= price_.of_work() && lasts > known_->lasted + known_->lasted / 4;
    if (wakes_) woke_after_ = lasts;
    const bool fast = 16 * ticks_between(looked_, now) < price_.of_work();
    skips_ = !fast || wakes_ ? 0 : skips_ < kMostSkips ? 2 * skips_ + 1 : kMostSkips;
    looked_ = now;
    return wakes_;
  }

  /// The fork was expected to be short. Adds the time that it saved, or subtracts the time that it lost.
  void settle(bool stolen) noexcept {
    const auto cost = static_cast<std::int64_t>(price_.cost);
    if (!stolen && known_->time / 2 < price_.of_half()) {
      known_->saved += cost;
    } else if (!stolen) {
      known_->saved -= static_cast<std::int64_t>(known_->time / 2 - price_.of_half());
    } else {
      known_->saved -= static_cast<std::int64_t>(woke_after_ / 2);
    }
    if (known_->saved < -kMostLost * cost) known_->saved = -kMostLost * cost;
    if (known_->saved > kMostSaved * cost) known_->saved = kMostSaved * cost;
  }

  // The timed fork.
  const void* half_ = nullptr;  // its half; null: no fork is timed
  Ticks began_ = 0;             // if no fork is timed, the beginning of the last one
  Price price_{};
  Known* known_ = nullptr;  // its last times
  bool was_short_ = false;  // the last time
  bool wakes_ = false;      // It wakes a worker, and the forks within it do too.
  Ticks woke_after_ = 0;    // 0: immediately, or not at all
  unsigned skips_ = 0;
  Ticks looked_ = 0;  // when begin() was last called
  ByCode<Known> by_code_;
};

}  // namespace blitz::detail
