// Chain and its ChainedRuns: each position is finished once and knows the result to its left. A chain in place writes only to
// positions that have been read.
#include "blitz/detail/algorithm/chain.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>

#include "tests/support/interleave/explore.hpp"

namespace {

using blitz::detail::Chain;
using blitz::detail::LoopIndex;
using interleave::expect;
using interleave::Plain;
using interleave::Run;

/// Position i contains i + 1. A scan writes the sum of all positions up to it. In place, it also moves the odd positions, i to
/// i / 2; or writes the last one to all others.
class Game final : public Chain {
 public:
  enum class Place : unsigned char { kElsewhere, kInput, kAllOthers };

  Game(::Run& run, LoopIndex positions, Place place = Place::kElsewhere, bool alike = false)
      : Chain(positions, 1, alike), positions_(positions), place_(place) {
    run.name(*this, "chain");
    for (LoopIndex i = 0; i < positions; ++i) {
      items_.emplace_back("item", static_cast<int>(i) + 1);
      results_.emplace_back("result");
    }
    for (std::size_t i = 0; i < slots(); ++i) {
      left_.emplace_back("left");
      sum_.emplace_back("sum");
    }
  }

  void use(LoopIndex length) { use_ticket(length); }

  void expect_finished() {
    for (LoopIndex i = 0; i < positions_; ++i) {
      if (place_ == Place::kElsewhere) {
        expect(results_[i].read() == static_cast<int>((i + 1) * (i + 2) / 2), "each result is the sum of all up to it");
      } else if (place_ == Place::kAllOthers) {
        expect(items_[i].read() == static_cast<int>(positions_), "the last item is everywhere");
      } else if (2 * i + 1 < positions_) {
        expect(items_[i].read() == static_cast<int>(2 * i + 2), "each item that is kept is in its place");
      }
    }
  }

 private:
  bool run_whole(const Run& run) override {
    const int left = left_[slot(run.first)].read();
    sum_up(run);
    write(run, left);
    left_[slot(run.last)].write(left + sum_[slot(run.first)].read());
    return false;
  }
  void sum_up(const Run& run) override {
    int sum = 0;
    for (LoopIndex i = run.first; i < run.last; ++i) sum += items_[i].read();
    sum_[slot(run.first)].write(sum);
  }
  void link(const Run& run) override {
    left_[slot(run.last)].write(left_[slot(run.first)].read() + sum_[slot(run.first)].read());
  }
  bool finish(const Run& run) override {
    write(run, left_[slot(run.first)].read());
    return false;
  }
  LoopIndex needed(const Run& run) const noexcept override {
    if (place_ == Place::kAllOthers) return run.last == positions_ ? run.first : 0;
    return place_ == Place::kElsewhere ? 0 : std::min(run.first, (run.last + 1) / 2);
  }

  void write(const Run& run, int left) {
    for (LoopIndex i = run.first; i < run.last; ++i) {
      const int item = items_[i].read();
      left += item;
      expect(results_[i].read() == 0, "nobody has finished it before");
      results_[i].write(left);
      if (place_ == Place::kInput && i % 2 == 1) items_[i / 2].write(item);
      for (LoopIndex to = 0; place_ == Place::kAllOthers && i + 1 == positions_ && to < i; ++to) items_[to].write(item);
    }
  }

  const LoopIndex positions_;
  const Place place_;
  std::deque<Plain<int>> items_;
  std::deque<Plain<int>> results_;
  std::deque<Plain<int>> left_;
  std::deque<Plain<int>> sum_;
};

INTERLEAVE_CASE("chain: two workers", .preemptions = 3, .random_schedules = 1000) {
  Game game(run, 4);
  run.thread("a", [&] {
    game.use(1);
    game.use(1);
  });
  run.thread("b", [&] {
    game.use(1);
    game.use(1);
  });
  run.go();
  game.expect_finished();
}

INTERLEAVE_CASE("chain: three workers", .preemptions = 2, .random_schedules = 2000) {
  Game game(run, 4);
  for (const char* const name : {"a", "b"}) run.thread(name, [&] { game.use(1); });
  run.thread("c", [&] { game.use(2); });
  run.go();
  game.expect_finished();
}

INTERLEAVE_CASE("chain: runs that are alike", .preemptions = 3, .random_schedules = 1000) {
  Game game(run, 3, Game::Place::kElsewhere, true);
  run.thread("a", [&] { game.use(2); });
  run.thread("b", [&] { game.use(1); });
  run.go();
  game.expect_finished();
}

INTERLEAVE_CASE("chain: in place", .preemptions = 3, .delays = 2, .random_schedules = 2000) {
  Game game(run, 4, Game::Place::kInput);
  for (const char* const name : {"a", "b"}) {
    run.thread(name, [&] {
      game.use(1);
      game.use(1);
    });
  }
  run.go();
  game.expect_finished();
}

INTERLEAVE_CASE("chain: in place, three workers", .preemptions = 2, .delays = 1, .random_schedules = 3000) {
  Game game(run, 4, Game::Place::kInput);
  for (const char* const name : {"a", "b"}) run.thread(name, [&] { game.use(1); });
  run.thread("c", [&] { game.use(2); });
  run.go();
  game.expect_finished();
}

INTERLEAVE_CASE("chain: one run waits for all others", .preemptions = 3, .delays = 2, .random_schedules = 3000) {
  Game game(run, 4, Game::Place::kAllOthers);
  for (const char* const name : {"a", "b"}) {
    run.thread(name, [&] {
      game.use(1);
      game.use(1);
    });
  }
  run.go();
  game.expect_finished();
}

INTERLEAVE_CASE("chain: one run waits for all others, three workers", .preemptions = 2, .delays = 1,
                .random_schedules = 3000) {
  Game game(run, 3, Game::Place::kAllOthers);
  for (const char* const name : {"a", "b", "c"}) run.thread(name, [&] { game.use(1); });
  run.go();
  game.expect_finished();
}

}  // namespace
