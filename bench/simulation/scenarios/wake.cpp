/// All workers sleep, and then there is work for all of them.
#include <algorithm>

#include "bench/simulation/scenario.hpp"
#include "bench/simulation/session.hpp"
#include "blitz/join.hpp"
#include "blitz/parallel_for.hpp"

namespace simulation {
namespace {

constexpr Time kIdle = 50 * kMillisecond;

/// The time when a share of the workers had begun. `begun` has the times of all workers, in order.
double microseconds_until(const std::vector<Time>& begun, double share) {
  const auto needed = static_cast<std::size_t>(share * static_cast<double>(begun.size()) + 0.999);
  return in_nanoseconds(begun[std::max<std::size_t>(needed, 1) - 1]) / 1000;
}

}  // namespace

Outcome run_wake(const Setup& setup) {
  constexpr Time kWork = 20 * kMicrosecond;
  return simulate(setup, [&](auto& session) {
    Machine& machine = session.machine();
    const std::size_t items = 8 * session.threads();
    std::vector<unsigned> runs(items);
    std::vector<Time> first(kMaxProcessors, -1);
    std::vector<unsigned> depth(kMaxProcessors, 0);
    const auto once = [&] {
      blitz::parallel_for({.pool = &session.pool()}, std::size_t{0}, items, [&](std::size_t i) {
        const unsigned here = machine.processor();
        if (first[here] < 0) {
          first[here] = machine.now();
          depth[here] = machine.wake_depth(here);
        }
        simulate_work(kWork);
        ++runs[i];
      });
    };
    once();
    machine.sleep(kIdle);
    std::fill(first.begin(), first.end(), -1);
    machine.begin_wake_chain();
    session.begin();
    const Time begin = machine.now();
    once();
    session.end();

    Outcome& outcome = session.outcome();
    outcome.units = items;
    outcome.work = static_cast<Time>(items) * kWork;
    outcome.correct = std::all_of(runs.begin(), runs.end(), [](unsigned n) { return n == 2; });
    std::vector<Time> begun;
    for (const Time time : first) {
      if (time >= 0) begun.push_back(time - begin);
    }
    std::sort(begun.begin(), begun.end());
    const auto began = static_cast<double>(begun.size());
    begun.resize(session.threads(), outcome.time);  // Workers that never began.
    outcome.more = {{"workers that began", began, 0},
                    {"50 % us", microseconds_until(begun, 0.5)},
                    {"90 % us", microseconds_until(begun, 0.9)},
                    {"100 % us", microseconds_until(begun, 1)},
                    {"depth", static_cast<double>(*std::max_element(depth.begin(), depth.end())), 0}};
  });
}

Outcome run_wake_pair(const Setup& setup) {
  constexpr Time kWork = 200 * kMicrosecond;
  return simulate(setup, [&](auto& session) {
    Machine& machine = session.machine();
    unsigned runs = 0;
    const auto piece = [&] {
      simulate_work(kWork);
      ++runs;
    };
    session.pool().join(piece, piece);
    machine.sleep(kIdle);
    session.begin();
    session.pool().join(piece, piece);
    session.end();
    Outcome& outcome = session.outcome();
    outcome.units = 2;
    outcome.work = 2 * kWork;
    outcome.correct = runs == 4;
    outcome.more = {{"excess us", in_nanoseconds(outcome.time - kWork) / 1000}};
  });
}

}  // namespace simulation
