#include "bench/prices.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <semaphore>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/harness/clock.hpp"
#include "bench/harness/processors.hpp"
#include "bench/harness/statistics.hpp"
#include "blitz/async/global_queue.hpp"
#include "blitz/async/idle_state.hpp"
#include "blitz/async/lifo_slot.hpp"
#include "blitz/async/work_steal_queue.hpp"
#include "blitz/base/asymmetric_fence.hpp"
#include "blitz/base/linger.hpp"
#include "blitz/fork_join/chase_lev_deque.hpp"
#include "blitz/fork_join/sleep.hpp"
#include "blitz/fork_join/treiber_stack.hpp"

namespace bench {
namespace {

using blitz::detail::asymmetric_heavy_fence;
using blitz::detail::ChaseLevDeque;
using blitz::detail::cpu_relax;
using blitz::detail::GlobalQueue;
using blitz::detail::IdleState;
using blitz::detail::LifoSlot;
using blitz::detail::Rest;
using blitz::detail::Sleep;
using blitz::detail::TreiberStack;
using blitz::detail::WorkStealQueue;

/// What stands in for a job: nothing is run here.
struct Item {
  Item* next = nullptr;
};

/// The one that all queues of pointers hold, as often as it was pushed.
Item item;

constexpr std::size_t kBatch = 128;  // operations between two readings of the clock
constexpr std::size_t kStock = 240;  // items in a queue from which some are to be taken; a ring has room for 256
constexpr int kTurns = 64;           // how often a rival acts before it asks whether it is still wanted

/// A second thread, on another processor, which sleeps until there is something for it to do.
class Neighbour {
 public:
  explicit Neighbour(std::optional<int> processor) : thread_([this, processor] { live(processor); }) {}
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour() {
    rest();
    work_ = nullptr;
    begin_.release();
  }

  /// Has it call `work` over and over, until rest(); returns when it has done so for the first time.
  void begin(std::function<void()> work) { begin(std::move(work), false); }
  void rest() {
    if (!busy_) return;
    over_.store(true, std::memory_order_relaxed);
    done_.acquire();
    busy_ = false;
  }
  void once(std::function<void()> work) {
    begin(std::move(work), true);
    rest();
  }

 private:
  void begin(std::function<void()> work, bool once) {
    work_ = std::move(work);
    over_.store(once, std::memory_order_relaxed);
    begin_.release();
    done_.acquire();
    busy_ = true;
  }
  void live(std::optional<int> processor) {
    const Pin pin(processor);
    for (;;) {
      begin_.acquire();
      if (!work_) return;
      work_();
      done_.release();
      while (!over_.load(std::memory_order_relaxed)) work_();
      done_.release();
    }
  }

  bool busy_ = false;
  std::function<void()> work_;
  std::atomic<bool> over_{false};
  std::binary_semaphore begin_{0};
  std::counting_semaphore<2> done_{0};
  std::jthread thread_;
};

/// One measurement. There is always a second thread: where it sleeps, the price is that without contention. A process of one
/// thread would get its membarriers for nothing.
class Pricing {
 public:
  Pricing(benchmark::State& state, bool contended)
      : contended(contended), cpus(processors()), neighbour(cpu(1)), state_(state) {}

  /// The `i`th of the processors, of which the first is for the thread that measures.
  [[nodiscard]] std::optional<int> cpu(std::size_t i) const {
    return i < cpus.size() ? std::optional(cpus[i]) : std::nullopt;
  }

  /// If contention is wanted: `act` is called over and over, on another processor, while operations are timed.
  template <class Act>
  void beside(Act act) {
    if (!contended) return;
    neighbour.begin([act]() mutable {
      for (int i = 0; i < kTurns; ++i) act();
    });
  }

  /// Calls `sample` as often as it takes; each time it says how long `count` operations took, a reading of the clock included.
  /// The price is the mean of the samples between the quartiles.
  template <class Sample>
  void measure(std::size_t count, const Sample& sample) {
    std::vector<double> samples;
    while (state_.KeepRunningBatch(static_cast<benchmark::IterationCount>(count))) samples.push_back(seconds(sample()));
    neighbour.rest();
    const double net = std::max(0.0, middle_mean(samples) - clock_cost());
    state_.SetIterationTime(static_cast<double>(samples.size()) * net);
  }

  /// Times `operate`, `count` calls at a time, which returns whether it did what it is to do: without contention it must.
  /// `prepare` is called before, and not timed.
  template <class Prepare, class Operate>
  void time(std::size_t count, const Prepare& prepare, const Operate& operate) {
    const Pin pin(cpu(0));
    measure(count, [&] {
      prepare();
      bool done = true;
      const auto start = Clock::now();
      for (std::size_t i = 0; i < count; ++i) done &= operate();
      const auto duration = Clock::now() - start;
      if (!done && !contended) state_.SkipWithError("an operation failed");
      return duration;
    });
  }

  const bool contended;
  const std::vector<int> cpus;
  Neighbour neighbour;

 private:
  benchmark::State& state_;
};

constexpr auto kNothing = [] {};

// --- the queues of the workers -----------------------------------------------------------------------------------------

/// `Guarded`: thieves ask for the guard, as ForkJoinFinder does.
template <bool Guarded>
struct Deque {
  static constexpr std::size_t kThefts = kBatch;

  bool push() {
    queue.push(&item);
    return true;
  }
  bool pop() { return queue.pop() != nullptr; }
  bool push_and_take_back() { return queue.take_back(queue.push(&item)); }
  bool steal() {
    if (Guarded) queue.ask_for_guard();
    return queue.steal().item != nullptr;
  }
  void forget_loot() {}

  ChaseLevDeque<Item> queue;
};

/// A thief takes `Most` items at once, the greater part of which goes to a ring of its own.
template <std::size_t Most>
struct Ring {
  static constexpr std::size_t kThefts = Most == 1 ? kBatch : 1;

  bool push() { return queue.push(&item, nowhere) == 0; }
  bool pop() { return queue.pop() != nullptr; }
  bool push_and_take_back() { return push() && queue.take_back(&item); }
  bool steal() { return queue.steal_into(loot, Most).first != nullptr; }
  void forget_loot() {
    while (loot.pop() != nullptr) {
    }
  }

  struct Nowhere {
    void push_batch(std::span<Item* const>) noexcept {}
  };
  Nowhere nowhere;
  WorkStealQueue<Item> queue;
  WorkStealQueue<Item> loot;
};

template <class Queue>
void fill(Queue& queue) {
  while (queue.queue.size() < kStock) queue.push();
}

template <class Queue>
void push(Pricing& pricing) {
  Queue queue;
  pricing.beside([&] { queue.steal(); });
  const auto clear = [&] {
    while (queue.pop()) {
    }
  };
  pricing.time(kBatch, clear, [&] { return queue.push(); });
}

template <class Queue>
void pop(Pricing& pricing) {
  Queue queue;
  pricing.beside([&] { queue.steal(); });
  pricing.time(
      kBatch, [&] { fill(queue); }, [&] { return queue.pop(); });
}

template <class Queue>
void push_and_take_back(Pricing& pricing) {
  Queue queue;
  pricing.beside([&] { queue.steal(); });
  // With others below it: the last one takes an exchange.
  pricing.time(
      kBatch, [&] { fill(queue); }, [&] { return queue.push_and_take_back(); });
}

/// The owner is the neighbour: its cache has what is stolen.
template <class Queue>
void steal(Pricing& pricing) {
  Queue queue;
  queue.steal();  // asks for the guard
  pricing.beside([&] {
    fill(queue);
    queue.push();
    queue.pop();
  });
  const auto prepare = [&] {
    queue.forget_loot();
    if (!pricing.contended) pricing.neighbour.once([&] { fill(queue); });
  };
  pricing.time(Queue::kThefts, prepare, [&] {
    while (!queue.steal()) {
    }
    return true;
  });
}

/// The owner is idle and has left all in the caller's cache; the neighbour is another thief.
template <class Queue>
void steal_from_idle(Pricing& pricing) {
  Queue queue;
  queue.steal();
  pricing.beside([&] { queue.steal(); });
  pricing.time(
      Queue::kThefts, [&] { fill(queue); },
      [&] {
        while (!queue.steal()) fill(queue);
        return true;
      });
}

void put_and_take_back(Pricing& pricing) {
  LifoSlot<Item> slot;
  pricing.beside([&] { (void)slot.take(); });
  pricing.time(kBatch, kNothing, [&] { return slot.put(&item) == nullptr && slot.take_back(&item); });
}

void put_over(Pricing& pricing) {
  LifoSlot<Item> slot;
  (void)slot.put(&item);
  pricing.beside([&] { (void)slot.take(); });
  pricing.time(kBatch, kNothing, [&] { return slot.put(&item) != nullptr; });
}

// --- the injectors -----------------------------------------------------------------------------------------------------

/// An injector and the items that are not in it; a rival holds one at most.
template <class Injector>
struct Supply {
  explicit Supply(Pricing& pricing) {
    free.reserve(items.size());
    for (Item& item : items) free.push_back(&item);
    pricing.beside([this, mine = static_cast<Item*>(nullptr)]() mutable {
      if (mine != nullptr) injector.push(mine);
      mine = injector.take();
    });
  }
  Supply(const Supply&) = delete;
  Supply& operator=(const Supply&) = delete;
  ~Supply() {
    while (!injector.empty()) (void)injector.take();
  }

  bool push() {
    injector.push(free.back());
    free.pop_back();
    return true;
  }
  void push_all() {
    while (!free.empty()) push();
  }
  /// Takes an item, if there is one that nobody else takes.
  bool take() { return keep(injector.take()); }
  bool take_batch() {
    return keep(injector.take_batch(1, Injector::kDefaultBatch, [this](Item* item) { free.push_back(item); }));
  }
  /// All but the one that the rival may hold.
  void take_all() {
    while (free.size() + 1 < items.size()) take();
  }
  bool keep(Item* item) {
    if (item != nullptr) free.push_back(item);
    return item != nullptr;
  }

  std::array<Item, kBatch + 1> items;
  std::vector<Item*> free;
  Injector injector;
};

template <class Injector>
void inject(Pricing& pricing) {
  Supply<Injector> supply(pricing);
  pricing.time(
      kBatch, [&] { supply.take_all(); }, [&] { return supply.push(); });
}

template <class Injector>
void take_injected(Pricing& pricing) {
  Supply<Injector> supply(pricing);
  pricing.time(
      kBatch, [&] { supply.push_all(); },
      [&] {
        while (!supply.take()) {
        }
        return true;
      });
}

void take_batch(Pricing& pricing) {
  using Injector = GlobalQueue<Item>;
  Supply<Injector> supply(pricing);
  pricing.time(
      kBatch / Injector::kDefaultBatch, [&] { supply.push_all(); }, [&] { return supply.take_batch(); });
}

// --- the idle protocols ------------------------------------------------------------------------------------------------

/// Two slots, whose runners are awake.
template <class Idle>
struct TwoAwake {
  TwoAwake() {
    (void)idle.try_borrow(0);
    (void)idle.try_borrow(1);
    idle.new_jobs();  // From now on nothing is posted that nobody knows.
  }
  /// The runner of `slot` runs out of work, and finds some at once.
  bool look_and_find(std::size_t slot) {
    auto search = idle.start_looking(slot);
    idle.work_found(search);
    return true;
  }

  Idle idle{2};
};

template <class Idle>
void new_jobs(Pricing& pricing) {
  TwoAwake<Idle> two;
  pricing.beside([&] { two.look_and_find(0); });
  pricing.time(kBatch, kNothing, [&] {
    two.idle.new_jobs();
    return true;
  });
}

template <class Idle>
void look_and_find(Pricing& pricing) {
  TwoAwake<Idle> two;
  pricing.beside([&] { two.look_and_find(0); });
  pricing.time(kBatch, kNothing, [&] { return two.look_and_find(1); });
}

/// The latch of a worker for which nothing comes.
struct NeverSet {
  bool probe() const noexcept { return false; }
  bool get_sleepy() noexcept { return true; }
  bool fall_asleep() noexcept {
    asleep = Clock::now();
    return true;
  }
  void wake_up() noexcept {}

  Clock::time_point asleep{};
};

constexpr auto kNoneInjected = []() noexcept { return false; };

/// The rival is on the same processor: the two take turns.
template <class Idle>
void idle_round(Pricing& pricing) {
  TwoAwake<Idle> two;
  if (pricing.contended) {
    pricing.neighbour.begin([here = pricing.cpu(0)] {
      const Pin pin(here);
      for (int i = 0; i < kTurns; ++i) std::this_thread::yield();
    });
  }
  NeverSet latch;
  auto search = two.idle.start_looking(1);
  pricing.time(kBatch, kNothing, [&] {
    search.rounds = 0;
    two.idle.no_work_found(search, latch, Rest::kWait, kNoneInjected);
    return true;
  });
  two.idle.work_found(search);
}

/// One sleep of a worker, and its wake-up.
struct Nap {
  Clock::time_point out_of_work{};
  Clock::time_point asleep{};  // just before it blocks
  Clock::time_point call{};    // the waker begins, and ...
  Clock::time_point called{};  // ... goes on
  Clock::time_point awake{};   // the worker would look for work
};

Clock::duration time_to_sleep(const Nap& nap) { return nap.asleep - nap.out_of_work; }
Clock::duration waker_time(const Nap& nap) { return nap.called - nap.call; }
Clock::duration time_to_wake(const Nap& nap) { return nap.awake - nap.call; }
Clock::duration whole_cycle(const Nap& nap) { return time_to_sleep(nap) + time_to_wake(nap); }

/// The worker of slot 1 sleeps whenever it can. The calling thread, which runs slot 0, wakes it after a while by posting a
/// job. Contention: no processor is idle.
template <class Idle, Clock::duration (*figure)(const Nap&)>
void sleep_and_wake(Pricing& pricing) {
  constexpr auto kLongEnough = std::chrono::milliseconds(1);
  std::list<Neighbour> busy;
  for (std::size_t i = 1; pricing.contended && i < pricing.cpus.size(); ++i) {
    busy.emplace_back(pricing.cpu(i)).begin([] { cpu_relax(); });
  }

  Idle idle(2);
  (void)idle.try_borrow(0);
  Nap last;                                // the worker's part of it; valid after it has ...
  std::atomic<std::uint64_t> wake_ups{0};  // ... counted it here
  std::atomic<bool> over{false};
  std::binary_semaphore ready{0};
  std::jthread worker([&] {
    idle.adopt_resident(1);
    ready.release();
    auto search = idle.first_search(1);
    NeverSet latch;
    Nap nap;
    for (std::uint64_t slept = 0;; ++slept) {
      nap.awake = Clock::now();
      idle.work_found(search);
      last = nap;
      wake_ups.store(slept + 1, std::memory_order_release);
      if (over.load(std::memory_order_relaxed)) return;
      nap.out_of_work = Clock::now();
      search = idle.start_looking(1);
      // A busy thread keeps the processor for milliseconds each time that it is yielded to.
      if (pricing.contended) search.rounds = blitz::detail::kRoundsOfSearch;
      while (idle.times_slept(1) == slept) idle.no_work_found(search, latch, Rest::kVacate, kNoneInjected);
      nap.asleep = latch.asleep;
    }
  });
  ready.acquire();

  std::uint64_t woken = 0;
  const auto wake = [&] {
    const auto call = Clock::now();
    idle.new_jobs();
    const auto called = Clock::now();
    ++woken;
    while (wake_ups.load(std::memory_order_acquire) < woken) cpu_relax();
    Nap nap = last;
    nap.call = call;
    nap.called = called;
    return nap;
  };
  const auto wait_until_asleep = [&] {
    do {
      std::this_thread::sleep_for(kLongEnough);
    } while (idle.times_slept(1) < woken);
  };
  wake();
  pricing.measure(1, [&] {
    wait_until_asleep();
    return figure(wake());
  });
  wait_until_asleep();
  over.store(true, std::memory_order_relaxed);
  wake();
}

void heavy_fence(Pricing& pricing) {
  pricing.beside([] { cpu_relax(); });
  pricing.time(kBatch, kNothing, [] {
    asymmetric_heavy_fence();
    return true;
  });
}

// --- the table ---------------------------------------------------------------------------------------------------------

struct Row {
  const char* operation;
  const char* rival;  // what the contention comes from; null: there is none
  void (*price)(Pricing&);
};

constexpr const char* kThief = "a thief";
constexpr const char* kOwner = "its owner at work";
constexpr const char* kOtherThread = "another thread that pushes and takes";
constexpr const char* kOtherWorker = "another worker that looks and finds";
constexpr const char* kYields = "a thread of the same processor that yields";
constexpr const char* kAllBusy = "no processor idle";

const Row kRows[] = {
    {"deque: push", kThief, push<Deque<true>>},
    {"deque: pop", kThief, pop<Deque<true>>},
    {"deque: push, take back", kThief, push_and_take_back<Deque<true>>},
    {"deque: steal", kOwner, steal<Deque<false>>},
    {"guarded deque: steal", kOwner, steal<Deque<true>>},
    {"guarded deque: steal what is in the cache", "another thief", steal_from_idle<Deque<true>>},
    {"stack: push", kOtherThread, inject<TreiberStack<Item>>},
    {"stack: take", kOtherThread, take_injected<TreiberStack<Item>>},
    {"Sleep: new_jobs, all awake", kOtherWorker, new_jobs<Sleep>},
    {"Sleep: start_looking, work_found", kOtherWorker, look_and_find<Sleep>},
    {"Sleep: idle round", kYields, idle_round<Sleep>},
    {"Sleep: until it sleeps", nullptr, sleep_and_wake<Sleep, time_to_sleep>},
    {"Sleep: wake, for the waker", kAllBusy, sleep_and_wake<Sleep, waker_time>},
    {"Sleep: wake, until it runs", kAllBusy, sleep_and_wake<Sleep, time_to_wake>},
    {"Sleep: sleep and wake", nullptr, sleep_and_wake<Sleep, whole_cycle>},
    {"slot: put, take back", kThief, put_and_take_back},
    {"slot: put over another", kThief, put_over},
    {"ring: push", kThief, push<Ring<1>>},
    {"ring: pop", kThief, pop<Ring<1>>},
    {"ring: push, take back", kThief, push_and_take_back<Ring<1>>},
    {"ring: steal one", kOwner, steal<Ring<1>>},
    {"ring: steal half of 240", kOwner, steal<Ring<WorkStealQueue<Item>::kHalf>>},
    {"global queue: push", kOtherThread, inject<GlobalQueue<Item>>},
    {"global queue: take", kOtherThread, take_injected<GlobalQueue<Item>>},
    {"global queue: take a batch of 32", kOtherThread, take_batch},
    {"IdleState: new_jobs, all awake", kOtherWorker, new_jobs<IdleState>},
    {"IdleState: start_looking, work_found", kOtherWorker, look_and_find<IdleState>},
    {"IdleState: idle round", kYields, idle_round<IdleState>},
    {"IdleState: until it sleeps", nullptr, sleep_and_wake<IdleState, time_to_sleep>},
    {"IdleState: wake, for the waker", kAllBusy, sleep_and_wake<IdleState, waker_time>},
    {"IdleState: wake, until it runs", kAllBusy, sleep_and_wake<IdleState, time_to_wake>},
    {"IdleState: sleep and wake", nullptr, sleep_and_wake<IdleState, whole_cycle>},
    {"heavy fence", "a busy thread", heavy_fence},
};

}  // namespace

void add_prices() {
  const bool two = processors().size() > 1;  // a rival needs one of its own
  for (const Row& row : kRows) {
    for (const bool contended : {false, true}) {
      if (contended && (!two || row.rival == nullptr)) continue;
      const std::string name = std::string("price/") + row.operation + "/" + (contended ? row.rival : "alone");
      auto* registered = benchmark::RegisterBenchmark(name.c_str(), [&row, contended](benchmark::State& state) {
        Pricing pricing(state, contended);
        row.price(pricing);
      });
      registered->UseManualTime();
    }
  }
}

}  // namespace bench
