/// Jobs that a caller waits for, each in that caller's frame; what they are made of: the closure, room for its result,
/// the latch.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "blitz/base/export.hpp"
#include "blitz/base/owned.hpp"
#include "blitz/core/latch.hpp"
#include "blitz/policy.hpp"

namespace blitz {

/// The result of a callable that returns void, where a value is needed. All are equal.
struct Unit {
  friend constexpr bool operator==(Unit, Unit) noexcept { return true; }
};

namespace detail {

/// What calling F with Args returns, to be kept and handed on: a class by value without its const.
template <class F, class... Args>
using CallResult = std::remove_cv_t<std::invoke_result_t<F, Args...>>;

/// What remains of a callable's result: Unit for void.
template <class R>
using ValueOf = std::conditional_t<std::is_void_v<R>, Unit, R>;

/// The value of calling F, moved into the call, with Args.
template <class F, class... Args>
using CallValue = ValueOf<CallResult<F, Args...>>;

template <class F, class... Args>
BLITZ_ALWAYS_INLINE CallValue<F, Args...> call_value(F&& f, Args&&... args) {
  if constexpr (std::is_void_v<std::invoke_result_t<F, Args...>>) {
    std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    return Unit{};
  } else {
    return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
  }
}

/// Whether a callable given as F, `X&` for an lvalue and `X` for an rvalue, is copied to where it is needed: an rvalue of two
/// words, which two registers hold. A closure is then made in its place at once, and one that is only called is made
/// nowhere. A larger one would be made in memory, in parts, and a copy that reads it whole waits for them.
template <class F>
inline constexpr bool kIsCopied =
    std::is_trivially_copyable_v<F> && std::is_trivially_move_constructible_v<F> && sizeof(F) <= 2 * sizeof(void*);
template <class F>
inline constexpr bool kIsCopied<F&> = false;
template <class F>
using Kept = std::conditional_t<kIsCopied<F>, F, std::remove_reference_t<F>&>;

template <class F>
BLITZ_ALWAYS_INLINE Kept<F> keep(std::remove_reference_t<F>& f) noexcept {
  if constexpr (kIsCopied<F>) {
    return static_cast<F&&>(f);
  } else {
    return f;
  }
}

/// Room for what a callable returns, an object or a reference. Nothing is written before make, and nothing destroyed
/// without destroy.
template <class R>
class ResultRoom {
 public:
  static constexpr bool kIsTrivial = std::is_reference_v<R> || std::is_trivially_destructible_v<R>;

  ResultRoom() noexcept {}
  ResultRoom(const ResultRoom&) = delete;
  ResultRoom& operator=(const ResultRoom&) = delete;
  ~ResultRoom() {}

  /// Keeps what `f` returns, an R, which is made in its place. Throws what `f` throws, and keeps nothing then.
  template <class F>
  void make(F&& f) {
    if constexpr (std::is_reference_v<R>) {
      R&& value = std::forward<F>(f)();
      pointer_ = detail::address_of(value);
    } else {
      ::new (static_cast<void*>(detail::address_of(value_))) R(std::forward<F>(f)());
    }
  }
  /// After make: the value, to be moved from where it lies, or the reference.
  [[nodiscard]] R&& get() noexcept {
    if constexpr (std::is_reference_v<R>) {
      return static_cast<R&&>(*pointer_);
    } else {
      return std::move(value_);
    }
  }
  /// After make, once.
  void destroy() noexcept {
    if constexpr (!std::is_reference_v<R>) value_.~R();
  }

 private:
  struct None {};
  union {
    std::conditional_t<std::is_reference_v<R>, None, R> value_;
    std::remove_reference_t<R>* pointer_;
  };
};

/// Room for the outcome of a job: nothing is written before the job has run. Then the caller that waited must take the
/// outcome or discard it, once.
template <class R>
class JobResult {
 public:
  JobResult() noexcept {}
  JobResult(const JobResult&) = delete;
  JobResult& operator=(const JobResult&) = delete;
  ~JobResult() {}

  /// Keeps what `f` returns or throws.
  template <class F>
  void run(F&& f) noexcept {
    try {
      ::new (static_cast<void*>(detail::address_of(value_))) ResultRoom<R>();
      value_.make(std::forward<F>(f));
      threw_ = false;
    } catch (...) {
      ::new (static_cast<void*>(detail::address_of(error_))) std::exception_ptr(std::current_exception());
      threw_ = true;
    }
  }

  /// Returns the value, or rethrows. Throws what moving the value throws.
  R take() {
    if (threw_) {
      const std::exception_ptr error = std::move(error_);
      error_.~exception_ptr();
      std::rethrow_exception(error);
    }
    struct Destroy {
      ResultRoom<R>& value;
      ~Destroy() { value.destroy(); }
    } destroy{value_};
    return value_.get();
  }

  void discard() noexcept {
    if (threw_) {
      error_.~exception_ptr();
    } else {
      value_.destroy();
    }
  }

 private:
  union {
    ResultRoom<R> value_;
    std::exception_ptr error_;
  };
  bool threw_;
};

/// No job's place.
inline constexpr std::int64_t kNowhere = -1;

/// A job of a join: it lies in the join's frame, on offer in the queue of the worker that joins, its owner.
///
/// A Place is the job itself, or an index. In a wait of `a` the owner may run the job, and then push another one at its
/// index. So it forgets the place before it runs the job, and take_back need not probe the latch. It forgets that of a
/// timed offer at once: such a fork ends on the way of ForkEnd, and the others need no test for it.
class OfferedJob : public Job {
 public:
  OfferedJob(const OfferedJob&) = delete;
  OfferedJob& operator=(const OfferedJob&) = delete;

  /// `owner` is the calling worker. Throws std::bad_alloc, and is then not on offer.
  template <class W>
  BLITZ_ALWAYS_INLINE void offer(W& owner) {
    latch_.set_owner(owner);
    if constexpr (std::same_as<typename W::Place, Job*>) {
      static_cast<void>(owner.offer(this));
      place_ = 0;
    } else {
      place_ = owner.offer_half(this);
    }
  }
  /// Whether it was found at once, and is the owner's to run; otherwise see ForkEnd.
  template <class W>
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool take_back(W& owner) noexcept {
    if constexpr (std::same_as<typename W::Place, Job*>) {
      return place_ != kNowhere && owner.take_back(this);
    } else {
      return owner.take_back(place_);
    }
  }

 protected:
  explicit OfferedJob(Execute function) noexcept : Job(function) {}
  ~OfferedJob() = default;

  /// Called first, and last, by the worker that executes the job: a thief, or the owner in a wait.
  void begin(const WorkerBase& worker) noexcept {
    if (latch_.is_for(worker)) place_ = kNowhere;
  }
  void end() noexcept { latch_.set(); }

  /// The end of a fork whose half was not found at once: lives until the half has ended.
  class ForkEnd {
   public:
    /// Runs the jobs on top of the half, or waits for its thief.
    BLITZ_COLD BLITZ_API ForkEnd(OfferedJob& half, WorkerBase& owner) noexcept;
    ForkEnd(const ForkEnd&) = delete;
    ForkEnd& operator=(const ForkEnd&) = delete;
    BLITZ_API ~ForkEnd();

    /// True: the half was not stolen, and is the owner's to run. False: it has been run.
    [[nodiscard]] bool reclaimed() const noexcept { return reclaimed_; }

   private:
    OfferedJob& half_;
    WorkerBase& owner_;
    const bool reclaimed_;
  };

 private:
  WorkerLatch latch_;
  std::int64_t place_;  // for the owner alone
};

}  // namespace detail
}  // namespace blitz
