// The prices of the workers' queues: deque, ring and LIFO slot.
#pragma once

#include <cstddef>
#include <span>

#include "bench/prices/pricing.hpp"
#include "blitz/async/lifo_slot.hpp"
#include "blitz/async/work_steal_queue.hpp"
#include "blitz/fork_join/chase_lev_deque.hpp"

namespace bench::prices {

using blitz::detail::ChaseLevDeque;
using blitz::detail::LifoSlot;
using blitz::detail::WorkStealQueue;

/// `Guarded`: thieves ask for the guard, as ForkJoinFinder does.
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

/// A thief takes `Most` items at once, the greater part of which goes to a ring of its own.
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

inline void put_and_take_back(Pricing& pricing) {
  LifoSlot<Item> slot;
  pricing.beside([&] { (void)slot.take(); });
  pricing.time(kBatch, kNothing, [&] { return slot.put(&item) == nullptr && slot.take_if(&item); });
}

inline void put_over(Pricing& pricing) {
  LifoSlot<Item> slot;
  (void)slot.put(&item);
  pricing.beside([&] { (void)slot.take(); });
  pricing.time(kBatch, kNothing, [&] { return slot.put(&item) != nullptr; });
}

}  // namespace bench::prices
