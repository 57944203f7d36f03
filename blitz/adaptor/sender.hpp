/// @file
/// A pool as a scheduler in the sense of C++26: schedule, connect, start, bulk.
///
/// The library allocates nothing: a job is stored in the operation state of its schedule, which the program owns. The template
/// parameter `Senders` supplies the vocabulary of a sender library; stdexec.hpp defines the one for stdexec.
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

/// @brief The query for the stop token of a receiver's environment: `receiver.get_env().query(blitz::GetStopToken())`. A
/// receiver without such an environment never gets a stop request. For PoolScheduler, which uses no sender library. Any thread
/// may query it.
/// @code
///   struct Environment {
///     std::stop_token stop;
///     std::stop_token query(blitz::GetStopToken /*token*/) const noexcept { return stop; }
///   };
/// @endcode
struct GetStopToken {};

namespace detail {

/// The vocabulary for programs without a sender library.
struct PlainSenders {
  struct SenderTag {};
  struct ReceiverTag {};
  struct OperationStateTag {};
  struct SchedulerTag {};
  struct NeverStops {
    [[nodiscard]] static constexpr bool stop_requested() noexcept { return false; }
  };

  /// The attributes of a schedule's sender.
  template <class Scheduler>
  struct Attributes {
    Scheduler scheduler;
  };
  template <class Scheduler>
  struct SchedulerQueries {};
  /// The completion signatures of a sender: none are needed here.
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
      submit(pool_);  // May destroy the operation.
    } catch (...) {
      std::move(receiver_).set_error(std::current_exception());
    }
  }

 private:
  static void execute_it(Job* job, WorkerBase& worker) noexcept {
    R& receiver = static_cast<ScheduleOperation*>(job)->receiver_;
    // These calls may destroy the operation.
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

/// The state of a bulk, in addition to the operation state of the sender before it.
template <class Senders, class Shape, class F, class R>
struct BulkState {
  /// Calls `f(begin, end, values...)` for blocks of [0, shape), in a parallel loop that the calling worker starts.
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

/// The receiver that the sender before a bulk completes.
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

/// Adapts `f(i, values...)` to the block function that a BulkSender calls.
template <class F>
struct ForEachOfBlock {
  template <class Shape, class... Values>
  void operator()(Shape begin, Shape end, Values&... values) {
    for (; begin != end; ++begin) f(begin, values...);
  }
  F f;
};

}  // namespace detail

/// @brief A pool as a scheduler in the sense of C++26. `schedule()` returns a sender; `connect(receiver)` of the sender returns
/// an operation state; `start()` of the operation makes a worker of the pool call `receiver.set_value()`. Use it as
/// blitz::PoolScheduler, or as blitz::StdexecScheduler with stdexec.
///
/// @code
///   blitz::PoolScheduler scheduler(pool);
///   auto operation = scheduler.schedule().connect(receiver);
///   operation.start();  // a worker calls receiver.set_value()
///   done.wait();        // which ends this wait: until then the operation must live
/// @endcode
///
/// The job is like a job of blitz::spawn, and runs in the same order; the destructor of the pool waits for it. If a stop has
/// been requested through the token of the receiver's environment by the time the job runs, the receiver gets `set_stopped()`.
/// If the pool was shut down, `start()` calls `set_error()` with a ThreadPoolError.
///
/// @tparam Senders  The vocabulary of the sender library, such as detail::PlainSenders.
/// Complexity: `start()` takes about ten nanoseconds on a worker. Memory: only the operation state.
/// Thread-safety: as a pointer; the pool must outlive its operations.
///
/// @par Source
/// P2300R10.
template <class Senders>
class BasicPoolScheduler : public Senders::template SchedulerQueries<BasicPoolScheduler<Senders>> {
 public:
  /// For the sender library.
  using scheduler_concept = typename Senders::SchedulerTag;

  /// A scheduler of `pool`.
  /// @param pool  Must outlive the operations of the scheduler.
  template <PoolPolicy P>
  explicit BasicPoolScheduler(BasicThreadPool<P>& pool) noexcept : pool_(&detail::base_of(pool)) {}
  /// Internal: a scheduler of any kind of pool.
  /// @param pool  Must outlive the operations of the scheduler.
  explicit BasicPoolScheduler(detail::PoolBase& pool) noexcept : pool_(&pool) {}

  /// A sender that completes on a worker of the pool, with no value.
  [[nodiscard]] auto schedule() const noexcept { return detail::ScheduleSender<Senders, BasicPoolScheduler>(*pool_); }

  /// Whether both schedulers use the same pool.
  [[nodiscard]] friend bool operator==(const BasicPoolScheduler& a, const BasicPoolScheduler& b) noexcept {
    return a.pool_ == b.pool_;
  }

 private:
  detail::PoolBase* pool_;
};

/// @brief The scheduler for programs without a sender library, or with custom receivers; see BasicPoolScheduler.
/// @code
///   auto operation = blitz::PoolScheduler(pool).schedule().connect(receiver);
/// @endcode
using PoolScheduler = BasicPoolScheduler<detail::PlainSenders>;

/// @brief A sender that waits until `sender` completes with `values...`, calls `f(i, values...)` for each integer `i` in
/// [0, shape), and then completes with the same values.
///
/// The calls form a loop like blitz::parallel_for. It runs in the pool of the worker that completes `sender`, or in the global
/// pool if another thread completes it. After a stop request no new blocks start, and the receiver gets `set_stopped()`. The
/// first exception of `f` goes to `set_error()`.
///
/// With a sender library use the library's `bulk`, which does the same.
///
/// @code
///   auto sender = blitz::bulk(scheduler.schedule(), n, [&](int i) { work_on(items[i]); });
///   auto operation = std::move(sender).connect(receiver);
/// @endcode
/// @param sender  For example a sender of a PoolScheduler.
/// @param shape   The number of calls; none if it is negative.
/// @param f       Moved into the operation state; called by several threads concurrently.
/// @return The sender. Connecting it throws the exceptions of moving `f` and the receiver.
/// Complexity: as the loop. Memory: only the operation state. Thread-safety: any thread.
template <class Sender, std::integral Shape, class F>
[[nodiscard]] auto bulk(Sender&& sender, Shape shape, F&& f) {
  using Body = detail::ForEachOfBlock<std::decay_t<F>>;
  return detail::BulkSender<detail::PlainSenders, std::decay_t<Sender>, Shape, Body>(std::forward<Sender>(sender),
                                                                                     shape, Body{std::forward<F>(f)});
}

}  // namespace blitz
