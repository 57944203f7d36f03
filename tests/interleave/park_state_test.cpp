// ParkState, with and without a time-out: a notification ends one park, and is neither lost nor invented.
#include "blitz/async/park_state.hpp"

#include <chrono>
#include <optional>
#include <string>

#include "tests/support/interleave/explore.hpp"

namespace {

using blitz::detail::Atomic;
using blitz::detail::ParkState;
using interleave::expect;
using interleave::Plain;
using interleave::Run;
using Wake = ParkState::Wake;

constexpr std::chrono::microseconds kBriefly{1};

INTERLEAVE_CASE("park: until notified", .preemptions = 4, .delays = 2, .spurious = 2, .random_schedules = 1000) {
  ParkState state;
  run.name(state, "state");
  Plain<int> message{"message", 0};
  run.thread("sleeper", [&] {
    expect(state.park(ParkState::kNoTimeout) == Wake::kNotified, "there is no time-out");
    expect(message.read() == 1, "what came before the notification has come");
  });
  run.thread("waker", [&] {
    message.write(1);
    state.unpark();
  });
  run.go();
}

INTERLEAVE_CASE("park: notified or timed out", .preemptions = 4, .delays = 2, .spurious = 1, .random_schedules = 1000) {
  ParkState state;
  run.name(state, "state");
  Plain<int> message{"message", 0};
  run.thread("sleeper", [&] {
    // A notification that this one has not taken is there for the next.
    if (state.park(kBriefly) == Wake::kTimedOut) state.park();
    expect(message.read() == 1, "what came before the notification has come");
  });
  run.thread("waker", [&] {
    message.write(1);
    state.unpark();
  });
  run.go();
}

// What IdleState does when a time-out and a waker meet: the waker has claimed what the sleeper would take back.
INTERLEAVE_CASE("park: a waker and a time-out meet", .preemptions = 4, .spurious = 1, .random_schedules = 1000) {
  ParkState state;
  run.name(state, "state");
  Atomic<bool> parked{true};
  run.name(parked, "parked");
  Plain<int> message{"message", 0};
  run.thread("sleeper", [&] {
    const bool timed_out = state.park(kBriefly) == Wake::kTimedOut;
    const bool claimed = !timed_out || !parked.exchange(false, std::memory_order_relaxed);
    if (timed_out && claimed) state.park();
    if (claimed) expect(message.read() == 1, "the claim was the waker's, and its message has come");
    expect(state.park(kBriefly) == Wake::kTimedOut, "no notification is left behind");
  });
  run.thread("waker", [&] {
    message.write(1);
    if (parked.exchange(false, std::memory_order_relaxed)) state.unpark();
  });
  run.go();
}

INTERLEAVE_CASE("park: each round is notified once", .preemptions = 3, .spurious = 1, .random_schedules = 1000) {
  ParkState sleeper;
  ParkState waker;
  run.name(sleeper, "sleeper's");
  run.name(waker, "waker's");
  Plain<int> turn{"turn", 0};
  run.thread("sleeper", [&] {
    for (int i = 0; i < 2; ++i) {
      sleeper.park();
      expect(turn.read() == 2 * i + 1, "it is this thread's turn");
      turn.write(2 * i + 2);
      waker.unpark();
    }
  });
  run.thread("waker", [&] {
    for (int i = 0; i < 2; ++i) {
      turn.write(2 * i + 1);
      sleeper.unpark();
      while (waker.park(i == 0 ? ParkState::kNoTimeout : kBriefly) == Wake::kTimedOut) {
      }
      expect(turn.read() == 2 * i + 2, "it is this thread's turn");
    }
  });
  run.go();
}

// Two notifications may be one; what either came after has come when both are gone.
INTERLEAVE_CASE("park: two wakers", .preemptions = 3, .random_schedules = 1000) {
  ParkState state;
  run.name(state, "state");
  Plain<int> messages[2] = {Plain<int>("message 1", 0), Plain<int>("message 2", 0)};
  Atomic<int> gone{0};
  run.thread("sleeper", [&] {
    state.park();
    while (gone.load(std::memory_order_relaxed) < 2) blitz::detail::yield_thread();
    (void)state.park(kBriefly);
    expect(messages[0].read() + messages[1].read() == 2, "both messages have come");
  });
  for (int i = 0; i < 2; ++i) {
    run.thread("waker " + std::to_string(i + 1), [&, i] {
      messages[i].write(1);
      state.unpark();
      gone.fetch_add(1, std::memory_order_relaxed);
    });
  }
  run.go();
}

INTERLEAVE_CASE("park: is gone once the notification is there", .preemptions = 4, .random_schedules = 1000) {
  auto state = std::make_optional<ParkState>();
  ParkState* const address = &*state;
  run.thread("sleeper", [&] {
    if (state->park(kBriefly) == Wake::kTimedOut) state->park();
    state.reset();
  });
  run.thread("waker", [&] { address->unpark(); });
  run.go();
}

}  // namespace
