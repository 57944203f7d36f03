#include "blitz/async/global_queue.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Node {
  int value = 0;
  int producer = 0;
  Node* next = nullptr;
};

using Queue = blitz::detail::GlobalQueue<Node>;

std::vector<Node> numbers(int count) {
  std::vector<Node> nodes(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) nodes[static_cast<std::size_t>(i)].value = i;
  return nodes;
}

int taken(Queue& queue) {
  const Node* const node = queue.take();
  return node == nullptr ? -1 : node->value;
}

}  // namespace

TEST_CASE("global queue: empty at first") {
  Queue queue;
  CHECK(queue.empty());
  CHECK(queue.size() == 0);
  CHECK(queue.take() == nullptr);
  CHECK(queue.take_batch(1, 32, [](Node*) {}) == nullptr);
}

TEST_CASE("global queue: oldest first, singly or in batches") {
  std::vector<Node> nodes = numbers(7);
  Queue queue;
  queue.push(&nodes[0]);
  const std::array<Node*, 3> batch{&nodes[1], &nodes[2], &nodes[3]};
  queue.push_batch(batch);
  CHECK(taken(queue) == 0);
  queue.push_batch(std::span<Node* const>());
  queue.push(&nodes[4]);
  for (int i = 1; i < 5; ++i) CHECK(taken(queue) == i);
  CHECK(taken(queue) == -1);
  queue.push(&nodes[5]);
  queue.push(&nodes[6]);
  CHECK(queue.size() == 2);
  CHECK(taken(queue) == 5);
  CHECK(taken(queue) == 6);
  CHECK(queue.empty());
}

TEST_CASE("global queue: a share is a fair one, of 4 to 64, and no more than there is") {
  CHECK(Queue::share(1, 8) == 1);
  CHECK(Queue::share(3, 1) == 3);
  CHECK(Queue::share(4, 8) == 4);
  CHECK(Queue::share(31, 8) == 4);
  CHECK(Queue::share(40, 8) == 5);
  CHECK(Queue::share(320, 8) == 40);
  CHECK(Queue::share(512, 8) == 64);
  CHECK(Queue::share(100'000, 8) == 64);
  CHECK(Queue::share(50, 1) == 50);
  CHECK(Queue::share(10, 300) == 4);
}

TEST_CASE("global queue: a batch is the worker's share, within its room; the first is returned, the rest kept") {
  struct Case {
    int length;
    std::size_t workers;
    std::size_t most;
    int expected;
  };
  for (const Case c : {Case{100, 4, 32, 25}, Case{100, 1, 33, 33}, Case{1000, 4, 100, 64}, Case{6, 4, 32, 4},
                       Case{2, 4, 32, 2}, Case{100, 4, 1, 1}, Case{5, 1, 32, 5}}) {
    CAPTURE(c.length);
    CAPTURE(c.workers);
    CAPTURE(c.most);
    std::vector<Node> nodes = numbers(c.length);
    Queue queue;
    for (Node& node : nodes) queue.push(&node);
    std::vector<int> kept;
    const Node* const first = queue.take_batch(c.workers, c.most, [&](Node* node) {
      // Not gone from the queue before it is in the worker's hands.
      CHECK(queue.size() == nodes.size());
      kept.push_back(node->value);
    });
    REQUIRE(first != nullptr);
    CHECK(first->value == 0);
    REQUIRE(kept.size() == static_cast<std::size_t>(c.expected - 1));
    for (int i = 1; i < c.expected; ++i) CHECK(kept[static_cast<std::size_t>(i - 1)] == i);
    CHECK(queue.size() == nodes.size() - static_cast<std::size_t>(c.expected));
    for (int i = c.expected; i < c.length; ++i) REQUIRE(taken(queue) == i);
    CHECK(queue.empty());
  }
}

TEST_CASE("global queue: a node may be pushed again as soon as it is taken, or kept") {
  std::vector<Node> nodes = numbers(4);
  Queue queue;
  Queue other;
  for (Node& node : nodes) queue.push(&node);
  Node* const first = queue.take_batch(1, 32, [&](Node* node) { other.push(node); });
  other.push(first);
  CHECK(queue.empty());
  for (const int i : {1, 2, 3, 0}) CHECK(taken(other) == i);
}

TEST_CASE("global queue: several producers and consumers: each node once, each producer's in order") {
  constexpr int kProducers = 2;
  constexpr int kConsumers = 2;
  constexpr int kEach = 30'000;
  std::vector<Node> nodes(kProducers * kEach);
  Queue queue;
  std::atomic<int> left{kProducers * kEach};
  std::array<std::vector<Node*>, kConsumers> loot;
  std::vector<std::thread> threads;
  for (int p = 0; p < kProducers; ++p) {
    threads.emplace_back([&nodes, &queue, p] {
      std::vector<Node*> batch;
      for (int i = 0; i < kEach; ++i) {
        Node& node = nodes[static_cast<std::size_t>(p * kEach + i)];
        node.value = i;
        node.producer = p;
        batch.push_back(&node);
        if (i % 5 == 0 || i == kEach - 1) {
          queue.push_batch(batch);
          batch.clear();
        }
      }
    });
  }
  for (auto& mine : loot) {
    threads.emplace_back([&queue, &left, &mine] {
      while (left.load() > 0) {
        if (Node* const first = queue.take()) {
          mine.push_back(first);
          --left;
        }
        std::vector<Node*> kept;
        if (Node* const first = queue.take_batch(2, 8, [&](Node* node) { kept.push_back(node); })) {
          mine.push_back(first);
          mine.insert(mine.end(), kept.begin(), kept.end());
          left -= 1 + static_cast<int>(kept.size());
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  CHECK(queue.empty());
  std::vector<int> times(nodes.size());
  for (const auto& mine : loot) {
    std::array<int, kProducers> latest{-1, -1};
    for (const Node* node : mine) {
      int& before = latest[static_cast<std::size_t>(node->producer)];
      REQUIRE(node->value > before);
      before = node->value;
      ++times[static_cast<std::size_t>(node - nodes.data())];
    }
  }
  CHECK(times == std::vector<int>(nodes.size(), 1));
}
