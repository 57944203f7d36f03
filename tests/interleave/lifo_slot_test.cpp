// LifoSlot, separately and with a ring: either the owner or one thief gets an item, with its contents, whether it is taken from
// the slot, taken back by name, or evicted.
#include "blitz/detail/queue/lifo_slot.hpp"

#include <array>
#include <cstddef>
#include <span>

#include "blitz/detail/queue/work_steal_queue.hpp"
#include "tests/support/interleave/explore.hpp"

namespace {

using blitz::detail::LifoSlot;
using blitz::detail::WorkStealQueue;
using interleave::expect;
using interleave::Plain;
using interleave::Run;

struct Item {
  Plain<int> payload{"payload", 0};
  Plain<int> taken{"taken", 0};
};

/// A slot, a ring for its evicted items, and checks of the items.
class Game {
 public:
  static constexpr std::size_t kItems = 5;

  explicit Game(Run& run) {
    run.name(slot_, "slot");
    run.name(ring_, "ring");
    run.name(items_, "items");
  }

  // --- the owner's ---

  /// Puts the next item in; an evicted item goes to the ring.
  void push() {
    if (Item* const evicted = put()) ring_.push(evicted, *this);
  }
  /// Like push(), without a ring: the owner takes the evicted item.
  void put_alone() { take(put()); }
  /// Takes back the item that was put in last.
  bool take_back() {
    Item& item = items_[pushed_ - 1];
    return slot_.take_if(&item) && take(&item);
  }
  bool poll() { return take(slot_.poll()); }
  void begin_tick() { slot_.begin_tick(); }
  bool pop() { return take(ring_.pop()); }
  /// Takes all items that are in the slot and the ring.
  void flush() {
    while (take(slot_.take()) || pop()) {
    }
  }

  // --- anyone's ---

  bool take() { return take(slot_.take()); }
  bool steal() {
    WorkStealQueue<Item, 2> loot;
    return take(ring_.steal_into(loot, 1).item);
  }
  [[nodiscard]] bool empty() const { return slot_.empty(); }

  // --- in the body, at the end ---

  void expect_all_taken() {
    flush();
    expect_nothing_left();
  }
  void expect_nothing_left() {
    std::size_t taken = 0;
    for (const Item& item : items_) taken += item.taken.read() == 1 ? 1 : 0;
    expect(taken == pushed_, "each item has been taken");
    expect(slot_.empty() && ring_.empty(), "nothing is left");
  }

  // --- as a sink ---

  void push_batch(std::span<Item* const> items) noexcept {
    for (Item* const item : items) take(item);
  }

 private:
  Item* put() {
    Item& item = items_[pushed_];
    item.payload.write(static_cast<int>(++pushed_));
    return slot_.put(&item);
  }

  bool take(Item* item) {
    if (item == nullptr) return false;
    expect(item->payload.read() == item - items_.data() + 1, "what the owner wrote has come with the item");
    // Two takers of one item race here. If the second is ordered after the first, it reads the first one's count.
    expect(item->taken.read() == 0, "nobody has taken it before");
    item->taken.write(1);
    return true;
  }

  LifoSlot<Item> slot_;
  WorkStealQueue<Item, 2> ring_;
  std::array<Item, kItems> items_;
  std::size_t pushed_ = 0;
};

INTERLEAVE_CASE("slot: taken back or stolen", .preemptions = 4, .delays = 2, .random_schedules = 500) {
  Game game(run);
  run.thread("owner", [&] {
    game.put_alone();
    game.take_back();
    game.put_alone();
  });
  run.thread("thief", [&] {
    game.take();
    game.take();
  });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("slot: polled or stolen", .preemptions = 4, .delays = 2, .random_schedules = 500) {
  Game game(run);
  run.thread("owner", [&] {
    game.put_alone();
    game.poll();
    game.begin_tick();
    game.put_alone();
    game.poll();
  });
  run.thread("thief", [&] {
    game.take();
    game.take();
  });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("slot: two thieves", .preemptions = 4, .random_schedules = 500) {
  Game game(run);
  run.thread("owner", [&] { game.put_alone(); });
  run.thread("thief 1", [&] { game.take(); });
  run.thread("thief 2", [&] { game.take(); });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("slot: evicted or stolen", .preemptions = 4, .delays = 2, .random_schedules = 500) {
  Game game(run);
  run.thread("owner", [&] {
    game.put_alone();
    game.put_alone();
    game.put_alone();
  });
  run.thread("thief", [&] {
    game.take();
    game.take();
  });
  run.go();
  game.expect_all_taken();
}

// An item evicts the other in one step: no thread finds the slot empty in between.
INTERLEAVE_CASE("slot: never empty while it is filled", .preemptions = 4, .random_schedules = 500) {
  Game game(run);
  game.put_alone();
  bool empty = false;
  run.thread("owner", [&] {
    game.put_alone();
    game.put_alone();
  });
  run.thread("checker", [&] { empty = game.empty(); });
  run.go();
  expect(!empty, "an item was there all the time");
  game.expect_all_taken();
}

INTERLEAVE_CASE("slot: a thief of the slot, a thief of the ring", .preemptions = 2, .random_schedules = 1000) {
  Game game(run);
  run.thread("owner", [&] {
    game.push();
    game.push();
    game.poll();
    game.pop();
  });
  run.thread("thief 1", [&] { game.take(); });
  run.thread("thief 2", [&] { game.steal(); });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("slot: evicted into a full ring", .preemptions = 3, .random_schedules = 1000) {
  Game game(run);
  run.thread("owner", [&] {
    for (int i = 0; i < 4; ++i) game.push();
  });
  run.thread("thief", [&] {
    game.steal();
    game.take();
  });
  run.go();
  game.expect_all_taken();
}

// After the owner has flushed the slot, all items have been taken.
INTERLEAVE_CASE("slot: flushed while thieves steal", .preemptions = 2, .random_schedules = 1000) {
  Game game(run);
  run.thread("owner", [&] {
    for (int i = 0; i < 3; ++i) game.push();
    game.flush();
  });
  run.thread("thief 1", [&] {
    game.take();
    game.steal();
  });
  run.thread("thief 2", [&] {
    game.steal();
    game.take();
  });
  run.go();
  game.expect_nothing_left();
}

}  // namespace
