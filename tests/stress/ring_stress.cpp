/// The ring of the async backend with its LIFO slot: an owner against one to three thieves, each with its own ring, and a sink
/// for overflowing items.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/queue/lifo_slot.hpp"
#include "blitz/detail/queue/work_steal_queue.hpp"
#include "stress.hpp"

namespace blitz_test {
namespace {

struct Item {
  std::uint32_t number = 0;  // written before the push, read by the thread that takes the item
  std::uint32_t times_taken = 0;
};

/// Receives overflowing items. Any thread may take them.
class Sink {
 public:
  void push_batch(std::span<Item* const> items) noexcept {
    const std::lock_guard lock(mutex_);
    items_.insert(items_.end(), items.begin(), items.end());
    overflowed_ += items.size();
  }
  Item* take() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return nullptr;
    Item* const item = items_.back();
    items_.pop_back();
    return item;
  }
  [[nodiscard]] std::uint64_t overflowed() const { return overflowed_; }

 private:
  std::mutex mutex_;
  std::vector<Item*> items_;
  std::uint64_t overflowed_ = 0;
};

/// The state of one thread: a ring, a slot, and counts.
template <std::size_t Capacity>
class Party {
 public:
  using Ring = blitz::detail::WorkStealQueue<Item, Capacity>;

  Party(Sink& sink, std::uint64_t stream) : random(stream), sink_(sink) {}

  /// Like the policy: the newest item goes to the slot, and the evicted item to the ring.
  void push(Item& item) {
    if (random.one_in(3)) {
      ring.push(&item, sink_);
    } else if (Item* const evicted = slot.put(&item)) {
      ring.push(evicted, sink_);
    }
  }

  /// Takes one of the thread's own items, by one of the owner's functions. Returns false if there was none.
  bool take_own() {
    Item* item = nullptr;
    switch (random.below(4)) {
      case 0:
        item = slot.take();
        break;
      case 1:
        item = ring.take_newest();
        break;
      default:
        item = ring.pop();
    }
    if (item == nullptr) item = ring.pop();
    if (item == nullptr) item = slot.take();
    if (item == nullptr) return false;
    took(*item);
    return true;
  }

  void took(Item& item) {
    if (item.times_taken++ != 0) ++surprises;
    ++taken;
  }

  Ring ring;
  blitz::detail::LifoSlot<Item> slot;
  Random random;
  std::uint64_t taken = 0;
  std::uint64_t stolen = 0;
  std::uint64_t surprises = 0;

 private:
  Sink& sink_;
};

template <std::size_t Capacity>
void push_and_take(Party<Capacity>& self, std::vector<Item>& items, Sink& sink) {
  const std::uint64_t longest = 1 + self.random.below(self.random.one_in(3) ? 2 * Capacity : 6);
  for (std::size_t next = 0; next < items.size();) {
    for (std::uint64_t n = self.random.below(longest + 1); n > 0 && next < items.size(); --n, ++next) {
      items[next].number = static_cast<std::uint32_t>(next);
      self.push(items[next]);
    }
    for (std::uint64_t n = self.random.below(longest + 1); n > 0 && self.take_own(); --n) {
    }
    if (self.random.one_in(32)) {
      if (Item* const item = sink.take()) self.took(*item);
    }
    // Sometimes the thieves get time to empty the ring.
    if (self.random.one_in(16)) spin_for(std::chrono::nanoseconds(self.random.below(3'000)));
  }
  while (self.take_own()) {
  }
}

template <std::size_t Capacity>
void steal_and_take(Party<Capacity>& self, Party<Capacity>& victim, std::vector<Item>& items) {
  using Outcome = typename blitz::detail::StealResult<Item>::Outcome;
  if (self.random.one_in(4)) {
    if (Item* const item = victim.slot.take()) {
      self.took(*item);
      ++self.stolen;
    }
  }
  const std::size_t most = self.random.one_in(2) ? Capacity : self.random.between(1, Capacity);
  const auto loot = victim.ring.steal_into(self.ring, most);
  if (loot.outcome != Outcome::kItem) {
    if (self.random.one_in(64)) std::this_thread::yield();
    return;
  }
  if (loot.item->number >= items.size()) ++self.surprises;
  self.took(*loot.item);
  self.stolen += 1 + loot.moved;
  // Some of the stolen items stay for other thieves.
  for (std::uint64_t n = self.random.below(loot.moved + 2); n > 0 && self.take_own(); --n) {
  }
}

TEST_CASE_TEMPLATE("ring: owner and thieves take each item once", Size, std::integral_constant<std::size_t, 4>,
                   std::integral_constant<std::size_t, 256>) {
  constexpr std::size_t kCapacity = Size::value;
  TestWatchdog dog;
  Random random(60);
  const Deadline deadline(stress_time() / 2);
  std::uint64_t rounds = 0;
  std::uint64_t all_items = 0;
  std::uint64_t stolen = 0;
  std::uint64_t overflowed = 0;
  while (!deadline.passed()) {
    std::vector<Item> items(static_cast<std::size_t>(random.between(1, random.one_in(2) ? 200 : 70'000)));
    Sink sink;
    const std::size_t thieves = random.between(1, 3);
    std::vector<std::unique_ptr<Party<kCapacity>>> parties;
    for (std::size_t i = 0; i <= thieves; ++i) {
      parties.push_back(std::make_unique<Party<kCapacity>>(sink, random.next()));
    }
    std::atomic<std::size_t> thieves_there{0};
    std::atomic<bool> owner_done{false};
    in_threads(1 + thieves, [&](std::size_t thread) {
      Party<kCapacity>& self = *parties[thread];
      if (thread == 0) {
        while (thieves_there < thieves) std::this_thread::yield();
        push_and_take(self, items, sink);
        owner_done = true;
        return;
      }
      ++thieves_there;
      while (!owner_done.load(std::memory_order_relaxed)) {
        // Mostly the owner, sometimes another thief.
        const std::size_t victim = self.random.one_in(4) ? self.random.below(1 + thieves) : 0;
        if (victim != thread) steal_and_take(self, *parties[victim], items);
      }
    });
    // The remaining items are in the thieves' rings and in the sink.
    std::uint64_t taken = 0;
    for (auto& party : parties) {
      while (party->take_own()) {
      }
      CHECK(party->ring.empty());
      CHECK(party->slot.empty());
      CHECK(party->surprises == 0);
      taken += party->taken;
      stolen += party->stolen;
    }
    while (Item* const item = sink.take()) {
      ++item->times_taken;
      ++taken;
    }
    CHECK(taken == items.size());
    std::uint64_t wrong = 0;
    for (const Item& item : items) wrong += item.times_taken == 1 ? 0U : 1U;
    CHECK(wrong == 0);
    ++rounds;
    all_items += items.size();
    overflowed += sink.overflowed();
    dog.progress();
  }
  MESSAGE("done: " << rounds << " rounds, " << all_items << " items, " << stolen << " stolen, " << overflowed
                   << " overflowed");
}

}  // namespace
}  // namespace blitz_test
