// Tests of the instrument: each model shows its allowed behaviour and no forbidden behaviour, and each kind of failure is
// noticed. The cases that must find a failure show that the other cases could.
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "blitz/detail/sys/futex.hpp"
#include "tests/support/interleave/explore.hpp"

namespace {

using blitz::detail::Atomic;
using interleave::expect;
using interleave::kSequential;
using interleave::kStoreBuffer;
using interleave::kWeak;
using interleave::Plain;
using interleave::Run;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSeqCst = std::memory_order_seq_cst;

// --- store buffering: two threads each store a word and load the other's ---

template <class First, class Second>
void store_buffering(Run& run, std::memory_order store, std::memory_order load, First&& first_fence,
                     Second&& second_fence) {
  Atomic<int> x{0}, y{0};
  int a = -1, b = -1;
  run.thread("first", [&] {
    x.store(1, store);
    first_fence();
    a = y.load(load);
  });
  run.thread("second", [&] {
    y.store(1, store);
    second_fence();
    b = x.load(load);
  });
  run.go();
  expect(a == 1 || b == 1, "one of them sees the other's store");
}

constexpr auto kNone = [] {};
constexpr auto kFence = [] { blitz::detail::seq_cst_fence(); };
constexpr auto kLight = [] { blitz::detail::asymmetric_light_fence(); };
constexpr auto kHeavy = [] { blitz::detail::asymmetric_heavy_fence(); };

INTERLEAVE_CASE("store buffering: sequential", .models = kSequential) {
  store_buffering(run, kRelaxed, kRelaxed, kNone, kNone);
}
INTERLEAVE_CASE("store buffering: no fence", .random_schedules = 500, .models = kStoreBuffer | kWeak,
                .finds = "one of them") {
  store_buffering(run, kRelease, kAcquire, kNone, kNone);
}
INTERLEAVE_CASE("store buffering: one fence", .models = kStoreBuffer | kWeak, .finds = "one of them") {
  store_buffering(run, kRelaxed, kRelaxed, kFence, kNone);
}
INTERLEAVE_CASE("store buffering: two fences", .preemptions = 4, .delays = 3, .random_schedules = 500) {
  store_buffering(run, kRelaxed, kRelaxed, kFence, kFence);
}
INTERLEAVE_CASE("store buffering: seq_cst", .preemptions = 4, .delays = 3) {
  store_buffering(run, kSeqCst, kSeqCst, kNone, kNone);
}
INTERLEAVE_CASE("store buffering: light and heavy", .preemptions = 4, .delays = 3, .fences = true) {
  store_buffering(run, kRelaxed, kRelaxed, kLight, kHeavy);
}
INTERLEAVE_CASE("store buffering: light and nothing", .fences = true, .models = kStoreBuffer | kWeak,
                .finds = "one of them") {
  store_buffering(run, kRelaxed, kRelaxed, kLight, kNone);
}

// --- message passing ---

void message_passing(Run& run, std::memory_order store, std::memory_order load) {
  Atomic<int> data{0}, flag{0};
  int seen = -1;
  run.thread("sender", [&] {
    data.store(1, kRelaxed);
    flag.store(1, store);
  });
  run.thread("receiver", [&] {
    if (flag.load(load) == 1) seen = data.load(kRelaxed);
  });
  run.go();
  expect(seen != 0, "the message has come with the flag");
}

INTERLEAVE_CASE("message passing: release and acquire", .preemptions = 4, .delays = 3) {
  message_passing(run, kRelease, kAcquire);
}
INTERLEAVE_CASE("message passing: x86 needs no order", .preemptions = 4, .delays = 3,
                .models = kSequential | kStoreBuffer) {
  message_passing(run, kRelaxed, kRelaxed);
}
INTERLEAVE_CASE("message passing: relaxed store", .models = kWeak, .finds = "the message") {
  message_passing(run, kRelaxed, kAcquire);
}
INTERLEAVE_CASE("message passing: relaxed load", .models = kWeak, .finds = "the message") {
  message_passing(run, kRelease, kRelaxed);
}

INTERLEAVE_CASE("message passing: fences with relaxed operations", .preemptions = 4, .delays = 3) {
  Atomic<int> flag{0};
  Plain<int> data{"data", 0};
  run.thread("sender", [&] {
    data.write(1);
    blitz::detail::seq_cst_fence();
    flag.store(1, kRelaxed);
  });
  run.thread("receiver", [&] {
    if (flag.load(kRelaxed) == 0) return;
    blitz::detail::seq_cst_fence();
    expect(data.read() == 1, "the message has come");
  });
  run.go();
}

INTERLEAVE_CASE("message passing: through a read-modify-write of a third", .preemptions = 4, .delays = 3) {
  Atomic<int> flag{0};
  Plain<int> data{"data", 0};
  run.thread("sender", [&] {
    data.write(1);
    flag.store(1, kRelease);
  });
  run.thread("third", [&] { flag.fetch_add(1, kRelaxed); });
  run.thread("receiver", [&] {
    if (flag.load(kAcquire) == 2) expect(data.read() == 1, "the message has come");
  });
  run.go();
}

// --- coherence; independent readers ---

INTERLEAVE_CASE("coherence: no thread sees a word go back", .preemptions = 4, .delays = 4) {
  Atomic<int> x{0};
  run.thread("writer", [&] {
    x.store(1, kRelaxed);
    x.store(2, kRelaxed);
  });
  run.thread("reader", [&] {
    const int first = x.load(kRelaxed);
    expect(first <= x.load(kRelaxed), "in order");
  });
  run.go();
}

void independent_readers(Run& run, std::memory_order store, std::memory_order load) {
  Atomic<int> x{0}, y{0};
  int a[2] = {}, b[2] = {};
  run.thread("x", [&] { x.store(1, store); });
  run.thread("y", [&] { y.store(1, store); });
  run.thread("xy", [&] {
    a[0] = x.load(load);
    a[1] = y.load(load);
  });
  run.thread("yx", [&] {
    b[0] = y.load(load);
    b[1] = x.load(load);
  });
  run.go();
  expect(!(a[0] == 1 && a[1] == 0 && b[0] == 1 && b[1] == 0), "both see the stores in one order");
}

INTERLEAVE_CASE("independent readers: acquire", .delays = 2, .models = kWeak, .finds = "one order") {
  independent_readers(run, kRelease, kAcquire);
}
INTERLEAVE_CASE("independent readers: x86", .delays = 2, .models = kSequential | kStoreBuffer) {
  independent_readers(run, kRelease, kAcquire);
}
INTERLEAVE_CASE("independent readers: seq_cst", .preemptions = 3, .delays = 2) {
  independent_readers(run, kSeqCst, kSeqCst);
}

// --- failures ---

INTERLEAVE_CASE("failure: data race", .random_schedules = 100, .finds = "data race: word") {
  Atomic<int> flag{0};
  Plain<int> word{"word", 0};
  run.thread("writer", [&] {
    word.write(1);
    flag.store(1, kRelaxed);
  });
  run.thread("reader", [&] {
    if (flag.load(kAcquire) == 1) (void)word.read();
  });
  run.go();
}

INTERLEAVE_CASE("failure: a write after the release", .finds = "data race: word") {
  Atomic<int> flag{0};
  Plain<int> word{"word", 0};
  run.thread("writer", [&] {
    flag.store(1, kRelease);
    word.write(1);
  });
  run.thread("reader", [&] {
    if (flag.load(kAcquire) == 1) (void)word.read();
  });
  run.go();
}

INTERLEAVE_CASE("failure: a read before a write", .finds = "data race: word") {
  Atomic<int> flag{0};
  Plain<int> word{"word", 0};
  run.thread("reader", [&] {
    (void)word.read();
    flag.store(1, kRelaxed);
  });
  run.thread("writer", [&] {
    if (flag.load(kAcquire) == 1) word.write(1);
  });
  run.go();
}

INTERLEAVE_CASE("failure: lost wake-up", .preemptions = 1, .random_schedules = 100, .finds = "deadlock") {
  Atomic<std::uint32_t> word{0};
  Atomic<int> ready{0};
  run.thread("sleeper", [&] {
    if (ready.load(kSeqCst) == 0) blitz::detail::futex_wait(word, 0);
  });
  run.thread("waker", [&] {
    ready.store(1, kSeqCst);
    blitz::detail::futex_wake_one(&word);
  });
  run.go();
}

INTERLEAVE_CASE("failure: no thread makes progress", .preemptions = 0, .models = kSequential, .finds = "no progress") {
  Atomic<int> never{0};
  run.thread("waiter", [&] {
    while (never.load(kRelaxed) == 0) blitz::detail::yield_thread();
  });
  run.go();
}

INTERLEAVE_CASE("failure: a destroyed atomic", .finds = "destroyed") {
  auto word = std::make_optional<Atomic<int>>(0);
  Atomic<int>* const address = &*word;
  run.thread("owner", [&] { word.reset(); });
  run.thread("other", [&] { address->store(1, kRelaxed); });
  run.go();
}

INTERLEAVE_CASE("failure: the last of two owners does not acquire", .finds = "last use") {
  struct Shared {
    Atomic<int> word{0};
    Atomic<int> owners{2};
  };
  auto* const shared = new Shared;
  for (const char* name : {"owner 1", "owner 2"}) {
    run.thread(name, [shared] {
      shared->word.store(1, kRelaxed);
      if (shared->owners.fetch_sub(1, kRelease) == 1) delete shared;
    });
  }
  run.go();
}

INTERLEAVE_CASE("failure: an object handed over without release", .finds = "construction") {
  Atomic<Atomic<int>*> where{nullptr};
  std::unique_ptr<Atomic<int>> object;
  run.thread("maker", [&] {
    object = std::make_unique<Atomic<int>>(1);
    where.store(object.get(), kRelaxed);
  });
  run.thread("user", [&] {
    if (Atomic<int>* const found = where.load(kAcquire)) (void)found->load(kRelaxed);
  });
  run.go();
}

INTERLEAVE_CASE("failure: spurious wake-up", .spurious = 1, .finds = "a cause") {
  Atomic<std::uint32_t> word{0};
  run.thread("sleeper", [&] {
    blitz::detail::futex_wait(word, 0);
    expect(word.load(kSeqCst) == 1, "there was a cause");
  });
  run.thread("waker", [&] {
    blitz::detail::yield_thread();
    word.store(1, kSeqCst);
    blitz::detail::futex_wake_one(&word);
  });
  run.go();
}

// --- waiting ---

INTERLEAVE_CASE("waiting: a spin with a yield ends", .preemptions = 3, .delays = 2, .random_schedules = 200) {
  Atomic<int> flag{0};
  Atomic<int> answer{0};
  run.thread("waiter", [&] {
    while (flag.load(kAcquire) == 0) blitz::detail::cpu_relax();
    answer.store(1, kRelease);
  });
  run.thread("setter", [&] {
    flag.store(1, kRelease);
    while (answer.load(kAcquire) == 0) blitz::detail::yield_thread();
  });
  run.go();
}

INTERLEAVE_CASE("waiting: a mutex excludes", .preemptions = 3, .spurious = 1, .random_schedules = 200) {
  blitz::detail::Mutex mutex;
  Plain<int> count{"count", 0};
  const auto add = [&] {
    mutex.lock();
    count.write(count.read() + 1);
    mutex.unlock();
  };
  run.thread("first", add);
  run.thread("second", add);
  run.go();
  expect(count.read() == 2, "both have counted");
}

// --- static atomics ---

INTERLEAVE_CASE("static: an atomic is new in each schedule", .preemptions = 2, .delays = 2, .random_schedules = 100) {
  static constinit Atomic<int> number{5};
  const auto add = [] {
    expect(number.load(kRelaxed) >= 5, "it has its first value, or a later one");
    number.fetch_add(1, kRelaxed);
  };
  run.thread("first", add);
  run.thread("second", add);
  run.go();
  expect(number.load(kRelaxed) == 7, "both have added to the first value");
}

INTERLEAVE_CASE("static: a race between its users is found", .models = kStoreBuffer | kWeak, .finds = "one of them") {
  static constinit Atomic<int> x{0};
  static constinit Atomic<int> y{0};
  int a = -1, b = -1;
  run.thread("first", [&] {
    x.store(1, kRelaxed);
    a = y.load(kRelaxed);
  });
  run.thread("second", [&] {
    y.store(1, kRelaxed);
    b = x.load(kRelaxed);
  });
  run.go();
  expect(a == 1 || b == 1, "one of them sees the other's store");
}

thread_local const int* own = nullptr;

INTERLEAVE_CASE("static: a thread_local of each thread's own", .preemptions = 2) {
  run.own_by_thread(own);
  const auto set = [] {
    int mine = 0;
    expect(own == nullptr, "null at first");
    own = &mine;
    blitz::detail::yield_thread();
    expect(own == &mine, "nobody else's");
  };
  run.thread("first", set);
  run.thread("second", set);
  run.go();
}

INTERLEAVE_CASE("exceptions: each thread handles its own", .preemptions = 2) {
  const auto handle = [](int number) {
    try {
      throw number;
    } catch (int) {
      blitz::detail::yield_thread();
      try {
        throw;
      } catch (int again) {
        expect(again == number, "what this thread handles is what it threw");
      }
    }
    expect(std::current_exception() == nullptr, "nothing is in hand any more");
  };
  run.thread("first", [&] { handle(1); });
  run.thread("second", [&] { handle(2); });
  run.go();
}

}  // namespace
