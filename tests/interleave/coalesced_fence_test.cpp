// CoalescedFence with a heavy fence. Whether a caller makes the fence itself, shares another caller's, or gives up waiting for
// one: the caller and a light side do not both miss the other's store.
#include "blitz/detail/fence/coalesced_fence.hpp"

#include <array>
#include <cstddef>
#include <string>

#include "tests/support/interleave/explore.hpp"

namespace {

using blitz::detail::Atomic;
using blitz::detail::CoalescedFence;
using interleave::expect;
using interleave::Run;

constexpr auto kRelaxed = std::memory_order_relaxed;

/// Callers and light sides. A caller stores its word and reads the words of the light sides after a heavy fence. A light side
/// does the same for the callers. A word contains the number of its stores.
template <std::size_t kCallers, std::size_t kLightSides>
class Game {
 public:
  explicit Game(Run& run) : run_(run) {
    run.name(fences_, "fences");
    run.name(asked_, "asked");
    run.name(light_, "light");
    for (std::size_t i = 0; i < kLightSides; ++i) {
      run.thread("light side " + std::to_string(i), [this, i] { pass(i); });
    }
  }

  /// Adds a thread that requests a fence `times` times.
  void caller(std::size_t self, int times = 1) {
    run_.thread("caller " + std::to_string(self), [this, self, times] {
      for (int i = 0; i < times; ++i) ask(self);
    });
  }

  void go() {
    run_.go();
    for (std::size_t caller = 0; caller < kCallers; ++caller) {
      for (std::size_t light = 0; light < kLightSides; ++light) {
        expect(seen_by_light_[light][caller] >= missed_by_caller_[caller][light], "one of them sees the other's store");
      }
    }
    expect(made_ <= asked_for_, "no more fences are made than asked for");
  }

  [[nodiscard]] int made() const { return made_; }

  /// In the body, without a thread.
  void expect_one_more_when_alone() {
    const int before = made_;
    fences_.execute(Make{*this});
    expect(made_ == before + 1, "a caller that asks alone makes one fence");
  }

 private:
  struct Make {
    Game& game;
    void operator()() const noexcept {
      blitz::detail::asymmetric_heavy_fence();
      ++game.made_;
    }
  };

  void ask(std::size_t self) {
    const int time = ++times_[self];
    ++asked_for_;
    asked_[self].store(time, kRelaxed);
    fences_.execute(Make{*this});
    for (std::size_t light = 0; light < kLightSides; ++light) {
      if (light_[light].load(kRelaxed) == 0) missed_by_caller_[self][light] = time;
    }
  }

  void pass(std::size_t self) {
    light_[self].store(1, kRelaxed);
    blitz::detail::asymmetric_light_fence();
    for (std::size_t caller = 0; caller < kCallers; ++caller)
      seen_by_light_[self][caller] = asked_[caller].load(kRelaxed);
  }

  Run& run_;
  CoalescedFence fences_;
  std::array<Atomic<int>, kCallers> asked_{};
  std::array<Atomic<int>, kLightSides> light_{};
  // Other threads read these only at the end.
  std::array<int, kCallers> times_{};
  std::array<std::array<int, kLightSides>, kCallers> missed_by_caller_{};  // the last value that was missed
  std::array<std::array<int, kCallers>, kLightSides> seen_by_light_{};
  int asked_for_ = 0, made_ = 0;
};

INTERLEAVE_CASE("fence: one caller", .preemptions = 4, .delays = 3, .random_schedules = 500) {
  Game<1, 1> game(run);
  game.caller(0);
  game.go();
  game.expect_one_more_when_alone();
}

INTERLEAVE_CASE("fence: two callers", .preemptions = 3, .delays = 2, .random_schedules = 5000) {
  Game<2, 1> game(run);
  game.caller(0);
  game.caller(1);
  game.go();
  game.expect_one_more_when_alone();
}

INTERLEAVE_CASE("fence: some of three share one", .preemptions = 1, .finds = "each makes its own") {
  Game<3, 1> game(run);
  for (std::size_t i = 0; i < 3; ++i) game.caller(i);
  game.go();
  expect(game.made() == 3, "each makes its own");
}

INTERLEAVE_CASE("fence: two callers, two light sides", .preemptions = 2, .delays = 2, .random_schedules = 5000) {
  Game<2, 2> game(run);
  game.caller(0);
  game.caller(1);
  game.go();
}

INTERLEAVE_CASE("fence: one asks twice", .preemptions = 3, .delays = 1, .random_schedules = 5000) {
  Game<2, 1> game(run);
  game.caller(0, 2);
  game.caller(1);
  game.go();
}

INTERLEAVE_CASE("fence: one asks again and again", .preemptions = 2, .random_schedules = 5000) {
  Game<2, 1> game(run);
  game.caller(0, 3);
  game.caller(1);
  game.go();
}

INTERLEAVE_CASE("fence: three callers, again and again", .systematic = false, .random_schedules = 20000) {
  Game<3, 1> game(run);
  for (std::size_t i = 0; i < 3; ++i) game.caller(i, 2);
  game.go();
}

}  // namespace
