#include "blitz/detail/queue/work_steal_queue.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using Ring = blitz::detail::WorkStealQueue<int, 4>;
using Outcome = blitz::detail::StealResult<int>::Outcome;

namespace {

/// Items to push: element i holds i.
std::vector<int> numbers(std::size_t count) {
  std::vector<int> items(count);
  std::iota(items.begin(), items.end(), 0);
  return items;
}

/// Stores the items that overflow, and counts the calls.
struct Sink {
  void push_batch(std::span<int* const> batch) noexcept {
    ++calls;
    for (const int* item : batch) items.push_back(*item);
  }
  std::vector<int> items;
  std::size_t calls = 0;
};

int value(const int* item) { return item == nullptr ? -1 : *item; }

template <class Queue>
std::vector<int> drained(Queue& queue) {
  std::vector<int> items;
  while (const int* const item = queue.pop()) items.push_back(*item);
  return items;
}

}  // namespace

TEST_CASE("ring: begins empty for owner and thief") {
  Ring ring;
  Ring thief;
  CHECK(ring.empty());
  CHECK(ring.size() == 0);
  CHECK(ring.room() == 4);
  CHECK(ring.pop() == nullptr);
  CHECK(ring.take_newest() == nullptr);
  CHECK(ring.steal_into(thief).outcome == Outcome::kEmpty);
  CHECK(ring.empty());
}

TEST_CASE("ring: pop takes the oldest item and take_newest the newest") {
  std::vector<int> items = numbers(4);
  Ring ring;
  Sink sink;
  for (int& item : items) CHECK(ring.push(&item, sink) == 0);
  CHECK(ring.size() == 4);
  CHECK(ring.room() == 0);
  CHECK(value(ring.take_newest()) == 3);
  CHECK(value(ring.pop()) == 0);
  CHECK(value(ring.take_newest()) == 2);
  CHECK(value(ring.take_newest()) == 1);
  CHECK(ring.take_newest() == nullptr);
  CHECK(ring.pop() == nullptr);
  CHECK(ring.room() == 4);
  CHECK(sink.calls == 0);
}

TEST_CASE("ring: take_newest_if takes the named item only if it is the newest") {
  std::vector<int> items = numbers(3);
  Ring ring;
  Sink sink;
  CHECK_FALSE(ring.take_newest_if(&items[0]));
  ring.push(&items[0], sink);
  ring.push(&items[1], sink);
  CHECK_FALSE(ring.take_newest_if(&items[0]));
  CHECK_FALSE(ring.take_newest_if(&items[2]));
  CHECK(ring.size() == 2);
  CHECK(ring.take_newest_if(&items[1]));
  CHECK(ring.take_newest_if(&items[0]));
  CHECK(ring.empty());

  SUBCASE("and not once a thief has it") {
    Ring thief;
    ring.push(&items[2], sink);
    CHECK(value(ring.steal_into(thief).item) == 2);
    CHECK_FALSE(ring.take_newest_if(&items[2]));
  }
}

TEST_CASE("ring: a thief takes half rounded up and gets the oldest item itself") {
  for (std::size_t count = 1; count <= 16; ++count) {
    CAPTURE(count);
    std::vector<int> items = numbers(count);
    blitz::detail::WorkStealQueue<int, 16> ring;
    blitz::detail::WorkStealQueue<int, 16> thief;
    Sink sink;
    for (int& item : items) ring.push(&item, sink);
    const auto loot = ring.steal_into(thief);
    REQUIRE(loot.outcome == Outcome::kItem);
    CHECK(value(loot.item) == 0);
    CHECK(loot.moved == (count + 1) / 2 - 1);
    CHECK(thief.size() == loot.moved);
    CHECK(ring.size() == count / 2);
    std::vector<int> all{0};
    for (const int item : drained(thief)) all.push_back(item);
    for (const int item : drained(ring)) all.push_back(item);
    CHECK(all == items);
  }
}

TEST_CASE("ring: a theft is limited by the thief's request and room") {
  std::vector<int> items = numbers(16);
  blitz::detail::WorkStealQueue<int, 16> ring;
  Sink sink;
  for (int& item : items) ring.push(&item, sink);

  SUBCASE("one") {
    Ring thief;
    const auto loot = ring.steal_into(thief, 1);
    CHECK(value(loot.item) == 0);
    CHECK(loot.moved == 0);
    CHECK(thief.empty());
    CHECK(ring.size() == 15);
  }
  SUBCASE("three") {
    Ring thief;
    CHECK(ring.steal_into(thief, 3).moved == 2);
    CHECK(drained(thief) == std::vector<int>{1, 2});
  }
  SUBCASE("a smaller ring") {
    Ring thief;
    CHECK(ring.steal_into(thief).moved == 4);
    CHECK(drained(thief) == std::vector<int>{1, 2, 3, 4});
    CHECK(ring.size() == 11);
  }
  SUBCASE("a ring with little room") {
    std::vector<int> own = numbers(3);
    Ring thief;
    for (int& item : own) thief.push(&item, sink);
    CHECK(ring.steal_into(thief).moved == 1);
    CHECK(drained(thief) == std::vector<int>{0, 1, 2, 1});
  }
  SUBCASE("a full ring") {
    std::vector<int> own = numbers(4);
    Ring thief;
    for (int& item : own) thief.push(&item, sink);
    const auto loot = ring.steal_into(thief);
    CHECK(value(loot.item) == 0);
    CHECK(loot.moved == 0);
    CHECK(drained(thief) == own);
  }
}

TEST_CASE("ring: a push without room moves the older half to the sink in one call") {
  std::vector<int> items = numbers(7);
  Ring ring;
  Sink sink;
  for (std::size_t i = 0; i < 4; ++i) REQUIRE(ring.push(&items[i], sink) == 0);
  CHECK(ring.push(&items[4], sink) == 2);
  CHECK(sink.calls == 1);
  CHECK(sink.items == std::vector<int>{0, 1});
  CHECK(ring.push(&items[5], sink) == 0);
  CHECK(ring.push(&items[6], sink) == 2);
  CHECK(sink.calls == 2);
  CHECK(sink.items == std::vector<int>{0, 1, 2, 3});
  CHECK(drained(ring) == std::vector<int>{4, 5, 6});
}

TEST_CASE("ring: the default ring holds 256 items and overflows by 128") {
  blitz::detail::WorkStealQueue<int> ring;
  blitz::detail::WorkStealQueue<int> thief;
  std::vector<int> items = numbers(257);
  Sink sink;
  for (std::size_t i = 0; i < 256; ++i) REQUIRE(ring.push(&items[i], sink) == 0);
  CHECK(ring.push(&items[256], sink) == 128);
  CHECK(sink.calls == 1);
  CHECK(sink.items == numbers(128));
  CHECK(ring.size() == 129);
  for (std::size_t i = 0; i < 127; ++i) REQUIRE(ring.push(&items[i], sink) == 0);
  CHECK(ring.steal_into(thief).moved == 127);  // exactly half
}

TEST_CASE("ring: the indices may wrap around many times") {
  std::vector<int> items = numbers(3);
  Ring ring;
  Ring thief;
  Sink sink;
  for (int round = 0; round < 100'000; ++round) {
    for (int& item : items) ring.push(&item, sink);
    REQUIRE(value(ring.take_newest()) == 2);
    const auto loot = ring.steal_into(thief);
    REQUIRE(value(loot.item) == 0);
    REQUIRE(value(ring.pop()) == 1);
    REQUIRE(ring.empty());
  }
  CHECK(sink.calls == 0);
}

namespace {

/// Counts for each of a few items, which are used in turn, its pushes and its takes.
class Ledger {
 public:
  static constexpr std::size_t kItems = 1'024;

  Ledger() : items_(numbers(kItems)), pushed_(kItems), got_(kItems) {}

  [[nodiscard]] int* push(std::size_t turn) {
    ++pushed_[turn % kItems];
    return &items_[turn % kItems];
  }
  void get(const int* item) { got_[static_cast<std::size_t>(*item)].fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] bool balanced() const {
    return std::equal(pushed_.begin(), pushed_.end(), got_.begin(),
                      [](int pushed, const std::atomic<int>& got) { return pushed == got.load(); });
  }
  /// As a sink: an item that overflows counts as taken.
  void push_batch(std::span<int* const> batch) noexcept {
    for (const int* item : batch) get(item);
  }

 private:
  std::vector<int> items_;
  std::vector<int> pushed_;
  std::vector<std::atomic<int>> got_;
};

/// The owner pushes, and takes from either end, until the thieves have stolen `thefts_wanted` times from it and from each
/// other.
template <std::size_t Capacity>
void everything_at_once(int thefts_wanted) {
  using Queue = blitz::detail::WorkStealQueue<int, Capacity>;
  constexpr std::size_t kThieves = 2;
  Ledger ledger;
  Queue ring;
  std::array<Queue, kThieves> rings;
  std::atomic<bool> done{false};
  std::atomic<int> thefts{0};
  std::vector<std::thread> thieves;
  for (std::size_t t = 0; t < kThieves; ++t) {
    thieves.emplace_back([&, t] {
      Queue& mine = rings[t];
      for (unsigned turn = 0; !done.load(std::memory_order_relaxed); ++turn) {
        Queue& victim = turn % 4 == 3 ? rings[1 - t] : ring;
        const auto loot = victim.steal_into(mine);
        if (loot.outcome == Outcome::kItem) {
          ledger.get(loot.item);
          thefts.fetch_add(1, std::memory_order_relaxed);
        }
        // Often an item is left for the other thief.
        for (unsigned i = turn % 5; i < 4; ++i) {
          if (const int* const item = turn % 2 == 0 ? mine.pop() : mine.take_newest()) ledger.get(item);
        }
        if (turn % 1'024 == 0) std::this_thread::yield();
      }
    });
  }
  for (std::size_t i = 0; thefts.load(std::memory_order_relaxed) < thefts_wanted; ++i) {
    ring.push(ledger.push(i), ledger);
    if (i % 3 == 2) {
      if (const int* const item = ring.take_newest()) ledger.get(item);
    }
    if (i % 4 == 3) {
      if (const int* const item = ring.pop()) ledger.get(item);
    }
    if (i % 1'024 == 0) std::this_thread::yield();
  }
  done.store(true);
  for (std::thread& thief : thieves) thief.join();
  for (Queue* queue : {&ring, &rings[0], &rings[1]}) {
    while (const int* const item = queue->pop()) ledger.get(item);
    CHECK(queue->room() == Capacity);
  }
  CHECK(ledger.balanced());
}

}  // namespace

TEST_CASE("ring: owner and thieves take each item once (4 slots)") { everything_at_once<4>(50'000); }
TEST_CASE("ring: owner and thieves take each item once (256 slots)") { everything_at_once<256>(20'000); }

TEST_CASE("ring: a joining owner and a thief get each item once and the owner knows which") {
  // Like join: push an item and take it back, by name, or at a deeper level as the newest.
  constexpr int kRounds = 200'000;
  constexpr int kThefts = 200;
  std::vector<int> items = numbers(4);
  std::array<std::atomic<int>, 4> stolen{};
  Ring ring;
  Sink sink;
  std::atomic<bool> done{false};
  std::thread thief([&] {
    Ring mine;
    while (!done.load()) {
      const auto loot = ring.steal_into(mine);
      if (loot.outcome != Outcome::kItem) continue;
      stolen[static_cast<std::size_t>(*loot.item)].fetch_add(1);
      while (const int* const item = mine.pop()) stolen[static_cast<std::size_t>(*item)].fetch_add(1);
    }
  });
  std::array<int, 4> lost{};
  for (int round = 0; round < kRounds || lost[0] < kThefts; ++round) {
    const std::size_t depth = 1 + static_cast<std::size_t>(round) % 4;
    for (std::size_t i = 0; i < depth; ++i) ring.push(&items[i], sink);
    for (std::size_t i = depth; i-- > 0;) {
      if (ring.take_newest_if(&items[i])) continue;
      // A thief has it. Push it again only after the thief has reported it, as with a job and its latch.
      ++lost[i];
      while (stolen[i].load() != lost[i]) std::this_thread::yield();
    }
    REQUIRE(ring.empty());
  }
  done.store(true);
  thief.join();
  for (std::size_t i = 0; i < 4; ++i) CHECK(stolen[i].load() == lost[i]);
  CHECK(sink.calls == 0);
}
