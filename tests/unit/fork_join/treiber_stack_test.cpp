#include "blitz/fork_join/treiber_stack.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Node {
  int value = 0;
  int producer = 0;
  Node* next = nullptr;
};

using Stack = blitz::detail::TreiberStack<Node>;

int taken(Stack& stack) {
  Node* const node = stack.take();
  return node == nullptr ? -1 : node->value;
}

}  // namespace

TEST_CASE("stack: empty at first") {
  Stack stack;
  CHECK(stack.empty());
  CHECK(stack.take() == nullptr);
  CHECK(stack.empty());
}

TEST_CASE("stack: oldest first") {
  std::array<Node, 4> nodes{{{0}, {1}, {2}, {3}}};
  Stack stack;
  for (Node& node : nodes) stack.push(&node);
  for (int i = 0; i < 4; ++i) CHECK(taken(stack) == i);
  CHECK(stack.take() == nullptr);
}

TEST_CASE("stack: oldest first also across what came between two takes") {
  std::array<Node, 6> nodes{{{0}, {1}, {2}, {3}, {4}, {5}}};
  Stack stack;
  stack.push(&nodes[0]);
  stack.push(&nodes[1]);
  stack.push(&nodes[2]);
  CHECK(taken(stack) == 0);
  stack.push(&nodes[3]);
  stack.push(&nodes[4]);
  CHECK(taken(stack) == 1);
  CHECK(taken(stack) == 2);
  stack.push(&nodes[5]);
  for (int i = 3; i < 6; ++i) CHECK(taken(stack) == i);
  CHECK(stack.empty());
}

TEST_CASE("stack: not empty until the last node is taken, wherever it lies") {
  std::array<Node, 2> nodes;
  Stack stack;
  stack.push(&nodes[0]);
  CHECK_FALSE(stack.empty());
  stack.push(&nodes[1]);
  (void)stack.take();
  CHECK_FALSE(stack.empty());
  (void)stack.take();
  CHECK(stack.empty());
}

TEST_CASE("stack: a node may be pushed again once it is taken") {
  Node node{3};
  Stack stack;
  for (int i = 0; i < 3; ++i) {
    stack.push(&node);
    CHECK(taken(stack) == 3);
    CHECK(stack.empty());
  }
}

TEST_CASE("stack: several producers and consumers: each node once, each producer's in order") {
  constexpr int kProducers = 2;
  constexpr int kConsumers = 2;
  constexpr int kEach = 20'000;
  std::vector<Node> nodes(kProducers * kEach);
  Stack stack;
  std::atomic<int> left{kProducers * kEach};
  std::array<std::vector<Node*>, kConsumers> loot;
  std::vector<std::thread> threads;
  for (int p = 0; p < kProducers; ++p) {
    threads.emplace_back([&nodes, &stack, p] {
      for (int i = 0; i < kEach; ++i) {
        Node& node = nodes[static_cast<std::size_t>(p * kEach + i)];
        node.value = i;
        node.producer = p;
        stack.push(&node);
      }
    });
  }
  for (auto& mine : loot) {
    threads.emplace_back([&stack, &left, &mine] {
      while (left.load() > 0) {
        if (Node* const node = stack.take()) {
          mine.push_back(node);
          --left;
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  CHECK(stack.empty());
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
