/// The deque: its owner against one to three thieves, with small initial capacities.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/queue/chase_lev_deque.hpp"
#include "stress.hpp"

namespace blitz_test {
namespace {

struct Item {
  std::uint32_t number = 0;  // written before the push, read by the thread that takes the item
  std::uint32_t times_taken = 0;
};

using Deque = blitz::detail::ChaseLevDeque<Item>;

/// The owner's half of a round, with its checks.
class Owner {
 public:
  Owner(Deque& deque, std::vector<Item>& items, std::uint64_t stream) : deque_(deque), items_(items), random_(stream) {}

  /// Pushes all items in bursts, pops some in between, and finally pops the rest.
  void run() {
    const std::uint64_t longest = 1 + random_.below(random_.one_in(3) ? 300 : 6);
    const std::uint64_t pauses = std::uint64_t{1} << random_.below(8);
    while (next_ < items_.size()) {
      for (std::uint64_t n = random_.below(longest + 1); n > 0 && next_ < items_.size(); --n) push();
      for (std::uint64_t n = random_.below(longest + 1); n > 0; --n) take_one();
      // Sometimes the thieves get time to empty the deque.
      if (random_.one_in(pauses)) spin_for(std::chrono::nanoseconds(random_.below(3'000)));
    }
    while (take_one()) {
    }
  }

  [[nodiscard]] std::uint64_t surprises() const { return surprises_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

 private:
  struct Mine {
    Item* item;
    Deque::Place place;
  };

  void push() {
    Item& item = items_[next_];
    item.number = static_cast<std::uint32_t>(next_++);
    mine_.push_back({&item, deque_.push(&item)});
  }

  /// Returns false if the deque is empty.
  bool take_one() {
    if (!mine_.empty() && random_.one_in(2)) {
      const Mine newest = mine_.back();
      // pop_if_newest() must refuse an item that is not the newest.
      if (mine_.size() > 1 && random_.one_in(8) && deque_.pop_if_newest(mine_[mine_.size() - 2].place)) ++surprises_;
      if (deque_.pop_if_newest(newest.place)) {
        took(*newest.item);
        return true;
      }
    }
    Item* const item = deque_.pop();
    if (item == nullptr) {
      // The thieves have stolen, or are about to steal, all remaining items.
      mine_.clear();
      return false;
    }
    if (mine_.empty() || mine_.back().item != item) ++surprises_;
    took(*item);
    return true;
  }

  void took(Item& item) {
    ++item.times_taken;
    ++taken_;
    if (!mine_.empty()) mine_.pop_back();
  }

  Deque& deque_;
  std::vector<Item>& items_;
  Random random_;
  std::size_t next_ = 0;
  std::vector<Mine> mine_;  // pushed and not taken by the owner, oldest first; thieves may have the first ones
  std::uint64_t surprises_ = 0;
  std::uint64_t taken_ = 0;
};

TEST_CASE("deque: each item is taken once, newest first by its owner, oldest first by thieves") {
  using Outcome = blitz::detail::StealResult<Item>::Outcome;
  TestWatchdog dog;
  Random random(0);
  const Deadline deadline;
  std::uint64_t rounds = 0;
  std::uint64_t all_items = 0;
  std::uint64_t all_stolen = 0;
  std::uint64_t all_lost = 0;
  std::uint64_t all_on_guard = 0;
  while (!deadline.passed()) {
    std::vector<Item> items(static_cast<std::size_t>(random.between(1, random.one_in(2) ? 100 : 20'000)));
    Deque deque(std::size_t{1} << random.below(5));
    const std::size_t thieves = random.between(1, 3);
    const std::uint64_t stream = random.next();
    // How rarely a thief asks for a guard, and how rarely it pauses long enough for a guard to end.
    const std::uint64_t rarely_asks = std::uint64_t{1} << random.below(12);
    const std::uint64_t rarely_away = std::uint64_t{1} << random.between(4, 14);
    std::atomic<std::size_t> thieves_there{0};
    std::atomic<bool> owner_done{false};
    std::atomic<std::uint64_t> stolen{0};
    std::atomic<std::uint64_t> lost{0};
    std::atomic<std::uint64_t> on_guard{0};
    std::atomic<std::uint64_t> surprises{0};
    std::uint64_t popped = 0;

    in_threads(1 + thieves, [&](std::size_t thread) {
      if (thread == 0) {
        Owner owner(deque, items, stream);
        while (thieves_there < thieves) std::this_thread::yield();
        owner.run();
        popped = owner.taken();
        surprises += owner.surprises();
        owner_done = true;
        return;
      }
      Random mine(stream + thread);
      std::uint64_t count = 0;
      std::uint64_t losses = 0;
      std::uint64_t meetings = 0;
      std::int64_t last = -1;
      ++thieves_there;
      while (!owner_done.load(std::memory_order_relaxed)) {
        if (mine.one_in(rarely_away)) spin_for(std::chrono::microseconds(mine.below(20)));
        if (mine.one_in(rarely_asks)) deque.ask_for_guard();
        if (deque.guarded()) ++meetings;
        const auto result = deque.steal();
        if (result.outcome == Outcome::kLost) ++losses;
        if (result.outcome != Outcome::kItem) {
          if (mine.one_in(64)) std::this_thread::yield();
          continue;
        }
        if (static_cast<std::int64_t>(result.item->number) <= last) ++surprises;
        last = result.item->number;
        ++result.item->times_taken;
        ++count;
      }
      stolen += count;
      lost += losses;
      on_guard += meetings;
    });

    // The owner has emptied the deque. The thieves have finished their steals, too.
    CHECK(deque.empty());
    CHECK(deque.steal().outcome == Outcome::kEmpty);
    CHECK(surprises.load() == 0);
    CHECK(popped + stolen.load() == items.size());
    CHECK(deque.stolen() == stolen.load());
    std::size_t wrong = 0;
    for (const Item& item : items) wrong += item.times_taken != 1 ? 1U : 0U;
    CHECK(wrong == 0);
    ++rounds;
    all_items += items.size();
    all_stolen += stolen;
    all_lost += lost;
    all_on_guard += on_guard;
    dog.progress();
  }
  MESSAGE("done: " << rounds << " rounds, " << all_items << " items, " << all_stolen << " stolen, " << all_lost
                   << " thefts lost to others, " << all_on_guard << " guards met");
}

}  // namespace
}  // namespace blitz_test
