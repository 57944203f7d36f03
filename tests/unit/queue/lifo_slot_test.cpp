#include "blitz/detail/queue/lifo_slot.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <doctest/doctest.h>

using Slot = blitz::detail::LifoSlot<int>;

TEST_CASE("slot: begins empty") {
  Slot slot;
  CHECK(slot.empty());
  CHECK(slot.holds(nullptr));
  CHECK(slot.take() == nullptr);
  CHECK(slot.poll() == nullptr);
}

TEST_CASE("slot: holds the newest item and evicts the older one") {
  std::array<int, 3> items{};
  Slot slot;
  CHECK(slot.put(&items[0]) == nullptr);
  CHECK(slot.put(&items[1]) == &items[0]);
  CHECK(slot.put(&items[2]) == &items[1]);
  CHECK_FALSE(slot.empty());
  CHECK(slot.holds(&items[2]));
  CHECK_FALSE(slot.holds(&items[1]));
  CHECK(slot.take() == &items[2]);
  CHECK(slot.empty());
  CHECK(slot.put(&items[0]) == nullptr);
}

TEST_CASE("slot: take_if takes only the named item") {
  std::array<int, 2> items{};
  Slot slot;
  (void)slot.put(&items[0]);
  CHECK_FALSE(slot.take_if(&items[1]));
  CHECK(slot.take_if(&items[0]));
  CHECK_FALSE(slot.take_if(&items[0]));
  CHECK(slot.empty());
}

TEST_CASE("slot: poll succeeds three times per tick") {
  int item = 0;
  Slot slot;
  for (int tick = 0; tick < 3; ++tick) {
    CHECK(slot.poll() == nullptr);  // does not count
    for (int i = 0; i < 3; ++i) {
      CHECK(slot.put(&item) == nullptr);
      CHECK(slot.poll() == &item);
    }
    CHECK(slot.put(&item) == nullptr);
    CHECK(slot.poll() == nullptr);
    CHECK_FALSE(slot.empty());
    CHECK(slot.take() == &item);  // it is there for thieves, and for its owner if there is no other job
    slot.begin_tick();
  }
}

TEST_CASE("slot: owner and thief get each item once") {
  // If threads take turns, as under valgrind, each turn has only a theft or two. There fewer thefts are enough.
  constexpr std::uint64_t kThefts = 50'000;
  const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  std::array<int, 64> items{};
  std::array<std::uint64_t, 64> put{};
  std::array<std::uint64_t, 64> regained{};
  std::array<std::uint64_t, 64> stolen{};  // written only by the thief until it has ended
  const auto number = [&](const int* item) { return static_cast<std::size_t>(item - items.data()); };
  std::atomic<std::uint64_t> thefts{0};
  std::atomic<bool> done{false};
  Slot slot;
  std::thread thief([&] {
    while (!done.load(std::memory_order_relaxed)) {
      if (const int* const item = slot.take()) {
        ++stolen[number(item)];
        thefts.store(thefts.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      }
    }
  });
  for (std::size_t i = 0; thefts.load(std::memory_order_relaxed) < kThefts; ++i) {
    if (i % 4096 == 0 && thefts.load(std::memory_order_relaxed) > 0 && std::chrono::steady_clock::now() > enough) break;
    int* const item = &items[i % items.size()];
    ++put[number(item)];
    if (const int* const evicted = slot.put(item)) ++regained[number(evicted)];
    if (i % 3 == 0 && slot.take_if(item)) ++regained[number(item)];
  }
  done.store(true);
  thief.join();
  if (const int* const item = slot.take()) ++regained[number(item)];
  for (std::size_t i = 0; i < items.size(); ++i) CHECK(put[i] == regained[i] + stolen[i]);
}

TEST_CASE("slot: writes before the put are visible to the thief") {
  constexpr int kRounds = 2'000;
  int item = 0;  // plain
  Slot slot;
  std::atomic<int> seen{0};
  std::thread thief([&] {
    for (int round = 1; round <= kRounds; ++round) {
      const int* taken = nullptr;
      while ((taken = slot.take()) == nullptr) std::this_thread::yield();
      REQUIRE(*taken == round);
      seen.store(round);
    }
  });
  for (int round = 1; round <= kRounds; ++round) {
    item = round;
    CHECK(slot.put(&item) == nullptr);
    while (seen.load() != round) std::this_thread::yield();
  }
  thief.join();
}
