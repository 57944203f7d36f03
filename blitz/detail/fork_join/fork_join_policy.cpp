#include "blitz/detail/fork_join/fork_join_policy.hpp"

namespace blitz::detail {

Job* ForkJoinFinder::steal(Sources& sources) noexcept {
  if (sources.count < 2) return nullptr;
  if (sources.at_rest) patience_.begin_search(ticks_now);
  for (;;) {
    bool lost = false;
    const auto try_victim = [&](std::size_t victim) noexcept -> Job* {
      if (victim == sources.slot) return nullptr;
      ChaseLevDeque<Job>& deque = sources.queue(victim).deque();
      if (sources.at_rest && !patience_.outlasted_by(deque, ticks_now)) return nullptr;
      if (!deque.prepare_theft()) return nullptr;
      steals_tried_.add();
      const StealResult<Job> result = deque.steal();
      lost |= result.outcome == StealResult<Job>::Outcome::kLost;
      return result.item;
    };
    Job* job = try_victim(0);
    const auto others = static_cast<std::uint32_t>(sources.count - 1);
    const std::uint32_t start = random_.bounded(others);
    for (std::uint32_t i = 0; i < others && job == nullptr; ++i) {
      const std::uint32_t victim = start + i < others ? start + i : start + i - others;
      job = try_victim(1 + victim);
    }
    if (job != nullptr) {
      stolen_.add();
      if (sources.at_rest) patience_.end_theft(ticks_now);
    }
    if (job != nullptr || !lost) return job;
  }
}

Job* ForkJoinFinder::take_injected(Sources& sources) noexcept {
  ForkJoinInjector& injector = sources.injector;
  Job* const job = injector.take(injector.count() == 1 ? 0 : random_.bounded(injector.count()));
  if (job != nullptr) injected_taken_.add();
  return job;
}

}  // namespace blitz::detail
