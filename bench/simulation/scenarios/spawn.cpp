/// Threads outside the pool submit small jobs, one by one.
#include "blitz/spawn.hpp"

#include <algorithm>

#include "bench/simulation/scenario.hpp"
#include "bench/simulation/session.hpp"

namespace simulation {
namespace {

constexpr Time kWork = kMicrosecond;

template <class S>
struct Jobs {
  S& session;
  std::uint64_t number;
  std::uint64_t ran = 0;
  Time last = 0;

  void bring() {
    for (std::uint64_t i = 0; i < number; ++i) {
      session.pool().spawn([this] {
        simulate_work(kWork);
        ++ran;
        last = std::max(last, session.machine().now());
      });
    }
  }
};

Outcome run(const Setup& setup, unsigned producers) {
  const std::uint64_t each = setup.size == Size::kTiny ? 40 : 32'000 / producers;
  return simulate(setup, [&](auto& session) {
    using S = std::remove_reference_t<decltype(session)>;
    Machine& machine = session.machine();
    Jobs<S> jobs{session, each};
    session.begin();
    const Time begin = machine.now();
    std::vector<unsigned> threads;
    for (unsigned i = 0; i < producers; ++i) {
      threads.push_back(machine.start_thread([](void* all) { static_cast<Jobs<S>*>(all)->bring(); }, &jobs));
    }
    for (const unsigned thread : threads) machine.join_thread(thread);
    const Time brought = machine.now() - begin;
    // Waits here, because the pool's destructor would wait for the remaining jobs only after the measured part.
    const auto left = [&] { return jobs.ran < each * producers; };
    while (left()) machine.sleep(10 * kMicrosecond);
    session.end();
    Outcome& outcome = session.outcome();
    outcome.time = jobs.last - begin;
    outcome.units = each * producers;
    outcome.work = static_cast<Time>(outcome.units) * kWork;
    outcome.correct = jobs.ran == outcome.units;
    const auto units = static_cast<double>(outcome.units);
    outcome.more = {{"ns a job", in_nanoseconds(outcome.time) / units, 1},
                    {"ns to bring", in_nanoseconds(brought) * producers / units, 1}};
  });
}

}  // namespace

Outcome run_spawn_1(const Setup& setup) { return run(setup, 1); }
Outcome run_spawn_4(const Setup& setup) { return run(setup, 4); }
Outcome run_spawn_16(const Setup& setup) { return run(setup, 16); }

}  // namespace simulation
