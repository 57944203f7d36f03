// The prices of the injectors.
#pragma once

#include <array>
#include <vector>

#include "bench/prices/pricing.hpp"
#include "blitz/detail/queue/global_queue.hpp"
#include "blitz/detail/queue/treiber_stack.hpp"

namespace bench::prices {

using blitz::detail::GlobalQueue;
using blitz::detail::TreiberStack;

/// An injector, and the items that are not in it. A rival holds at most one more.
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
  /// Takes an item, unless the injector is empty or other threads take all of them.
  bool take() { return keep(injector.take()); }
  bool take_batch() {
    return keep(injector.take_batch(1, Injector::kDefaultBatch, [this](Item* item) { free.push_back(item); }));
  }
  /// Takes all items except the one that the rival may hold.
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

inline void take_batch(Pricing& pricing) {
  using Injector = GlobalQueue<Item>;
  Supply<Injector> supply(pricing);
  pricing.time(
      kBatch / Injector::kDefaultBatch, [&] { supply.push_all(); }, [&] { return supply.take_batch(); });
}

}  // namespace bench::prices
