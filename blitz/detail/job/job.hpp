/// The parts of jobs that a caller waits for: storing and calling a callable, and room for its result.
#pragma once

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/invoke.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/unit.hpp"

namespace blitz::detail {

/// The result type of calling F with Args, to be stored and passed on: a class by value, without its const.
template <class F, class... Args>
using CallResult = std::remove_cv_t<std::invoke_result_t<F, Args...>>;

/// The stored type of a callable's result: Unit for void.
template <class R>
using ValueOf = std::conditional_t<std::is_void_v<R>, Unit, R>;

/// The value of calling F, moved into the call, with Args.
template <class F, class... Args>
using CallValue = ValueOf<CallResult<F, Args...>>;

template <class F, class... Args>
BLITZ_ALWAYS_INLINE CallValue<F, Args...> call_value(F&& f, Args&&... args) {
  if constexpr (std::is_void_v<std::invoke_result_t<F, Args...>>) {
    invoke_inline(std::forward<F>(f), std::forward<Args>(args)...);
    return Unit{};
  } else {
    return invoke_inline(std::forward<F>(f), std::forward<Args>(args)...);
  }
}

/// Whether a callable given as F (`X&` for an lvalue and `X` for an rvalue) is copied to the place of its use: an rvalue of at
/// most two words, which fits in two registers. A closure is then made directly in its place, and one that is only called is
/// never stored. A larger one would be written to memory in parts, and a copy that reads it whole would wait for these stores.
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

/// Room for the result of a callable, an object or a reference. Nothing is written before make, and nothing is destroyed
/// without destroy.
template <class R>
class ResultRoom {
 public:
  static constexpr bool kIsTrivial = std::is_reference_v<R> || std::is_trivially_destructible_v<R>;

  ResultRoom() noexcept {}
  ResultRoom(const ResultRoom&) = delete;
  ResultRoom& operator=(const ResultRoom&) = delete;
  ~ResultRoom() {}

  /// Stores the result of `f`, an R, which is constructed in its place. Throws the exceptions of `f`, and then stores nothing.
  template <class F>
  void make(F&& f) {
    if constexpr (std::is_reference_v<R>) {
      R&& value = static_cast<F&&>(f)();
      pointer_ = detail::address_of(value);
    } else {
      ::new (static_cast<void*>(detail::address_of(value_))) R(static_cast<F&&>(f)());
    }
  }
  /// After make: the stored value as an rvalue, or the reference.
  [[nodiscard]] R&& get() noexcept {
    if constexpr (std::is_reference_v<R>) {
      return static_cast<R&&>(*pointer_);
    } else {
      return std::move(value_);
    }
  }
  /// After make, once: returns the value, moved out, or the reference. The move may throw.
  R take() {
    struct Destroy {
      ResultRoom& room;
      ~Destroy() { room.destroy(); }
    } destroy_at_end{*this};
    return get();
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

/// Room for the outcome of a job; nothing is written before the job has run. The caller that waited must then take the outcome
/// or discard it, once.
template <class R>
class JobResult {
 public:
  JobResult() noexcept {}
  JobResult(const JobResult&) = delete;
  JobResult& operator=(const JobResult&) = delete;
  ~JobResult() {}

  /// Stores the result or the exception of `f`.
  template <class F>
  void run(F&& f) noexcept {
    try {
      ::new (static_cast<void*>(detail::address_of(value_))) ResultRoom<R>();
      value_.make(static_cast<F&&>(f));
      threw_ = false;
    } catch (...) {
      ::new (static_cast<void*>(detail::address_of(error_))) std::exception_ptr(std::current_exception());
      threw_ = true;
    }
  }

  /// Returns the value, or rethrows the exception. Also throws the exceptions of moving the value.
  R take() {
    if (threw_) {
      const std::exception_ptr error = std::move(error_);
      error_.~exception_ptr();
      std::rethrow_exception(error);
    }
    return value_.take();
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

}  // namespace blitz::detail
