#include "bench/prices/prices.hpp"

#include <string>

#include <benchmark/benchmark.h>

#include "bench/prices/idling.hpp"
#include "bench/prices/injectors.hpp"
#include "bench/prices/pricing.hpp"
#include "bench/prices/queues.hpp"

namespace bench {
namespace prices {
namespace {

struct Row {
  const char* operation;
  const char* rival;  // the source of the contention, or null for none
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
}  // namespace prices

void add_prices() {
  const bool two = processors().size() > 1;  // a rival needs its own processor
  for (const prices::Row& row : prices::kRows) {
    for (const bool contended : {false, true}) {
      if (contended && (!two || row.rival == nullptr)) continue;
      const std::string name = std::string("price/") + row.operation + "/" + (contended ? row.rival : "alone");
      auto* registered = benchmark::RegisterBenchmark(name.c_str(), [&row, contended](benchmark::State& state) {
        prices::Pricing pricing(state, contended);
        row.price(pricing);
      });
      registered->UseManualTime();
    }
  }
}

}  // namespace bench
