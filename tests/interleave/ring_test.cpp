// WorkStealQueue: each item is taken once and publishes its contents, with any concurrent calls of owner, thieves and overflow.
// All rings here begin just before their indices and tags wrap around.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "blitz/detail/queue/work_steal_queue.hpp"
#include "tests/support/interleave/explore.hpp"

namespace {

struct Item;
struct Indices;

}  // namespace

/// Not a ring: a specialization that is a friend of all rings, and sets the indices of an empty one.
template <>
class blitz::detail::WorkStealQueue<Indices, 2> {
 public:
  template <class Ring>
  static void set(Ring& ring, std::uint16_t index, std::uint32_t tag) {
    ring.head_.store(std::uint64_t{tag} << 32 | std::uint64_t{index} << 16 | index, std::memory_order_relaxed);
    ring.tail_.store(index, std::memory_order_relaxed);
  }
};

namespace {

using blitz::detail::WorkStealQueue;
using blitz::detail::yield_thread;
using interleave::expect;
using interleave::Plain;
using interleave::Run;

using Ring = WorkStealQueue<Item, 4>;
using Loot = blitz::detail::StealResult<Item>;

struct Item {
  Plain<int> payload{"payload", 0};
  Plain<int> taken{"taken", 0};
};

/// A ring with its owner, the rings of two thieves, and checks of the items.
class Game {
 public:
  static constexpr std::size_t kItems = 8;
  static constexpr std::size_t kThieves = 2;

  /// The ring begins with `pushed` items.
  Game(Run& run, std::size_t pushed) {
    run.name(ring_, "ring");
    run.name(items_, "items");
    begin_near_the_end(ring_);
    for (std::size_t thief = 0; thief < kThieves; ++thief) {
      run.name(loot_[thief], "loot " + std::to_string(thief + 1));
      begin_near_the_end(loot_[thief]);
    }
    while (pushed_ < pushed) expect(push() == 0, "there is room");
  }

  // --- the owner's ---

  /// Pushes the next item. Returns the number of items that overflowed.
  std::size_t push() { return ring_.push(next(), *this); }
  void push_into_room() { ring_.push_into_room(next()); }
  bool pop() { return take(ring_.pop()); }
  bool take_newest() { return take(ring_.take_newest()); }
  /// Takes back the last pushed item.
  bool take_back() {
    Item& item = items_[pushed_ - 1];
    return ring_.take_newest_if(&item) && take(&item);
  }

  // --- a thief's ---

  Loot::Outcome steal(std::size_t thief, std::size_t most = Ring::kHalf) { return steal_from(ring_, thief, most); }
  /// Steals from the other thief's ring.
  Loot::Outcome steal_loot(std::size_t thief) { return steal_from(loot_[1 - thief], thief, Ring::kHalf); }
  /// A thief that must get an item if there is one: it retries while it loses items to others.
  bool steal_hard(std::size_t thief) {
    Loot::Outcome outcome = steal(thief);
    for (; outcome == Loot::Outcome::kLost; outcome = steal(thief)) yield_thread();
    return outcome == Loot::Outcome::kItem;
  }
  std::size_t push_loot(std::size_t thief) { return loot_[thief].push(next(), *this); }
  bool pop_loot(std::size_t thief) { return take(loot_[thief].pop()); }
  bool take_newest_loot(std::size_t thief) { return take(loot_[thief].take_newest()); }

  // --- anyone's ---

  [[nodiscard]] const Ring& ring() const noexcept { return ring_; }
  [[nodiscard]] const Ring& loot(std::size_t thief) const noexcept { return loot_[thief]; }

  // --- in the body, at the end ---

  void expect_all_taken() {
    while (pop()) {
    }
    for (std::size_t thief = 0; thief < kThieves; ++thief) {
      while (pop_loot(thief)) {
      }
    }
    std::size_t taken = 0;
    for (const Item& item : items_) taken += item.taken.read() == 1 ? 1 : 0;
    expect(taken == pushed_, "each item has been taken");
    for (const Ring* ring : {&ring_, &loot_[0], &loot_[1]}) {
      expect(ring->empty() && ring->room() == Ring::kCapacity, "nothing is left, and all room is free");
    }
  }

  // --- as a sink ---

  void push_batch(std::span<Item* const> items) noexcept {
    for (Item* const item : items) take(item);
  }

 private:
  static void begin_near_the_end(Ring& ring) { WorkStealQueue<Indices, 2>::set(ring, 0xfffe, 0xffff'fffe); }

  Item* next() {
    Item& item = items_[pushed_];
    item.payload.write(static_cast<int>(++pushed_));
    return &item;
  }

  Loot::Outcome steal_from(Ring& victim, std::size_t thief, std::size_t most) {
    const Loot loot = victim.steal_into(loot_[thief], most);
    expect((loot.item != nullptr) == (loot.outcome == Loot::Outcome::kItem), "a theft that says so has an item");
    take(loot.item);
    return loot.outcome;
  }

  bool take(Item* item) {
    if (item == nullptr) return false;
    expect(item >= items_.data() && item < items_.data() + kItems, "what is taken is an item");
    expect(item->payload.read() == item - items_.data() + 1, "what the owner wrote has come with the item");
    // Two takers of one item race here. If the second is ordered after the first, it reads the first one's count.
    expect(item->taken.read() == 0, "nobody has taken it before");
    item->taken.write(1);
    return true;
  }

  Ring ring_;
  std::array<Ring, kThieves> loot_;
  std::array<Item, kItems> items_;
  std::size_t pushed_ = 0;
};

INTERLEAVE_CASE("ring: last item, popped or stolen", .preemptions = 4, .delays = 2, .random_schedules = 500) {
  Game game(run, 0);
  run.thread("owner", [&] {
    game.push();
    game.pop();
  });
  run.thread("thief", [&] { game.steal(0); });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("ring: last item, taken back or stolen", .preemptions = 4, .delays = 2, .random_schedules = 500) {
  Game game(run, 0);
  run.thread("owner", [&] {
    game.push();
    game.take_back();
    game.push();
  });
  run.thread("thief", [&] {
    game.steal(0);
    game.steal(0);
  });
  run.go();
  game.expect_all_taken();
}

// The thief reads a tail that covers the newest item, which the owner then takes.
INTERLEAVE_CASE("ring: the newest item, taken or stolen", .preemptions = 3, .delays = 2, .random_schedules = 1000) {
  Game game(run, 1);
  run.thread("owner", [&] {
    game.push();
    game.take_newest();
    game.take_newest();
  });
  run.thread("thief", [&] {
    game.steal(0);
    game.steal(0);
  });
  run.go();
  game.expect_all_taken();
}

// The tail returns to an earlier value, and covers an item. The thief has not seen its push yet.
INTERLEAVE_CASE("ring: an item below the newest", .preemptions = 3, .delays = 2, .random_schedules = 1000) {
  Game game(run, 0);
  run.thread("owner", [&] {
    game.push();
    game.push();
    game.take_newest();
  });
  run.thread("thief", [&] { game.steal(0); });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("ring: a slot is used again", .preemptions = 3, .random_schedules = 1000) {
  Game game(run, 2);
  run.thread("owner", [&] {
    game.take_newest();
    game.push();
    game.pop();
  });
  run.thread("thief", [&] {
    game.steal(0);
    game.steal(0);
  });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("ring: half is stolen while its owner takes", .preemptions = 3, .random_schedules = 1000) {
  Game game(run, 3);
  run.thread("owner", [&] {
    game.pop();
    game.take_newest();
    game.pop();
  });
  run.thread("thief", [&] {
    game.steal(0);
    game.pop_loot(0);
  });
  run.go();
  game.expect_all_taken();
}

// The ring is full, and the thief still copies from slots that the owner wants to use.
INTERLEAVE_CASE("ring: half is stolen while its owner pushes", .preemptions = 3, .random_schedules = 1000) {
  Game game(run, 3);
  run.thread("owner", [&] {
    expect(game.push() == 0, "there is room for the fourth");
    game.push();
    game.push();
  });
  run.thread("thief", [&] { game.steal(0); });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("ring: overflow against a thief of one", .preemptions = 3, .random_schedules = 1000) {
  Game game(run, 4);
  std::size_t overflowed = 0;
  run.thread("owner", [&] {
    overflowed = game.push();
    game.take_newest();
  });
  run.thread("thief", [&] {
    game.steal(0, 1);
    game.steal(0, 1);
  });
  run.go();
  expect(overflowed == 0 || overflowed == Ring::kHalf, "the older half, unless a thief has made room");
  game.expect_all_taken();
}

INTERLEAVE_CASE("ring: overflow against two thieves", .preemptions = 2, .random_schedules = 2000) {
  Game game(run, 4);
  run.thread("owner", [&] {
    game.push();
    game.push();
  });
  for (std::size_t thief = 0; thief < 2; ++thief) {
    run.thread("thief " + std::to_string(thief + 1), [&, thief] { game.steal(thief); });
  }
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("ring: room that was seen is there", .preemptions = 3, .random_schedules = 1000) {
  Game game(run, 4);
  run.thread("owner", [&] {
    for (std::size_t room = game.ring().room(); room > 0; --room) game.push_into_room();
    game.pop();
    for (std::size_t room = game.ring().room(); room > 0; --room) game.push_into_room();
  });
  run.thread("thief", [&] { game.steal(0); });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("ring: two thieves of half", .preemptions = 2, .random_schedules = 2000) {
  Game game(run, 3);
  run.thread("owner", [&] {
    game.push();
    game.take_newest();
  });
  for (std::size_t thief = 0; thief < 2; ++thief) {
    run.thread("thief " + std::to_string(thief + 1), [&, thief] {
      game.steal(thief);
      game.take_newest_loot(thief);
    });
  }
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("ring: a thief is robbed", .preemptions = 3, .random_schedules = 1000) {
  Game game(run, 3);
  run.thread("thief 1", [&] {
    game.steal(0);
    game.take_newest_loot(0);
  });
  run.thread("thief 2", [&] {
    game.steal_loot(1);
    game.steal(1);
  });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("ring: a thief with little room is robbed", .preemptions = 3, .random_schedules = 1000) {
  Game game(run, 3);
  for (int i = 0; i < 4; ++i) expect(game.push_loot(0) == 0, "there is room");
  run.thread("thief 1", [&] {
    game.steal(0);
    game.pop_loot(0);
    game.steal(0);
  });
  run.thread("thief 2", [&] { game.steal_loot(1); });
  run.go();
  game.expect_all_taken();
}

// The owner's push of the second item precedes its pop: a thief that sees that the first was taken sees the second.
INTERLEAVE_CASE("ring: a thief does not find it empty, the owner pops", .preemptions = 3, .random_schedules = 1000) {
  Game game(run, 1);
  bool stolen = false;
  run.thread("owner", [&] {
    game.push();
    game.pop();
  });
  run.thread("thief", [&] { stolen = game.steal_hard(0); });
  run.go();
  expect(stolen, "one of the two is the thief's");
  game.expect_all_taken();
}

INTERLEAVE_CASE("ring: a thief does not find it empty, the owner takes the newest", .preemptions = 3,
                .random_schedules = 1000) {
  Game game(run, 1);
  bool stolen = false;
  run.thread("owner", [&] {
    game.push();
    game.take_newest();
  });
  run.thread("thief", [&] { stolen = game.steal_hard(0); });
  run.go();
  expect(stolen, "one of the two is the thief's");
  game.expect_all_taken();
}

INTERLEAVE_CASE("ring: a thief does not find it empty, another thief has stolen", .preemptions = 3,
                .random_schedules = 1000) {
  Game game(run, 1);
  bool seen = false;
  bool stolen = false;
  run.thread("owner", [&] { game.push(); });
  run.thread("thief 1", [&] {
    if (game.ring().size() < 2) return;
    seen = true;
    game.steal(0);
  });
  run.thread("thief 2", [&] { stolen = game.steal_hard(1); });
  run.go();
  expect(stolen || !seen, "two are there while the first thief comes, and it takes one");
  game.expect_all_taken();
}

// A thread that finds the victim empty after the theft finds the moved items in the thief's ring.
INTERLEAVE_CASE("ring: moved items are always visible", .preemptions = 2, .random_schedules = 1000) {
  Game game(run, 3);
  bool out_of_sight = false;
  run.thread("thief 1", [&] { game.steal(0); });
  run.thread("owner", [&] { game.take_newest(); });
  run.thread("thief 2", [&] {
    if (game.steal(1) == Loot::Outcome::kEmpty) out_of_sight = game.loot(0).empty();
  });
  run.go();
  expect(!out_of_sight, "it is in the one ring or in the other");
  game.expect_all_taken();
}

INTERLEAVE_CASE("ring: all operations concurrently", .systematic = false, .random_schedules = 8000) {
  Game game(run, 2);
  run.thread("owner", [&] {
    game.push();
    game.take_newest();
    game.push();
    game.push();
    game.pop();
    game.push();
    game.push();
    game.take_back();
    game.push();
    game.pop();
    game.take_newest();
  });
  for (std::size_t thief = 0; thief < 2; ++thief) {
    run.thread("thief " + std::to_string(thief + 1), [&, thief] {
      game.steal(thief);
      game.pop_loot(thief);
      game.steal_loot(thief);
      game.steal_hard(thief);
      game.take_newest_loot(thief);
    });
  }
  run.go();
  game.expect_all_taken();
}

}  // namespace
