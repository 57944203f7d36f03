/// The word of the sleep protocol: how many slots sleep, how many are inactive, and the jobs-event counter (JEC).
///
///   bits  0..15   inactive   slots that execute no job: those that sleep and those that search
///   bits 16..31   sleeping   slots whose runner is blocked, or about to block, and that a waker may claim
///   bits 32..63   JEC        even: *sleepy*, a worker has announced itself since the last post; odd: *active*
///
/// Always sleeping <= inactive <= slots. An announcement makes an active JEC sleepy, a post makes a sleepy JEC active;
/// otherwise both leave it as it is. The JEC wraps around. It is only compared for equality, so a worker would be
/// misled only if exactly 2^31 announcements came between its own and its registration.
///
/// Every transition is a method. All are sequentially consistent but the two tests on hot paths. Any thread may call
/// any of them, in the states that their comments name.
///
/// Source: the sleep module of rayon-core, with the same polarity.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "blitz/base/atomic.hpp"
#include "blitz/base/cache_line.hpp"

namespace blitz::detail {

/// One value of the word.
class Counters {
 public:
  constexpr explicit Counters(std::uint64_t word) noexcept : word_(word) {}

  [[nodiscard]] constexpr unsigned sleeping() const noexcept { return static_cast<unsigned>(word_ >> 16 & 0xffff); }
  [[nodiscard]] constexpr unsigned inactive() const noexcept { return static_cast<unsigned>(word_ & 0xffff); }
  /// The slots that search: they will find a new job without being woken.
  [[nodiscard]] constexpr unsigned awake_but_idle() const noexcept {
    assert(sleeping() <= inactive());
    return inactive() - sleeping();
  }
  [[nodiscard]] constexpr std::uint32_t jec() const noexcept { return static_cast<std::uint32_t>(word_ >> 32); }
  [[nodiscard]] constexpr bool sleepy() const noexcept { return (jec() & 1) == 0; }

 private:
  friend class AtomicCounters;
  std::uint64_t word_;
};

class AtomicCounters {
 public:
  static constexpr std::size_t kMaxSlots = 0xffff;

  /// All `slots` sleep. `jec` is the counter's first value.
  explicit AtomicCounters(std::size_t slots, std::uint32_t jec = 0) noexcept
      : word_(slots * (kOneSleeping + kOneInactive) + jec * kOneJec) {
    assert(slots <= kMaxSlots);
  }

  [[nodiscard]] Counters load() const noexcept { return Counters(word_.load(std::memory_order_seq_cst)); }

  /// Returns whether a worker that has just pushed a job must post it: a slot sleeps, or a worker has announced itself.
  ///
  /// Relaxed, and without a fence after the push: because of the sleeper's heavy fence, between its announcement and
  /// its last search, either this load sees the announcement or that search sees the job.
  ///
  /// `quiet` is kQuiet, or, if there are no asymmetric fences, kNever: then every push must be posted.
  [[nodiscard]] bool new_jobs_needed(std::uint32_t quiet) const noexcept {
    // The sleeping count and the JEC's lowest bit are adjacent.
    return (static_cast<std::uint32_t>(word_.load(std::memory_order_relaxed) >> 16) & 0x1ffff) != quiet;
  }
  static constexpr std::uint32_t kQuiet = 0x10000;
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};

  [[nodiscard]] Counters hint() const noexcept { return Counters(word_.load(std::memory_order_relaxed)); }

  /// A post: sleepy becomes active. Returns the value after it.
  Counters post() noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (Counters(word).sleepy()) {
      if (word_.compare_exchange_weak(word, word + kOneJec, std::memory_order_seq_cst)) return Counters(word + kOneJec);
    }
    return Counters(word);
  }

  /// A worker's announcement: active becomes sleepy. Returns the JEC after it, for try_add_sleeping.
  [[nodiscard]] std::uint32_t announce_sleepy() noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (!Counters(word).sleepy()) {
      if (word_.compare_exchange_weak(word, word + kOneJec, std::memory_order_seq_cst)) {
        return Counters(word + kOneJec).jec();
      }
    }
    return Counters(word).jec();
  }

  /// An announced worker registers as sleeping, unless a job was posted since its announcement returned `jec`.
  [[nodiscard]] bool try_add_sleeping(std::uint32_t jec) noexcept {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    while (Counters(word).jec() == jec) {
      assert(Counters(word).sleeping() < Counters(word).inactive());
      if (word_.compare_exchange_weak(word, word + kOneSleeping, std::memory_order_seq_cst)) return true;
    }
    return false;
  }

  /// A registered slot is awake again. Called by the waker that claimed it, or by its runner if it did not fall asleep.
  void sub_sleeping() noexcept {
    [[maybe_unused]] const Counters old(word_.fetch_sub(kOneSleeping, std::memory_order_seq_cst));
    assert(old.sleeping() > 0);
  }

  void add_inactive() noexcept {
    [[maybe_unused]] const Counters old(word_.fetch_add(kOneInactive, std::memory_order_seq_cst));
    assert(old.inactive() < kMaxSlots);
  }

  /// A searching worker has found a job. Returns the value after it.
  Counters sub_inactive() noexcept {
    const Counters old(word_.fetch_sub(kOneInactive, std::memory_order_seq_cst));
    assert(old.inactive() > old.sleeping());
    return Counters(old.word_ - kOneInactive);
  }

  /// An outside thread has claimed a vacant slot and executes a job in it.
  void leave_vacant() noexcept {
    [[maybe_unused]] const Counters old(word_.fetch_sub(kOneSleeping + kOneInactive, std::memory_order_seq_cst));
    assert(old.sleeping() > 0);
  }

  /// The runner of a slot has ended a job and leaves the slot vacant, without a search. Returns the value after it.
  Counters enter_vacant() noexcept {
    const Counters old(word_.fetch_add(kOneSleeping + kOneInactive, std::memory_order_seq_cst));
    assert(old.inactive() < kMaxSlots);
    return Counters(old.word_ + kOneSleeping + kOneInactive);
  }

 private:
  static constexpr std::uint64_t kOneInactive = 1;
  static constexpr std::uint64_t kOneSleeping = std::uint64_t{1} << 16;
  static constexpr std::uint64_t kOneJec = std::uint64_t{1} << 32;

  alignas(kCacheLine) Atomic<std::uint64_t> word_;  // read by every push; written by idle workers and posts
};

}  // namespace blitz::detail
