#include "blitz/detail/async/adaptive_interval.hpp"

#include <cstdint>
#include <functional>

#include <doctest/doctest.h>

using blitz::detail::AdaptiveInterval;
using blitz::detail::Ticks;

namespace {

/// A worker that always has own jobs, and its clock.
class Busy {
 public:
  /// The number of own jobs that it runs before it takes from the injector, which always has a job if `waiting`. Job number i
  /// takes `time(i)` nanoseconds.
  unsigned jobs_until_turn(const std::function<std::uint64_t(unsigned)>& time, bool waiting = true) {
    for (unsigned jobs = 0;; ++jobs) {
      if (interval_.look_is_due() && look(waiting)) return jobs;
      if (jobs == kNoTurn) return kNoTurn;
      interval_.own_job();
      nanoseconds_ += time(jobs);
    }
  }
  unsigned jobs_until_turn(std::uint64_t time) {
    return jobs_until_turn([time](unsigned) { return time; });
  }
  void took_batch() { interval_.restart(); }
  void sleep(std::uint64_t nanoseconds) { nanoseconds_ += nanoseconds; }

  static constexpr unsigned kNoTurn = 100'000;
  int clock_reads = 0;

 private:
  bool look(bool waiting) {
    return interval_.look(waiting, [this] {
      ++clock_reads;
      return Ticks{nanoseconds_ * blitz::detail::ticks_per_microsecond() / 1000};
    });
  }

  AdaptiveInterval interval_;
  std::uint64_t nanoseconds_ = 123'456;
};

constexpr std::uint64_t kMicrosecond = 1'000;
constexpr std::uint64_t kMillisecond = 1'000'000;

}  // namespace

TEST_CASE("interval: a turn comes after jobs of a millisecond in total and after 8 to 255 jobs") {
  struct Case {
    std::uint64_t time;
    unsigned jobs;
  };
  for (const Case c : {Case{0, 255}, Case{100, 255}, Case{1 * kMicrosecond, 255}, Case{3'921, 255}, Case{4'200, 240},
                       Case{10 * kMicrosecond, 104}, Case{50 * kMicrosecond, 24}, Case{100 * kMicrosecond, 16},
                       Case{125 * kMicrosecond, 8}, Case{1 * kMillisecond, 8}, Case{3600'000 * kMillisecond, 8}}) {
    CAPTURE(c.time);
    Busy worker;
    for (int batch = 0; batch < 5; ++batch) {
      CHECK(worker.jobs_until_turn(c.time) == c.jobs);
      worker.took_batch();
    }
  }
}

TEST_CASE("interval: each batch is measured separately and long jobs shorten it at the next look") {
  Busy worker;
  for (int i = 0; i < 10; ++i) {
    CHECK(worker.jobs_until_turn(10) == 255);
    worker.took_batch();
    CHECK(worker.jobs_until_turn(20 * kMillisecond) == 8);
    worker.took_batch();
  }
  // Also from one job to the next: at the next look.
  CHECK(worker.jobs_until_turn([](unsigned i) { return i < 100 ? 10 : 20 * kMillisecond; }) == 104);
}

TEST_CASE("interval: a job that arrives after a quiet time waits for the next look at most") {
  Busy worker;
  CHECK(worker.jobs_until_turn([](unsigned) { return 100; }, false) == Busy::kNoTurn);
  CHECK(worker.jobs_until_turn(100) <= 8);
  worker.took_batch();
  // Only the time since the last batch counts, not the worker's jobs.
  CHECK(worker.jobs_until_turn([](unsigned) { return 100; }, false) == Busy::kNoTurn);
  worker.sleep(kMillisecond);
  CHECK(worker.jobs_until_turn(100) <= 8);
}

TEST_CASE("interval: the clock is read once per batch and while a job waits") {
  Busy worker;
  CHECK(worker.jobs_until_turn([](unsigned) { return 100; }, false) == Busy::kNoTurn);
  CHECK(worker.clock_reads == 1);
  worker.took_batch();
  CHECK(worker.jobs_until_turn(100) == 255);
  CHECK(worker.clock_reads == 1 + 1 + 248 / 8);
}
