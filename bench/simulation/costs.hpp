/// The costs of operations on the simulated machine, in picoseconds. README.md in this folder states the sources of the
/// figures.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace simulation {

/// Picoseconds, because a cached access takes half a nanosecond.
using Time = std::int64_t;

inline constexpr Time kNanosecond = 1000;
inline constexpr Time kMicrosecond = 1000 * kNanosecond;
inline constexpr Time kMillisecond = 1000 * kMicrosecond;

constexpr Time nanoseconds(double count) noexcept { return static_cast<Time>(count * kNanosecond + 0.5); }
constexpr double in_nanoseconds(Time time) noexcept { return static_cast<double>(time) / kNanosecond; }

/// The defaults are the profile "metal": a server of two sockets or more, without a hypervisor.
struct Costs {
  // --- instructions ---
  Time hit = nanoseconds(0.5);        // a load or a store in the own cache, partly overlapped with others
  Time modify = nanoseconds(6);       // a locked read-modify-write of an owned line
  Time fence = nanoseconds(7);        // a full fence, after the store buffer is empty
  Time pause = nanoseconds(40);       // cpu_relax
  Time read_ticks = nanoseconds(8);   // the processor's own counter
  Time read_clock = nanoseconds(25);  // clock_gettime, without a system call
  Time allocation = nanoseconds(20);  // operator new or delete
  // --- cache lines ---
  // A line from another processor, or the right to write to it: of the same last-level cache, of another one in the same socket,
  // and of another socket.
  Time transfer = nanoseconds(60);
  Time cache_transfer = nanoseconds(107);
  Time socket_transfer = nanoseconds(130);
  // A line that others have unmodified, from the same last-level cache. From elsewhere it takes as long as a transfer.
  Time shared_read = nanoseconds(25);
  Time shared_busy = nanoseconds(4);  // such a read blocks the line for this time
  // --- system calls ---
  Time yield = nanoseconds(350);          // sched_yield, if no other thread can run
  Time futex_wait = nanoseconds(1000);    // until the waiter has left its processor
  Time futex_empty = nanoseconds(250);    // a wake without a sleeper, or a wait that does not block
  Time futex_wake = nanoseconds(1500);    // the waker's time to wake a thread that waits
  Time wake_latency = nanoseconds(5000);  // from the wake until the sleeper runs, and from a time-out until it runs
  Time affinity = nanoseconds(600);       // sched_getaffinity, sched_setaffinity: each
  Time thread_start = nanoseconds(15'000);
  // --- membarrier(2), private and expedited ---
  Time membarrier_alone = nanoseconds(250);      // no other thread of the process runs
  Time membarrier_wait = nanoseconds(1200);      // until the interrupts are answered, whatever their number
  Time membarrier_target = nanoseconds(60);      // plus this for each interrupted processor
  Time membarrier_interrupt = nanoseconds(900);  // the time that the interrupt takes from each of these
  /// Since Linux 6.8 one such call waits for the end of another, by a system-wide lock.
  bool membarrier_serial = true;
  // --- processors ---
  /// Processors i and j are in the same socket if i / socket == j / socket.
  unsigned socket = 64;
  /// Processors i and j of one socket have the same last-level cache if i / cache == j / cache. By default all of a socket do.
  unsigned cache = ~0u;
  /// Every second worker has a slow processor: the program's work takes twice as long.
  bool slow = false;

  [[nodiscard]] constexpr bool is_slow(unsigned processor) const noexcept {
    return slow && processor > 0 && processor % 2 == 0;  // Processor 0 runs slot 0, in place of processor 1.
  }
  /// The sum of the speeds of the workers' processors.
  [[nodiscard]] constexpr double speed_of(unsigned workers) const noexcept {
    return workers - (slow ? 0.5 * (workers / 2) : 0);
  }
};

/// A cost and its name on the command line.
struct CostField {
  std::string_view name;
  Time Costs::*member;
  std::string_view help;
};
inline constexpr std::array kCostFields{
    CostField{"hit", &Costs::hit, "load or store in the own cache"},
    CostField{"modify", &Costs::modify, "locked operation on an owned line"},
    CostField{"fence", &Costs::fence, "full fence"},
    CostField{"pause", &Costs::pause, "spin-loop hint"},
    CostField{"read-ticks", &Costs::read_ticks, "the processor's counter"},
    CostField{"read-clock", &Costs::read_clock, "clock_gettime"},
    CostField{"allocation", &Costs::allocation, "operator new or delete"},
    CostField{"transfer", &Costs::transfer, "line from a processor with the same last-level cache"},
    CostField{"cache-transfer", &Costs::cache_transfer, "line from another last-level cache of the socket"},
    CostField{"socket-transfer", &Costs::socket_transfer, "line from another socket"},
    CostField{"shared-read", &Costs::shared_read, "line unmodified in the same last-level cache"},
    CostField{"shared-busy", &Costs::shared_busy, "time for which that keeps the line"},
    CostField{"yield", &Costs::yield, "sched_yield"},
    CostField{"futex-wait", &Costs::futex_wait, "to go to sleep"},
    CostField{"futex-empty", &Costs::futex_empty, "futex call without effect"},
    CostField{"futex-wake", &Costs::futex_wake, "to wake a thread, for the waker"},
    CostField{"wake-latency", &Costs::wake_latency, "until the woken thread runs"},
    CostField{"affinity", &Costs::affinity, "to read or set a thread's affinity"},
    CostField{"thread-start", &Costs::thread_start, "to make a thread"},
    CostField{"membarrier-alone", &Costs::membarrier_alone, "membarrier with nobody to interrupt"},
    CostField{"membarrier-wait", &Costs::membarrier_wait, "membarrier, whatever the number interrupted"},
    CostField{"membarrier-target", &Costs::membarrier_target, "and for each one interrupted"},
    CostField{"membarrier-interrupt", &Costs::membarrier_interrupt, "taken from each one interrupted"},
};

/// The costs of "metal", "chiplets", "virtual" or "guest". Nothing if there is no such profile.
[[nodiscard]] std::optional<Costs> find_profile(std::string_view name) noexcept;

}  // namespace simulation
