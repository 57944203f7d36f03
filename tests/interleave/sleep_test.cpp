// Sleep and the queues that it watches: the cases of every idle protocol, and the jobs-event counter.
#include "blitz/detail/fork_join/sleep.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "blitz/detail/queue/chase_lev_deque.hpp"
#include "blitz/detail/queue/treiber_stack.hpp"
#include "tests/interleave/idle_cases.hpp"

namespace interleave_test {
namespace {

using blitz::detail::ChaseLevDeque;
using blitz::detail::Sleep;
using blitz::detail::StealResult;
using blitz::detail::TreiberStack;

/// A Sleep with a jobs-event counter that begins at `jec`: odd is active.
template <std::uint64_t jec>
struct SleepFrom : Sleep {
  explicit SleepFrom(std::size_t slots) : Sleep(slots, jec) {}
};

/// Deques with room for two at first, and an injector, searched as ForkJoinFinder does, without its randomness and patience.
class SmallQueues {
 public:
  SmallQueues(Run& run, std::size_t count) {
    run.name(injector_, "injector");
    for (std::size_t slot = 0; slot < count; ++slot) run.name(deques_.emplace_back(2), "queue " + std::to_string(slot));
  }

  void push(std::size_t slot, Job* job) { deques_[slot].push(job); }
  void inject(Job* job) noexcept { injector_.push(job); }
  [[nodiscard]] Job* find(std::size_t slot, bool /*searching*/) noexcept {
    if (Job* const job = deques_[slot].pop()) return job;
    for (bool lost = true; lost;) {
      lost = false;
      for (std::size_t victim = 0; victim < deques_.size(); ++victim) {
        if (victim == slot) continue;
        const auto result = deques_[victim].steal();
        if (result.item != nullptr) return result.item;
        lost |= result.outcome == StealResult<Job>::Outcome::kLost;
      }
    }
    return injector_.take();
  }

  [[nodiscard]] bool empty(std::size_t slot) const noexcept { return deques_[slot].empty(); }
  [[nodiscard]] bool injector_empty() const noexcept { return injector_.empty(); }

 private:
  TreiberStack<Job> injector_;
  std::deque<ChaseLevDeque<Job>> deques_;
};

template <std::uint64_t jec>
using CasesFrom = IdleCases<IdlePool<SleepFrom<jec>, SmallQueues>>;

const CasesFrom<0> cases;

INTERLEAVE_CASE("post: behind a withheld half", .preemptions = 2, .random_schedules = 2000, .fences = true) {
  CasesFrom<0>::after_withheld(run, false);
}
INTERLEAVE_CASE("post: after a withheld half was taken back", .preemptions = 2, .random_schedules = 2000,
                .fences = true) {
  CasesFrom<0>::after_withheld(run, true);
}

// --- the jobs-event counter ---

INTERLEAVE_CASE("post: active at first", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  CasesFrom<1>::one_post(run, true);
}
INTERLEAVE_CASE("post: active at first, without a look before", .preemptions = 3, .random_schedules = 1000,
                .fences = true) {
  CasesFrom<1>::one_unseen(run);
}
INTERLEAVE_CASE("post: two searchers, active at first", .preemptions = 1, .delays = 2, .random_schedules = 5000) {
  CasesFrom<1>::one_post_two_searchers(run);
}
INTERLEAVE_CASE("cascade: two searchers on their way to sleep, active at first", .preemptions = 2,
                .random_schedules = 5000) {
  CasesFrom<1>::two_long_jobs_two_searchers(run);
}
INTERLEAVE_CASE("post: the events counter wraps around", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  CasesFrom<0xffff'ffff'ffff>::one_post(run, true);
}
INTERLEAVE_CASE("post: two in a row, the counter wraps around", .preemptions = 2, .random_schedules = 2000,
                .fences = true) {
  CasesFrom<0xffff'ffff'fffe>::two_posts(run);
}
INTERLEAVE_CASE("inject: the events counter wraps around", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  CasesFrom<0xffff'ffff'ffff>::injected(run, true);
}
INTERLEAVE_CASE("borrow: given back while another pushes, active", .preemptions = 2, .random_schedules = 3000,
                .fences = true) {
  CasesFrom<1>::given_back_while_another_pushes(run);
}
INTERLEAVE_CASE("all operations concurrently, the counter wraps around", .systematic = false, .random_schedules = 5000,
                .fences = true) {
  CasesFrom<0xffff'ffff'fffd>::everything_at_once(run);
}

}  // namespace
}  // namespace interleave_test
