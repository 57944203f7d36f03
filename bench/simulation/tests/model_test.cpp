/// The simulated machine, in cases with known answers.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/simulation/machine.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/ticks.hpp"
#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "blitz/detail/sys/futex.hpp"

namespace {

using namespace simulation;
using blitz::detail::Atomic;

int failures = 0;

void check_equal(long long found, long long expected, const char* what, int line) {
  if (found == expected) return;
  ++failures;
  std::printf("model_test.cpp:%d: %s is %lld, not %lld\n", line, what, found, expected);
}
#define CHECK_EQUAL(found, expected) check_equal(found, expected, #found, __LINE__)

constexpr auto kRelaxed = std::memory_order_relaxed;

/// Costs that can be told apart in a sum.
Costs known_costs() {
  Costs costs;
  costs.hit = 1;
  costs.modify = 10;
  costs.fence = 20;
  costs.transfer = 1000;
  costs.cache_transfer = 1700;
  costs.socket_transfer = 3000;
  costs.shared_read = 400;
  costs.shared_busy = 50;
  costs.futex_wait = 2000;
  costs.futex_empty = 300;
  costs.futex_wake = 7000;
  costs.wake_latency = 100'000;
  costs.thread_start = 0;
  costs.allocation = 0;
  costs.socket = 4;
  return costs;
}

struct alignas(128) Word {
  Atomic<std::uint32_t> value{0};
};

/// Threads on processors 1, 2, ... that start together; the body is on processor 0.
class Threads {
 public:
  explicit Threads(std::vector<std::function<void()>> bodies) : bodies_(std::move(bodies)) {
    const auto run = [](void* body) { (*static_cast<std::function<void()>*>(body))(); };
    for (auto& body : bodies_) started_.push_back(Machine::current()->start_thread(run, &body));
  }
  ~Threads() {
    for (const unsigned thread : started_) Machine::current()->join_thread(thread);
  }

 private:
  std::vector<std::function<void()>> bodies_;
  std::vector<unsigned> started_;
};

void at(Time time) { Machine::current()->work(time - Machine::current()->now()); }

Time took(const std::function<void()>& what) {
  const Time begin = Machine::current()->now();
  what();
  return Machine::current()->now() - begin;
}

void own_lines() {
  Machine machine(known_costs());
  machine.run([] {
    Word word;
    CHECK_EQUAL(took([&] { word.value.store(1, kRelaxed); }), 1);
    CHECK_EQUAL(took([&] { (void)word.value.load(kRelaxed); }), 1);
    CHECK_EQUAL(took([&] { word.value.fetch_add(1, kRelaxed); }), 10);
    CHECK_EQUAL(took([&] { word.value.store(1, std::memory_order_seq_cst); }), 10);
    CHECK_EQUAL(took([&] { blitz::detail::seq_cst_fence(); }), 20);
    CHECK_EQUAL(word.value.load(kRelaxed), 1);
  });
}

/// Two processors share a last-level cache, and four a socket.
Costs three_distances() {
  Costs costs = known_costs();
  costs.cache = 2;
  return costs;
}

/// A line moves back and forth between two processors: each time one transfer, near or far.
void bounced(const Costs& costs, unsigned other, Time transfer) {
  constexpr unsigned kTurns = 100;
  Machine machine(costs);
  Word word;
  std::vector<std::function<void()>> bodies(other);
  bodies.back() = [&] {
    for (unsigned turn = 0; turn < kTurns; ++turn) {
      at((2 * turn + 2) * 100'000);
      CHECK_EQUAL(took([&] { word.value.fetch_add(1, kRelaxed); }), transfer + 10);
    }
  };
  for (unsigned i = 0; i + 1 < other; ++i) bodies[i] = [] {};
  machine.run([&] {
    word.value.store(0, kRelaxed);
    const LineCounts before = machine.counts().line("model_test.cpp");
    {
      const Threads threads(bodies);
      for (unsigned turn = 0; turn < kTurns; ++turn) {
        at((2 * turn + 1) * 100'000);
        CHECK_EQUAL(took([&] { word.value.fetch_add(1, kRelaxed); }), (turn == 0 ? 0 : transfer) + 10);
      }
    }
    const LineCounts counts = machine.counts().line("model_test.cpp") - before;
    CHECK_EQUAL(static_cast<long long>(counts.accesses), 2 * kTurns);
    CHECK_EQUAL(static_cast<long long>(counts.transfers), 2 * kTurns - 1);
    CHECK_EQUAL(counts.waited, (2 * kTurns - 1) * transfer);
    CHECK_EQUAL(word.value.load(kRelaxed), 2 * kTurns);
  });
}

void readers() {
  Machine machine(known_costs());
  Word word;
  machine.run([&] {
    word.value.store(7, kRelaxed);
    const auto read_at = [&](Time when, Time expected) {
      return [&word, when, expected] {
        at(when);
        CHECK_EQUAL(took([&] { CHECK_EQUAL(word.value.load(kRelaxed), 7); }), expected);
        CHECK_EQUAL(took([&] { (void)word.value.load(kRelaxed); }), 1);
      };
    };
    // The first read is from the writer's cache; the second follows it, from the last-level cache; the third follows
    // immediately after.
    const Threads threads({read_at(10'000, 1001), read_at(10'100, 900 + 400 + 1), read_at(10'200, 850 + 400 + 1)});
    at(20'000);
    // The writer still has a copy, but must request the right to write. Its store waits for that; the thread does not.
    CHECK_EQUAL(took([&] { (void)word.value.load(kRelaxed); }), 1);
    CHECK_EQUAL(took([&] { word.value.store(8, kRelaxed); }), 1);
    CHECK_EQUAL(took([&] { (void)word.value.load(kRelaxed); }), 1);
    CHECK_EQUAL(took([&] { blitz::detail::seq_cst_fence(); }), 1000 - 2 + 20);
  });
}

/// The copy of a shared line comes from the nearest cache that has one, and a writer waits for the farthest.
void distances() {
  Machine machine(three_distances());
  Word word;
  machine.run([&] {
    word.value.store(7, kRelaxed);
    const auto read_at = [&word](Time when, Time expected) {
      return [&word, when, expected] {
        at(when);
        CHECK_EQUAL(took([&] { (void)word.value.load(kRelaxed); }), expected + 1);
      };
    };
    // Processor 1 has the writer's last-level cache, 2 and 3 have another one of its socket, and 4 to 6 are in the next socket.
    const Threads threads({read_at(20'000, 400), read_at(10'000, 1700), read_at(30'000, 400), read_at(40'000, 3000),
                           read_at(50'000, 400), read_at(60'000, 1700)});
    at(90'000);
    CHECK_EQUAL(took([&] { word.value.fetch_add(1, kRelaxed); }), 3000 + 10);
  });
}

void free_lines() {
  Machine machine(known_costs());
  machine.lines().make_free("free");
  Word words[2];
  machine.lines().name(&words[0], sizeof(Word), "free");
  machine.run([&] {
    for (Word& word : words) word.value.store(1, kRelaxed);
    const Threads threads({[&] {
      at(10'000);
      CHECK_EQUAL(took([&] { words[0].value.fetch_add(1, kRelaxed); }), 10);
      CHECK_EQUAL(took([&] { (void)words[0].value.load(kRelaxed); }), 1);
      CHECK_EQUAL(took([&] { words[1].value.fetch_add(1, kRelaxed); }), 1000 + 10);
    }});
  });
  CHECK_EQUAL(static_cast<long long>(machine.counts().line("free").accesses), 3);
  CHECK_EQUAL(static_cast<long long>(machine.counts().line("free").transfers), 0);
}

/// Read-modify-writes of one line by all threads queue up.
void contended() {
  constexpr unsigned kThreads = 3;  // in the socket of the first thread
  constexpr unsigned kTurns = 50;
  Machine machine(known_costs());
  Word word;
  Time end = 0;
  machine.run([&] {
    word.value.store(0, kRelaxed);
    std::vector<std::function<void()>> bodies;
    for (unsigned i = 0; i < kThreads; ++i) {
      bodies.push_back([&] {
        for (unsigned turn = 0; turn < kTurns; ++turn) word.value.fetch_add(1, kRelaxed);
        end = std::max(end, Machine::current()->now());
      });
    }
    const Threads threads(bodies);
  });
  CHECK_EQUAL(word.value.load(kRelaxed), kThreads * kTurns);
  // After the first store, each thread owns the line for its operation, and requests it again while the others wait.
  CHECK_EQUAL(end, 1 + kThreads * kTurns * 1000 + 10);
}

void store_buffer() {
  Machine machine(known_costs());
  std::vector<Word> words(60);
  machine.run([&] {
    {
      const Threads threads({[&] {
        for (Word& word : words) word.value.store(1, kRelaxed);
      }});
    }
    at(10'000'000);
    // All lines are requested together, and 56 stores wait for theirs; the next must wait until the first leaves.
    CHECK_EQUAL(took([&] {
                  for (int i = 0; i < 56; ++i) words[i].value.store(2, kRelaxed);
                }),
                56);
    CHECK_EQUAL(took([&] { words[56].value.store(2, kRelaxed); }), 1000 - 56 + 1);
  });
}

/// Others see a store when its line arrives, in order; its own thread sees it immediately.
void stores_become_visible() {
  Machine machine(known_costs());
  Word missed, owned;
  const auto see = [](Word& word, Time when, unsigned expected) {
    return [&word, when, expected] {
      at(when);
      Machine::current()->take_turn();
      CHECK_EQUAL(word.value.value(), expected);
    };
  };
  machine.run([&] {
    missed.value.store(1, kRelaxed);
    const Threads threads({[&] {
                             owned.value.store(1, kRelaxed);
                             at(10'000);
                             missed.value.store(2, kRelaxed);
                             owned.value.store(2, kRelaxed);
                             CHECK_EQUAL(missed.value.load(kRelaxed), 2);
                             CHECK_EQUAL(owned.value.load(kRelaxed), 2);
                             CHECK_EQUAL(Machine::current()->now(), 10'004);
                             at(20'000);
                           },
                           // In the last moment before the write, and from the next operation of the machine on.
                           see(missed, 10'900, 1), see(owned, 10'900, 1)});
    at(11'001);
    blitz::detail::seq_cst_fence();
    CHECK_EQUAL(missed.value.value(), 2);
    CHECK_EQUAL(owned.value.value(), 2);
  });
}

/// Two threads each store one word and load the other's, with a fence between. Before that, each stores to a line of the other
/// socket, which keeps its store buffer busy. Returns the number of threads that missed the other's store.
unsigned missed_by_both(const std::function<void(unsigned)>& fence) {
  Machine machine(known_costs());
  Word words[2];
  Word far[2];
  unsigned missed = 0;
  const auto body = [&](unsigned i) {
    return [&, i] {
      words[i].value.store(0, kRelaxed);
      at(100'000);
      far[i].value.store(1, kRelaxed);
      words[i].value.store(1, kRelaxed);
      fence(i);
      if (words[1 - i].value.load(kRelaxed) == 0) ++missed;
    };
  };
  const auto in_the_other_socket = [&] {
    for (Word& word : far) word.value.store(0, kRelaxed);
  };
  machine.run([&] { const Threads threads({body(0), body(1), [] {}, in_the_other_socket}); });
  return missed;
}

void fences_order_stores_and_loads() {
  CHECK_EQUAL(missed_by_both([](unsigned) { blitz::detail::compiler_fence(); }), 2);
  CHECK_EQUAL(missed_by_both([](unsigned) { blitz::detail::seq_cst_fence(); }) < 2, true);
  CHECK_EQUAL(missed_by_both([](unsigned i) {
                i == 0 ? blitz::detail::asymmetric_light_fence() : blitz::detail::asymmetric_heavy_fence();
              }) < 2,
              true);
}

void membarriers() {
  Costs costs = known_costs();
  costs.membarrier_alone = 500;
  costs.membarrier_wait = 5000;
  costs.membarrier_target = 100;
  costs.membarrier_interrupt = 700;
  for (const bool serial : {true, false}) {
    costs.membarrier_serial = serial;
    Machine machine(costs);
    machine.run([&] {
      CHECK_EQUAL(took([] { Machine::current()->membarrier(); }), 500);
      Word asleep;
      const auto sleeper = [&] { blitz::detail::futex_wait(asleep.value, 0); };
      {
        const Threads threads({sleeper, [&] {
                                 at(500'000);
                                 const Time begin = Machine::current()->now();
                                 Machine::current()->membarrier();
                                 // Besides the fencer only the first thread runs: the sleeper is not interrupted.
                                 CHECK_EQUAL(Machine::current()->now() - begin, 5000 + 1 * 100);
                               }});
        // Works here instead of joining, which would block. Only this thread and the fencer run now.
        const Time begin = Machine::current()->now();
        Machine::current()->work(600'000);
        Machine::current()->take_turn();
        CHECK_EQUAL(Machine::current()->now() - begin, 600'000 + 700);
        blitz::detail::futex_wake_one(&asleep.value);
      }
      CHECK_EQUAL(static_cast<long long>(machine.counts().interrupts), 1);
    });
  }
}

/// Two concurrent calls: since Linux 6.8 one waits for the other.
void membarriers_at_once() {
  Costs costs = known_costs();
  costs.membarrier_wait = 5000;
  costs.membarrier_target = 100;
  costs.membarrier_interrupt = 700;
  for (const bool serial : {true, false}) {
    costs.membarrier_serial = serial;
    Machine machine(costs);
    std::vector<Time> took_each;
    machine.run([&] {
      const auto fencer = [&] {
        at(500'000);
        took_each.push_back(took([] { Machine::current()->membarrier(); }));
      };
      const Threads threads({fencer, fencer});
    });
    // The second thread is interrupted by the first before it makes its call.
    CHECK_EQUAL(static_cast<long long>(took_each.size()), 2);
    CHECK_EQUAL(took_each[0], 5000 + 100 + 700);
    CHECK_EQUAL(took_each[1], serial ? 2 * (5000 + 100) : 5000 + 100 + 700);
  }
}

/// Many concurrent requests share the system calls: one for the requests that were in time for it, and one for the rest.
void heavy_fences_share() {
  Costs costs = known_costs();
  costs.membarrier_wait = 20'000;
  costs.membarrier_target = 100;
  costs.membarrier_interrupt = 700;
  Machine machine(costs);
  Time longest = 0;
  machine.run([&] {
    const auto fencer = [&] {
      at(500'000);
      longest = std::max(longest, took([] { blitz::detail::asymmetric_heavy_fence(); }));
    };
    const Threads threads(std::vector<std::function<void()>>(20, fencer));
  });
  CHECK_EQUAL(static_cast<long long>(machine.counts().heavy_fences_in_all()), 20);
  CHECK_EQUAL(machine.counts().membarriers <= 2, true);
  // Two calls, and for each caller the cost of the words; one after the other would be 20 calls.
  CHECK_EQUAL(longest >= 20'000 && longest < 5 * 20'000, true);
}

void sleeping_and_waking() {
  Costs costs = known_costs();
  Machine machine(costs);
  Word word;
  Time woken = 0;
  machine.run([&] {
    CHECK_EQUAL(took([&] { blitz::detail::futex_wait(word.value, 1); }), 300);  // It holds another value.
    CHECK_EQUAL(took([&] { blitz::detail::futex_wake_one(&word.value); }), 300);
    Machine::current()->begin_wake_chain();
    const Threads threads({[&] {
      blitz::detail::futex_wait(word.value, 0);
      woken = Machine::current()->now();
      CHECK_EQUAL(Machine::current()->wake_depth(Machine::current()->processor()), 1);
    }});
    at(1'000'000);
    CHECK_EQUAL(took([&] { blitz::detail::futex_wake_one(&word.value); }), 7000);
    const Counts counts = machine.counts();
    CHECK_EQUAL(static_cast<long long>(counts.wakes), 1);
    CHECK_EQUAL(counts.busy[1], 300 + 2000);  // It has fallen asleep, and has not run again yet.
  });
  CHECK_EQUAL(woken >= 1'080'000 && woken <= 1'120'000, true);
}

void a_mutex_excludes() {
  Machine machine(known_costs());
  blitz::detail::Mutex mutex;
  int inside = 0;
  int entered = 0;
  machine.run([&] {
    const auto body = [&] {
      for (int i = 0; i < 20; ++i) {
        mutex.lock();
        CHECK_EQUAL(++inside, 1);
        Machine::current()->work(50'000);
        Machine::current()->take_turn();
        --inside;
        ++entered;
        mutex.unlock();
      }
    };
    const Threads threads({body, body, body});
  });
  CHECK_EQUAL(entered, 60);
}

void clocks() {
  Machine machine(known_costs());
  machine.run([&] {
    const auto ticks = blitz::detail::ticks_now();
    const auto clock = std::chrono::steady_clock::now();
    simulate_work(10 * kMicrosecond);
    const auto passed = std::chrono::steady_clock::now() - clock;
    CHECK_EQUAL(std::chrono::duration_cast<std::chrono::microseconds>(passed).count(), 10);
    CHECK_EQUAL(static_cast<long long>((blitz::detail::ticks_now() - ticks) / blitz::detail::ticks_per_microsecond()),
                10);
  });
}

/// Only the program's own work takes longer on a slow processor.
void slow_processors() {
  Costs costs = known_costs();
  costs.slow = true;
  Machine machine(costs);
  machine.run([] {
    const auto body = [] {
      const bool slow = Machine::current()->processor() == 2;
      CHECK_EQUAL(took([] { simulate_work(1000); }), slow ? 2000 : 1000);
      CHECK_EQUAL(took([] { Machine::current()->work(1000); }), 1000);
    };
    const Threads threads({body, body, body});
    body();
  });
  CHECK_EQUAL(static_cast<long long>(2 * costs.speed_of(4)), 6);
  CHECK_EQUAL(static_cast<long long>(2 * costs.speed_of(5)), 8);
}

std::string message_of(const std::function<void()>& body) {
  Machine machine(known_costs());
  try {
    machine.run(body);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

void failures_are_noticed() {
  static Word word;
  const std::string deadlock = message_of([] { blitz::detail::futex_wait(word.value, 0); });
  CHECK_EQUAL(deadlock.find("deadlock") != std::string::npos, true);
  const std::string left = message_of([] {
    static std::function<void()> body = [] { blitz::detail::futex_wait(word.value, 0); };
    Machine::current()->start_thread([](void*) { body(); }, nullptr);
    Machine::current()->sleep(kMillisecond);
  });
  CHECK_EQUAL(left.find("left") != std::string::npos, true);
  CHECK_EQUAL(Machine::current() == nullptr, true);
}

/// Each thread has its own thread_local values and current exceptions.
void threads_are_apart() {
  static void* mine = nullptr;
  Machine machine(known_costs());
  machine.make_thread_local(&mine);
  machine.run([] {
    const auto body = [] {
      int here = 0;
      mine = &here;
      try {
        throw std::runtime_error(std::to_string(Machine::current()->processor()));
      } catch (const std::runtime_error&) {
        Machine::current()->sleep(kMicrosecond);
        CHECK_EQUAL(mine == &here, true);
        try {
          throw;
        } catch (const std::runtime_error& error) {
          CHECK_EQUAL(std::stoi(error.what()), static_cast<int>(Machine::current()->processor()));
        }
      }
    };
    const Threads threads({body, body, body});
    CHECK_EQUAL(mine == nullptr, true);
  });
}

}  // namespace

int main() {
  own_lines();
  bounced(known_costs(), 1, 1000);
  bounced(known_costs(), 3, 1000);
  bounced(known_costs(), 4, 3000);
  bounced(three_distances(), 1, 1000);
  bounced(three_distances(), 2, 1700);
  bounced(three_distances(), 3, 1700);
  bounced(three_distances(), 4, 3000);
  bounced(three_distances(), 300, 3000);
  readers();
  distances();
  free_lines();
  contended();
  store_buffer();
  stores_become_visible();
  fences_order_stores_and_loads();
  membarriers();
  membarriers_at_once();
  heavy_fences_share();
  sleeping_and_waking();
  a_mutex_excludes();
  clocks();
  slow_processors();
  failures_are_noticed();
  threads_are_apart();
  if (failures == 0) std::puts("all as known");
  return failures == 0 ? 0 : 1;
}
