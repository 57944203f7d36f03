#include "bench/harness/measure.hpp"

#include <algorithm>
#include <limits>
#include <thread>
#include <vector>

#include "bench/harness/clock.hpp"
#include "bench/harness/statistics.hpp"

namespace bench {
namespace {

constexpr double kNoTail = std::numeric_limits<double>::quiet_NaN();

/// The result of a timing loop, in seconds.
struct Timed {
  std::size_t runs;   // all of them, warm-up included, because the check counts all
  std::size_t timed;  // the runs that `wall` and `cpu` cover
  double wall;
  double cpu;
  double middle;  // of one run; the figure is made from it
  double p99;
};

// The first run wakes the threads and fills the caches. It counts only if it is so long that this does not matter.
Timed time_runs(const Bound& bound, const Effort& effort) {
  constexpr double kLongRun = 0.02;
  std::size_t warm_up = 0;
  std::size_t timed = 1;
  Stopwatch watch;
  bound.run();
  double wall = watch.wall();
  if (wall < kLongRun) {
    warm_up = 1;
    timed = 0;
    watch.restart();
    do {
      bound.run();
      ++timed;
      wall = watch.wall();
    } while (wall < effort.shortest_seconds);
  }
  return {warm_up + timed, timed, wall, watch.cpu(), wall / static_cast<double>(timed), kNoTail};
}

double seconds_of(const auto& call) {
  const auto start = Clock::now();
  call();
  return seconds(Clock::now() - start);
}

/// Times calls one by one, as many as `sample` holds, or fewer if they take over `longest_seconds` together; a fiftieth
/// is always made. Shrinks `sample` to the calls made.
void time_calls(const Bound& bound, std::vector<double>& sample, double longest_seconds) {
  const std::size_t fewest = sample.size() / 50 + 1;
  std::size_t made = 0;
  double spent = 0;
  while (made < sample.size() && (made < fewest || spent < longest_seconds)) {
    sample[made] = seconds_of([&] { bound.run(); });
    spent += sample[made];
    ++made;
  }
  sample.resize(made);
}

// The two readings of the clock around a call cost as much as a small call, so they are subtracted.
Timed time_single_calls(const Bound& bound, const Effort& effort) {
  const double clock = clock_cost();
  std::vector<double> sample(effort.calls);
  std::vector<double> warm_up(effort.calls / 10 + 1);
  time_calls(bound, warm_up, effort.longest_seconds / 10);
  const Stopwatch watch;
  time_calls(bound, sample, effort.longest_seconds);
  const double wall = watch.wall();
  const double cpu = watch.cpu();
  const auto net = [&](double s) { return std::max(0.0, s - clock); };
  const std::size_t timed = sample.size();
  return {warm_up.size() + timed, timed, wall, cpu, net(middle_mean(sample)), net(quantile(sample, 0.99))};
}

Timed time_wakes(const Bound& bound, const Effort& effort) {
  std::vector<double> sample(effort.wakes);
  const Stopwatch watch;
  for (auto& s : sample) {
    std::this_thread::sleep_for(effort.idle);
    s = seconds_of([&] { bound.run(); }) - bound.work->ideal_seconds();
  }
  return {effort.wakes, effort.wakes, watch.wall(), watch.cpu(), median(sample), quantile(sample, 0.99)};
}

// The first call is not timed, because it follows a longer idle time than the others. The CPU time of a call excludes the
// caller's CPU time in the gap, and includes the other threads' time in it.
Timed time_cadence(const Bound& bound, const Effort& effort) {
  bound.run();
  double calls = 0;
  double gaps_cpu = 0;
  std::size_t timed = 0;
  const Stopwatch watch;
  do {
    const double before = thread_cpu_seconds();
    bound.work->gap();
    gaps_cpu += thread_cpu_seconds() - before;
    calls += seconds_of([&] { bound.run(); });
    ++timed;
  } while (watch.wall() < effort.shortest_seconds);
  const double cpu = watch.cpu() - gaps_cpu;
  return {1 + timed, timed, calls, cpu, calls / static_cast<double>(timed), kNoTail};
}

// The first burst is not timed, because the threads were idle for longer before it than before the others. Whole periods are
// timed, each from a burst until the next is due, so the CPU time includes everything that a burst causes.
Timed time_bursts(const Bound& bound, const Effort& effort) {
  const Clock::duration period = bound.work->period();
  std::vector<double> sample(std::max(effort.fewest_bursts, static_cast<std::size_t>(effort.bursts / period)));
  auto due = Clock::now() + period;
  bound.run();
  std::this_thread::sleep_until(due);
  const double cpu_before = process_cpu_seconds();
  for (auto& s : sample) {
    due += period;
    s = seconds_of([&] { bound.run(); });
    std::this_thread::sleep_until(due);
  }
  const double cpu = process_cpu_seconds() - cpu_before;
  const std::size_t timed = sample.size();
  const auto bursts = static_cast<double>(timed);
  return {1 + timed, timed, median(sample) * bursts, cpu, cpu / bursts, quantile(sample, 0.99)};
}

Timed time(const Bound& bound, const Effort& effort) {
  switch (bound.entry->spec->timing) {
    case Timing::single_calls:
      return time_single_calls(bound, effort);
    case Timing::wake:
      return time_wakes(bound, effort);
    case Timing::cadence:
      return time_cadence(bound, effort);
    case Timing::bursts:
      return time_bursts(bound, effort);
    case Timing::runs:
      break;
  }
  return time_runs(bound, effort);
}

}  // namespace

double to_figure(Metric metric, double seconds_per_unit) {
  switch (metric) {
    case Metric::nanoseconds:
      return seconds_per_unit * 1e9;
    case Metric::microseconds:
      return seconds_per_unit * 1e6;
    case Metric::milliseconds:
      return seconds_per_unit * 1e3;
    case Metric::gigabytes_per_second:
      break;
  }
  return 1e-9 / seconds_per_unit;
}

Repetition measure(const Bound& bound, const Effort& effort) {
  bound.work->reset();
  Timed timed{};
  bound.peer->session([&] { timed = time(bound, effort); });
  const Quiet quiet = wait_until_quiet();

  const double units = bound.work->units();
  const double all_units = units * static_cast<double>(timed.timed);
  const Metric metric = bound.entry->spec->metric;
  return {.figure = to_figure(metric, timed.middle / units),
          .p99 = to_figure(metric, timed.p99 / units),
          .wall_seconds = timed.wall / all_units,
          .cpu_seconds = timed.cpu / all_units,
          .cpu_after_seconds = quiet.cpu_seconds,
          .quiet = quiet.reached,
          .correct = bound.work->check(timed.runs)};
}

}  // namespace bench
