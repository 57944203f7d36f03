// ChaseLevDeque: each item is taken once and publishes its contents, with any concurrent calls of owner and thieves.
#include <array>
#include <cstddef>

#include "blitz/detail/queue/chase_lev_deque.hpp"
#include "tests/support/interleave/explore.hpp"

namespace {

using blitz::detail::ChaseLevDeque;
using interleave::expect;
using interleave::Plain;
using interleave::Run;

struct Item {
  Plain<int> payload{"payload", 0};
  Plain<int> taken{"taken", 0};
};

/// A deque, and checks of its items.
class Game {
 public:
  static constexpr std::size_t kItems = 5;

  explicit Game(Run& run) {
    run.name(deque_, "deque");
    run.name(items_, "items");
  }

  ChaseLevDeque<Item>::Place push(std::size_t index) {
    items_[index].payload.write(static_cast<int>(index) + 1);
    ++pushed_;
    return deque_.push(&items_[index]);
  }
  /// Takes back item `index`, which was pushed at `place`, unless a thief has it.
  void take_back(std::size_t index, ChaseLevDeque<Item>::Place place) {
    if (deque_.pop_if_newest(place)) take(&items_[index]);
  }
  void ask_for_guard() { deque_.ask_for_guard(); }
  void begin_guard() { deque_.begin_guard(); }
  bool pop() { return take(deque_.pop()); }
  bool steal() { return take(deque_.steal().item); }
  /// A thief that must get an item if there is one: it retries while others are faster.
  bool steal_hard() {
    for (;;) {
      const auto result = deque_.steal();
      if (result.outcome != blitz::detail::StealResult<Item>::Outcome::kLost) return take(result.item);
      blitz::detail::yield_thread();
    }
  }

  void expect_all_taken() {
    while (pop()) {
    }
    int taken = 0;
    for (std::size_t i = 0; i < pushed_; ++i) taken += items_[i].taken.read();
    expect(taken == static_cast<int>(pushed_), "each item has been taken");
    expect(deque_.empty(), "nothing is left");
  }

  [[nodiscard]] ChaseLevDeque<Item>& deque() noexcept { return deque_; }

 private:
  bool take(Item* item) {
    if (item == nullptr) return false;
    expect(item >= items_.data() && item < items_.data() + kItems, "what is taken is an item");
    expect(item->payload.read() == item - items_.data() + 1, "what the owner wrote has come with the item");
    // Two takers of one item race here. If the second is ordered after the first, it reads the first one's count.
    expect(item->taken.read() == 0, "nobody has taken it before");
    item->taken.write(1);
    return true;
  }

  ChaseLevDeque<Item> deque_{2};
  std::array<Item, kItems> items_;
  std::size_t pushed_ = 0;
};

INTERLEAVE_CASE("deque: last item, one thief", .preemptions = 4, .delays = 2, .random_schedules = 500, .fences = true) {
  Game game(run);
  run.thread("owner", [&] {
    game.push(0);
    game.pop();
  });
  run.thread("thief", [&] { game.steal(); });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("deque: two items, one thief that comes twice", .preemptions = 3, .random_schedules = 1000,
                .fences = true) {
  Game game(run);
  run.thread("owner", [&] {
    game.push(0);
    game.push(1);
    game.pop();
    game.pop();
  });
  run.thread("thief", [&] {
    game.steal();
    game.steal();
  });
  run.go();
  game.expect_all_taken();
}

// As in a join.
INTERLEAVE_CASE("deque: a push taken back", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  Game game(run);
  run.thread("owner", [&] {
    const auto outer = game.push(0);
    const auto inner = game.push(1);
    game.take_back(1, inner);
    game.take_back(0, outer);
  });
  run.thread("thief", [&] {
    game.steal();
    game.steal();
  });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("deque: two items, two thieves", .preemptions = 2, .random_schedules = 2000, .fences = true) {
  Game game(run);
  game.push(0);
  run.thread("owner", [&] {
    game.push(1);
    game.pop();
    game.pop();
  });
  run.thread("thief 1", [&] { game.steal(); });
  run.thread("thief 2", [&] { game.steal(); });
  run.go();
  game.expect_all_taken();
}

void grow_under_a_thief(Run& run, bool asks_for_guard) {
  Game game(run);
  game.push(0);
  run.thread("owner", [&] {
    game.push(1);
    game.push(2);
    game.pop();
  });
  run.thread("thief", [&] {
    if (asks_for_guard) game.ask_for_guard();
    game.steal();
    game.steal();
  });
  run.go();
  expect(game.deque().capacity() <= 4, "it grows once");
  game.expect_all_taken();
}

INTERLEAVE_CASE("deque: grows under a thief", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  grow_under_a_thief(run, false);
}

INTERLEAVE_CASE("deque: a look at the oldest while it grows", .preemptions = 2) {
  Game game(run);
  run.thread("owner", [&] {
    for (std::size_t i = 0; i < 3; ++i) game.push(i);
  });
  run.thread("thief", [&] {
    for (int i = 0; i < 2; ++i) static_cast<void>(game.deque().oldest());
  });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("deque: a slot is used again", .preemptions = 3, .random_schedules = 1000, .fences = true) {
  Game game(run);
  game.push(0);
  game.push(1);
  run.thread("thief 1", [&] { game.steal(); });
  run.thread("thief 2", [&] { game.steal(); });
  run.thread("owner", [&] { game.push(2); });
  run.go();
  game.expect_all_taken();
}

// The owner pops the item above the one that a thief is taking, and pushes another into the same slot. The next thief has
// already seen the slot full.
INTERLEAVE_CASE("deque: a slot changes under a thief", .preemptions = 2, .random_schedules = 5000, .fences = true) {
  Game game(run);
  game.push(0);
  game.push(1);
  run.thread("owner", [&] {
    game.pop();
    game.push(2);
  });
  run.thread("thief 1", [&] { game.steal(); });
  run.thread("thief 2", [&] { game.steal(); });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("guard: begins under a thief", .preemptions = 3, .random_schedules = 2000, .fences = true) {
  Game game(run);
  game.push(0);
  game.push(1);
  run.thread("owner", [&] {
    game.pop();
    game.pop();
  });
  run.thread("thief", [&] {
    game.steal();
    game.ask_for_guard();
    game.steal();
  });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("guard: begun by the owner under a thief", .preemptions = 3, .random_schedules = 2000, .fences = true) {
  Game game(run);
  game.push(0);
  run.thread("owner", [&] {
    game.push(1);
    game.begin_guard();
    game.pop();
    game.pop();
  });
  run.thread("thief", [&] {
    game.steal();
    game.ask_for_guard();
    game.steal();
  });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("guard: begins before a push is taken back", .preemptions = 3, .random_schedules = 2000,
                .fences = true) {
  Game game(run);
  run.thread("owner", [&] {
    const auto outer = game.push(0);
    const auto first = game.push(1);
    game.take_back(1, first);
    const auto second = game.push(2);
    game.take_back(2, second);
    game.take_back(0, outer);
  });
  run.thread("thief", [&] {
    game.ask_for_guard();
    game.steal();
    game.steal();
  });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("guard: asked for while the owner pushes", .preemptions = 3, .random_schedules = 2000, .fences = true) {
  grow_under_a_thief(run, true);
}

// The owner's second pop takes an item without an exchange.
INTERLEAVE_CASE("guard: ends under a thief", .preemptions = 3, .random_schedules = 2000, .fences = true) {
  Game game(run);
  game.push(0);
  game.push(1);
  game.push(2);
  game.push(3);
  game.ask_for_guard();
  game.pop();
  run.thread("owner", [&] {
    game.pop();
    game.pop();
  });
  run.thread("thief", [&] {
    game.steal();
    game.steal();
  });
  run.go();
  game.expect_all_taken();
}

INTERLEAVE_CASE("guard: ends and begins again under thieves", .preemptions = 2, .random_schedules = 5000,
                .fences = true) {
  Game game(run);
  for (std::size_t i = 0; i < 5; ++i) game.push(i);
  game.ask_for_guard();
  game.pop();
  run.thread("owner", [&] {
    game.pop();
    game.pop();
    game.pop();
  });
  run.thread("thief 1", [&] {
    game.steal();
    game.steal();
  });
  run.thread("thief 2", [&] { game.ask_for_guard(); });
  run.go();
  game.expect_all_taken();
}

// A thief either takes an item that it sees, or loses it to another thread. It never reports "empty" if an item was there
// before and stays.
INTERLEAVE_CASE("deque: a thief does not find it empty while an item is left", .preemptions = 3,
                .random_schedules = 1000, .fences = true) {
  Game game(run);
  game.push(0);
  bool stolen = false;
  run.thread("owner", [&] {
    game.push(1);
    game.pop();
  });
  run.thread("thief", [&] { stolen = game.steal_hard(); });
  run.go();
  expect(stolen, "item 0 is the thief's: its owner takes item 1");
  game.expect_all_taken();
}

INTERLEAVE_CASE("deque: all operations concurrently", .systematic = false, .random_schedules = 6000, .fences = true) {
  Game game(run);
  run.thread("owner", [&] {
    game.push(0);
    game.push(1);
    game.pop();
    game.push(2);
    game.push(3);
    game.push(4);
    game.pop();
    game.pop();
    game.pop();
  });
  for (const char* name : {"thief 1", "thief 2"}) {
    run.thread(name, [&] {
      game.steal();
      game.ask_for_guard();
      game.steal();
      game.steal_hard();
    });
  }
  run.go();
  game.expect_all_taken();
}

}  // namespace
