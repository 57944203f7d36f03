/// What a loop and its jobs share: how they hand half of their work on, and how the loop ends before its time.
///
/// A block that throws ends the loop: no block that has not begun will begin, and the first exception is kept for the
/// caller. A queue that cannot grow ends it in the same way. A stop request, or a block that wants no more, ends it
/// without an exception; one that is thrown by a block then still running is kept nevertheless.
#pragma once

#include <exception>
#include <optional>
#include <stop_token>

#include "blitz/base/atomic.hpp"
#include "blitz/base/export.hpp"
#include "blitz/core/core_latch.hpp"
#include "blitz/core/worker.hpp"

namespace blitz::detail {

class LoopEnd {
 public:
  explicit LoopEnd(const std::stop_token& stop) noexcept : stop_(stop.stop_possible() ? &stop : nullptr) {}
  LoopEnd(const LoopEnd&) = delete;
  LoopEnd& operator=(const LoopEnd&) = delete;

  /// Whether something was thrown.
  [[nodiscard]] bool failed() const noexcept { return state() == State::failed; }

  /// Whether a stop can be requested at all.
  [[nodiscard]] bool may_be_stopped() const noexcept { return stop_ != nullptr; }

  /// Whether no further block is to begin.
  [[nodiscard]] bool ended() const noexcept {
    return state() != State::running || (stop_ != nullptr && stop_->stop_requested());
  }

  /// A block wants no other to begin.
  void stop() noexcept {
    State expected = State::running;  // A failure is not forgotten.
    state_.compare_exchange_strong(expected, State::stopped, std::memory_order_relaxed, std::memory_order_relaxed);
  }

  /// In a handler: keeps the exception if it is the first.
  BLITZ_COLD void fail() noexcept {
    // Relaxed: the latches of the loop's jobs order error_ before rethrow().
    if (state_.exchange(State::failed, std::memory_order_relaxed) != State::failed) error_ = std::current_exception();
  }

  /// For the caller, when all jobs are done.
  void rethrow() {
    if (failed()) [[unlikely]]
      std::rethrow_exception(error_);
  }

  /// Nothing, with the loop ended, if the queue could not grow.
  template <class W>
  [[nodiscard]] std::optional<typename W::Place> offer(W& worker, Job& job) noexcept {
    try {
      return worker.offer(&job);
    } catch (...) {
      fail();
      return std::nullopt;
    }
  }

  /// True: nobody took the job, whose latch is `done`. False: somebody did, and has finished it.
  template <class W>
  [[nodiscard]] static bool take_back(W& worker, typename W::Place place, Job& job, CoreLatch& done) noexcept {
    if (!done.probe() && worker.take_back(place)) [[likely]]
      return true;
    return reclaim(worker, job, done);
  }

 private:
  enum class State : unsigned char { running, stopped, failed };  // No way leads back.

  /// Relaxed: the sooner seen the better, but nothing depends on it.
  [[nodiscard]] State state() const noexcept { return state_.load(std::memory_order_relaxed); }

  const std::stop_token* stop_;
  Atomic<State> state_{State::running};  // written by the workers whose blocks end it, read by all before each block
  std::exception_ptr error_;             // written once, by the worker that made it `failed`
};

}  // namespace blitz::detail
