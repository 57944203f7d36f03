/// What a scheduling policy supplies, and what it owes.
///
/// A pool is BasicThreadPool<Policy>. The policy brings a queue for each worker, an injector for jobs from outside, an
/// idle protocol, and a finder, which knows the order in which a worker looks for work. None of them knows the pool.
///
/// Obligations, to be proved in the README of each backend, for every job and every worker:
///   W1  Every push on a local queue is followed by Idle::new_jobs, every push on the injector by
///       Idle::new_injected_jobs. (The core keeps this one; a policy may rely on it.)
///   W2  A job in the injector is seen by some worker's last check before it sleeps, or wakes a worker.
///   W3  A job in a local queue is at least run by that queue's owner; and while a slot sleeps and no worker searches,
///       the push, or the worker that stops searching, wakes one.
///   W4  After the latch that a worker waits for is set, and the worker woken if set() says so, that worker returns.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace blitz {

namespace detail {

class WorkerBase;

/// What queues hold: a function to call, and a link for the queues that are lists. It lies in the frame of whoever
/// waits for it, or on the heap if nobody does; a queue never owns it.
struct Job {
  /// Runs the job on `worker`, once; does not throw. The job may be gone when it returns.
  using Execute = void (*)(Job* job, WorkerBase& worker) noexcept;

  explicit Job(Execute function) noexcept : execute(function) {}
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Execute execute;
  Job* next;  // the injector's, while the job is in it; otherwise never read or written
};

/// How a worker that goes to sleep wants to be found.
enum class Rest : unsigned char {
  kWait,    ///< it waits for a latch, in the middle of a job
  kVacate,  ///< it has nothing left to do: an outside caller may borrow its slot
};

/// The latch that a sleeping worker waits for; see CoreLatch.
template <class L>
concept SleepableLatch = requires(L& latch, const L& constant) {
  { constant.probe() } noexcept -> std::same_as<bool>;
  { latch.get_sleepy() } noexcept -> std::same_as<bool>;
  { latch.fall_asleep() } noexcept -> std::same_as<bool>;
  latch.wake_up();
};

/// Some latch, to state the requirements with.
struct AnyLatch {
  bool probe() const noexcept;
  bool get_sleepy() noexcept;
  bool fall_asleep() noexcept;
  void wake_up() noexcept;
};

/// Some test without an argument, likewise.
struct AnyTest {
  bool operator()() const noexcept;
};

/// Where a worker may look for a job: all that a finder sees of its pool.
template <class Queue, class Injector>
struct Sources {
  /// The queue of `slot`.
  using QueueOf = Queue& (*)(void* pool, std::size_t slot) noexcept;

  std::size_t slot;   ///< the worker's own
  std::size_t count;  ///< slots in the pool
  Queue& own;
  Injector& injector;
  void* pool;
  QueueOf queue_of;
  /// Whether this is part of a search, from start_looking or first_search to work_found: what the finder moves from one
  /// queue to another is then made known by work_found.
  bool searching = false;

  [[nodiscard]] Queue& queue(std::size_t s) const noexcept { return queue_of(pool, s); }
};

}  // namespace detail

/// Jobs from outside the pool; and, in another object, those for one worker alone. All operations from any thread; push
/// does not throw.
template <class I>
concept JobInjector = std::default_initializable<I> && requires(I& injector, const I& constant, detail::Job* job) {
  { injector.push(job) } noexcept;
  /// The oldest; null if there is none, and perhaps while another thread takes one.
  { injector.take() } noexcept -> std::same_as<detail::Job*>;
  { constant.empty() } noexcept -> std::same_as<bool>;  ///< true only if every earlier push has been taken
};

/// The jobs of one worker.
///
/// What is for the owner alone: push, whose result says where it put the job, a small value of any type, and which
/// sends what it has no room for to `overflow`; take_newest, the last push that is not yet taken, or null; take_back,
/// which takes the job at a place if it is the newest, and may always say false; it is only asked while the job that
/// was pushed there has not been run. The others are for anyone: empty is exact for the owner; size, pushed, and taken
/// (by others, of what was pushed) are for statistics.
template <class Q, class I>
concept JobQueue = std::default_initializable<Q> && std::is_trivially_copyable_v<typename Q::Place> &&
                   requires(Q& queue, const Q& constant, detail::Job* job, I& overflow, typename Q::Place place) {
                     { queue.push(job, overflow) } -> std::same_as<typename Q::Place>;
                     { queue.take_newest() } noexcept -> std::same_as<detail::Job*>;
                     { queue.take_back(place) } noexcept -> std::same_as<bool>;
                     { constant.empty() } noexcept -> std::same_as<bool>;
                     { constant.size() } noexcept -> std::same_as<std::size_t>;
                     { constant.pushed() } noexcept -> std::same_as<std::uint64_t>;
                     { constant.taken() } noexcept -> std::same_as<std::uint64_t>;
                   };

/// How workers fall asleep, are woken, and lend their slots; see fork_join/sleep.hpp for what each call means.
template <class S>
concept IdleProtocol = std::constructible_from<S, std::size_t> &&
                       requires(S& idle, const S& constant, typename S::Search& search, std::size_t slot,
                                detail::AnyLatch& latch, detail::AnyTest test, detail::Rest rest) {
                         { S::kMaxSlots } -> std::convertible_to<std::size_t>;
                         { idle.new_jobs() } noexcept;
                         { idle.new_injected_jobs() } noexcept;
                         { idle.start_looking(slot) } noexcept -> std::same_as<typename S::Search>;
                         { idle.adopt_resident(slot) } noexcept;
                         { idle.first_search(slot) } noexcept -> std::same_as<typename S::Search>;
                         { idle.work_found(search) } noexcept;
                         { idle.no_work_found(search, latch, rest, test) } noexcept;
                         { idle.try_wake(slot) } noexcept -> std::same_as<bool>;
                         { idle.try_borrow(slot) } noexcept -> std::same_as<bool>;
                         { idle.give_back(slot, true, latch, test, test) } noexcept;
                         { constant.somebody_idle() } noexcept -> std::same_as<bool>;
                         { constant.times_slept(slot) } noexcept -> std::same_as<std::uint64_t>;
                         { constant.times_woken(slot) } noexcept -> std::same_as<std::uint64_t>;
                       };

/// A worker's order of search: one object for each worker, used by its runner alone. It is made from a seed for its random
/// numbers, another one for each worker.
template <class F, class Q, class I>
concept JobFinder = std::constructible_from<F, std::uint64_t> && requires(F& finder, detail::Sources<Q, I>& sources) {
  { finder.find_work(sources) } noexcept -> std::same_as<detail::Job*>;      ///< null: nothing was there to take
  { finder.steals_tried() } noexcept -> std::convertible_to<std::uint64_t>;  ///< statistics, anyone
  { finder.stolen() } noexcept -> std::convertible_to<std::uint64_t>;        ///< jobs
  { finder.injected_taken() } noexcept -> std::convertible_to<std::uint64_t>;
};

/// A policy names the four, and vouches for W2 to W4.
template <class P>
concept Policy =
    requires {
      typename P::Injector;
      typename P::LocalQueue;
      typename P::Idle;
      typename P::Finder;
    } && JobInjector<typename P::Injector> && JobQueue<typename P::LocalQueue, typename P::Injector> &&
    IdleProtocol<typename P::Idle> && JobFinder<typename P::Finder, typename P::LocalQueue, typename P::Injector>;

}  // namespace blitz
