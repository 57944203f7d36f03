// Ropes: the items that two workers of a pool append are adjacent, in order, each destroyed once; also if the loop ends early.
#include "blitz/detail/pipeline/rope.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

#include "blitz/algorithm/algorithm_options.hpp"
#include "tests/interleave/residents.hpp"

namespace blitz {
/// Replaces the library's function: calls of algorithms name a pool.
std::size_t current_num_threads() { return 0; }
}  // namespace blitz

namespace {

using blitz::AlgorithmOptions;
using blitz::detail::CollectedItems;
using blitz::detail::ItemKind;
using blitz::detail::Job;
using blitz::detail::kItemKind;
using blitz::detail::LoopIndex;
using blitz::detail::objects_in;
using blitz::detail::RopeEnd;
using blitz::detail::WorkerBase;
using interleave::expect;
using interleave::Plain;
using interleave::Run;

/// Counts the objects made of one number. Destroying more than exist is an error, and so is an object left at the end.
struct Lives {
  Plain<int> content{"item", 0};
  int alive = 0;
  std::function<void()> when_moved;
};

class Item {
 public:
  explicit Item(Lives& lives) : lives_(&lives) {
    lives_->content.write(1);
    ++lives_->alive;
  }
  Item(Item&& other) : lives_(other.lives_) {
    expect(lives_->content.read() == 1, "what was written is read");
    if (lives_->when_moved) lives_->when_moved();
    ++lives_->alive;
  }
  Item& operator=(Item&&) = delete;
  ~Item() {
    lives_->content.write(1);
    --lives_->alive;
    expect(lives_->alive >= 0, "each is destroyed once");
  }
  [[nodiscard]] const Lives* lives() const { return lives_; }

 private:
  Lives* lives_;
};

constexpr std::size_t kPositions = 4;

/// A pool of two workers, and their items.
class Game {
 public:
  explicit Game(Run& run) : run_(run), pool_(run, 2, 2) {}

  /// Runs `collect(options)` on a worker. Blocks are cut without a clock.
  template <class Collect>
  void run(Collect collect) {
    struct Task final : Job {
      Task(Collect& the_collect, const AlgorithmOptions& its_options)
          : Job(&execute_it), collect(the_collect), options(its_options) {}
      static void execute_it(Job* job, WorkerBase&) noexcept {
        auto& self = *static_cast<Task*>(job);
        try {
          self.collect(self.options);
        } catch (const blitz::Stopped&) {
          expect(self.options.stop.stop_requested(), "a stop was requested");
        } catch (const std::runtime_error&) {
        }
        self.done = true;
      }
      Collect& collect;
      const AlgorithmOptions& options;
      bool done = false;
    };
    const AlgorithmOptions options{.min_grain = 1, .stop = stop.get_token(), .deterministic = true};
    Task task(collect, options);
    run_.thread("caller", [&] { pool_.registry->inject(&task); });
    run_.settle();
    expect(task.done, "it ends");
    for (const Lives& each : lives) expect(each.alive == 0, "each is destroyed");
  }

  /// Checks that there is one item for each of `positions`, adjacent and in order. Destroys the items.
  void check(CollectedItems items, std::vector<std::size_t> positions) {
    Item* const first = objects_in<Item>(items.memory.get());
    expect(items.count == positions.size(), "there are as many as were appended");
    for (std::size_t i = 0; i < items.count && i < positions.size(); ++i) {
      expect(first[i].lives() == &lives[positions[i]], "they are in order");
    }
    for (const Lives& each : lives) expect(each.alive <= 1, "what they were moved from is destroyed");
    std::destroy(first, first + items.count);
  }

  std::array<Lives, kPositions> lives;
  std::stop_source stop{std::nostopstate};

 private:
  Run& run_;
  interleave_test::Pool pool_;
};

/// Appends an item for each position except `dropped`.
struct Append {
  void operator()(RopeEnd& rope, LoopIndex first, LoopIndex last) const {
    for (; first < last; ++first) {
      if (first != dropped) rope.open_piece().emplace_back<Item>(game.lives[first]);
    }
  }
  Game& game;
  LoopIndex dropped = kPositions;
};

/// Appends items of even positions to one rope, and items of odd positions to another.
struct AppendParted {
  void operator()(RopeEnd& even, RopeEnd& odd, LoopIndex first, LoopIndex last) const {
    for (; first < last; ++first) (first % 2 == 0 ? even : odd).open_piece().emplace_back<Item>(game.lives[first]);
  }
  Game& game;
};

INTERLEAVE_CASE("rope: any number of items", .preemptions = 1, .random_schedules = 1000) {
  Game game(run);
  game.run([&](const AlgorithmOptions& options) {
    Append append{game};
    game.check(blitz::detail::collect_blocks(options, kItemKind<Item>, kPositions, false, append), {0, 1, 2, 3});
  });
}

INTERLEAVE_CASE("rope: with room, all", .preemptions = 1, .random_schedules = 1000) {
  Game game(run);
  game.run([&](const AlgorithmOptions& options) {
    Append append{game};
    game.check(blitz::detail::collect_blocks(options, kItemKind<Item>, kPositions, true, append), {0, 1, 2, 3});
  });
}

INTERLEAVE_CASE("rope: with room, all but one", .preemptions = 1, .random_schedules = 1000) {
  Game game(run);
  game.run([&](const AlgorithmOptions& options) {
    Append append{game, 1};
    game.check(blitz::detail::collect_blocks(options, kItemKind<Item>, kPositions, true, append), {0, 2, 3});
  });
}

INTERLEAVE_CASE("rope: two in one pass", .preemptions = 1, .random_schedules = 1000) {
  Game game(run);
  game.run([&](const AlgorithmOptions& options) {
    auto [even, odd] =
        blitz::detail::collect_two(options, kItemKind<Item>, kItemKind<Item>, kPositions, true, AppendParted{game});
    game.check(std::move(even), {0, 2});
    game.check(std::move(odd), {1, 3});
  });
}

/// Requests a stop while item `at` is moved to its place.
void stop_at(Run& run, std::size_t at) {
  Game game(run);
  game.stop = std::stop_source();
  game.lives[at].when_moved = [&] { game.stop.request_stop(); };
  game.run([&](const AlgorithmOptions& options) {
    Append append{game};
    game.check(blitz::detail::collect_blocks(options, kItemKind<Item>, kPositions, false, append), {0, 1, 2, 3});
  });
}

INTERLEAVE_CASE("rope: a stop while the first is laid out", .preemptions = 1, .random_schedules = 1000) {
  stop_at(run, 0);
}

INTERLEAVE_CASE("rope: a stop while the third is laid out", .preemptions = 1, .random_schedules = 1000) {
  stop_at(run, 2);
}

/// The move of item `at` to its place throws.
void throw_at(Run& run, std::size_t at) {
  Game game(run);
  game.lives[at].when_moved = [] { throw std::runtime_error("a move"); };
  game.run([&](const AlgorithmOptions& options) {
    static_cast<void>(
        blitz::detail::collect_two(options, kItemKind<Item>, kItemKind<Item>, kPositions, false, AppendParted{game}));
    expect(false, "the exception arrives");
  });
}

INTERLEAVE_CASE("rope: an exception while the first of two is laid out", .preemptions = 1, .random_schedules = 1000) {
  throw_at(run, 2);
}

INTERLEAVE_CASE("rope: an exception while the second of two is laid out", .preemptions = 1, .random_schedules = 1000) {
  throw_at(run, 3);
}

}  // namespace
