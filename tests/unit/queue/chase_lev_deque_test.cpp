#include "blitz/detail/queue/chase_lev_deque.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/base/ticks.hpp"
#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "blitz/detail/wake/linger.hpp"

using Deque = blitz::detail::ChaseLevDeque<int>;
using Outcome = blitz::detail::StealResult<int>::Outcome;

namespace {

constexpr int kPops{blitz::detail::kPopsOnGuard};

/// Items to push: element i holds i.
std::vector<int> numbers(std::size_t count) {
  std::vector<int> items(count);
  std::iota(items.begin(), items.end(), 0);
  return items;
}

int popped(Deque& deque) {
  int* const item = deque.pop();
  return item == nullptr ? -1 : *item;
}
int stolen(Deque& deque) {
  const auto result = deque.steal();
  return result.outcome == Outcome::kItem ? *result.item : -1;
}

}  // namespace

TEST_CASE("deque: begins empty for owner and thief") {
  Deque deque;
  CHECK(deque.empty());
  CHECK(deque.size() == 0);
  CHECK(deque.pop() == nullptr);
  CHECK(deque.steal().outcome == Outcome::kEmpty);
  CHECK(deque.steal().item == nullptr);
  CHECK(deque.empty());
}

TEST_CASE("deque: the owner takes the newest item and a thief the oldest") {
  std::vector<int> items = numbers(5);
  Deque deque;
  for (int& item : items) deque.push(&item);
  CHECK(deque.size() == 5);
  CHECK(popped(deque) == 4);
  CHECK(stolen(deque) == 0);
  CHECK(stolen(deque) == 1);
  CHECK(popped(deque) == 3);
  CHECK(deque.size() == 1);
  CHECK(popped(deque) == 2);
  CHECK(popped(deque) == -1);
  CHECK(deque.steal().outcome == Outcome::kEmpty);
}

TEST_CASE("deque: the last item goes to either the owner or a thief") {
  int item = 7;
  Deque deque;
  deque.push(&item);
  CHECK(stolen(deque) == 7);
  CHECK(deque.pop() == nullptr);
  deque.push(&item);
  CHECK(popped(deque) == 7);
  CHECK(stolen(deque) == -1);
  CHECK(deque.empty());
}

TEST_CASE("deque: works after a pop found it empty") {
  int item = 1;
  Deque deque;
  for (int round = 0; round < 3; ++round) {
    CHECK(deque.pop() == nullptr);
    CHECK(deque.empty());
    deque.push(&item);
    CHECK(deque.size() == 1);
    CHECK(popped(deque) == 1);
  }
}

TEST_CASE("deque: pop_if_newest takes only the newest item at its place") {
  std::vector<int> items = numbers(3);
  Deque deque;
  const auto first = deque.push(&items[0]);
  const auto second = deque.push(&items[1]);

  SUBCASE("newest first") {
    CHECK(deque.pop_if_newest(second));
    CHECK(deque.pop_if_newest(first));
    CHECK(deque.empty());
  }
  SUBCASE("not below another") {
    CHECK_FALSE(deque.pop_if_newest(first));
    CHECK(deque.size() == 2);
    CHECK(popped(deque) == 1);
    CHECK(deque.pop_if_newest(first));
  }
  SUBCASE("not what a thief has") {
    CHECK(stolen(deque) == 0);
    CHECK(stolen(deque) == 1);
    CHECK_FALSE(deque.pop_if_newest(second));
    CHECK_FALSE(deque.pop_if_newest(first));
    CHECK(deque.empty());
    deque.push(&items[2]);
    CHECK(popped(deque) == 2);
  }
  SUBCASE("the last one, which is counted as the owner's") {
    CHECK(stolen(deque) == 0);
    CHECK(deque.pop_if_newest(second));
    CHECK(deque.stolen() == 1);
    CHECK(deque.empty());
  }
}

TEST_CASE("deque: reuses its buffer without growing") {
  std::vector<int> items = numbers(1000);
  Deque deque(4);
  for (int& item : items) {
    deque.push(&item);
    if (item >= 3) CHECK(stolen(deque) == item - 3);
  }
  CHECK(deque.capacity() == 4);
  CHECK(deque.size() == 3);
  CHECK(popped(deque) == 999);
  CHECK(stolen(deque) == 997);
  CHECK(popped(deque) == 998);
}

TEST_CASE("deque: grows with its items from any position in the buffer") {
  for (int offset = 0; offset < 8; ++offset) {
    CAPTURE(offset);
    std::vector<int> items = numbers(100);
    Deque deque(4);
    for (int i = 0; i < offset; ++i) {
      deque.push(&items[0]);
      (void)stolen(deque);
    }
    for (int& item : items) deque.push(&item);
    CHECK(deque.size() == 100);
    CHECK(deque.capacity() == 128);
    for (int i = 0; i < 50; ++i) {
      REQUIRE(stolen(deque) == i);
      REQUIRE(popped(deque) == 99 - i);
    }
    CHECK(deque.empty());
  }
}

TEST_CASE("deque: fills its buffer to the last slot before it grows") {
  std::vector<int> items = numbers(9);
  Deque deque(8);
  for (int i = 0; i < 8; ++i) deque.push(&items[static_cast<std::size_t>(i)]);
  CHECK(deque.capacity() == 8);
  deque.push(&items[8]);
  CHECK(deque.capacity() == 16);
  CHECK(deque.size() == 9);
}

TEST_CASE("deque: reserve makes room and keeps the items") {
  for (const bool guarded : {false, true}) {
    CAPTURE(guarded);
    std::vector<int> items = numbers(30);
    Deque deque(8);
    for (int i = 0; i < 7; ++i) deque.push(&items[static_cast<std::size_t>(i)]);
    if (guarded) deque.begin_guard();
    CHECK(stolen(deque) == 0);
    deque.reserve(2);
    CHECK(deque.capacity() == 8);
    deque.reserve(3);
    CHECK(deque.capacity() == 16);
    deque.reserve(24);
    CHECK(deque.capacity() == 32);
    for (int i = 7; i < 30; ++i) deque.push(&items[static_cast<std::size_t>(i)]);
    CHECK(deque.capacity() == 32);
    CHECK(deque.size() == 29);
    for (int i = 1; i < 15; ++i) REQUIRE(stolen(deque) == i);
    for (int i = 29; i >= 15; --i) REQUIRE(popped(deque) == i);
    CHECK(deque.empty());
  }
}

TEST_CASE("deque: relabel visits items from the newest to the first refused one") {
  std::vector<int> items = numbers(4);
  Deque deque(4);
  for (int& item : items) deque.push(&item);
  CHECK(stolen(deque) == 0);
  std::vector<int> seen;
  deque.relabel([&](int*& item) {
    seen.push_back(*item);
    return *item != 2;
  });
  CHECK(seen == std::vector<int>{3, 2});
  seen.clear();
  deque.relabel([&](int*& item) {
    seen.push_back(*item);
    return true;
  });
  CHECK(seen == std::vector<int>{3, 2, 1});
}

TEST_CASE("deque: its memory is bounded by the largest number of items and not by the pushes") {
  std::vector<int> items = numbers(6);
  Deque deque(4);
  for (int round = 0; round < 20'000; ++round) {
    for (int& item : items) deque.push(&item);
    for (int i = 0; i < 3; ++i) {
      REQUIRE(popped(deque) == 5 - i);
      REQUIRE(stolen(deque) == i);
    }
  }
  CHECK(deque.capacity() == 8);
}

TEST_CASE("deque: stolen counts the thieves' items and not the owner's") {
  std::vector<int> items = numbers(10);
  Deque deque;
  CHECK(deque.stolen() == 0);
  for (int& item : items) deque.push(&item);
  for (int i = 0; i < 4; ++i) (void)stolen(deque);
  CHECK(deque.stolen() == 4);
  while (deque.pop() != nullptr) {
  }
  CHECK(deque.stolen() == 4);
  CHECK(deque.steal().outcome == Outcome::kEmpty);
  CHECK(deque.stolen() == 4);
  deque.push(&items[0]);
  CHECK(popped(deque) == 0);  // a last item, which moves the thieves' end too
  CHECK(deque.stolen() == 4);
}

TEST_CASE("deque: is guarded from the next push or pop until some pops pass without a thief") {
  if (!blitz::detail::asymmetric_fences_available()) {
    MESSAGE("skipped: without membarrier(2) a deque is always guarded");
    return;
  }
  std::vector<int> items = numbers(2);
  Deque deque;
  const auto push_and_pop = [&](int times) {
    for (int i = 0; i < times; ++i) {
      deque.push(&items[1]);
      REQUIRE(popped(deque) == 1);
    }
  };
  deque.push(&items[0]);
  push_and_pop(1);
  CHECK(!deque.guarded());
  deque.ask_for_guard();
  CHECK(!deque.guarded());

  SUBCASE("push") {
    deque.push(&items[1]);
    CHECK(deque.guarded());
    CHECK(popped(deque) == 1);
    push_and_pop(kPops - 2);
    CHECK(deque.guarded());
    CHECK(stolen(deque) == 0);
    deque.push(&items[0]);
    push_and_pop(kPops);
    CHECK(deque.guarded());
    push_and_pop(1);
    CHECK(!deque.guarded());
  }
  SUBCASE("the owner itself, once") {
    deque.begin_guard();
    CHECK(deque.guarded());
    push_and_pop(kPops / 3);
    deque.begin_guard();
    push_and_pop(kPops - kPops / 3 - 1);
    CHECK(deque.guarded());
    push_and_pop(1);
    CHECK(!deque.guarded());
  }
  SUBCASE("pop") {
    CHECK(popped(deque) == 0);
    CHECK(deque.guarded());
    push_and_pop(kPops - 1);
    CHECK(deque.guarded());
    push_and_pop(1);
    CHECK(!deque.guarded());
  }
  push_and_pop(kPops + 1);
  CHECK(!deque.guarded());
  auto place = deque.push(&items[1]);
  deque.ask_for_guard();
  CHECK(deque.pop_if_newest(place));
  CHECK(!deque.guarded());
  place = deque.push(&items[1]);
  CHECK(deque.guarded());
  CHECK_FALSE(deque.pop_if_newest(place + 1));
  CHECK_FALSE(deque.pop_if_newest(place - 1));
  CHECK(deque.pop_if_newest(place));
}

TEST_CASE("deque: the beginning and the end of a guard keep the places of earlier pushes") {
  std::vector<int> items = numbers(2);
  Deque deque;
  const auto first = deque.push(&items[0]);
  deque.ask_for_guard();
  const auto second = deque.push(&items[1]);
  CHECK(deque.guarded());
  CHECK(deque.size() == 2);
  CHECK_FALSE(deque.empty());
  CHECK(deque.oldest() == &items[0]);
  CHECK(deque.newest() == &items[1]);
  CHECK_FALSE(deque.pop_if_newest(first));
  CHECK(deque.pop_if_newest(second));
  for (int i = 0; i < 300; ++i) CHECK(deque.pop_if_newest(deque.push(&items[1])));
  CHECK(deque.guarded() == !blitz::detail::asymmetric_fences_available());
  CHECK(deque.pop_if_newest(first));
  CHECK(deque.empty());
  CHECK(deque.pop() == nullptr);
}

TEST_CASE("deque: a guarded deque grows and empties like an open one") {
  std::vector<int> items = numbers(100);
  Deque deque(4);
  deque.ask_for_guard();
  CHECK(deque.pop() == nullptr);
  CHECK(deque.guarded());
  CHECK(deque.pop() == nullptr);
  for (int& item : items) deque.push(&item);
  CHECK(deque.capacity() == 128);
  for (int i = 0; i < 50; ++i) {
    REQUIRE(stolen(deque) == i);
    REQUIRE(popped(deque) == 99 - i);
  }
  CHECK(deque.pop() == nullptr);
  CHECK(deque.empty());
}

TEST_CASE("deque: the owner's last items do not count as thefts") {
  if (!blitz::detail::asymmetric_fences_available()) {
    MESSAGE("skipped: without membarrier(2) a deque is always guarded");
    return;
  }
  int item = 0;
  Deque deque;
  deque.ask_for_guard();
  for (int i = 1; i <= kPops; ++i) {
    deque.push(&item);
    REQUIRE(deque.guarded());
    REQUIRE(deque.pop() == &item);
  }
  CHECK(!deque.guarded());
}

TEST_CASE("deque: owner and thieves take each item once while it grows") {
  constexpr std::size_t kItems = 50'000;
  constexpr std::size_t kThieves = 2;
  std::vector<int> items = numbers(kItems);
  Deque deque(2);
  std::atomic<bool> done{false};
  std::array<std::vector<int>, kThieves> loot;
  std::vector<std::thread> thieves;
  for (auto& mine : loot) {
    thieves.emplace_back([&deque, &done, &mine] {
      for (;;) {
        const auto result = deque.steal();
        if (result.outcome == Outcome::kItem) {
          mine.push_back(*result.item);
        } else if (result.outcome == Outcome::kEmpty && done.load()) {
          return;
        }
      }
    });
  }
  std::vector<int> taken;
  for (std::size_t i = 0; i < kItems; ++i) {
    deque.push(&items[i]);
    if (i % 3 == 2) {
      if (int* const item = deque.pop()) taken.push_back(*item);
    }
  }
  while (int* const item = deque.pop()) taken.push_back(*item);
  done.store(true);
  for (std::thread& thief : thieves) thief.join();

  std::size_t stolen_items = 0;
  for (const auto& mine : loot) {
    CHECK(std::is_sorted(mine.begin(), mine.end()));  // oldest first
    stolen_items += mine.size();
    taken.insert(taken.end(), mine.begin(), mine.end());
  }
  CHECK(deque.stolen() == stolen_items);
  std::sort(taken.begin(), taken.end());
  CHECK(taken == items);
}

TEST_CASE("deque: a thief does not check a single item if the owner expects a theft") {
  using blitz::detail::Ticks;
  using blitz::detail::ticks_now;
  int item = 0;
  const auto time_of_looks = [&](bool expected) {
    Ticks least = ~Ticks{0};
    for (int i = 0; i < 20; ++i) {
      Deque deque;
      deque.begin_guard();
      if (expected) deque.expect_theft();
      deque.push(&item);
      const Ticks begin = ticks_now();
      bool prepared = true;
      for (int thief = 0; thief < 1000; ++thief) prepared &= deque.prepare_theft();
      least = std::min(least, ticks_now() - begin);
      CHECK(prepared);
      CHECK(deque.pop() == &item);
    }
    return least;
  };
  CHECK(2 * time_of_looks(true) < time_of_looks(false));
}
