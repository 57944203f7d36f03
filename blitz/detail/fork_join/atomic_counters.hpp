/// The word of the sleep protocol: how many slots sleep, and the jobs-event counter (JEC).
///
///   bits  0..46   epoch      all of the JEC except its lowest bit
///   bit  47       sleepy     the JEC's lowest bit, inverted
///   bits 48..63   sleeping   slots whose runner is blocked, or about to block, and that a waker may claim
///
/// The JEC is even, *sleepy*, if a worker has announced itself since the last post; otherwise odd, *active*. So one
/// comparison of the word tells whether a push must be posted.
///
/// An announcement makes an active JEC sleepy, a post makes a sleepy JEC active; otherwise both leave it as it is. The JEC wraps
/// around. It is only compared for equality, so a worker would be misled only if exactly 2^47 announcements came between its own
/// and its registration.
///
/// Every transition is a method. All are sequentially consistent but the two tests on hot paths. Any thread may call
/// any of them, in the states that their comments name.
///
/// Source: the sleep module of rayon-core, with the same polarity.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// One value of the word.
class Counters {
 public:
  constexpr explicit Counters(std::uint64_t word) noexcept : word_(word) {}

  [[nodiscard]] constexpr unsigned sleeping() const noexcept { return static_cast<unsigned>(word_ >> 48); }
  [[nodiscard]] constexpr std::uint64_t jec() const noexcept {
    return (word_ & (kSleepy - 1)) << 1 | (sleepy() ? 0 : 1);
  }
  [[nodiscard]] constexpr bool sleepy() const noexcept { return (word_ & kSleepy) != 0; }

 private:
  friend class AtomicCounters;
  static constexpr std::uint64_t kSleepy = std::uint64_t{1} << 47;
  static constexpr std::uint64_t kOneSleeping = std::uint64_t{1} << 48;

  /// After an announcement, and after a post.
  [[nodiscard]] constexpr std::uint64_t made_sleepy() const noexcept {
    constexpr std::uint64_t kEpochs = kSleepy - 1;
    return (word_ & ~kEpochs) | ((word_ + 1) & kEpochs) | kSleepy;
  }
  [[nodiscard]] constexpr std::uint64_t made_active() const noexcept { return word_ & ~kSleepy; }

  std::uint64_t word_;
};

class AtomicCounters {
 public:
  static constexpr std::size_t kMaxSlots = 0xffff;

  /// A push must be posted if the word is at least this: after an announcement, or, without asymmetric fences, always.
  static constexpr std::uint64_t kQuiet = Counters::kSleepy;
  static constexpr std::uint64_t kNever = 0;

  /// All `slots` sleep. `jec` is the counter's first value; `quiet` is kQuiet or kNever.
  explicit AtomicCounters(std::size_t slots, std::uint64_t jec = 0, std::uint64_t quiet = kQuiet) noexcept
      : word_(slots * kOneSleeping + (jec >> 1) % Counters::kSleepy + ((jec & 1) == 0 ? Counters::kSleepy : 0)),
        quiet_(quiet) {
    assert(slots <= kMaxSlots);
  }

  [[nodiscard]] Counters load() const noexcept { return Counters(word_.load(std::memory_order_seq_cst)); }

  /// Returns whether a worker that has just pushed a job need not post it: no slot sleeps, and no worker has announced
  /// itself.
  ///
  /// Relaxed, after the light fence. The last searcher makes a heavy fence between its announcement and its last search. So either
  /// this load sees the announcement, or that search sees the job.
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool all_awake() const noexcept {
    compiler_fence();  // [announce]
    return word_.load(std::memory_order_relaxed) < quiet_;
  }

  [[nodiscard]] Counters hint() const noexcept { return Counters(word_.load(std::memory_order_relaxed)); }

  /// A post: sleepy becomes active. Returns the value after it.
  Counters make_active() noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (Counters(word).sleepy()) {
      const std::uint64_t active = Counters(word).made_active();
      if (word_.compare_exchange_weak(word, active, std::memory_order_seq_cst)) return Counters(active);
    }
    return Counters(word);
  }

  /// A worker's announcement: active becomes sleepy. Returns the value after it, whose JEC is for try_add_sleeping.
  [[nodiscard]] Counters announce_sleepy() noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (!Counters(word).sleepy()) {
      const std::uint64_t sleepy = Counters(word).made_sleepy();
      if (word_.compare_exchange_weak(word, sleepy, std::memory_order_seq_cst)) return Counters(sleepy);
    }
    return Counters(word);
  }

  /// An announced worker registers as sleeping, unless a job was posted since its announcement returned `jec`.
  [[nodiscard]] bool try_add_sleeping(std::uint64_t jec) noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (Counters(word).jec() == jec) {
      if (word_.compare_exchange_weak(word, word + kOneSleeping, std::memory_order_seq_cst)) return true;
    }
    return false;
  }

  /// The runner of a slot leaves it vacant. Returns the value after it.
  Counters add_sleeping() noexcept {
    const Counters old(word_.fetch_add(kOneSleeping, std::memory_order_seq_cst));
    assert(old.sleeping() < kMaxSlots);
    return Counters(old.word_ + kOneSleeping);
  }

  /// A registered slot is awake again. Called by the thread that claimed it, or by its runner if it did not fall asleep.
  void sub_sleeping() noexcept {
    [[maybe_unused]] const Counters old(word_.fetch_sub(kOneSleeping, std::memory_order_seq_cst));
    assert(old.sleeping() > 0);
  }

 private:
  static constexpr std::uint64_t kOneSleeping = Counters::kOneSleeping;

  alignas(kCacheLine) Atomic<std::uint64_t> word_;  // read by every push; written by idle workers and posts
  const std::uint64_t quiet_;
};

}  // namespace blitz::detail
