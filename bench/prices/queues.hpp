// The prices of the workers' queues: deque, ring and LIFO slot.
#pragma once

#include <cstddef>
#include <span>

#include "bench/prices/pricing.hpp"
#include "blitz/detail/queue/chase_lev_deque.hpp"
#include "blitz/detail/queue/lifo_slot.hpp"
#include "blitz/detail/queue/work_steal_queue.hpp"

namespace bench::prices {

using blitz::detail::ChaseLevDeque;
using blitz::detail::LifoSlot;
using blitz::detail::WorkStealQueue;

/// `Guarded`: thieves ask for the guard first, as ForkJoinFinder does.
template <bool Guarded>
struct Deque {
  static constexpr std::size_t kThefts = kBatch;

  bool push() {
    queue.push(&item);
    return true;
  }
  bool pop() { return queue.pop() != nullptr; }
  bool push_and_take_back() { return queue.pop_if_newest(queue.push(&item)); }
  bool steal() {
    if (Guarded) queue.ask_for_guard();
    return queue.steal().item != nullptr;
  }
  void forget_loot() {}

  ChaseLevDeque<Item> queue;
};

/// A thief takes up to `Most` items in one theft, and puts all except one into its own ring.
template <std::size_t Most>
struct Ring {
  static constexpr std::size_t kThefts = Most == 1 ? kBatch : 1;

  bool push() { return queue.push(&item, nowhere) == 0; }
  bool pop() { return queue.pop() != nullptr; }
  bool push_and_take_back() { return push() && queue.take_newest_if(&item); }
  bool steal() { return queue.steal_into(loot, Most).item != nullptr; }
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

/// A slot with the interface of a queue.
struct Slot {
  bool put() { return queue.put(&item) != nullptr; }
  bool put_and_take_back() { return queue.put(&item) == nullptr && queue.take_if(&item); }
  bool steal() { return queue.take() != nullptr; }

  LifoSlot<Item> queue;
};

template <class Queue>
void clear(Queue& queue) {
  while (queue.pop()) {
  }
}

template <class Queue>
void fill(Queue& queue) {
  while (queue.queue.size() < kStock) queue.push();
}

/// Times `operate(queue)`, called by the owner; the rival is a thief.
template <class Queue, class Prepare, class Operate>
void time_owner(Pricing& pricing, const Prepare& prepare, const Operate& operate) {
  Queue queue;
  pricing.beside([&] { queue.steal(); });
  pricing.time(
      kBatch, [&] { prepare(queue); }, [&] { return operate(queue); });
}

template <class Queue>
void push(Pricing& pricing) {
  time_owner<Queue>(pricing, clear<Queue>, [](Queue& queue) { return queue.push(); });
}

template <class Queue>
void pop(Pricing& pricing) {
  time_owner<Queue>(pricing, fill<Queue>, [](Queue& queue) { return queue.pop(); });
}

/// There are other items below: taking back the last item would cost an exchange.
template <class Queue>
void push_and_take_back(Pricing& pricing) {
  time_owner<Queue>(pricing, fill<Queue>, [](Queue& queue) { return queue.push_and_take_back(); });
}

inline void put_and_take_back(Pricing& pricing) {
  time_owner<Slot>(
      pricing, [](Slot&) {}, [](Slot& slot) { return slot.put_and_take_back(); });
}

inline void put_over(Pricing& pricing) {
  time_owner<Slot>(
      pricing, [](Slot& slot) { slot.put(); }, [](Slot& slot) { return slot.put(); });
}

/// The neighbour is the owner, so the stolen items are in its cache.
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

/// The owner is idle, and the stolen items are in the caller's cache; the neighbour is another thief.
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

}  // namespace bench::prices
