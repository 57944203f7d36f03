#include "blitz/base/wake_price.hpp"

#include <doctest/doctest.h>

using blitz::detail::Patience;
using blitz::detail::Series;
using blitz::detail::Ticks;
using blitz::detail::ticks_now;
using blitz::detail::ticks_per_microsecond;
using blitz::detail::WakePrice;

namespace {

Ticks microseconds(Ticks count) { return count * ticks_per_microsecond(); }

}  // namespace

// --- the price ---

TEST_CASE("wake price: becomes twice the usual latency, from below and from above") {
  WakePrice price;
  for (const Ticks latency : {microseconds(10), microseconds(100), microseconds(20)}) {
    CAPTURE(latency);
    for (int i = 0; i < 50; ++i) price.learn(latency);
    CHECK(price.value() >= 2 * latency * 99 / 100);
    CHECK(price.value() <= 2 * latency * 101 / 100);
  }
}

TEST_CASE("wake price: what is far above the average counts as twice the average") {
  WakePrice price;
  WakePrice other;
  price.learn(1000 * price.value());
  other.learn(other.value());  // The price itself is twice the average.
  CHECK(price.value() == other.value());
  CHECK(price.value() > WakePrice().value());
}

TEST_CASE("wake price: has an upper bound") {
  WakePrice price;
  for (int i = 0; i < 100; ++i) price.learn(microseconds(10'000));
  const Ticks most = price.value();
  CHECK(most > microseconds(100));
  CHECK(most < microseconds(1000));
  price.learn(microseconds(10'000));
  CHECK(price.value() == most);
}

TEST_CASE("wake price: work that takes as long covers it") {
  WakePrice price;
  const Ticks before = price.value();
  CHECK(price.covered_by(before));
  CHECK(price.covered_by(10 * before));
  CHECK_FALSE(price.covered_by(before - 1));
}

TEST_CASE("wake price: work of less than half of it never covers it, and does not lower it") {
  WakePrice price;
  const Ticks before = price.value();
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(price.covered_by((before - 1) / 2));
  CHECK(price.value() == before);
}

TEST_CASE("wake price: falls with each refusal of half of it, which covers it in the end") {
  WakePrice price;
  const Ticks work = price.value() / 2 + 1;
  int refusals = 0;
  for (Ticks before = price.value(); !price.covered_by(work); before = price.value()) {
    CHECK(price.value() < before);
    ++refusals;
    REQUIRE(refusals < 1000);
  }
  CHECK(refusals > 100);
  const Ticks after = price.value();
  CHECK(price.covered_by(work));
  CHECK(price.value() == after);
}

// --- series ---

namespace {

/// A worker that makes calls by a clock of its own.
struct Caller {
  WakePrice price;
  Series series;
  Ticks now = microseconds(1'000'000);

  /// A call that takes `work`, `gap` after the last one.
  bool call(Ticks work, Ticks gap = 0) {
    now += gap;
    const bool wakes = series.add(work, price, now);
    now += work;
    return wakes;
  }
  /// The number of calls up to the first that wakes a worker; at most 1000.
  int calls_until_woken(Ticks work, Ticks gap = 0) {
    int calls = 1;
    while (!call(work, gap) && calls < 1000) ++calls;
    return calls;
  }
};

constexpr int kNever = 1000;

/// How many calls without a gap save as much as a wake-up costs.
int calls_for(Ticks work, const WakePrice& price) {
  const Ticks saved = work / 2 - microseconds(Series::kShare);
  return static_cast<int>((price.value() + saved - 1) / saved);
}

}  // namespace

TEST_CASE("series: wakes when half of each call, but for the cost of sharing it, adds up to the price") {
  for (const Ticks work : {microseconds(10), microseconds(20), microseconds(40)}) {
    CAPTURE(work);
    Caller caller;
    const int calls = calls_for(work, caller.price);
    // After a long time, the first call saves nothing.
    CHECK_FALSE(caller.call(work));
    CHECK(caller.calls_until_woken(work) == calls);
    // And again from the beginning.
    CHECK(caller.calls_until_woken(work) == calls);
  }
}

TEST_CASE("series: the same call, a block later, does not count") {
  Caller caller;
  const Ticks work = microseconds(20);
  const int calls = calls_for(work, caller.price);
  CHECK_FALSE(caller.call(work));
  for (int i = 1; i <= calls; ++i) {
    CAPTURE(i);
    CHECK(caller.series.add(work, caller.price, caller.now) == (i == calls));
    CHECK_FALSE(caller.series.add(work * 3 / 4, caller.price, caller.now + work / 4));
    caller.now += work;
  }
}

TEST_CASE("series: calls that help would not speed up never wake anybody") {
  const Ticks short_call = 2 * microseconds(Series::kShare);
  CHECK(Caller().calls_until_woken(short_call) == kNever);
  CHECK(Caller().calls_until_woken(short_call / 4) == kNever);
  CHECK(Caller().calls_until_woken(2 * short_call) < kNever);
}

TEST_CASE("series: the time between the calls counts against them") {
  const Ticks work = microseconds(12);
  const Ticks gap = 16 * (work / 2 - microseconds(Series::kShare));
  REQUIRE(gap < WakePrice().reach());
  CHECK(Caller().calls_until_woken(work, gap) == kNever);
  CHECK(Caller().calls_until_woken(work, gap / 2) < kNever);
  CHECK(Caller().calls_until_woken(work, gap / 2) > Caller().calls_until_woken(work));
}

TEST_CASE("series: ends with a gap beyond the reach") {
  const Ticks work = microseconds(10);
  for (const bool beyond : {false, true}) {
    CAPTURE(beyond);
    Caller caller;
    const int calls = calls_for(work, caller.price);
    CHECK_FALSE(caller.call(work));
    for (int i = 1; i < calls; ++i) CHECK_FALSE(caller.call(work));
    CHECK_FALSE(caller.call(work, beyond ? caller.price.reach() : caller.price.reach() - 1));
    const int more = caller.calls_until_woken(work);
    if (beyond)
      CHECK(more == calls);
    else
      CHECK(more < calls / 2);
  }
}

// --- patience ---

namespace {

/// Whether a wait that begins now lasts longer than the usual search. The clock is the real one, and this thread may lose
/// its processor meanwhile: one of a few waits tells.
bool is_patient(const Patience& patience, const WakePrice& price) {
  for (int i = 0; i < 100; ++i) {
    Patience::Wait wait;
    if (patience.lasts(wait, price)) return true;
  }
  return false;
}

/// Returns whether once in a few tries `short_wait` makes a new worker patient.
template <class ShortWait>
bool makes_patient(const WakePrice& price, const ShortWait& short_wait) {
  for (int i = 0; i < 100; ++i) {
    Patience patience;
    short_wait(patience);
    if (is_patient(patience, price)) return true;
  }
  return false;
}

/// A worker has waited for `ticks`, longer than the usual search, and found a job.
void wait_for(Patience& patience, Ticks ticks) {
  Patience::Wait wait{.since = ticks_now() - ticks, .is_long = true};
  patience.ended(wait);
}

}  // namespace

TEST_CASE("patience: none at first") {
  const WakePrice price;
  const Patience patience;
  CHECK_FALSE(is_patient(patience, price));
  Patience::Wait wait;
  CHECK_FALSE(wait.is_long);
  CHECK_FALSE(patience.lasts(wait, price));
  CHECK(wait.is_long);
}

TEST_CASE("patience: after a short wait, and not after a long one") {
  const WakePrice price;
  CHECK(makes_patient(price, [&](Patience& patience) { wait_for(patience, price.reach() / 4); }));
  Patience patience;
  wait_for(patience, price.reach());
  CHECK_FALSE(is_patient(patience, price));
  CHECK(makes_patient(price, [&](Patience& again) {
    wait_for(again, price.reach());
    wait_for(again, price.reach() / 4);
  }));
}

TEST_CASE("patience: a wait lasts for the reach at most") {
  WakePrice price;
  Patience patience;
  Patience::Wait woken;
  patience.woken(woken, ticks_now(), price);
  REQUIRE(is_patient(patience, price));
  Patience::Wait wait{.since = ticks_now() - price.reach()};
  CHECK_FALSE(patience.lasts(wait, price));
}

TEST_CASE("patience: after a wake-up for a series, which is announced to one worker, and after no other") {
  WakePrice price;
  price.promise_calls();
  for (const bool for_series : {true, false}) {
    CAPTURE(for_series);
    Patience patience;
    Patience::Wait wait{.since = ticks_now() - 100 * price.reach()};
    patience.woken(wait, ticks_now(), price);
    CHECK(wait.is_long);
    CHECK(is_patient(patience, price) == for_series);
  }
}

TEST_CASE("patience: after a wake-up that came too late, if other work comes soon") {
  WakePrice price;
  CHECK(makes_patient(price, [&](Patience& again) {
    Patience::Wait late{.since = ticks_now() - 100 * price.reach()};
    again.woken(late, ticks_now(), price);
    late.in_vain = true;
    again.ended(late);
  }));
}

TEST_CASE("patience: after a wake-up in time, if the worker would not have waited long") {
  WakePrice price;
  const auto woken_after = [&](Patience& patience, Ticks ticks) {
    Patience::Wait wait{.since = ticks_now() - ticks};
    patience.woken(wait, wait.since + ticks, price);
    patience.ended(wait);
  };
  Patience patience;
  woken_after(patience, price.reach());
  CHECK_FALSE(is_patient(patience, price));
  woken_after(patience, price.reach() - 1);
  CHECK(is_patient(patience, price));
}

TEST_CASE("patience: a wait that the usual search ended tells nothing") {
  WakePrice price;
  const auto search = [&](Patience& patience, Ticks ticks) {
    const Patience::Wait wait{.since = ticks_now() - ticks};
    patience.ended(wait);
  };
  Patience patience;
  search(patience, 0);
  CHECK_FALSE(is_patient(patience, price));
  Patience::Wait woken;
  patience.woken(woken, ticks_now(), price);
  search(patience, price.reach());
  CHECK(is_patient(patience, price));
}
