/// Loops over items of equal cost, called by a thread outside.
#include <algorithm>
#include <numeric>

#include "bench/simulation/scenario.hpp"
#include "bench/simulation/session.hpp"
#include "blitz/parallel_for.hpp"

namespace simulation {
namespace {

struct Loop {
  std::size_t items;
  Time work;
  unsigned calls = 1;
  Time gap = 0;  // the caller's own work between two calls
};

Outcome run(const Setup& setup, Loop loop) {
  if (setup.size == Size::kTiny) {
    loop.items = std::min<std::size_t>(loop.items, 100);
    loop.calls = std::min(loop.calls, 2u);
  }
  return simulate(setup, [&](auto& session) {
    std::vector<unsigned> runs(loop.items);
    const auto once = [&] {
      blitz::parallel_for({.pool = &session.pool()}, std::size_t{0}, loop.items, [&](std::size_t i) {
        simulate_work(loop.work);
        ++runs[i];
      });
    };
    once();  // Now the workers are awake.
    session.machine().work(loop.gap);
    session.begin();
    for (unsigned call = 0; call < loop.calls; ++call) {
      if (call > 0) session.machine().work(loop.gap);
      once();
    }
    session.end();
    Outcome& outcome = session.outcome();
    const Time gaps = (loop.calls - 1) * loop.gap;
    outcome.time -= gaps;
    outcome.units = loop.calls * loop.items;
    outcome.work = static_cast<Time>(outcome.units) * loop.work;
    outcome.correct = std::all_of(runs.begin(), runs.end(), [&](unsigned n) { return n == 1 + loop.calls; });
    outcome.more.push_back({"us a call", in_nanoseconds(outcome.time) / 1000 / loop.calls, 2});
  });
}

}  // namespace

Outcome run_loop_of_1000(const Setup& setup) { return run(setup, {1000, kMicrosecond, 20, 5 * kMicrosecond}); }
Outcome run_loop_of_100000(const Setup& setup) { return run(setup, {100'000, 100 * kNanosecond}); }
Outcome run_repeated_loop(const Setup& setup) { return run(setup, {256, 10 * kMicrosecond, 20, 20 * kMicrosecond}); }
Outcome run_loop_32_of_1us(const Setup& setup) { return run(setup, {32, kMicrosecond, 100}); }
Outcome run_loop_32_of_10us(const Setup& setup) { return run(setup, {32, 10 * kMicrosecond, 100}); }

}  // namespace simulation
