/// A pool from the inside: its workers, their threads, the injector, and the way in for other threads.
///
/// The pool's team has a slot for each of its threads. An outside caller borrows slot 0 of it, or, if another caller has that
/// slot, slot 0 of a *guest's team*. No thread runs the other slots of a guest's team until a job is offered there. Then its
/// idle protocol *summons* a resident of the pool, because the team's slots have no residents: it puts the slot's summons into
/// a queue, and the pool's residents look at this queue when they have no job. The resident that takes the summons runs the
/// slot while there is work. So callers do not wait for each other, and a wait in a team finds only jobs of that team. See
/// ../worker/README.md.
///
/// Pairs:
///   [summon]  summon: summons pushed, fence, rests_ load  <->  search_until: rests_, ..., the check for a summons
///   [visit]   visit: visitor_, ..., the check for mail    <->  Worker::wake: after mail was pushed, visitor_ load
///   [attended]  leave_jobs: attended, fence, the look at the injector
///               <->  visit: a job refused by its queue, ..., fence, attended load
///   [guests]  make_guest_team: guests_, or next_ of the last (release)  ->  guest, stats: guests_, next_ (acquire)
#pragma once

#include <cstddef>
#include <memory>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/sys/thread.hpp"
#include "blitz/detail/worker/worker.hpp"
#include "blitz/options.hpp"
#include "blitz/policy.hpp"
#include "blitz/stats.hpp"

namespace blitz::detail {

/// A team: slots with workers that take each other's jobs, and their shared injector and idle protocol.
template <Policy P>
class Team {
 public:
  /// Throws std::bad_alloc.
  Team(Registry<P>& registry, TeamBase& base, std::uint64_t seed);

  [[nodiscard]] Worker<P>& worker(std::size_t slot) const noexcept { return *workers_[slot]; }

  typename P::Injector injector;  // jobs from outside, and jobs that a full queue has refused
  typename P::Idle idle;

 private:
  // An array: with _GLIBCXX_DEBUG a std::vector has another layout in a program than in the library.
  const std::unique_ptr<std::unique_ptr<Worker<P>>[]> workers_;
};

/// The team of an outside caller that finds slot 0 of the pool's own team taken.
template <Policy P>
class GuestTeam : public TeamBase, public Team<P> {
 public:
  /// Throws std::bad_alloc.
  GuestTeam(Registry<P>& registry, std::size_t slots, std::size_t its_number, std::uint64_t seed)
      : TeamBase(slots, its_number), Team<P>(registry, *this, seed) {
    for (std::size_t slot = 1; slot < slots; ++slot) apart.enter();  // As long as no thread runs them.
    if constexpr (policy::SummoningIdle<typename P::Idle>) {
      const auto call = [](void* team, std::size_t slot) noexcept {
        static_cast<GuestTeam*>(team)->worker(slot).summon();
      };
      this->idle.summon_by(call, this);
    }
  }

  /// Returns whether the calling thread is now the runner of slot 0.
  [[nodiscard]] bool try_enter() noexcept {
    if (!this->idle.try_borrow(0)) return false;
    this->attended.store(true, std::memory_order_relaxed);
    return true;
  }

  /// The team that was made after this one.
  [[nodiscard]] GuestTeam* next() const noexcept { return next_.load(std::memory_order_acquire); }  // [guests]
  void set_next(GuestTeam* team) noexcept { next_.store(team, std::memory_order_release); }         // [guests]

 private:
  Atomic<GuestTeam*> next_{nullptr};
};

/// Owned by the pool object, and by threads of other pools while they wake one of its workers. stop(), which the pool
/// object calls, joins the threads; the last owner does not.
template <Policy P>
class BLITZ_API Registry final : public PoolBase {
 public:
  /// Makes the pool and starts its threads. Throws ThreadPoolError, std::invalid_argument, std::bad_alloc, and exceptions of
  /// `options.thread_name`, after it has joined the threads that had started.
  [[nodiscard]] static Shared<Registry> start(ThreadPoolOptions options);

  ~Registry();

  void inject(Job* job) noexcept override {
    own_.injector.push(job);
    own_.idle.new_injected_jobs();
  }
  void mail_to(std::size_t slot, Job* job) noexcept override { worker(slot).mail(job); }
  [[nodiscard]] WorkerBase* borrow() noexcept override { return run_on_this_thread(enter_here()); }
  [[nodiscard]] WorkerBase* borrow_as_guest() noexcept override { return run_on_this_thread(guest()); }
  void give_back(WorkerBase& worker) noexcept override {
    auto& own = static_cast<Worker<P>&>(worker);
    if (&worker.team() != &home()) [[unlikely]]
      leave_jobs(own);
    Worker<P>::run_here(nullptr);
    own.give_back();
  }
  void leave_jobs(WorkerBase& worker) noexcept override;
  /// Gives the jobs of that slot, and of the injector of its guest's team, to the pool. Runs jobs of regions itself.
  void inject_jobs_of(Worker<P>& worker) noexcept;
  /// For a guest's team: asks a resident without a job to run `summons`.
  void summon(Job* summons) noexcept;
  /// For a resident without a job. Null if there is no summons.
  [[nodiscard]] Job* take_summons() noexcept { return summons_.empty() ? nullptr : summons_.take(); }
  [[nodiscard]] bool has_summons() const noexcept { return !summons_.empty(); }
  /// Wakes a resident without a job, if there is one.
  void call_resident() noexcept;
  void max_concurrency_changed() noexcept override {
    if (has_summons()) call_resident();
  }

  [[nodiscard]] Worker<P>& worker(std::size_t index) noexcept { return own_.worker(index); }
  [[nodiscard]] typename P::Idle& idle() noexcept { return own_.idle; }
  [[nodiscard]] typename P::Injector& injector() noexcept { return own_.injector; }

  void warm_up(std::chrono::nanoseconds time) noexcept override;
  /// The end of the last warm_up (steady clock, nanoseconds).
  [[nodiscard]] std::int64_t warm_until() const noexcept { return warm_until_.load(std::memory_order_relaxed); }

  [[nodiscard]] WorkerStats stats(std::size_t slot) const noexcept override;
  void count_idle(std::size_t& searching, std::size_t& parked) const noexcept override {
    if constexpr (requires { own_.idle.num_searching(); }) {
      searching = own_.idle.num_searching();
      parked = own_.idle.num_parked();
    }
  }
  void stop() override;
  void end_threads() noexcept override;

  void enter(PoolCall call, void* argument) override;

 private:
  static constexpr bool kSummons = policy::SummoningIdle<typename P::Idle>;
  /// The number of callers, after the first, that residents help. Jobs of further callers run only on the callers' threads.
  static constexpr std::size_t kWideTeams = kSummons ? 8 : 0;

  /// borrow and give_back without virtual calls, in the pool's own team.
  struct Borrower {
    explicit Borrower(Worker<P>& its_worker) noexcept : worker(its_worker) { Worker<P>::run_here(&worker); }
    ~Borrower() {
      Worker<P>::run_here(nullptr);
      worker.give_back();
    }
    Worker<P>& worker;
  };

  explicit Registry(ThreadPoolOptions options, std::size_t num_threads);

  /// For a thread of no pool: returns the worker that it now runs. Null if there is no memory for one.
  [[nodiscard]] Worker<P>* enter_here() noexcept {
    if (own_.idle.try_borrow(0)) [[likely]]
      return &worker(0);
    return guest();
  }
  [[nodiscard]] static Worker<P>* run_on_this_thread(Worker<P>* worker) noexcept {
    if (worker != nullptr) Worker<P>::run_here(worker);
    return worker;
  }
  BLITZ_COLD Worker<P>* guest() noexcept;
  [[nodiscard]] GuestTeam<P>* free_guest_team() noexcept;
  [[nodiscard]] GuestTeam<P>* make_guest_team() noexcept;

  void start_threads();
  void run_thread(std::size_t index) noexcept;

  struct StartGate;

  const std::uint64_t seed_;
  Team<P> own_;
  typename P::Injector summons_;
  Atomic<GuestTeam<P>*> guests_{nullptr};  // a list that grows at its end: the teams with several slots come first
  Mutex making_guests_;                    // guards its growth, and lends_
  bool lends_ = true;                      // false once the policy has not lent slot 0 of a new team
  std::unique_ptr<Thread[]> threads_;
  std::size_t threads_started_ = 0;
  Atomic<std::int64_t> warm_until_{0};  // written by warm_up, read by workers without work
  StartGate* gate_ = nullptr;           // while starting, if the options have a hook to wait for
};

}  // namespace blitz::detail
