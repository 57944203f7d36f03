/// What a scheduling policy supplies, and what it owes.
///
/// A pool is BasicThreadPool<Policy>. The policy brings a queue for each worker, an injector for jobs from outside, an
/// idle protocol, and a finder, which knows the order in which a worker looks for work. None of them knows the pool.
/// What they are given by it is in namespace blitz::policy.
///
/// docs/custom_policy.md explains how to write one; a program that does includes blitz/custom_policy.hpp.
///
/// Obligations, to be proved in the README of each backend, for every job and every worker:
///   W1  Every push on a local queue is followed by Idle::new_jobs, every push on the injector by
///       Idle::new_injected_jobs. (The core keeps this one; a policy may rely on it.)
///   W2  A job in the injector is seen by some worker's last check before it sleeps, or wakes a worker.
///   W3  A job in a local queue is at least run by that queue's owner; and while a slot sleeps and no worker searches,
///       the push, or the worker that stops searching, wakes one.
///   W4  After the latch that a worker waits for is set, and the worker woken if set() says so, that worker returns.
#pragma once

#include "blitz/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace blitz {

namespace detail {

class WorkerBase;

}  // namespace detail

/// What a scheduling policy is given by the pool that it schedules. Programs that use the pools of the library need
/// none of it.
namespace policy {

/// What queues and injectors hold: a pointer to a job is pushed once, and taken once.
///
/// A job lies in the frame of the call that waits for it, or on the heap if none does. A queue never copies, runs or
/// destroys one.
struct Job {
  /// Runs the job on `worker`, once; does not throw. The job may be gone when it returns.
  using Execute = void (*)(Job* job, detail::WorkerBase& worker) noexcept;

  explicit Job(Execute function) noexcept : execute(function) {}
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// For the pool's workers alone: a policy never runs a job.
  Execute execute;
  /// Free for use by the queue or injector that holds the job, from its push until it is taken: a link for those that
  /// are lists. Never read or written by the pool.
  Job* next;
};

/// How a worker that goes to sleep wants to be found; the third argument of IdleProtocol's no_work_found.
enum class Rest : unsigned char {
  kWait,    ///< It waits for a latch, in the middle of a job.
  kVacate,  ///< It has nothing left to do: an outside caller may borrow its slot.
};

/// The latch that a worker waits for when its idle protocol puts it to sleep. It is set once, by any thread, and the
/// setter calls try_wake with the worker's slot if it found the latch asleep.
///
/// For the worker that waits, and no other thread:
///   - `probe()`: whether the latch is set.
///   - `get_sleepy()`: the worker is about to prepare for sleep. False if the latch is set: it must not sleep then.
///   - `fall_asleep()`, after get_sleepy and once try_wake would find the worker: from now on a setter calls try_wake.
///     False if the latch is set: it must not sleep then.
///   - `woke()`, after each fall_asleep that returned true: the worker is awake again, whatever woke it.
template <class L>
concept SleepableLatch = requires(L& latch, const L& constant) {
  { constant.probe() } noexcept -> std::same_as<bool>;
  { latch.get_sleepy() } noexcept -> std::same_as<bool>;
  { latch.fall_asleep() } noexcept -> std::same_as<bool>;
  latch.woke();
};

/// Some SleepableLatch, with which the concept IdleProtocol states that the members of an idle protocol are templates
/// that take any. Declared only.
struct AnyLatch {
  bool probe() const noexcept;
  bool get_sleepy() noexcept;
  bool fall_asleep() noexcept;
  void woke() noexcept;
};

/// Some callable without arguments that returns a bool, with which the concept IdleProtocol states that the members of
/// an idle protocol are templates that take any. Declared only.
struct AnyTest {
  bool operator()() const noexcept;
};

/// Where a worker may look for a job: all that a finder sees of its pool.
template <class Queue, class Injector>
struct Sources {
  /// The queue of `slot`.
  using QueueOf = Queue& (*)(void* pool, std::size_t slot) noexcept;

  std::size_t slot;    ///< The worker's own.
  std::size_t count;   ///< Slots in the pool.
  Queue& own;          ///< The same as queue(slot).
  Injector& injector;  ///< Jobs from outside the pool.
  void* pool;          ///< For queue() alone.
  QueueOf queue_of;    ///< For queue() alone.
  /// Whether this is part of a search, from start_looking or first_search to work_found: what the finder moves from one
  /// queue to another is then made known by work_found. Outside a search it must leave queues as they are but for the
  /// one job that it takes.
  bool searching = false;

  /// The queue of slot `s`, less than `count`. Other workers use it at the same time.
  [[nodiscard]] Queue& queue(std::size_t s) const noexcept { return queue_of(pool, s); }
};

}  // namespace policy

namespace detail {

using policy::Job;
using policy::Rest;
using policy::SleepableLatch;
using policy::Sources;

}  // namespace detail

/// Jobs from outside the pool; another object of the same type holds, for each worker, those for this worker alone.
/// Every member may be called by any thread at any time.
///   - `push(job)` must not throw.
///   - `take()`: the oldest job; null if there is none, and perhaps while another thread takes one.
///   - `empty()`: true only if every job whose push came before has been taken.
template <class I>
concept JobInjector = std::default_initializable<I> && requires(I& injector, const I& constant, policy::Job* job) {
  { injector.push(job) } noexcept;
  { injector.take() } noexcept -> std::same_as<policy::Job*>;
  { constant.empty() } noexcept -> std::same_as<bool>;
};

/// The jobs of one worker. Its owner is the thread that runs the worker's slot, one at a time.
///
/// For the owner alone:
///   - `push(job, overflow)` returns the job's place, a small value of any type; a queue that has no room may push the
///     job on the injector `overflow` instead. May throw std::bad_alloc, and has then not taken the job.
///   - `take_newest()`: the last job pushed that has not been taken, or null. Without it a join would run the oldest,
///     largest jobs on top of its own stack.
///   - `take_back(place)`: takes the job that was pushed there if it is the newest, and may always return false. Called
///     only while that job has not begun to run.
///
/// For any thread:
///   - `empty()`: exact for the owner.
///
/// What else the policy's finder needs of a queue, such as a way to steal, is up to the policy.
template <class Q, class I>
concept JobQueue = std::default_initializable<Q> && std::is_trivially_copyable_v<typename Q::Place> &&
                   requires(Q& queue, const Q& constant, policy::Job* job, I& overflow, typename Q::Place place) {
                     { queue.push(job, overflow) } -> std::same_as<typename Q::Place>;
                     { queue.take_newest() } noexcept -> std::same_as<policy::Job*>;
                     { queue.take_back(place) } noexcept -> std::same_as<bool>;
                     { constant.empty() } noexcept -> std::same_as<bool>;
                   };

/// How workers fall asleep, are woken, and lend their slots. Constructed with the number of slots, at most kMaxSlots,
/// all vacant: no thread runs them, and each slot's resident thread blocks in first_search.
///
/// Called by any thread:
///   - `new_injected_jobs()`: a job was pushed on the injector.
///   - `try_wake(slot)`: lets the slot's thread run if it sleeps or is vacant; returns whether this call did.
///   - `try_borrow(slot)`, by a thread outside the pool: makes the caller the runner of the slot if it is vacant, and
///     then returns true. The resident stays blocked until give_back.
///   - `somebody_idle()`: a hint whether some slot executes no job.
///
/// Called by the slot's resident, in this order, before all else:
///   - `adopt_resident(slot)`: when the thread has started.
///   - `first_search(slot)` blocks until the slot is first woken for its resident; returns the state of its search.
///
/// Called by the slot's runner, the resident or a borrower:
///   - `new_jobs()`: a job was pushed on the slot's queue.
///   - `start_looking(slot)`: there was no job at hand; returns the state of the search that begins.
///   - `no_work_found(search, latch, rest, injected)`: the finder found nothing. Returns at once, or yields, or sleeps
///     until the slot is woken; the caller then looks at its latch and searches again. It must not sleep if `latch` is
///     set, see policy::SleepableLatch, or `injected()` is true, asked once try_wake would find the slot asleep. While
///     it sleeps with Rest::kVacate, the slot is vacant.
///   - `work_found(search)`: the search has ended with a job, which has not begun, or with a latch that was set.
///   - `give_back(slot, own_empty, resident, injected, queues_empty)`, by a borrower: makes the slot vacant. Wakes its
///     resident if own_empty is false (the slot's queue has jobs), `resident.probe()` or `injected()` is true, or
///     `queues_empty()` is false.
template <class S>
concept IdleProtocol = std::constructible_from<S, std::size_t> &&
                       requires(S& idle, const S& constant, typename S::Search& search, std::size_t slot,
                                policy::AnyLatch& latch, policy::AnyTest test, policy::Rest rest) {
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
                       };

/// A worker's order of search: one object for each worker, used by its runner alone. It is made from a seed, another one
/// for each worker, for those that choose at random. `find_work(sources)` takes a job and returns it, or null if each queue
/// was seen empty during the call and the injector gave none.
template <class F, class Q, class I>
concept JobFinder = std::constructible_from<F, std::uint64_t> && requires(F& finder, policy::Sources<Q, I>& sources) {
  { finder.find_work(sources) } noexcept -> std::same_as<policy::Job*>;
};

namespace policy {

/// A queue that keeps statistics for BasicThreadPool::stats: `size()`, the jobs it holds; `pushed()`, how many were
/// pushed on it, and `taken()`, how many of these other workers took. Any thread may ask. Optional: without them,
/// jobs_pushed and jobs_executed are 0.
template <class Q>
concept CountingQueue = requires(const Q& queue) {
  { queue.size() } noexcept -> std::same_as<std::size_t>;
  { queue.pushed() } noexcept -> std::same_as<std::uint64_t>;
  { queue.taken() } noexcept -> std::same_as<std::uint64_t>;
};

/// An idle protocol that keeps statistics for BasicThreadPool::stats: how often the runner of a slot slept, and how
/// often it was woken. Any thread may ask. Optional: without them, times_slept and times_woken are 0.
template <class S>
concept CountingIdle = requires(const S& idle, std::size_t slot) {
  { idle.times_slept(slot) } noexcept -> std::same_as<std::uint64_t>;
  { idle.times_woken(slot) } noexcept -> std::same_as<std::uint64_t>;
};

/// A finder that keeps statistics for BasicThreadPool::stats: how often it tried to take a job from another worker, how
/// many it took, and how many it took from the injector. Any thread may ask. Optional: without them, steals_tried,
/// jobs_stolen, injected_taken and jobs_executed are 0.
template <class F>
concept CountingFinder = requires(const F& finder) {
  { finder.steals_tried() } noexcept -> std::same_as<std::uint64_t>;
  { finder.stolen() } noexcept -> std::same_as<std::uint64_t>;
  { finder.injected_taken() } noexcept -> std::same_as<std::uint64_t>;
};

}  // namespace policy

/// A policy names the four, and vouches for W2 to W4. An empty class, by whose name pools are told apart.
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
