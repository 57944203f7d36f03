#include "blitz/detail/wake/fork_history.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using blitz::detail::ForkHistory;
using blitz::detail::Price;
using blitz::detail::Series;
using blitz::detail::Ticks;
using blitz::detail::ticks_per_microsecond;
using blitz::detail::WakePrice;

namespace {

Ticks microseconds(Ticks count) { return count * ticks_per_microsecond(); }

constexpr int kHalf = 0;
constexpr int kInnerHalf = 0;

/// A worker that makes forks with a simulated clock, alone in its pool: a worker that it wakes comes too late, unless `stolen`
/// is set.
struct Worker {
  WakePrice price;
  Series series;
  ForkHistory forks;
  Ticks now = microseconds(1'000'000);

  bool begin(std::uintptr_t code = 0x1000, const int& half = kHalf) {
    return forks.begin(&half, code, price, series, 0, now);
  }
  void end(bool stolen = false) { forks.end(stolen, now); }
  /// A call into the pool that makes one fork, long after the previous call. Returns whether it wakes a worker.
  bool call(Ticks time, std::uintptr_t code = 0x1000, bool stolen = false) {
    now += microseconds(10'000);
    const bool wakes = begin(code);
    now += time;
    end(stolen);
    return wakes;
  }
  [[nodiscard]] Price at_once() const { return price.at(now); }
  /// Durations that are far too short, and long enough, for a wake-up.
  [[nodiscard]] Ticks a_short() const { return at_once().latency / 4; }
  [[nodiscard]] Ticks a_long() const { return 4 * at_once().of_half(); }
};

}  // namespace

TEST_CASE("fork history: an unknown fork wakes a worker and a fork that was short does not") {
  Worker worker;
  CHECK(worker.call(worker.a_short()));
  for (int i = 0; i < 10; ++i) CHECK_FALSE(worker.call(worker.a_short()));
  CHECK(worker.call(worker.a_short(), 0x2340));  // other code
}

TEST_CASE("fork history: a fork of zero ticks is short") {
  Worker worker;
  CHECK(worker.call(0));
  CHECK_FALSE(worker.call(0));
}

TEST_CASE("fork history: a fork with a negative duration is short") {
  for (const Ticks difference : {Ticks{1}, Ticks{2}, microseconds(10)}) {
    CAPTURE(difference);
    Worker worker;
    for (int i = 0; i < 3; ++i) {
      worker.begin();
      worker.now -= difference;
      worker.end();
      worker.now += microseconds(10'000);
      CHECK_FALSE(worker.call(worker.a_short()));
    }
  }
}

TEST_CASE("fork history: a fork is known by its code until another takes its place") {
  Worker worker;
  worker.call(worker.a_short());
  CHECK_FALSE(worker.call(worker.a_short()));
  for (std::uintptr_t code = 0x10000; code < 0x30000; code += 16) worker.call(worker.a_short(), code);
  CHECK(worker.call(worker.a_short()));
}

TEST_CASE("fork history: a fork that was long wakes a worker in the next call") {
  Worker worker;
  worker.call(worker.a_short());
  CHECK_FALSE(worker.call(worker.a_long()));
  CHECK(worker.call(worker.a_long()));
}

TEST_CASE("fork history: an old high price is tried again") {
  Worker worker;
  const Ticks time = 3 * worker.at_once().of_half();
  while (worker.at_once().of_half() <= time / 2) {
    worker.price.learn(2 * worker.at_once().latency, microseconds(10'000));
  }
  worker.call(time);
  int calls = 1;
  while (!worker.call(time)) REQUIRE(++calls < 1000);
  CHECK(calls > 1);
}

TEST_CASE("fork history: forks in a row are weighed by the price of a short sleep") {
  Worker worker;
  worker.price.sleeps(worker.now);
  const Ticks after_short_sleep = worker.price.at(worker.now).latency;
  const Ticks long_sleep = microseconds(10'000);
  while (worker.price.at(worker.now + long_sleep).latency < 4 * after_short_sleep) {
    worker.price.learn(8 * after_short_sleep, long_sleep);
  }
  const Ticks time = 3 * after_short_sleep;
  worker.call(time);
  for (int i = 0; i < 10; ++i) CHECK_FALSE(worker.call(time));
  worker.now += microseconds(1000);
  CHECK(worker.begin());
}

TEST_CASE("fork history: a fork with a stolen half wakes a worker in the next call") {
  Worker worker;
  for (int i = 0; i < 10; ++i) CHECK(worker.call(worker.a_short(), 0x1000, true));
  CHECK(worker.call(worker.a_short()));
  CHECK_FALSE(worker.call(worker.a_short()));
  CHECK_FALSE(worker.call(worker.a_short(), 0x1000, true));  // by a worker that was awake
  CHECK(worker.call(worker.a_short()));
}

TEST_CASE("fork history: a wake-up that came too late does not count as useful") {
  Worker worker;
  CHECK(worker.call(worker.a_long()));
  CHECK_FALSE(worker.call(worker.a_short()));
}

TEST_CASE("fork history: a short fork that outlasts the price wakes a worker at its next fork") {
  Worker worker;
  worker.call(worker.a_short());
  CHECK_FALSE(worker.begin());
  CHECK_FALSE(worker.begin(0x9990, kInnerHalf));
  worker.now += worker.at_once().of_work() - 1;
  CHECK_FALSE(worker.begin(0x9990, kInnerHalf));
  worker.now += 1;
  CHECK(worker.begin(0x9990, kInnerHalf));
  CHECK(worker.begin(0x9990, kInnerHalf));
  CHECK(worker.forks.is_timed(&kHalf));
  CHECK_FALSE(worker.forks.is_timed(&kInnerHalf));
}

TEST_CASE("fork history: a fork of the usual duration wakes no worker just before its end") {
  Worker worker;
  const Ticks price = worker.at_once().of_work();
  const Ticks time = price + price / 8;
  CHECK(worker.call(time));  // Its duration was not known, and the worker came too late.
  for (int i = 0; i < 3; ++i) {
    worker.now += microseconds(10'000);
    CHECK_FALSE(worker.begin());
    worker.now += time;
    CHECK_FALSE(worker.begin(0x9990, kInnerHalf));
    worker.end();
  }
  // The fork has become longer.
  worker.now += microseconds(10'000);
  CHECK_FALSE(worker.begin());
  worker.now += (time + 1) + (time + 1) / 4;  // the end of a fork counts, too
  CHECK_FALSE(worker.begin(0x9990, kInnerHalf));
  worker.now += 1;
  CHECK(worker.begin(0x9990, kInnerHalf));
  // The fork has become shorter: only the last time counts.
  worker.end();
  worker.call(worker.a_short());
  worker.now += microseconds(10'000);
  CHECK_FALSE(worker.begin());
  worker.now += price;
  CHECK(worker.begin(0x9990, kInnerHalf));
}

TEST_CASE("fork history: inner forks in fast succession are rarely examined") {
  Worker worker;
  worker.call(worker.a_short());
  CHECK_FALSE(worker.begin());
  CHECK(worker.forks.skips() == 0);
  unsigned skipped = 0;
  for (int looks = 0; looks < 20; ++looks) {
    CHECK_FALSE(worker.begin(0x9990, kInnerHalf));
    CHECK(worker.forks.skips() >= std::min(skipped, 15U));
    skipped = worker.forks.skips();
  }
  CHECK(skipped == 15);
  // A late fork is examined, and so is the next one.
  worker.now += worker.at_once().of_work() / 16 + 1;
  CHECK_FALSE(worker.begin(0x9990, kInnerHalf));
  CHECK(worker.forks.skips() == 0);
  CHECK_FALSE(worker.begin(0x9990, kInnerHalf));
  CHECK(worker.forks.skips() == 1);
  worker.end();
  CHECK_FALSE(worker.begin());
  CHECK(worker.forks.skips() == 0);
}

TEST_CASE("fork history: a long fork wakes a worker soon after the price for any spacing of forks") {
  Worker worker;
  worker.call(worker.a_short());
  const Ticks price = worker.at_once().of_work();
  for (const Ticks gap : {price / 1000, price / 100, price / 17, price / 3}) {
    CAPTURE(gap);
    worker.now += microseconds(10'000);
    REQUIRE_FALSE(worker.begin());
    const Ticks began = worker.now;
    unsigned skips = 0;
    for (bool wakes = false; !wakes; worker.now += gap) {
      if (skips > 0) {
        --skips;
        continue;
      }
      wakes = worker.begin(0x9990, kInnerHalf);
      skips = worker.forks.skips();
    }
    CHECK(worker.now - began <= 2 * price + gap);
    worker.end();
    while (worker.call(worker.a_short())) {
    }
  }
}

TEST_CASE("fork history: all forks within a fork that wakes a worker wake one") {
  Worker worker;
  CHECK(worker.begin());
  for (int i = 0; i < 3; ++i) CHECK(worker.begin(0x9990, kInnerHalf));
}

TEST_CASE("fork history: time between two forks belongs to neither") {
  Worker worker;
  CHECK(worker.begin());
  for (int i = 0; i < 100; ++i) {
    CAPTURE(i);
    worker.now += 10;  // not enough work for a series
    worker.end();
    worker.now += i * worker.a_long();
    CHECK_FALSE(worker.begin());
  }
}

TEST_CASE("fork history: the end of an inner fork does not end the outer one") {
  Worker worker;
  worker.begin();
  worker.begin(0x9990, kInnerHalf);
  worker.forks.end(&kInnerHalf, false);
  CHECK(worker.forks.is_timed(&kHalf));
  worker.forks.end(&kHalf, false);
  CHECK_FALSE(worker.forks.is_timed(&kHalf));
}

TEST_CASE("fork history: waking no worker never loses more than waking one for each short fork") {
  // Short and long forks in turn. A long fork after a short one is predicted to be short, and loses half of its time.
  Worker worker;
  const Ticks a_loss = worker.a_long() / 2 - worker.at_once().of_half();
  Ticks lost = 0;
  Ticks wake_ups = 0;
  for (int i = 0; i < 1000; ++i) {
    for (int shorts = 0; shorts < 3; ++shorts, wake_ups += worker.at_once().cost) worker.call(worker.a_short());
    if (!worker.call(worker.a_long(), 0x1000, true)) lost += a_loss;
  }
  CHECK(lost > 10 * a_loss);
  CHECK(lost <= wake_ups + a_loss);
}

TEST_CASE("fork history: short forks in a row eventually wake a worker") {
  Worker worker;
  worker.call(worker.a_short());
  int calls = 0;
  const Ticks time = worker.a_short();
  for (bool wakes = false; !wakes && calls < 1000; ++calls) {
    wakes = worker.begin();
    worker.now += time;
    worker.end();
  }
  CHECK(calls > 2);
  CHECK(calls < 1000);
}
