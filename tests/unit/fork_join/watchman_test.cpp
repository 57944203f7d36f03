#include "blitz/fork_join/watchman.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

using blitz::detail::Watchman;

namespace {

Watchman::Score late_once() {
  Watchman::Score score;
  score.late_wake();
  return score;
}

}  // namespace

TEST_CASE("watchman: a late wake-up calls for a watch, and two jobs in time make up for it") {
  Watchman::Score score;
  CHECK_FALSE(score.calls_for_watch());
  score.in_time();
  CHECK_FALSE(score.calls_for_watch());
  score.late_wake();
  CHECK(score.calls_for_watch());
  score.in_time();
  CHECK(score.calls_for_watch());
  score.in_time();
  CHECK_FALSE(score.calls_for_watch());
}

TEST_CASE("watchman: the score is bounded, so that jobs in time count soon") {
  Watchman::Score score;
  for (int i = 0; i < 100; ++i) score.late_wake();
  int in_time = 0;
  for (; score.calls_for_watch(); ++in_time) score.in_time();
  CHECK(in_time == 8);
}

TEST_CASE("watchman: a worker that is kept awake watches") {
  Watchman::Score score;
  score.kept_awake();
  CHECK(score.calls_for_watch());
  score.in_time();
  CHECK_FALSE(score.calls_for_watch());
}

TEST_CASE("watchman: after a watch in vain, four late wake-ups are ignored") {
  Watchman watchman;
  Watchman::Score score = late_once();
  Watchman::Watch watch;
  const auto began = std::chrono::steady_clock::now();
  REQUIRE(watchman.nap(watch, score));
  CHECK(watch.on);
  while (watchman.nap(watch, score)) CHECK(watch.nap <= Watchman::kLongNap);
  CHECK_FALSE(watch.on);
  CHECK(std::chrono::steady_clock::now() - began >= Watchman::kWatch);
  CHECK_FALSE(watchman.nap(watch, score));
  for (int i = 0; i < Watchman::Score::kForgiven; ++i) {
    score.late_wake();
    CHECK_FALSE(watchman.nap(watch, score));
  }
  score.late_wake();
  CHECK(watchman.nap(watch, score));
}

TEST_CASE("watchman: one at a time") {
  Watchman watchman;
  Watchman::Score first_score = late_once(), second_score = late_once();
  Watchman::Watch first, second;
  REQUIRE(watchman.nap(first, first_score));
  CHECK_FALSE(watchman.nap(second, second_score));
  CHECK_FALSE(second.on);
  watchman.end(second);  // it has none to end
  CHECK_FALSE(watchman.nap(second, second_score));
  watchman.end(first);
  CHECK_FALSE(first.on);
  CHECK(watchman.nap(second, second_score));
  CHECK(second.on);
}

TEST_CASE("watchman: a call ends its nap") {
  Watchman watchman;
  watchman.call();  // nobody is there
  Watchman::Score score = late_once();
  Watchman::Watch watch;
  watch.nap = std::chrono::hours(1);
  std::atomic<bool> awake = false;
  std::thread worker([&] {
    CHECK(watchman.nap(watch, score));
    awake = true;
  });
  while (!awake) {
    watchman.call();
    std::this_thread::yield();
  }
  worker.join();
  CHECK(watch.nap == Watchman::kLongNap);
}
