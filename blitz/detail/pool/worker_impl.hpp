/// The functions of Worker that are compiled once for each policy, through registry_impl.hpp.
#pragma once

#include <chrono>
#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/job/offered_job.hpp"
#include "blitz/detail/pool/registry.hpp"
#include "blitz/detail/worker/waiting.hpp"

namespace blitz::detail {

template <Policy P>
Worker<P>::Worker(Registry<P>& registry, Team<P>& team, TeamBase& base, std::size_t index, std::uint64_t seed)
    : WorkerBase(index, registry, base),
      Queue(*this, team.idle, index),
      registry_(registry),
      team_(team),
      idle_(team.idle),
      injector_(team.injector),
      finder_(seed),
      sources_{index, base.size, queue_, injector_, &team, [](void* its_team, std::size_t slot) noexcept -> auto& {
                 return static_cast<Team<P>*>(its_team)->worker(slot).queue();
               }} {}

template <Policy P>
Job* Worker<P>::take_injected() noexcept {
  Job* const job = registry_.injector().take();
  if (job != nullptr) taken_.add();
  return job;
}

template <Policy P>
Job* Worker<P>::take_own() noexcept {
  if (Job* const job = take_newest()) return job;
  if (region() != 0) return nullptr;
  if constexpr (requires { queue_.take_fetched(); }) {
    if (Job* const job = queue_.take_fetched()) return job;
  }
  return take_left();
}

template <Policy P>
WorkerStats Worker<P>::stats() const noexcept {
  WorkerStats s;
  constexpr bool queue_counts = policy::CountingQueue<typename P::LocalQueue>;
  constexpr bool finder_counts = policy::CountingFinder<typename P::Finder>;
  const ConfinedJobs& confined = confined_jobs();
  if constexpr (queue_counts) s.jobs_pushed = queue_.pushed() + confined_pushed();
  if constexpr (finder_counts) {
    s.jobs_stolen = finder_.stolen() + confined_stolen();
    s.steals_tried = finder_.steals_tried();
    s.injected_taken = finder_.injected_taken();
  }
  if constexpr (policy::CountingIdle<typename P::Idle>) {
    s.times_slept = idle_.times_slept(index());
    s.times_woken = idle_.times_woken(index());
  }
  s.parts_too_short = parts_too_short();
  if constexpr (requires { idle_.refusals(index()); }) {
    const auto& refusals = idle_.refusals(index());
    s.loops_too_short = refusals.loops_too_short.value();
    s.joins_too_short = refusals.joins_too_short.value();
    s.no_free_processor = refusals.no_free_processor.value();
  }
  if constexpr (requires { finder_.thefts_too_short(); }) s.thefts_too_short = finder_.thefts_too_short();
  if constexpr (requires { finder_.lifo_hits(); }) {
    s.lifo_hits = finder_.lifo_hits();
    s.global_batch_fetches = finder_.global_batch_fetches();
    s.overflows = queue_.overflows();
  }
  if constexpr (queue_counts && finder_counts) {
    // Each job that was pushed here or came from elsewhere has run here, unless it was taken away or still waits. The
    // counts are read one after the other, so the difference may be negative for a moment.
    const std::uint64_t arrived = s.jobs_pushed + s.jobs_stolen + s.injected_taken + taken_.value();
    const auto executed = static_cast<std::int64_t>(arrived - jobs_lost() - queue_.size() - confined.deque.size());
    s.jobs_executed = executed > 0 ? static_cast<std::uint64_t>(executed) : 0;
  }
  return s;
}

template <Policy P>
void Worker<P>::wake_for_offer() noexcept {
  if constexpr (policy::ThriftyIdle<typename P::Idle>) {
    if (idle_.new_jobs(index(), 1)) expect_theft();
  }
}

/// Flat: every spawn on a worker of unknown policy makes the calls below.
template <Policy P>
[[gnu::flatten]] void Worker<P>::push(Job* job) {
  if (region() == 0) [[likely]]
    return offer(job);
  push_confined(job);
  idle_.new_jobs();
}

template <Policy P>
void Worker<P>::push_part(Job* part, Audience audience, bool guarded) {
  if constexpr (policy::ThriftyIdle<typename P::Idle>) {
    if (region() == 0) [[likely]] {
      if (guarded || audience != Audience::kNobody) expect_theft();
      static_cast<void>(queue_.push(part, injector_));
      if (idle_.new_jobs(index(), audience == Audience::kSleeps ? offered() : 1)) expect_theft();
      return;
    }
  }
  push(part);
}

template <Policy P>
void Worker<P>::confine(Confined to) noexcept {
  set_confined(to);
  // In a forked child, current_worker is null: the thread remains without a worker.
  Queue::run(to.region == 0 && current_worker == this ? this : nullptr);
}

template <Policy P>
void Worker<P>::wait_until(CoreLatch& latch) noexcept {
  if (latch.probe()) return;
  registry_.end_if_forked();
  if (region() != 0) return team().isolation.wait(*this, latch);
  const bool may_help = nested_waits_ < registry_.options().max_nested_waits && !is_surplus();
  if (!may_help && below() == nullptr && wait_apart(*this, latch)) return;
  ++nested_waits_;
  below() != nullptr ? wait_as_guest(latch, may_help) : work_until(latch, Rest::kWait);
  --nested_waits_;
}

/// The wait of a guest that is a worker of another pool. When its last search finds nothing, its own queue and its team's
/// injector are empty.
template <Policy P>
void Worker<P>::wait_as_guest(CoreLatch& latch, bool may_help) noexcept {
  for (unsigned round = 0; round <= rounds_of_search(index()) && !latch.probe();) {
    Job* const job = may_help ? find_any() : take_own_or_refused();
    if (job != nullptr) {
      execute(job);
      round = 0;
    } else {
      ++round;
      pause_search(index(), latch);
    }
  }
  if (!latch.probe()) wait_below(latch);
}

template <Policy P>
bool Worker<P>::is_warm() const noexcept {
  if (index() == 0) return false;  // It stays vacant so that the next outside caller can borrow it.
  const std::int64_t until = registry_.warm_until();
  if (until == 0) return false;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() < until;
}

template <Policy P>
void Worker<P>::run_resident() noexcept {
  Search search = idle_.first_search(index());
  run_here(this);
  if (Job* const job = search_until(terminate_, Rest::kVacate, search)) execute(job);
  work_until(terminate_, Rest::kVacate);
  while (Job* const job = find_any()) execute(job);  // jobs that arrived before the end, and were not yet seen
  run_here(nullptr);
}

template <Policy P>
void Worker<P>::give_back() noexcept {
  // In a forked child there is no resident, and other threads may have been in the middle of the idle protocol.
  if (registry_.from_before_fork()) [[unlikely]]
    return;
  if constexpr (requires { injector_.only(); }) {
    // Without the loop over several lanes this function saves no registers.
    const auto* const lane = injector_.only();
    if (lane == nullptr) [[unlikely]]
      return give_back_lanes();
    give_back_unless([lane]() noexcept { return !lane->empty(); });
  } else {
    give_back_unless([this]() noexcept { return !injector_.empty(); });
  }
}
template <Policy P>
void Worker<P>::give_back_lanes() noexcept {
  give_back_unless([this]() noexcept { return !injector_.empty(); });
}
template <Policy P>
template <class Injected>
void Worker<P>::give_back_unless(Injected&& injected) noexcept {
  idle_.give_back(index(), queue_.empty(), ResidentWanted{*this}, injected,
                  [this]() noexcept { return queues_empty(); });
}

template <Policy P>
bool Worker<P>::queues_empty() const noexcept {
  for (std::size_t slot = 0; slot < num_threads(); ++slot) {
    if (!team_.worker(slot).leaves_nothing()) return false;
  }
  return true;
}

template <Policy P>
void Worker<P>::summon() noexcept {
  registry_.summon(&summons_);
}

template <Policy P>
bool Worker<P>::is_wanted_at_home() const noexcept {
  const auto& host = static_cast<const Worker&>(*host_);
  return !registry_.injector().empty() || host.has_mail() || host.is_surplus();
}

/// Like run_resident, but without sleep: if there is no work, or if it is wanted at home, the resident goes home.
template <Policy P>
void Worker<P>::visit(Worker& host) noexcept {
  if constexpr (policy::SummoningIdle<typename P::Idle>) {
    team().apart.leave();
    const CountedApart away(&host);
    host_ = &host;
    host.visitor_.store(this, std::memory_order_seq_cst);  // [visit]
    run_here(this);

    Search search = idle_.summoned(index());
    bool searches = true;
    // It leaves no job here, because perhaps no other thread takes it.
    for (unsigned rounds = 0; rounds <= kRoundsOfSearch && !(is_wanted_at_home() && leaves_nothing());) {
      sources_.searching = searches;
      Job* const job = find_at_rest();
      sources_.searching = false;
      if (job != nullptr) {
        if (std::exchange(searches, false)) idle_.work_found(search);
        execute(job);
        rounds = 0;
      } else {
        if (!std::exchange(searches, true)) search = idle_.start_looking(index());
        ++rounds;
        yield_thread();
      }
    }

    seq_cst_fence();  // [attended]
    if (!injector_.empty() && !team().attended.load(std::memory_order_relaxed)) registry_.inject_jobs_of(*this);

    run_here(&host);
    host.visitor_.store(nullptr, std::memory_order_relaxed);  // relaxed: an unneeded wake-up does no harm
    host_ = nullptr;
    team().apart.enter();
    if (searches) {
      idle_.retire(
          search, ResidentWanted{*this}, [this]() noexcept { return !injector_.empty(); },
          [this]() noexcept { return queues_empty(); });
    } else {
      give_back();
    }
  }
}

/// The idle protocol learns of a search only when the first look finds no job.
template <Policy P>
void Worker<P>::work_until(CoreLatch& latch, Rest rest) noexcept {
  while (!latch.probe()) {
    Job* job = rest == Rest::kVacate && is_surplus() ? nullptr : find(rest);
    if (job == nullptr) {
      Search search = idle_.start_looking(index());
      job = search_until(latch, rest, search);
      if (job == nullptr) return;
    }
    execute(job);
    if (rest == Rest::kWait && is_surplus() && wait_apart(*this, latch)) [[unlikely]]
      return;
  }
}

/// Returns a job, or null when the latch is set.
template <Policy P>
Job* Worker<P>::search_until(CoreLatch& latch, Rest rest, Search& search) noexcept {
  Job* job = nullptr;
  if (rest == Rest::kVacate) rests_.store(true, std::memory_order_seq_cst);  // [summon]
  while (!latch.probe()) {
    if (rest == Rest::kVacate && is_surplus()) [[unlikely]] {
      idle_.work_found(search);  // For the idle protocol, the worker now executes a long job.
      stay_apart(*this, latch);
      search = idle_.start_looking(index());
      continue;
    }
    sources_.searching = true;
    job = find(rest);
    sources_.searching = false;
    if (job != nullptr) break;
    if (rest == Rest::kVacate && is_warm()) {
      yield_thread();
      continue;
    }
    idle_.no_work_found(search, latch, rest, [this, rest]() noexcept {
      return others_waiting() || (takes_summons(rest) && registry_.has_summons());
    });
  }
  idle_.work_found(search);
  if (rest == Rest::kVacate) {
    rests_.store(false, std::memory_order_seq_cst);  // [summon]
    // If it was woken for a summons, but found another job first.
    if (takes_summons(rest) && registry_.has_summons()) registry_.call_resident();
  }
  return job;
}

}  // namespace blitz::detail
