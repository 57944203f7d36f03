/// @file
/// join and parallel_invoke: two or more calls, possibly in parallel.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/invoke.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/fork_join/hot_worker.hpp"
#include "blitz/detail/job/current_worker.hpp"
#include "blitz/detail/job/job.hpp"
#include "blitz/detail/job/offered_job.hpp"
#include "blitz/detail/task/branch.hpp"
#include "blitz/unit.hpp"

namespace blitz {

/// Tells a callable of join_context() how it is called.
/// @code
///   blitz::join_context(
///       [](blitz::JoinContext) {},
///       [&](blitz::JoinContext context) { copied = context.migrated(); });
/// @endcode
///
/// Thread-safety: as for an int.
class JoinContext {
 public:
  /// For the library. `migrated`: the result of migrated().
  constexpr explicit JoinContext(bool migrated) noexcept : migrated_(migrated) {}

  /// False: the callable runs in order on the calling worker, first `a`, then `b`.
  ///
  /// True, only for `b`: a worker has found it like any other job. This is usually another worker, without the caller's data in
  /// its cache. It may also be the calling worker, and `b` then runs on top of an `a` that waits; see join.
  [[nodiscard]] constexpr bool migrated() const noexcept { return migrated_; }

 private:
  bool migrated_;
};

/// A callable of join(), without arguments.
template <class F>
concept JoinFunction = std::invocable<F>;

/// What join_context() takes: something that can be called with a JoinContext.
template <class F>
concept JoinContextFunction = std::invocable<F, JoinContext>;

namespace detail {

/// How join calls its callables, and the types of their results.
struct CallPlain {
  template <class F>
  using Value = CallValue<F>;
  template <class F>
  BLITZ_ALWAYS_INLINE static Value<F> call(std::remove_reference_t<F>& f, bool /*migrated*/) {
    // Directly, not through call_value, which would add a stack frame to each nested join.
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      static_cast<F&&>(f)();
      return Unit{};
    } else {
      return static_cast<F&&>(f)();
    }
  }
};
/// How join_context calls its callables.
struct CallWithContext {
  template <class F>
  using Value = CallValue<F, JoinContext>;
  template <class F>
  BLITZ_ALWAYS_INLINE static Value<F> call(std::remove_reference_t<F>& f, bool migrated) {
    return call_value(std::forward<F>(f), JoinContext(migrated));
  }
};

/// How parallel_invoke calls its callables: it discards their results.
struct CallAndDrop {
  template <class F>
  using Value = Unit;
  template <class F>
  static Unit call(std::remove_reference_t<F>& f, bool /*migrated*/) {
    static_cast<void>(invoke_inline(std::forward<F>(f)));
    return {};
  }
};

/// A callable on offer, stored in the frame of its join. The constructor writes the function, and the callable or its address.
/// The offer adds the latch and the place in the queue. The worker that runs the job writes the result.
template <class Call, class F>
class JoinJob final : public OfferedJob {
 public:
  using Value = typename Call::template Value<F>;

  explicit JoinJob(std::remove_reference_t<F>& f) noexcept : OfferedJob(&execute_it), f_(keep<F>(f)) {}

  /// The owner has popped the job, and runs it.
  BLITZ_ALWAYS_INLINE Value run_here() { return Call::template call<F>(f_, false); }

  /// For a job that take_back did not return: it is deeper in the queue, was stolen, or is timed.
  BLITZ_COLD Value finish(WorkerBase& owner) {
    const OfferedJob::ForkEnd end(*this, owner);
    if (end.reclaimed()) return run_here();
    return result_.take();
  }

  /// Like finish, for an owner that already has an exception: discards the result.
  BLITZ_COLD void finish_and_drop(WorkerBase& owner) noexcept {
    const OfferedJob::ForkEnd end(*this, owner);
    if (end.reclaimed()) {
      result_.run([this]() -> Value { return run_here(); });
    }
    result_.discard();
  }

 private:
  /// Called like any other job: by a thief, or by the owner while `a`, or a join further up its stack, waits.
  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    auto& self = *static_cast<JoinJob*>(job);
    self.begin(worker);
    self.result_.run([&]() -> Value { return Call::template call<F>(self.f_, true); });
    self.end();
  }

  Kept<F> f_;
  JobResult<Value> result_;
};

// --- many ---

/// If a join on a worker of the default policy has at most this many callables, its fast path is compiled at the call site.
/// With more, the code would grow and compile slowly.
inline constexpr std::size_t kInlinedHere = 16;

/// Calls `first(data)` and runs the others, on a worker of any policy. Compiled once, in the library.
BLITZ_API void run_branches(void (*first)(void*), void* data, BranchJob* const* rest, std::size_t count);

template <class First, class... Rest>
[[gnu::noinline]] void run_branches_elsewhere(First& first, Rest&... rest) {
  BranchJob* const jobs[] = {&rest...};
  run_branches([](void* data) { static_cast<First*>(data)->run_here(); }, &first, jobs, sizeof...(Rest));
}

template <class First, class... Rest>
BLITZ_ALWAYS_INLINE void run_branches_here(First& first, Rest&... rest) {
  if constexpr (sizeof...(Rest) < kInlinedHere) {
    if (HotWorker* const owner = hot_worker) [[likely]]
      return run_branches_on(*owner, first, rest...);
  }
  run_branches_elsewhere(first, rest...);
}

/// Results: the type that is constructed from the results, or void.
template <class Results, class First, class... Rest>
BLITZ_ALWAYS_INLINE Results join_branches(First&& first, Rest&&... rest) {
  run_branches_here(first, rest...);
  if constexpr (!std::is_void_v<Results>) return Results(first.value(), rest.value()...);
}

/// Whether the results are too large for temporaries. Such a join, also a join of two, gets a separate frame: the results then
/// use stack space only once, and only while the join runs.
template <class Results>
inline constexpr bool kAreLarge = sizeof(Results) > 2 * kCacheLine;
template <>
inline constexpr bool kAreLarge<void> = false;

template <class Call, class Results, class First, class... Rest>
[[gnu::noinline]] Results join_in_own_frame(First& first, Rest&... rest) {
  return join_branches<Results>(BranchCall<Call, First>(first), Branch<Call, Rest>(rest)...);
}

template <class Call, class Results, class First, class... Rest>
BLITZ_ALWAYS_INLINE Results join_many(First&& first, Rest&&... rest) {
  if constexpr (kAreLarge<Results>) {
    return join_in_own_frame<Call, Results, First, Rest...>(first, rest...);
  } else {
    return join_branches<Results>(BranchCall<Call, First>(first), Branch<Call, Rest>(rest)...);
  }
}

// --- two ---

template <class Call, class A, class B>
using JoinPair = std::pair<typename Call::template Value<A>, typename Call::template Value<B>>;

/// The algorithm of join, on the calling worker: offer `b`, run `a`, then pop `b` and run it, or wait for its thief.
template <class Call, class Owner, class A, class B>
BLITZ_ALWAYS_INLINE auto join_on(Owner& owner, A&& a, B&& b) {
  using ValueA = typename Call::template Value<A>;
  JoinJob<Call, B> job(b);
  job.offer(owner);

  ValueA value_a = [&]() BLITZ_LAMBDA_INLINE -> ValueA {
    try {
      return Call::template call<A>(a, false);
    } catch (...) {
      job.finish_and_drop(owner.worker());
      throw;
    }
  }();

  Owner& self = *opaque(&owner);  // Keeps the addresses of its members out of registers across `a`.
  return JoinPair<Call, A, B>(std::forward<ValueA>(value_a),
                              job.take_back(self) ? job.run_here() : job.finish(self.worker()));
}

template <class Call, class A, class B>
BLITZ_ALWAYS_INLINE auto join_here(A&& a, B&& b);

/// For a caller outside every pool: calls join_here on a worker.
template <class Call, class A, class B>
class OutsideJoin {
 public:
  OutsideJoin(std::remove_reference_t<A>& a, std::remove_reference_t<B>& b) noexcept : a_(a), b_(b) {}

  JoinPair<Call, A, B> run() {
    enter_pool(kHere, &run_on, this);
    return results_.take();
  }
  JoinPair<Call, A, B> operator()() const { return join_here<Call>(std::forward<A>(a_), std::forward<B>(b_)); }

 private:
  static void run_on(void* join, WorkerBase& /*worker*/) {
    auto& self = *static_cast<OutsideJoin*>(join);
    self.results_.make(self);
  }

  std::remove_reference_t<A>& a_;
  std::remove_reference_t<B>& b_;
  ResultRoom<JoinPair<Call, A, B>> results_;
};

/// For a caller that is no worker of the default policy. Out of line, so that the fast path needs no stack space for it. A
/// static member, because its symbol name repeats the types of the callables less often than the name of a function template.
template <class Call, class A, class B>
struct JoinElsewhere {
  [[gnu::noinline]] static JoinPair<Call, A, B> run(Kept<A> a, Kept<B> b) {
    if (current_worker == nullptr) return run_outside(keep<A>(a), keep<B>(b));
    AnyOwner owner(*current_worker);
    return join_on<Call>(owner, std::forward<A>(a), std::forward<B>(b));
  }
  [[gnu::noinline]] static JoinPair<Call, A, B> run_outside(Kept<A> a, Kept<B> b) {
    return OutsideJoin<Call, A, B>(a, b).run();
  }
};

template <class Call, class A, class B>
BLITZ_ALWAYS_INLINE auto join_here(A&& a, B&& b) {
  if constexpr (kAreLarge<JoinPair<Call, A, B>>) {
    return join_in_own_frame<Call, JoinPair<Call, A, B>, A, B>(a, b);
  } else {
    if (HotWorker* const owner = hot_worker) [[likely]] {
      return join_on<Call>(*owner, std::forward<A>(a), std::forward<B>(b));
    }
    return JoinElsewhere<Call, A, B>::run(keep<A>(a), keep<B>(b));
  }
}

}  // namespace detail

/// Runs `a` and `b`, possibly in parallel, and returns a pair of their results, Unit for void.
///
/// `a` runs on the calling worker. `b` runs there after `a`, or concurrently on another worker. Both have finished when join
/// returns or throws. While the caller waits, it runs other jobs of its pool, then sleeps.
///
/// If `a` waits, its worker may find `b` like any other job and run it on top of `a`. On a ThreadPool this does not happen
/// while `a` waits for joins, loops and scopes of that pool. It may happen while `a`, or a job that the worker runs during the
/// wait, yields or waits for something different: a handle of async, a broadcast, another pool. On an AsyncThreadPool, and in
/// isolate on any pool, it may happen in every wait of `a`. join_context() tells `b` about it.
///
/// If `a` throws, `b` still runs to its end, its result or exception is discarded, and the exception of `a` is rethrown. If
/// only `b` throws, the result of `a` is destroyed and the exception of `b` is rethrown.
///
/// Everything before the call happens before `a` and `b`, and both happen before its return. Outside every pool it runs in
/// global_pool(). For a trivially copyable rvalue, join may call a copy. At most two copies of a result exist at a time. A
/// result of a const class type is returned without the const.
///
/// The algorithm: lazy task creation with work stealing, as in Cilk-5 (M. Frigo, C. E. Leiserson, K. H. Randall, PLDI
/// 1998) and Rayon.
/// @code
///   const auto [left, right] =
///       blitz::join([&] { return sum(first, middle); }, [&] { return sum(middle, last); });
/// @endcode
/// @param a  Called on the calling worker.
/// @param b  Called after it, or on another worker.
/// @return std::pair of the results.
/// @throws The exception of `a`; if there is none, the exception of `b`. std::bad_alloc from a queue that cannot grow; neither
///         is then called. Outside every pool, the exceptions of global_pool().
/// Complexity: O(1) in addition to the two calls: a few nanoseconds if nothing is stolen. No allocation.
/// Thread-safety: any thread.
template <JoinFunction A, JoinFunction B>
BLITZ_ALWAYS_INLINE auto join(A&& a, B&& b) {
  using Call = detail::CallPlain;
  if constexpr (detail::kAreLarge<detail::JoinPair<Call, A, B>>) {
    return detail::join_here<Call>(std::forward<A>(a), std::forward<B>(b));
  } else {
    // As join_here, without its frame.
    if (detail::HotWorker* const owner = detail::hot_worker) [[likely]] {
      return detail::join_on<Call>(*owner, std::forward<A>(a), std::forward<B>(b));
    }
    return detail::JoinElsewhere<Call, A, B>::run(detail::keep<A>(a), detail::keep<B>(b));
  }
}

/// Runs three callables or more, possibly in parallel, and returns a tuple of their results. The first runs on the calling
/// worker, which then runs the others from left to right; thieves take them from right to left.
///
/// All have been called and have finished when join returns or throws. As with two callables, there is no allocation, and at
/// most two copies of a result exist at a time.
/// @param a  Called on the calling worker.
/// @param b  Called after it, or on another worker; so are `c` and `more`.
/// @param c  See `b`.
/// @param more  See `b`.
/// @return std::tuple of the results.
/// @throws The exception of the leftmost callable that throws. std::bad_alloc from a queue that cannot grow; none is then
///         called, except those that another worker has begun. Outside every pool, the exceptions of global_pool().
/// Complexity: O(n) for n callables, in addition to the calls. Thread-safety: any thread.
template <JoinFunction A, JoinFunction B, JoinFunction C, JoinFunction... More>
auto join(A&& a, B&& b, C&& c, More&&... more) {
  using Results =
      std::tuple<detail::CallValue<A>, detail::CallValue<B>, detail::CallValue<C>, detail::CallValue<More>...>;
  return detail::join_many<detail::CallPlain, Results>(std::forward<A>(a), std::forward<B>(b), std::forward<C>(c),
                                                       std::forward<More>(more)...);
}

/// @cond
template <class... F>
  requires(sizeof...(F) < 2)
BLITZ_REFUSE("join got fewer than two functions; call one as f(), or use blitz::async(f)")
    join(F&&... fs) BLITZ_REFUSED;
template <class... F>
  requires(sizeof...(F) >= 2 && !(JoinFunction<F> && ...))
BLITZ_REFUSE(
    "join got an argument that is no callable without arguments, such as the result of a call; use "
    "blitz::join([&] { return f(x); }, [&] { return g(y); })") join(F&&... fs) BLITZ_REFUSED;
/// @endcond

/// Like join(), for callables that take a JoinContext. Its migrated() tells a callable whether it runs in order on the calling
/// worker.
/// @code
///   blitz::join_context(
///       [](blitz::JoinContext) {},
///       [&](blitz::JoinContext context) { prefetch = context.migrated(); });
/// @endcode
/// @param a  Called on the calling worker; its context.migrated() is false.
/// @param b  Called after `a`, or on another worker; see JoinContext::migrated().
/// @return std::pair of the results, Unit for void.
/// @throws The exception of `a`; if there is none, the exception of `b`. std::bad_alloc. Outside every pool, the exceptions of
///         global_pool().
/// Complexity: O(1) in addition to the two calls. Thread-safety: any thread.
template <JoinContextFunction A, JoinContextFunction B>
auto join_context(A&& a, B&& b) {
  return detail::join_here<detail::CallWithContext>(std::forward<A>(a), std::forward<B>(b));
}

/// Runs all callables, possibly in parallel, and discards their results: a join() without results. All have finished when it
/// returns or throws.
///
/// All are called, even if some throw. Outside every pool it runs in global_pool().
/// @code
///   blitz::parallel_invoke([&] { sort_names(); }, [&] { sort_dates(); }, [&] { sort_sizes(); });
/// @endcode
/// @param f  Called on the calling worker.
/// @param g  Called after it, or on another worker; so are `more`.
/// @param more  See `g`.
/// @throws The exception of the leftmost callable that throws. std::bad_alloc from a queue that cannot grow; none is then
///         called, except those that another worker has begun. Outside every pool, the exceptions of global_pool().
/// Complexity: O(n) for n callables, in addition to the calls; no allocation. Thread-safety: any thread.
template <JoinFunction F, JoinFunction G, JoinFunction... More>
void parallel_invoke(F&& f, G&& g, More&&... more) {
  detail::join_many<detail::CallAndDrop, void>(std::forward<F>(f), std::forward<G>(g), std::forward<More>(more)...);
}

}  // namespace blitz
