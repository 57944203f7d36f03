/// The injector: producers, takers, and a thread that polls empty().

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/queue/treiber_stack.hpp"
#include "stress.hpp"

namespace blitz_test {
namespace {

struct Node {
  Node* next = nullptr;
  std::size_t producer = 0;
  std::size_t number = 0;
  std::uint32_t times_taken = 0;
};

constexpr std::size_t kMostProducers = 4;

TEST_CASE("injector: each node is taken once in order and it is empty only if all are taken") {
  TestWatchdog dog;
  Random random(1);
  const Deadline deadline;
  std::uint64_t rounds = 0;
  std::uint64_t all_nodes = 0;
  std::uint64_t seen_empty = 0;
  while (!deadline.passed()) {
    const std::size_t producers = random.between(1, kMostProducers);
    const std::size_t takers = random.between(1, 3);
    const std::size_t each = random.between(1, random.one_in(2) ? 50 : 3'000);
    const std::uint64_t stream = random.next();
    std::vector<std::vector<Node>> nodes(producers, std::vector<Node>(each));
    blitz::detail::TreiberStack<Node> stack;
    std::atomic<std::size_t> pushed{0};  // incremented after the push
    std::atomic<std::size_t> taken{0};   // incremented after the take
    std::atomic<std::uint64_t> surprises{0};
    std::atomic<std::uint64_t> empties{0};

    in_threads(producers + takers + 1, [&](std::size_t thread) {
      Random mine(stream + thread);
      if (thread < producers) {
        for (std::size_t i = 0; i < each; ++i) {
          Node& node = nodes[thread][i];
          node.producer = thread;
          node.number = i;
          stack.push(&node);
          pushed.fetch_add(1);
          if (mine.one_in(16)) spin_for(std::chrono::nanoseconds(mine.below(2'000)));
        }
      } else if (thread < producers + takers) {
        std::array<std::size_t, kMostProducers> at_least{};
        while (taken.load(std::memory_order_relaxed) < producers * each) {
          Node* const node = stack.take();
          if (node == nullptr) {
            std::this_thread::yield();
            continue;
          }
          if (node->number < at_least[node->producer]) ++surprises;
          at_least[node->producer] = node->number + 1;
          ++node->times_taken;
          taken.fetch_add(1);
        }
      } else {
        while (taken.load(std::memory_order_relaxed) < producers * each) {
          const std::size_t before = pushed.load();
          if (!stack.empty()) continue;
          // Each taker may have taken at most one of the earlier items without counting it yet.
          if (taken.load() + takers < before) ++surprises;
          ++empties;
          if (mine.one_in(8)) std::this_thread::yield();
        }
      }
    });

    CHECK(stack.empty());
    CHECK(stack.take() == nullptr);
    CHECK(surprises.load() == 0);
    std::size_t wrong = 0;
    for (const auto& of_producer : nodes) {
      for (const Node& node : of_producer) wrong += node.times_taken != 1 ? 1U : 0U;
    }
    CHECK(wrong == 0);
    ++rounds;
    all_nodes += producers * each;
    seen_empty += empties;
    dog.progress();
  }
  MESSAGE("done: " << rounds << " rounds, " << all_nodes << " nodes, " << seen_empty << " times seen empty");
}

}  // namespace
}  // namespace blitz_test
