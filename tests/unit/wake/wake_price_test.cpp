#include "blitz/detail/wake/wake_price.hpp"

#include <doctest/doctest.h>

#include "blitz/detail/sys/usual_cpus.hpp"
#include "blitz/detail/wake/idle_slot.hpp"

using blitz::detail::IdleSlot;
using blitz::detail::kHandover;
using blitz::detail::Patience;
using blitz::detail::Price;
using blitz::detail::Series;
using blitz::detail::Ticks;
using blitz::detail::ticks_now;
using blitz::detail::ticks_per_microsecond;
using blitz::detail::WakePrice;
using blitz::detail::Waker;

namespace {

Ticks microseconds(Ticks count) { return count * ticks_per_microsecond(); }

}  // namespace

// --- the price ---

TEST_CASE("wake price: divisible work must cover latency and cost and a half only the latency") {
  const Price price{.latency = 30, .cost = 10};
  CHECK(price.of_work() == 40);
  CHECK(price.of_half() == 30);
  CHECK(price.delay() == 20);
  CHECK(Price{.latency = 10, .cost = 30}.delay() == 1);
}

TEST_CASE("wake price: converges to the duration of wake-ups from below and above") {
  WakePrice price;
  for (const Ticks latency : {microseconds(10), microseconds(100), microseconds(20)}) {
    CAPTURE(latency);
    for (int i = 0; i < 50; ++i) {
      price.learn(latency, 0);
      price.learn_cost(latency / 2, 0);
    }
    CHECK(price.at(0).latency >= latency * 99 / 100);
    CHECK(price.at(0).latency <= latency * 101 / 100);
    CHECK(price.at(0).cost >= latency / 2 * 99 / 100);
    CHECK(price.at(0).cost <= latency / 2 * 101 / 100);
  }
}

TEST_CASE("wake price: short and long sleeps have separate prices") {
  WakePrice price;
  const Ticks asleep_since = microseconds(1'000'000);
  price.sleeps(asleep_since);
  const Ticks soon = asleep_since + microseconds(100);
  const Ticks late = asleep_since + microseconds(100'000);
  const Price short_before = price.at(soon);
  for (int i = 0; i < 50; ++i) price.learn(microseconds(150), late - asleep_since);
  for (int i = 0; i < 50; ++i) price.learn_cost(microseconds(40), late);
  CHECK(price.at(soon).latency == short_before.latency);
  CHECK(price.at(soon).cost == short_before.cost);
  CHECK(price.at(late).latency > microseconds(140));
  CHECK(price.at(late).cost > microseconds(35));
  // Read before another worker goes to sleep.
  CHECK(price.at(asleep_since - 1).latency == short_before.latency);
}

TEST_CASE("wake price: a sample far above the average is capped at twice the average") {
  WakePrice price;
  WakePrice other;
  const Ticks before = price.at(0).latency;
  price.learn(1000 * before, 0);
  other.learn(2 * before, 0);
  CHECK(price.at(0).latency == other.at(0).latency);
  CHECK(price.at(0).latency > before);
}

TEST_CASE("wake price: stays within bounds") {
  WakePrice price;
  for (int i = 0; i < 100; ++i) price.learn(microseconds(10'000), 0);
  const Ticks most = price.at(0).latency;
  CHECK(most > microseconds(50));
  CHECK(most < microseconds(1000));
  price.learn(microseconds(10'000), 0);
  CHECK(price.at(0).latency == most);
  // It rises again from the minimum.
  for (int i = 0; i < 1000; ++i) price.learn(0, 0);
  for (int i = 0; i < 1000; ++i) price.learn(microseconds(10'000), 0);
  CHECK(price.at(0).latency == most);
}

TEST_CASE("wake price: work of at least the price covers it") {
  WakePrice price;
  const Ticks before = price.at(0).of_work();
  CHECK(price.weigh(before, 0));
  CHECK(price.weigh(10 * before, 0));
  CHECK_FALSE(price.weigh(before - 1, 0));
}

TEST_CASE("wake price: work of less than half the price never covers or lowers it") {
  WakePrice price;
  const Ticks before = price.at(0).of_work();
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(price.weigh((before - 1) / 2, 0));
  CHECK(price.at(0).of_work() == before);
}

TEST_CASE("wake price: each refusal of work above half lowers it until the work covers it") {
  WakePrice price;
  const Ticks work = price.at(0).of_work() / 2 + 1;
  int refusals = 0;
  for (Ticks before = price.at(0).of_work(); !price.weigh(work, 0); before = price.at(0).of_work()) {
    CHECK(price.at(0).of_work() < before);
    ++refusals;
    REQUIRE(refusals < 1000);
  }
  CHECK(refusals > 100);
  const Ticks after = price.at(0).of_work();
  CHECK(price.weigh(work, 0));
  CHECK(price.at(0).of_work() == after);
}

TEST_CASE("wake price: a half covers the latency alone and a refusal lowers the whole price") {
  WakePrice price;
  const Price before = price.at(0);
  CHECK(price.weigh_half(before.of_half(), 0, 0));
  CHECK_FALSE(price.weigh_half((before.of_half() - 1) / 2, 0, 0));
  CHECK(price.at(0).of_work() == before.of_work());
  CHECK_FALSE(price.weigh_half(before.of_half() - 1, 0, 0));
  CHECK(price.at(0).latency < before.latency);
  CHECK(price.at(0).cost < before.cost);
}

// --- series ---

namespace {

/// A worker that makes calls with a simulated clock.
struct Caller {
  WakePrice price;
  Series series;
  std::uint64_t stolen = 0;
  Ticks now = microseconds(1'000'000);

  /// A call that takes `work`, `gap` after the previous one.
  bool call(Ticks work, Ticks gap = 0) {
    now += gap;
    const bool wakes = series.add(work, price, stolen, now);
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

/// The number of calls without a gap that save as much as a wake-up costs.
int calls_for(Ticks work, const WakePrice& price) {
  const Ticks saved = work / 2 - microseconds(kHandover);
  return static_cast<int>((price.at(0).of_work() + saved - 1) / saved);
}

}  // namespace

TEST_CASE("series: wakes when the savings of its calls add up to the price") {
  for (const Ticks work : {microseconds(10), microseconds(20), microseconds(40)}) {
    CAPTURE(work);
    Caller caller;
    const int calls = calls_for(work, caller.price);
    // After a long pause, the first call saves nothing.
    CHECK_FALSE(caller.call(work));
    CHECK(caller.calls_until_woken(work) == calls);
    // Then from the beginning, because the woken worker has stolen a job.
    caller.now += microseconds(1000);
    ++caller.stolen;
    CHECK_FALSE(caller.call(work));
    CHECK(caller.calls_until_woken(work) == calls);
  }
}

TEST_CASE("series: the same call does not count again in a later block") {
  Caller caller;
  const Ticks work = microseconds(20);
  const int calls = calls_for(work, caller.price);
  CHECK_FALSE(caller.call(work));
  for (int i = 1; i <= calls; ++i) {
    CAPTURE(i);
    CHECK(caller.series.add(work, caller.price, 0, caller.now) == (i == calls));
    // Both for a block of the expected time and for one that takes a quarter longer.
    for (const Ticks longer : {Ticks{0}, work / 32}) {
      for (Ticks eighth = 1; eighth < 8; ++eighth) {
        const Ticks left = work - work * eighth / 8;
        CHECK_FALSE(caller.series.add(left, caller.price, 0, caller.now + work - left - longer));
      }
    }
    caller.now += work;
  }
}

TEST_CASE("series: calls too short to gain from help never wake a worker") {
  const Ticks short_call = 2 * microseconds(kHandover);
  CHECK(Caller().calls_until_woken(short_call) == kNever);
  CHECK(Caller().calls_until_woken(short_call / 4) == kNever);
  CHECK(Caller().calls_until_woken(2 * short_call) < kNever);
}

TEST_CASE("series: time between the calls reduces the savings") {
  const Ticks work = microseconds(kHandover) * 3;
  const Ticks gap = 64 * (work / 2 - microseconds(kHandover));
  REQUIRE(gap < WakePrice().reach());
  CHECK(Caller().calls_until_woken(work, gap) == kNever);
  CHECK(Caller().calls_until_woken(work, gap / 2) < kNever);
  CHECK(Caller().calls_until_woken(work, gap / 2) > Caller().calls_until_woken(work));
}

TEST_CASE("series: a gap beyond the reach ends it") {
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

TEST_CASE("series: each useless wake-up doubles the required savings until one helps") {
  const Ticks work = microseconds(20);
  Caller caller;
  const int calls = calls_for(work, caller.price);
  CHECK_FALSE(caller.call(work));
  CHECK(caller.calls_until_woken(work) == calls);
  int expected = calls;
  for (int wake_ups = 0; wake_ups < 4; ++wake_ups) {
    const int next = caller.calls_until_woken(work);
    CHECK(next > expected * 3 / 2);
    CHECK(next <= 2 * expected + 1);
    expected = next;
  }
  for (int wake_ups = 0; wake_ups < 20; ++wake_ups) REQUIRE(caller.calls_until_woken(work) < kNever);
  caller.now += microseconds(1000);
  ++caller.stolen;
  CHECK_FALSE(caller.call(work));
  CHECK(caller.calls_until_woken(work) == calls);
}

// --- patience ---

namespace {

/// True if a wait that begins now lasts longer than the usual search. This uses the real clock, which may advance in steps, and
/// this thread may lose its processor. So any wait within a millisecond decides.
bool is_patient(const Patience& patience, const WakePrice& price) {
  const Ticks end = ticks_now() + microseconds(1000);
  do {
    if (patience.lasts(ticks_now(), price)) return true;
  } while (ticks_now() < end);
  return false;
}

}  // namespace

TEST_CASE("patience: a new worker has none") { CHECK_FALSE(is_patient(Patience(), WakePrice())); }

TEST_CASE("patience: a worker woken soon has patience and one woken late has none") {
  WakePrice price;
  Patience patience;
  for (const bool soon : {true, false, true}) {
    CAPTURE(soon);
    const Ticks since = ticks_now();
    patience.woken(since, since + price.reach() - (soon ? 1 : 0), false);
    CHECK(is_patient(patience, price) == soon);
  }
}

TEST_CASE("patience: a wait lasts at most for the reach") {
  WakePrice price;
  Patience patience;
  const Ticks since = ticks_now();
  patience.woken(since, since, false);
  REQUIRE(is_patient(patience, price));
  CHECK_FALSE(patience.lasts(ticks_now() - price.reach(), price));
}

TEST_CASE("patience: a worker woken for a series has patience after any sleep") {
  WakePrice price;
  for (const bool for_series : {true, false}) {
    CAPTURE(for_series);
    Patience patience;
    const Ticks now = ticks_now();
    patience.woken(now - 100 * price.reach(), now, for_series);
    CHECK(is_patient(patience, price) == for_series);
  }
}

TEST_CASE("series: promises further calls only to the worker that it wakes") {
  Caller caller;
  CHECK_FALSE(caller.series.take_promise());
  CHECK(caller.calls_until_woken(microseconds(20)) < kNever);
  CHECK(caller.series.take_promise());
  CHECK_FALSE(caller.series.take_promise());
}

TEST_CASE("series: a theft before the woken worker arrives does not count as help") {
  const Ticks work = microseconds(20);
  Caller caller;
  const int calls = calls_for(work, caller.price);
  CHECK_FALSE(caller.call(work));
  CHECK(caller.calls_until_woken(work) == calls);
  ++caller.stolen;
  caller.now -= work / 2;  // With help the call has ended earlier.
  CHECK_FALSE(caller.call(work));
  caller.now += microseconds(1000);
  CHECK_FALSE(caller.call(work));
  CHECK(caller.calls_until_woken(work) > calls * 3 / 2);
}

// --- both, in a slot ---

TEST_CASE("idle slot: only the caller of a series promises further calls to the worker that it wakes") {
  WakePrice price;
  IdleSlot caller;
  CHECK(caller.waker() == Waker::kStaysBusy);
  CHECK(caller.weigh_help(10 * price.at(0).of_work(), 0, 0, price) > 0);
  CHECK(caller.waker() == Waker::kStaysBusy);
  // Each call takes half of the price. This uses the real clock.
  const Ticks work = price.at(0).of_work() / 2 - 1;
  const Ticks end = ticks_now() + microseconds(1'000'000);
  bool wakes = false;
  while (!wakes && ticks_now() < end) {
    const Ticks next = ticks_now() + work;
    wakes = caller.weigh_help(work, 0, 0, price) > 0;
    while (ticks_now() < next) {
    }
  }
  REQUIRE(wakes);
  CHECK(caller.waker() == Waker::kCallsAgain);
  CHECK(caller.waker() == Waker::kStaysBusy);

  for (const Waker waker : {Waker::kStaysBusy, Waker::kCallsAgain, Waker::kStaysBusy}) {
    CAPTURE(waker);
    IdleSlot sleeper;
    blitz::detail::Idling idling{.since = ticks_now() - 100 * price.reach()};
    sleeper.unpark(sleeper.resident, waker, price);
    sleeper.woken(idling, price);
    CHECK(is_patient(sleeper.patience, price) == (waker == Waker::kCallsAgain));
  }
}

TEST_CASE("idle slot: only work of a time slice wakes a worker if all processors are in use") {
  WakePrice price;
  const Ticks slice = microseconds(1000);
  const std::size_t processors = blitz::detail::usual_cpus();
  for (const std::size_t awake : {processors - 1, processors, processors + 5}) {
    CAPTURE(awake);
    IdleSlot caller;
    CHECK((caller.weigh_help(slice - 1, 0, awake, price) > 0) == (awake < processors));
    CHECK(caller.weigh_help(slice, 0, awake, price) > 0);
    CHECK(caller.refusals.no_free_processor.value() == (awake < processors ? 0 : 1));
    CHECK(caller.refusals.loops_too_short.value() == 0);
    CHECK(caller.weigh_help(1, 0, 0, price) == 0);
    CHECK(caller.refusals.loops_too_short.value() == 1);
  }
}
