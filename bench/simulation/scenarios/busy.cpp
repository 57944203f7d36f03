/// One worker has work that is too fine to share: a chain of joins of two tiny halves.
#include "bench/simulation/scenario.hpp"
#include "bench/simulation/session.hpp"
#include "blitz/join.hpp"

namespace simulation {

Outcome run_busy(const Setup& setup) {
  constexpr Time kWork = 20 * kNanosecond;
  const std::uint64_t joins = setup.size == Size::kTiny ? 200 : 300'000;
  return simulate(setup, [&](auto& session) {
    std::uint64_t halves = 0;
    const auto half = [&] {
      simulate_work(kWork);
      ++halves;
    };
    session.pool().install([&] {
      blitz::join(half, half);
      session.begin();
      for (std::uint64_t i = 0; i < joins; ++i) blitz::join(half, half);
      session.end();
    });
    Outcome& outcome = session.outcome();
    outcome.units = joins;
    outcome.work = static_cast<Time>(2 * joins) * kWork;
    outcome.correct = halves == 2 * joins + 2;
    const double time = in_nanoseconds(outcome.time);
    outcome.more = {{"ns a join", time / static_cast<double>(joins), 2},
                    {"others' CPUs", (in_nanoseconds(outcome.counts.busy_in_all()) - time) / time, 2}};
  });
}

}  // namespace simulation
