/// @file
/// A pool as a scheduler in the terms of C++26: schedule, connect, start, bulk.
///
/// Nothing but the operation states is allocated, and those by the program: a job lies in the operation state of its
/// schedule. The vocabulary of a library of senders comes from the template parameter `Senders`; stdexec.hpp has that
/// of stdexec.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <exception>
#include <ranges>
#include <type_traits>
#include <utility>

#include "blitz/detail/task/spawned_job.hpp"
#include "blitz/detail/worker/pool_base.hpp"
#include "blitz/parallel_for.hpp"
#include "blitz/policy.hpp"
#include "blitz/pool_ref.hpp"

namespace blitz {

/// @brief What the environment of a receiver is queried with for its stop token:
/// `receiver.get_env().query(blitz::GetStopToken())`. A receiver without such an environment is never asked to stop.
/// For PoolScheduler, which knows no library of senders. Any thread asks for it.
/// @code
///   struct Environment {
///     std::stop_token stop;
///     std::stop_token query(blitz::GetStopToken /*token*/) const noexcept { return stop; }
///   };
/// @endcode
struct GetStopToken {};

namespace detail {

/// The vocabulary of a program without a library of senders.
struct PlainSenders {
  struct SenderTag {};
  struct ReceiverTag {};
  struct OperationStateTag {};
  struct SchedulerTag {};
  struct NeverStops {
    [[nodiscard]] static constexpr bool stop_requested() noexcept { return false; }
  };

  /// What the attributes of a schedule's sender, and a scheduler, are asked for.
  template <class Scheduler>
  struct Attributes {
    Scheduler scheduler;
  };
  template <class Scheduler>
  struct SchedulerQueries {};
  /// How a sender completes, which is not asked here.
  struct ScheduleCompletes {};
  template <class Child>
  struct BulkCompletes {};

  template <class S, class R>
  [[nodiscard]] static auto connect(S&& sender, R receiver) {
    return std::forward<S>(sender).connect(std::move(receiver));
  }
  template <class R>
  [[nodiscard]] static auto stop_token(const R& receiver) noexcept {
    if constexpr (requires { receiver.get_env().query(GetStopToken()); }) {
      return receiver.get_env().query(GetStopToken());
    } else {
      return NeverStops();
    }
  }
  template <class S>
  [[nodiscard]] static decltype(auto) env_of(const S& object) noexcept {
    if constexpr (requires { object.get_env(); }) {
      return object.get_env();
    } else {
      return NeverStops();
    }
  }
};

/// The operation state of a schedule.
template <class Senders, class R>
class ScheduleOperation final : public InPlaceJob {
 public:
  using operation_state_concept = typename Senders::OperationStateTag;

  ScheduleOperation(PoolBase& pool, R&& receiver) noexcept(std::is_nothrow_move_constructible_v<R>)
      : InPlaceJob(&execute_it), pool_(pool), receiver_(std::move(receiver)) {}

  void start() & noexcept {
    try {
      submit(pool_);  // The operation may be gone.
    } catch (...) {
      std::move(receiver_).set_error(std::current_exception());
    }
  }

 private:
  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    R& receiver = static_cast<ScheduleOperation*>(job)->receiver_;
    // The operation may be gone when these return.
    if (Senders::stop_token(receiver).stop_requested()) {
      std::move(receiver).set_stopped();
    } else {
      std::move(receiver).set_value();
    }
    Detached::finished(worker);
  }

  PoolBase& pool_;
  R receiver_;
};

template <class Senders, class Scheduler>
class ScheduleSender : public Senders::ScheduleCompletes {
 public:
  using sender_concept = typename Senders::SenderTag;

  explicit ScheduleSender(PoolBase& pool) noexcept : pool_(&pool) {}

  template <class R>
  [[nodiscard]] auto connect(R receiver) const {
    return ScheduleOperation<Senders, R>(*pool_, std::move(receiver));
  }
  [[nodiscard]] auto get_env() const noexcept {
    return typename Senders::template Attributes<Scheduler>{Scheduler(*pool_)};
  }

 private:
  PoolBase* pool_;
};

/// What a bulk keeps, beside the operation state of the sender before it.
template <class Senders, class Shape, class F, class R>
struct BulkState {
  /// Calls `f(begin, end, values...)` for blocks of the integers below `shape`: a loop of the worker that calls this.
  template <class... Values>
  void run(Values&&... values) noexcept {
    const auto token = Senders::stop_token(receiver);
    try {
      parallel_for_blocks(std::views::iota(Shape(), shape), [&](auto block) {
        if (token.stop_requested()) return Flow::kStop;
        f(*block.begin(), static_cast<Shape>(*block.begin() + static_cast<Shape>(block.size())), values...);
        return Flow::kContinue;
      });
    } catch (...) {
      return std::move(receiver).set_error(std::current_exception());
    }
    if (token.stop_requested()) return std::move(receiver).set_stopped();
    std::move(receiver).set_value(std::forward<Values>(values)...);
  }

  const Shape shape;
  F f;
  R receiver;
};

/// What the sender before a bulk completes.
template <class Senders, class State>
struct BulkReceiver {
  using receiver_concept = typename Senders::ReceiverTag;

  template <class... Values>
  void set_value(Values&&... values) && noexcept {
    state->run(std::forward<Values>(values)...);
  }
  template <class Error>
  void set_error(Error&& error) && noexcept {
    std::move(state->receiver).set_error(std::forward<Error>(error));
  }
  void set_stopped() && noexcept { std::move(state->receiver).set_stopped(); }
  [[nodiscard]] decltype(auto) get_env() const noexcept { return Senders::env_of(state->receiver); }

  State* state;
};

/// The operation state of a bulk.
template <class Senders, class Child, class Shape, class F, class R>
class BulkOperation {
  using State = BulkState<Senders, Shape, F, R>;
  using Receiver = BulkReceiver<Senders, State>;

 public:
  using operation_state_concept = typename Senders::OperationStateTag;

  template <class C, class G>
  BulkOperation(C&& child, Shape shape, G&& f, R&& receiver)
      : state_{shape, std::forward<G>(f), std::move(receiver)},
        child_(Senders::connect(std::forward<C>(child), Receiver{&state_})) {}
  BulkOperation(const BulkOperation&) = delete;
  BulkOperation& operator=(const BulkOperation&) = delete;

  void start() & noexcept { child_.start(); }

 private:
  State state_;
  decltype(Senders::connect(std::declval<Child>(), std::declval<Receiver>())) child_;
};

template <class Senders, class Child, class Shape, class F>
class BulkSender : public Senders::template BulkCompletes<Child> {
 public:
  using sender_concept = typename Senders::SenderTag;

  BulkSender(Child child, Shape shape, F f)
      : child_(std::move(child)), shape_(Shape() < shape ? shape : Shape()), f_(std::move(f)) {}

  template <class R>
  [[nodiscard]] auto connect(R receiver) && {
    return BulkOperation<Senders, Child, Shape, F, R>(std::move(child_), shape_, std::move(f_), std::move(receiver));
  }
  template <class R>
  [[nodiscard]] auto connect(R receiver) const& {
    return BulkOperation<Senders, Child, Shape, F, R>(child_, shape_, f_, std::move(receiver));
  }
  [[nodiscard]] decltype(auto) get_env() const noexcept { return Senders::env_of(child_); }

 private:
  Child child_;
  Shape shape_;
  F f_;
};

/// Makes of `f(i, values...)` what a BulkSender calls.
template <class F>
struct ForEachOfBlock {
  template <class Shape, class... Values>
  void operator()(Shape begin, Shape end, Values&... values) {
    for (; begin != end; ++begin) f(begin, values...);
  }
  F f;
};

}  // namespace detail

/// @brief A pool as a scheduler in the terms of C++26: what `schedule()` returns is a sender, whose `connect(receiver)`
/// returns an operation state. `start()` has a worker of the pool call `receiver.set_value()`. Written
/// blitz::PoolScheduler, or blitz::StdexecScheduler for programs with stdexec.
///
/// @code
///   blitz::PoolScheduler scheduler(pool);
///   auto operation = scheduler.schedule().connect(receiver);
///   operation.start();  // a worker calls receiver.set_value()
///   done.wait();        // which ends this wait: until then the operation must live
/// @endcode
///
/// The job is one like those of blitz::spawn, and runs in the same order; the end of the pool waits for it. If the stop
/// token of the receiver's environment has been asked to stop by the time that the job runs, the receiver gets
/// `set_stopped()`. If the pool was shut down, `start()` calls `set_error()` with a ThreadPoolError.
///
/// @tparam Senders  The vocabulary of the library of senders, such as detail::PlainSenders.
/// Complexity: `start()` takes some ten nanoseconds on a worker. Memory: none but the operation state.
/// Thread-safety: that of a pointer; the pool must live longer than its operations. Source: P2300R10.
template <class Senders>
class BasicPoolScheduler : public Senders::template SchedulerQueries<BasicPoolScheduler<Senders>> {
 public:
  /// For the library of senders.
  using scheduler_concept = typename Senders::SchedulerTag;

  /// A scheduler of `pool`.
  /// @param pool  Must live as long as operations of the scheduler run.
  template <PoolPolicy P>
  explicit BasicPoolScheduler(BasicThreadPool<P>& pool) noexcept : pool_(&detail::base_of(pool)) {}
  /// For the library.
  /// @param pool  As above.
  explicit BasicPoolScheduler(detail::PoolBase& pool) noexcept : pool_(&pool) {}

  /// A sender that completes on a worker of the pool, with no value.
  [[nodiscard]] auto schedule() const noexcept { return detail::ScheduleSender<Senders, BasicPoolScheduler>(*pool_); }

  /// Whether both are of the same pool.
  [[nodiscard]] friend bool operator==(const BasicPoolScheduler& a, const BasicPoolScheduler& b) noexcept {
    return a.pool_ == b.pool_;
  }

 private:
  detail::PoolBase* pool_;
};

/// @brief The scheduler of a program without a library of senders, or with receivers of its own; see
/// BasicPoolScheduler.
/// @code
///   auto operation = blitz::PoolScheduler(pool).schedule().connect(receiver);
/// @endcode
using PoolScheduler = BasicPoolScheduler<detail::PlainSenders>;

/// @brief A sender that calls `f(i, values...)` for each integer `i` from 0 to `shape`, once `sender` has completed
/// with `values...`, and then completes with these values.
///
/// The calls are a loop like that of blitz::parallel_for, in the pool on whose worker `sender` completes, or else in
/// the global pool. After a request to stop, blocks of it that have not begun will not, and the receiver gets
/// `set_stopped()`. The first exception of `f` goes to `set_error()`.
///
/// With a library of senders use its own `bulk`, which comes to the same.
///
/// @code
///   auto operation = blitz::bulk(scheduler.schedule(), n, [&](int i) { work_on(items[i]); }).connect(receiver);
/// @endcode
/// @param sender  Such as a PoolScheduler's.
/// @param shape   How many calls there are; none if it is negative.
/// @param f       Moved into the operation state; called by several threads at once.
/// @return The sender. Connecting it throws what moving `f` and the receiver throws.
/// Complexity: that of the loop. Memory: none but the operation state. Thread-safety: any thread.
template <class Sender, std::integral Shape, class F>
[[nodiscard]] auto bulk(Sender&& sender, Shape shape, F&& f) {
  using Body = detail::ForEachOfBlock<std::decay_t<F>>;
  return detail::BulkSender<detail::PlainSenders, std::decay_t<Sender>, Shape, Body>(std::forward<Sender>(sender),
                                                                                     shape, Body{std::forward<F>(f)});
}

}  // namespace blitz
