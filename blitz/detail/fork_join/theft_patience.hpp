/// How long a thief waits before it steals again, if its last job took no longer than the theft.
///
/// Each object belongs to one worker. Other threads read only outrun().
#pragma once

#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/single_writer_counter.hpp"
#include "blitz/detail/base/ticks.hpp"
#include "blitz/detail/wake/handover.hpp"

namespace blitz::detail {

/// A theft costs the owner about the time that it costs the thief. After a job that took less than both times together the thief
/// waits before its next theft: 1 us, and twice as long after each further such job, up to 8 us. Then it steals only if the deque
/// has had jobs all the time; otherwise the owner needs no help. A job that takes longer ends this.
///
/// It is for thieves that have no job: with one that waits, the wait would take longer. `clock` returns the time.
class TheftPatience {
 public:
  /// A search begins, and the stolen job, if there was one, has ended.
  template <class Clock>
  void begin_search(Clock&& clock) noexcept {
    if (stolen_at_ != 0) {
      const Ticks job = ticks_between(stolen_at_, clock());
      const Ticks least = kHandover * ticks_per_microsecond();
      stolen_at_ = 0;
      if (job >= 2 * theft_) {
        patience_ = 0;
      } else if (patience_ < kLongest * least) {
        patience_ = patience_ == 0 ? least : 2 * patience_;
      }
    }
    pauses_ = 0;
    since_ = 0;
  }

  /// Before a theft: waits. Returns whether `deque` has had jobs all the time. All waits of a search together last no longer than
  /// one.
  template <class Deque, class Clock>
  [[nodiscard]] bool outlasted_by(const Deque& deque, Clock&& clock) noexcept {
    if (deque.empty()) return false;
    begin_ = clock();
    if (since_ == 0) since_ = begin_;
    for (Ticks looked = begin_; pauses_ < kPauses && ticks_between(since_, begin_) < patience_; ++pauses_) {
      cpu_relax();
      begin_ = clock();
      if (ticks_between(looked, begin_) < ticks_per_microsecond() / kLooks) continue;
      if (deque.empty()) {
        outrun_.add();
        return false;
      }
      looked = begin_;
    }
    return true;
  }

  /// The theft after outlasted_by has been successful.
  template <class Clock>
  void end_theft(Clock&& clock) noexcept {
    stolen_at_ = clock();
    theft_ = ticks_between(begin_, stolen_at_);
  }

  /// How often a deque became empty during a wait.
  [[nodiscard]] std::uint64_t outrun() const noexcept { return outrun_.value(); }

 private:
  static constexpr Ticks kLongest = 8;  // hand-overs
  static constexpr Ticks kLooks = 2;    // in a microsecond: each takes a cache line from the owner
  static constexpr int kPauses = 4096;  // in a search at most, because some clocks do not advance

  Ticks patience_ = 0;
  Ticks since_ = 0;      // when the first wait of the search began; 0: none has
  int pauses_ = 0;       // in this search
  Ticks begin_ = 0;      // of the theft
  Ticks theft_ = 0;      // how long the last one took
  Ticks stolen_at_ = 0;  // 0: no stolen job ends with the next search
  SingleWriterCounter outrun_;
};

}  // namespace blitz::detail
