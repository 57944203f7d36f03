/// join: two or more calls, perhaps at once.
#pragma once

#include "blitz/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "blitz/base/cache_line.hpp"
#include "blitz/base/export.hpp"
#include "blitz/base/opaque.hpp"
#include "blitz/core/any_worker.hpp"
#include "blitz/core/job.hpp"
#include "blitz/core/latch.hpp"
#include "blitz/core/worker.hpp"
#include "blitz/current_pool.hpp"

namespace blitz {

/// What a callable given to join_context learns about its call.
class JoinContext {
 public:
  constexpr explicit JoinContext(bool migrated) noexcept : migrated_(migrated) {}

  /// False: the callable runs in its place, on the calling worker, `a` first, and `b` when `a` has ended.
  ///
  /// True, for `b` alone: a worker has found it like any other job. Most often another worker: the work was really shared,
  /// and what the caller had in its cache is not here. But it may be the calling one, and `b` may then run on top of an `a`
  /// that waits; see join.
  [[nodiscard]] constexpr bool migrated() const noexcept { return migrated_; }

 private:
  bool migrated_;
};

/// What join takes: something that can be called without arguments.
template <class F>
concept JoinCallable = std::invocable<F>;

/// What join_context takes: something that can be called with a JoinContext.
template <class F>
concept JoinContextCallable = std::invocable<F, JoinContext>;

namespace detail {

/// What a join makes of two results.
struct ReturnPair {
  template <class A, class B>
  BLITZ_ALWAYS_INLINE static std::pair<A, B> results(A&& a, B&& b) {
    return std::pair<A, B>(std::forward<A>(a), std::forward<B>(b));
  }
};

/// How join and join_context call what they are given.
struct CallPlain : ReturnPair {
  template <class F>
  using Value = CallValue<F>;
  template <class F>
  BLITZ_ALWAYS_INLINE static Value<F> call(std::remove_reference_t<F>& f, bool /*migrated*/) {
    return call_value(std::forward<F>(f));
  }
};
/// For join of three or more: the second callable returns the pair or tuple of all results but the first.
struct CallAndPrepend : CallPlain {
  template <class First, class Rest>
  static auto results(First&& first, Rest&& rest) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<First, std::tuple_element_t<I, Rest>...>(std::forward<First>(first),
                                                                 std::get<I>(std::move(rest))...);
    }(std::make_index_sequence<std::tuple_size_v<Rest>>());
  }
};
struct CallWithContext : ReturnPair {
  template <class F>
  using Value = CallValue<F, JoinContext>;
  template <class F>
  BLITZ_ALWAYS_INLINE static Value<F> call(std::remove_reference_t<F>& f, bool migrated) {
    return call_value(std::forward<F>(f), JoinContext(migrated));
  }
};

/// Whether a callable given as F, `X&` for an lvalue and `X` for an rvalue, is copied to where it is needed: an rvalue of two
/// words, which two registers hold. A closure is then made in its place at once, and one that is only called is made
/// nowhere. A larger one would be made in memory, in parts, and a copy that reads it whole waits for them.
template <class F>
inline constexpr bool kIsCopied =
    !std::is_reference_v<F> && std::is_trivially_copyable_v<F> && std::is_trivially_move_constructible_v<F> &&
    sizeof(std::remove_reference_t<F>) <= 2 * sizeof(void*);
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

/// The second callable of a join, on offer. It lies in the frame of join, and is the reason why join is fast: four
/// words are written, and what only a thief needs is written by the thief.
template <class Call, class F>
class JoinJob final : public Job {
 public:
  using Value = typename Call::template Value<F>;

  JoinJob(std::remove_reference_t<F>& f, WorkerBase& owner) noexcept
      : Job(&execute_it), f_(keep<F>(f)), latch_(owner) {}

  /// The owner has it back, and runs it after all.
  BLITZ_ALWAYS_INLINE Value run_here() { return Call::template call<F>(f_, false); }

  /// It was not at hand: it lies deeper, or was stolen.
  BLITZ_COLD Value finish(WorkerBase& owner) {
    if (reclaim(owner, *this, latch_.core())) return run_here();
    return result_.take();
  }

  /// As run_here or finish, for a result that is then to be taken from where it lies. Throws what the callable throws
  /// if it runs here.
  JobResult<Value>& result(WorkerBase& owner, bool mine) {
    if (mine || reclaim(owner, *this, latch_.core())) {
      result_.make([this]() -> Value { return run_here(); });
    }
    return result_;
  }

  /// Whether somebody has run it.
  [[nodiscard]] bool done() const noexcept { return latch_.core().probe(); }

  /// As finish, for an owner that cannot use the outcome any more.
  BLITZ_COLD void finish_and_drop(WorkerBase& owner) noexcept {
    if (reclaim(owner, *this, latch_.core())) {
      result_.run([this]() -> Value { return run_here(); });
    }
    result_.discard();
  }

 private:
  /// Found like any other job: by a thief, or by the owner while `a`, or a join further up its stack, waits.
  static void execute_it(Job* job, WorkerBase& /*worker*/) noexcept {
    auto& self = *static_cast<JoinJob*>(job);
    self.result_.run([&]() -> Value { return Call::template call<F>(self.f_, true); });
    self.latch_.set();
  }

  Kept<F> f_;
  WorkerLatch latch_;
  JobResult<Value> result_;
};

/// Whether the two results of a join are too large for temporaries: then the second is made in its job, and the join
/// has a frame of its own, so that the room for both is on the stack once, and only while the join runs.
template <class A, class B>
inline constexpr bool kAreLarge = sizeof(std::pair<A, B>) > 2 * kCacheLine;

/// The whole of join, on the calling worker: `b` is offered, `a` runs, and `b` is taken back, or was stolen.
template <class Call, class W, class A, class B>
BLITZ_ALWAYS_INLINE auto join_inline(W& worker, A&& a, B&& b) {
  using ValueA = typename Call::template Value<A>;
  using ValueB = typename Call::template Value<B>;

  JoinJob<Call, B> job(b, worker);
  const auto place = worker.offer(&job);

  ValueA value_a = [&]() BLITZ_LAMBDA_INLINE -> ValueA {
    try {
      return Call::template call<A>(a, false);
    } catch (...) {
      job.finish_and_drop(worker);
      throw;
    }
  }();

  W& self = *opaque(&worker);  // Only what is seldom called wants to know where its parts are.
  const bool mine = !job.done() && self.take_back(place);
  if constexpr (kAreLarge<ValueA, ValueB>) {
    return job.result(self, mine).take_into([&](ValueB&& value_b) {
      return Call::template results<ValueA, ValueB>(std::forward<ValueA>(value_a), std::forward<ValueB>(value_b));
    });
  } else {
    return Call::template results<ValueA, ValueB>(std::forward<ValueA>(value_a),
                                                  mine ? job.run_here() : job.finish(self));
  }
}

template <class Call, class W, class A, class B>
[[gnu::noinline]] auto join_in_own_frame(W& worker, A&& a, B&& b) {
  return join_inline<Call>(worker, std::forward<A>(a), std::forward<B>(b));
}

template <class Call, class W, class A, class B>
BLITZ_ALWAYS_INLINE auto join_on(W& worker, A&& a, B&& b) {
  if constexpr (kAreLarge<typename Call::template Value<A>, typename Call::template Value<B>>) {
    return join_in_own_frame<Call>(worker, std::forward<A>(a), std::forward<B>(b));
  } else {
    return join_inline<Call>(worker, std::forward<A>(a), std::forward<B>(b));
  }
}

template <class Call, class A, class B>
BLITZ_ALWAYS_INLINE auto join_here(A&& a, B&& b);

/// For a caller that is no worker of the default policy.
template <class Call, class A, class B>
[[gnu::noinline]] auto join_elsewhere(A&& a, B&& b) {
  if (auto* const worker = CurrentWorker<AsyncPolicy>::worker) {
    return join_on<Call>(*worker, std::forward<A>(a), std::forward<B>(b));
  }
  if (current_worker != nullptr) {
    AnyWorker worker(*current_worker);
    return join_on<Call>(worker, std::forward<A>(a), std::forward<B>(b));
  }
  return on_worker(kHere, [&](WorkerBase&) { return join_here<Call>(std::forward<A>(a), std::forward<B>(b)); });
}

template <class Call, class A, class B>
BLITZ_ALWAYS_INLINE auto join_here(A&& a, B&& b) {
  if (auto* const worker = CurrentWorker<ForkJoinPolicy>::worker) [[likely]] {
    return join_on<Call>(*worker, std::forward<A>(a), std::forward<B>(b));
  }
  // The closures need not lie in memory for the sake of this call.
  Kept<A> kept_a = keep<A>(a);
  Kept<B> kept_b = keep<B>(b);
  return join_elsewhere<Call, A, B>(std::forward<A>(kept_a), std::forward<B>(kept_b));
}

}  // namespace detail

/// Calls `a` and `b`, perhaps at once, and returns a pair of their results, Unit for void.
///
/// `a` runs on the calling worker; `b` runs there after it, or on another worker meanwhile. Both have finished when
/// join returns or throws. While it waits the caller runs other jobs of its pool, then sleeps.
///
/// When `a` waits, its worker may come upon `b` as upon any other job, and run it on top of `a`. On a ThreadPool it does
/// not while `a` waits for joins, loops and scopes of that pool, but it may while `a`, or a job that the worker runs
/// meanwhile, waits for something else (a handle of async, a broadcast, another pool) or yields. On an AsyncThreadPool it
/// may in any wait of `a`, and so it may in isolate on any pool. join_context tells `b`.
///
/// `a` throws: `b` is finished first, then the exception is rethrown; what comes of `b` is dropped. Only `b` throws:
/// the result of `a` is destroyed, and the exception of `b` rethrown. std::bad_alloc from a queue that cannot grow:
/// none of the two is called.
///
/// All that comes before the call happens before `a` and `b`, and they happen before its return. A few nanoseconds when
/// nobody steals; no allocation. Any thread; outside every pool it runs in global_pool().
/// An rvalue that is trivially copyable may be called as a copy of itself. No more than two copies of a result exist at
/// a time; a class that is returned as const arrives without the const.
///
/// The algorithm: lazy task creation with work stealing, as in Cilk-5 (M. Frigo, C. E. Leiserson, K. H. Randall, PLDI
/// 1998) and Rayon.
template <JoinCallable A, JoinCallable B>
BLITZ_ALWAYS_INLINE auto join(A&& a, B&& b) {
  return detail::join_here<detail::CallPlain>(std::forward<A>(a), std::forward<B>(b));
}

/// join of three or more; a tuple of the results. Of several exceptions the one furthest left arrives.
template <JoinCallable A, JoinCallable B, JoinCallable C, JoinCallable... More>
auto join(A&& a, B&& b, C&& c, More&&... more) {
  // Not inlined: the second callable of a join is compiled in several places, and each level would multiply them.
  return detail::join_here<detail::CallAndPrepend>(std::forward<A>(a), [&]() BLITZ_LAMBDA_NOINLINE {
    return blitz::join(std::forward<B>(b), std::forward<C>(c), std::forward<More>(more)...);
  });
}

/// As join, of callables that take a JoinContext, which tells whether they run in their place: see there.
template <JoinContextCallable A, JoinContextCallable B>
auto join_context(A&& a, B&& b) {
  return detail::join_here<detail::CallWithContext>(std::forward<A>(a), std::forward<B>(b));
}

}  // namespace blitz
