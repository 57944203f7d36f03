// Wall time, CPU time, and waiting until the threads of a peer have gone quiet.
#pragma once

#include <chrono>

namespace bench {

using Clock = std::chrono::steady_clock;

inline double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

/// The cost of two readings of the clock, in seconds; subtracted from short times.
double clock_cost();

/// CPU time of all threads of the process, in seconds.
double process_cpu_seconds();

/// CPU time of the calling thread, in seconds.
double thread_cpu_seconds();

/// Wall and CPU time since construction or restart().
class Stopwatch {
 public:
  void restart() {
    cpu_ = process_cpu_seconds();
    wall_ = Clock::now();
  }
  [[nodiscard]] double wall() const { return seconds(Clock::now() - wall_); }
  [[nodiscard]] double cpu() const { return process_cpu_seconds() - cpu_; }

 private:
  double cpu_ = process_cpu_seconds();
  Clock::time_point wall_ = Clock::now();
};

struct Quiet {
  double cpu_seconds;  ///< used by the other threads while we waited
  bool reached;        ///< false: they were still busy at the time limit
};

/// Sleeps until the other threads of the process use almost no CPU time, or a second has passed.
Quiet wait_until_quiet();

}  // namespace bench
