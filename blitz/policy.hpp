/// @file
/// The parts of a scheduling policy, and the guarantees that it must give.
///
/// A pool is BasicThreadPool<Policy>. The policy supplies a queue for each worker, an injector for jobs from outside, an idle
/// protocol, and a finder, which defines the order of a worker's search for work. None of them knows the pool. The types that
/// the pool passes to them are in namespace blitz::policy.
///
/// docs/custom_policy.md explains how to write a policy; a program that does so includes blitz/custom_policy.hpp.
///
/// Guarantees for every job and every worker; the README of each backend proves them:
///   W1  Every push on a local queue is followed by Idle::new_jobs (or by all_awake, see ThriftyIdle; for a half of a join on
///       the default policy also by new_half), every push on the injector by Idle::new_injected_jobs. (The core guarantees
///       this; a policy may rely on it.)
///   W2  A job in the injector is seen by some worker's last check before it sleeps, or wakes a worker.
///   W3  A job in a local queue is run at least by that queue's owner. If a slot sleeps and no worker searches, the push, or
///       the worker that stops searching, wakes one. (Except for a half of a join that the default policy withholds: the owner
///       runs that job before it sleeps.)
///   W4  After the latch that a worker waits for is set, and the worker is woken if set() demands it, that worker returns.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "blitz/detail/base/export.hpp"

namespace blitz {

namespace detail {

class WorkerBase;

}  // namespace detail

/// The types that a pool passes to its scheduling policy. Only programs that define a policy need them.
namespace policy {

/// A job. Queues and injectors hold pointers to jobs; each pointer is pushed once and taken once.
///
/// A job is stored in the frame of the call that waits for it, or on the heap if no call waits. A queue never copies, runs or
/// destroys it.
/// @code
///   const std::lock_guard lock(mutex);  // In a stack of jobs:
///   job->next = top;
///   top = job;
/// @endcode
///
/// Thread-safety: one thread at a time, the one that pushes the job or has taken it.
struct Job {
  /// Runs the job on `worker`, once; does not throw. May destroy the job before it returns.
  using Execute = void (*)(Job* job, detail::WorkerBase& worker) noexcept;

  /// For the library: a job that `function` runs.
  explicit Job(Execute function) noexcept : execute(function) {}
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Called by the pool's workers only: a policy never runs a job.
  Execute execute;
  /// For the queue or injector that holds the job, from its push until it is taken: a link for linked lists. Never read
  /// or written by the pool.
  Job* next;
};

/// The worker that would take a job that is offered now.
enum class Audience : unsigned char {
  kNobody,    ///< Every slot executes a job.
  kSearches,  ///< A worker that searches.
  kSleeps,    ///< A worker that must be woken.
};

/// The reason why a worker sleeps; the third argument of IdleProtocol's no_work_found.
enum class Rest : unsigned char {
  kWait,    ///< It waits for a latch, in the middle of a job.
  kVacate,  ///< It has nothing to do: an outside caller may borrow its slot.
};

/// The latch that a worker waits for when its idle protocol puts it to sleep. It is set once, by any thread; if the
/// setter finds the latch asleep, it calls `try_wake` with the worker's slot.
///
/// Called only by the worker that waits:
///   - `probe()`: returns whether the latch is set.
///   - `get_sleepy()`: the worker is about to prepare for sleep. False if the latch is set: the worker must not sleep
///     then.
///   - `fall_asleep()`, after `get_sleepy` and once `try_wake` can claim the worker: from now on a setter calls `try_wake`.
///     False if the latch is set: the worker must not sleep then.
///   - `woke()`, after each `fall_asleep` that returned true: the worker is awake again, for any reason.
///
/// @code
///   auto sleep = [](blitz::policy::SleepableLatch auto& latch, auto block) {
///     if (!latch.get_sleepy() || !latch.fall_asleep()) return;
///     block();
///     latch.woke();
///   };
/// @endcode
///
/// Thread-safety: one thread, the worker; any thread may set the latch concurrently.
template <class L>
concept SleepableLatch = requires(L& latch, const L& constant) {
  { constant.probe() } noexcept -> std::same_as<bool>;
  { latch.get_sleepy() } noexcept -> std::same_as<bool>;
  { latch.fall_asleep() } noexcept -> std::same_as<bool>;
  latch.woke();
};

/// A SleepableLatch without definitions. IdleProtocol uses it, and AnyTest, a callable without definition that takes nothing
/// and returns a bool, to require that members of an idle protocol are templates that accept any such latch and callable.
/// @code
///   static_assert(blitz::policy::SleepableLatch<blitz::policy::AnyLatch>);
/// @endcode
///
/// Thread-safety: see SleepableLatch.
struct AnyLatch {
  bool probe() const noexcept;  ///< See SleepableLatch.
  bool get_sleepy() noexcept;   ///< See SleepableLatch.
  bool fall_asleep() noexcept;  ///< See SleepableLatch.
  void woke() noexcept;         ///< See SleepableLatch.
};
/// A callable without a definition that takes nothing and returns a bool, see AnyLatch.
/// @code
///   static_assert(std::is_invocable_r_v<bool, blitz::policy::AnyTest>);
/// @endcode
///
/// Thread-safety: only declared, called by no thread.
struct AnyTest {
  bool operator()() const noexcept;  ///< Only declared.
};

/// The sources of jobs for a worker: the finder's view of its pool.
/// @code
///   auto find = [](auto& sources) -> blitz::policy::Job* {
///     if (blitz::policy::Job* job = sources.own.take_newest()) return job;
///     return sources.injector.take();
///   };
/// @endcode
///
/// Thread-safety: one thread, the worker.
template <class Queue, class Injector>
struct Sources {
  /// The queue of `slot`.
  using QueueOf = Queue& (*)(void* pool, std::size_t slot) noexcept;

  std::size_t slot;    ///< The worker's slot.
  std::size_t count;   ///< The number of slots in the pool.
  Queue& own;          ///< Equal to queue(slot).
  Injector& injector;  ///< Jobs from outside the pool.
  void* pool;          ///< Used only by queue().
  QueueOf queue_of;    ///< Used only by queue().
  /// Whether the call is part of a search, from `start_looking` or `first_search` to `work_found`. In a search the finder may
  /// move jobs from one queue to another, which `work_found` then announces. Outside a search it must take one job and
  /// leave the queues otherwise unchanged.
  bool searching = false;
  /// Whether the worker has no job, not even one that waits, so that a slow search delays no running work.
  bool at_rest = false;

  /// The queue of slot `s`, less than `count`. Other workers use it concurrently. O(1).
  [[nodiscard]] Queue& queue(std::size_t s) const noexcept { return queue_of(pool, s); }
};

}  // namespace policy

namespace detail {

using policy::Audience;
using policy::Job;
using policy::Rest;
using policy::SleepableLatch;
using policy::Sources;

/// Identifies a worker. A latch stores the address of a tag of its owner.
struct OwnerTag {
  WorkerBase& worker;
};

/// A place that no job of the library's queues has.
inline constexpr std::int64_t kNowhere = -1;

}  // namespace detail

/// The queue of jobs from outside the pool. Each worker has another object of this type for the jobs that are sent only to that
/// worker. Any thread may call any member at any time.
///   - The constructor may take the number of slots of the team. The default constructor is for the mail of one worker.
///   - `push(job)` must not throw.
///   - `take()`: takes the oldest job, or the oldest of a part of the jobs; null if there is none, and possibly while other
///     threads take one. No job may wait forever while others are taken.
///   - `empty()`: true only if every job that was pushed before the call has been taken.
///
/// @code
///   class Injector {
///    public:
///     void push(blitz::policy::Job* job) noexcept;
///     blitz::policy::Job* take() noexcept;
///     bool empty() const noexcept;
///   };
///   ...
///   static_assert(blitz::JobInjector<Injector>);
/// @endcode
template <class I>
concept JobInjector = std::default_initializable<I> && requires(I& injector, const I& constant, policy::Job* job) {
  { injector.push(job) } noexcept;
  { injector.take() } noexcept -> std::same_as<policy::Job*>;
  { constant.empty() } noexcept -> std::same_as<bool>;
};

/// The jobs of one worker. Its owner is the thread that currently runs the worker's slot, one at a time.
///
/// Called only by the owner:
///   - `push(job, overflow)` returns the job's place, a small value of any type. A full queue may push the job on the
///     injector `overflow` instead. May throw std::bad_alloc; the job is then not pushed.
///   - `take_newest()`: takes the newest job; null if there is none. Without it a join would run the oldest, largest jobs on
///     top of its stack.
///   - `take_if_newest(place)`: takes the job that was pushed there if it is the newest, and may always return false. For a
/// policy of a program, it is called only if Place is `Job*`, with the job itself, and only while the owner has not begun to
///     run it.
///
/// Called by any thread:
///   - `empty()`: whether the queue has no jobs; exact for the owner.
///
/// Other operations that the policy's finder needs, such as a way to steal, are up to the policy.
/// @code
///   class Queue {
///    public:
///     struct Place {};
///     Place push(blitz::policy::Job* job, auto& overflow);
///     blitz::policy::Job* take_newest() noexcept;
///     bool take_if_newest(Place place) noexcept;
///     bool empty() const noexcept;
///     blitz::policy::Job* steal() noexcept;  // For the finder.
///   };
///   ...
///   static_assert(blitz::JobQueue<Queue, blitz::ForkJoinPolicy::Injector>);
/// @endcode
template <class Q, class I>
concept JobQueue = std::default_initializable<Q> && std::is_trivially_copyable_v<typename Q::Place> &&
                   requires(Q& queue, const Q& constant, policy::Job* job, I& overflow, typename Q::Place place) {
                     { queue.push(job, overflow) } -> std::same_as<typename Q::Place>;
                     { queue.take_newest() } noexcept -> std::same_as<policy::Job*>;
                     { queue.take_if_newest(place) } noexcept -> std::same_as<bool>;
                     { constant.empty() } noexcept -> std::same_as<bool>;
                   };

/// How workers fall asleep and are woken, and how threads outside the pool borrow slots. Constructed with the number of
/// slots, at most kMaxSlots. All begin vacant: they have no runner, and each slot's resident thread blocks in
/// `first_search`.
///
/// Called by any thread:
///   - `new_injected_jobs()`: a job was pushed on the injector.
///   - `try_wake(slot)`: wakes the slot's thread if the slot sleeps or is vacant; returns whether this call did.
///   - `try_borrow(slot)`, by a thread outside the pool: if the slot is vacant, makes the caller its runner and returns
///     true. The resident stays blocked until `give_back`.
///   - `audience(offered)`: returns the worker that would take one more job, if the caller already has `offered` jobs on offer.
///     A hint.
///
/// Called by the slot's resident, in this order, before all other members:
///   - `adopt_resident(slot)`: the thread has started, and the pool is not used yet.
///   - `first_search(slot)`: blocks until the slot is first woken for its resident; returns the state of its search.
///
/// Called by the slot's runner, which is the resident or a borrower:
///   - `new_jobs()`: a job was pushed on the slot's queue; or, in isolate, on a queue that the policy does not see and the pool
///     searches after the finder. The protocol must therefore order push and search itself, without relying on the queue.
///   - `start_looking(slot)`: the finder found no job; returns the state of the search that begins.
///   - `no_work_found(search, latch, rest, injected)`: the finder found nothing in this round. Returns immediately, yields, or
///     sleeps until the slot is woken; the caller then probes its latch and searches again. Must not sleep if `latch` is set,
///     see policy::SleepableLatch, or if `injected()` is true, called once `try_wake` can claim the slot: a job may be in the
///     injector, or was sent to this slot. While the runner sleeps with Rest::kVacate, the slot is vacant.
///   - `work_found(search)`: the search has ended with a job, or with a latch that was set. Called before the job
///     begins, which may take long while other jobs wait.
///   - `give_back(slot, own_empty, resident, injected, queues_empty)`, by a borrower: makes the slot vacant, or wakes its
///     resident if there is something to do: `own_empty` is false (the slot's queue has jobs), `resident.probe()` is true (it
///     must end, or was sent a job), `injected()` is true, or `queues_empty()` is false (it need not be called if no other slot
///     executes a job).
///
/// @code
///   class Idle {
///    public:
///     struct Search {};
///     static constexpr std::size_t kMaxSlots = 1024;
///     explicit Idle(std::size_t slots);
///     void new_jobs() noexcept;
///     void new_injected_jobs() noexcept;
///     bool try_wake(std::size_t slot) noexcept;
///     bool try_borrow(std::size_t slot) noexcept;
///     blitz::policy::Audience audience(std::size_t offered) const noexcept;
///     void adopt_resident(std::size_t slot) noexcept;
///     Search first_search(std::size_t slot) noexcept;
///     Search start_looking(std::size_t slot) noexcept;
///     void no_work_found(Search& search, auto& latch, blitz::policy::Rest rest,
///                        const auto& injected) noexcept;
///     void work_found(Search& search) noexcept;
///     void give_back(std::size_t slot, bool own_empty, auto& resident, const auto& injected,
///                    const auto& queues_empty) noexcept;
///   };
///   ...
///   static_assert(blitz::IdleProtocol<Idle>);
/// @endcode
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
                         { constant.audience(slot) } noexcept -> std::same_as<policy::Audience>;
                       };

/// A worker's search order: one object for each worker, used by one thread at a time, its runner. Constructed from a seed that
/// differs from worker to worker, for random choices. `find_work(sources)` takes a job and returns it; null if each queue was
/// seen empty during the call and the injector returned no job.
/// @code
///   class Finder {
///    public:
///     explicit Finder(std::uint64_t seed);
///     blitz::policy::Job* find_work(auto& sources) noexcept;
///   };
///   ...
///   using Default = blitz::ForkJoinPolicy;
///   static_assert(blitz::JobFinder<Finder, Default::LocalQueue, Default::Injector>);
/// @endcode
template <class F, class Q, class I>
concept JobFinder = std::constructible_from<F, std::uint64_t> && requires(F& finder, policy::Sources<Q, I>& sources) {
  { finder.find_work(sources) } noexcept -> std::same_as<policy::Job*>;
};

namespace policy {

/// A queue that keeps statistics for BasicThreadPool::stats: `size()`, the number of jobs in it; `pushed()`, how many were
/// pushed on it; `taken()`, how many of these were stolen or went to the injector. Optional: without them, `jobs_pushed` and
/// `jobs_executed` are 0.
/// @code
///   static_assert(blitz::policy::CountingQueue<blitz::ForkJoinPolicy::LocalQueue>);
/// @endcode
///
/// Thread-safety: any thread.
template <class Q>
concept CountingQueue = requires(const Q& queue) {
  { queue.size() } noexcept -> std::same_as<std::size_t>;
  { queue.pushed() } noexcept -> std::same_as<std::uint64_t>;
  { queue.taken() } noexcept -> std::same_as<std::uint64_t>;
};

/// An idle protocol that keeps statistics for BasicThreadPool::stats: how often the runner of a slot slept, and how often it
/// was woken. Optional: without them, `times_slept` and `times_woken` are 0.
/// @code
///   static_assert(blitz::policy::CountingIdle<blitz::ForkJoinPolicy::Idle>);
/// @endcode
///
/// Thread-safety: any thread.
template <class S>
concept CountingIdle = requires(const S& idle, std::size_t slot) {
  { idle.times_slept(slot) } noexcept -> std::same_as<std::uint64_t>;
  { idle.times_woken(slot) } noexcept -> std::same_as<std::uint64_t>;
};

/// An idle protocol for slots without residents: to wake such a slot, it calls a function that finds a thread. Optional:
/// without it the jobs of a caller that finds slot 0 taken, or that is a worker of another pool, run only on its own thread.
///   - `summon_by(call, team)`, before all other members: `call(team, slot)` replaces each wake-up of a slot's resident. From
///     then on `own_empty` of `give_back` is true.
///   - `summoned(slot)`, by that thread, instead of first_search: it is the slot's runner from now on.
///   - `retire(search, resident, injected, queues_empty)`, by the runner: ends its search and makes the slot vacant, or calls a
///     thread for it again, as `give_back` does.
///
/// @code
///   static_assert(blitz::policy::SummoningIdle<blitz::ForkJoinPolicy::Idle>);
/// @endcode
///
/// Thread-safety: different slots concurrently, each by one thread.
template <class S>
concept SummoningIdle = requires(S& idle, typename S::Search& search, std::size_t slot,
                                 void (*call)(void*, std::size_t) noexcept, void* team, AnyLatch& latch, AnyTest test) {
  { idle.summon_by(call, team) } noexcept;
  { idle.summoned(slot) } noexcept -> std::same_as<typename S::Search>;
  { idle.retire(search, latch, test, test) } noexcept;
};

/// An idle protocol that knows the price of a wake-up. Optional: without it each job is posted by `new_jobs`, and every loop
/// offers parts. Called by the slot's runner:
///   - `weigh_help(slot, work, stolen)`, if the audience sleeps: returns 0 if work of `work` ticks on one thread (see
///     detail/base/ticks.hpp) must not be offered; otherwise the expected delay, in ticks and at least 1, before the woken
///     worker begins. `stolen`: the number of the runner's jobs that others have taken so far, if its queue models
///     CountingQueue.
///   - `all_awake()`, after a push on its queue: if true, no worker sleeps or is about to sleep, and `new_jobs` is not called.
///   - `new_jobs(slot, offered)`, instead of new_jobs(), after a push on the queue of `slot`, which has about `offered` jobs on
///     offer. Must wake a worker if none searches, and otherwise may do so. Returns whether it has woken one.
///
/// @code
///   static_assert(blitz::policy::ThriftyIdle<blitz::ForkJoinPolicy::Idle>);
/// @endcode
template <class S>
concept ThriftyIdle = requires(S& idle, std::size_t slot, std::uint64_t work) {
  { idle.weigh_help(slot, work, work) } noexcept -> std::same_as<std::uint64_t>;
  { idle.all_awake() } noexcept -> std::same_as<bool>;
  { idle.new_jobs(slot, slot) } noexcept -> std::same_as<bool>;
};

/// A finder that keeps statistics for BasicThreadPool::stats: how often it tried to steal, how many jobs it stole, and how many
/// it took from the injector. Optional: without them, `steals_tried`, `jobs_stolen`, `injected_taken` and `jobs_executed` are
/// 0.
/// @code
///   static_assert(blitz::policy::CountingFinder<blitz::ForkJoinPolicy::Finder>);
/// @endcode
///
/// Thread-safety: any thread.
template <class F>
concept CountingFinder = requires(const F& finder) {
  { finder.steals_tried() } noexcept -> std::same_as<std::uint64_t>;
  { finder.stolen() } noexcept -> std::same_as<std::uint64_t>;
  { finder.injected_taken() } noexcept -> std::same_as<std::uint64_t>;
};

}  // namespace policy

/// A scheduling policy: an empty class that names the four types. Together they guarantee W2 to W4. Pools of different policies
/// are different types.
/// @code
///   struct MyPolicy {
///     using Injector = blitz::ForkJoinPolicy::Injector;
///     using LocalQueue = blitz::ForkJoinPolicy::LocalQueue;
///     using Idle = blitz::ForkJoinPolicy::Idle;
///     using Finder = blitz::ForkJoinPolicy::Finder;
///   };
///   ...
///   static_assert(blitz::Policy<MyPolicy>);
/// @endcode
///
/// Thread-safety: see each of the four.
template <class P>
concept Policy =
    requires {
      typename P::Injector;
      typename P::LocalQueue;
      typename P::Idle;
      typename P::Finder;
    } && JobInjector<typename P::Injector> && JobQueue<typename P::LocalQueue, typename P::Injector> &&
    IdleProtocol<typename P::Idle> && JobFinder<typename P::Finder, typename P::LocalQueue, typename P::Injector>;

#if defined(BLITZ_REFERENCE)  // The reference has these two without their private parts.

/// The policy of ThreadPool, for fork-join programs: most jobs are created and awaited by other jobs. Each worker has a
/// growable Chase-Lev deque. Jobs from outside go to a Treiber stack. Sleep is progressive. Another policy may use its parts:
/// Injector, LocalQueue, Idle and Finder.
/// @code
///   static_assert(blitz::Policy<blitz::ForkJoinPolicy>);
/// @endcode
///
/// Thread-safety: see Policy.
struct ForkJoinPolicy {};

/// The policy of AsyncThreadPool, for servers: many independent jobs, fair to the oldest. Each worker has a ring of 256 jobs
/// with a LIFO slot. Jobs from outside go to a queue with a mutex. A bitmap records parked workers. The policy is compiled in
/// the library, so other policies cannot use its parts.
/// @code
///   static_assert(blitz::PoolPolicy<blitz::AsyncPolicy>);
/// @endcode
///
/// Thread-safety: see Policy.
struct AsyncPolicy {};

#else

struct BLITZ_API ForkJoinPolicy;  // detail/fork_join/fork_join_policy.hpp
struct BLITZ_API AsyncPolicy;     // detail/async/async_policy.hpp

#endif

namespace detail {

/// AsyncPolicy is complete only inside the library, which checks that it is a policy.
template <class P>
using PolicyInSight = std::conditional_t<std::same_as<P, AsyncPolicy>, ForkJoinPolicy, P>;

}  // namespace detail

/// The policy of a blitz::BasicThreadPool: AsyncPolicy, which need only be declared, or a type that models Policy.
template <class P>
concept PoolPolicy = Policy<detail::PolicyInSight<P>>;

}  // namespace blitz
