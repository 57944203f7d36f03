// The small components for communication between threads: TreiberStack, StackLanes, Parker, CoreLatch.
#include <array>
#include <optional>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/job/latch.hpp"
#include "blitz/detail/queue/stack_lanes.hpp"
#include "blitz/detail/queue/treiber_stack.hpp"
#include "blitz/detail/sys/parker.hpp"
#include "tests/support/interleave/explore.hpp"

namespace {

using blitz::detail::Atomic;
using blitz::detail::CoreLatch;
using blitz::detail::Parker;
using blitz::detail::StackLanes;
using blitz::detail::TreiberStack;
using interleave::expect;
using interleave::Plain;
using interleave::Run;

// --- TreiberStack ---

struct Node {
  Node* next = nullptr;
  int index = 0;
  Plain<int> payload{"payload", 0};
  Plain<int> taken{"taken", 0};
};

/// Four nodes, and a queue for them. Of several lanes the even nodes are on the first and the odd ones on the second.
template <class Queue>
class JobsIn {
 public:
  /// `arguments`: of the queue's constructor.
  template <class... Arguments>
  explicit JobsIn(Run& run, Arguments... arguments) : queue_(arguments...) {
    run.name(queue_, "queue");
    run.name(all_, "nodes");
    std::size_t found = 0;
    for (Node& node : all_) {
      if (found == nodes_.size()) break;
      if (!fits(node, found)) continue;
      node.index = static_cast<int>(found);
      nodes_[found++] = &node;
    }
    expect(found == nodes_.size(), "there is a node for each place");
  }

  void push(std::size_t index) {
    nodes_[index]->payload.write(static_cast<int>(index) + 1);
    queue_.push(nodes_[index]);
  }

  /// The index of the node taken, or -1. `arguments`: of the queue's take.
  template <class... Arguments>
  int take(Arguments... arguments) {
    Node* const node = queue_.take(arguments...);
    if (node == nullptr) return -1;
    expect(node->payload.read() == node->index + 1, "what the producer wrote has come with the node");
    expect(node->taken.read() == 0, "nobody has taken it before");
    node->taken.write(1);
    return node->index;
  }

  [[nodiscard]] bool empty() const { return queue_.empty(); }

  void expect_all_taken(int count) {
    while (take() >= 0) {
    }
    int taken = 0;
    for (const Node* node : nodes_) taken += node->taken.read();
    expect(taken == count, "each node has been taken");
    expect(queue_.empty(), "nothing is left");
  }

 private:
  [[nodiscard]] bool fits(const Node& node, std::size_t index) const {
    if constexpr (requires { queue_.lane_of(&node); }) {
      return queue_.lane_of(&node) == index % 2;
    } else {
      return true;
    }
  }

  Queue queue_;
  std::array<Node, 64> all_;
  std::array<Node*, 4> nodes_{};
};
using Jobs = JobsIn<TreiberStack<Node>>;

/// A poster pushes the node, and a taker parks unless it sees it.
template <class Queue>
void post_and_park(Run& run, JobsIn<Queue>& jobs, std::size_t index) {
  Atomic<bool> parked{false};
  run.name(parked, "parked");
  bool poster_saw = false;
  bool parker_saw = false;
  run.thread("poster", [&] {
    jobs.push(index);
    poster_saw = parked.load(std::memory_order_seq_cst);
  });
  run.thread("parker", [&] {
    parked.exchange(true, std::memory_order_seq_cst);
    parker_saw = !jobs.empty();
  });
  run.go();
  expect(poster_saw || parker_saw, "one of them sees the other");
  jobs.expect_all_taken(1);
}

INTERLEAVE_CASE("stack: two producers, two takers", .preemptions = 2, .random_schedules = 2000) {
  Jobs jobs(run);
  run.thread("producer 1", [&] { jobs.push(0); });
  run.thread("producer 2", [&] { jobs.push(1); });
  run.thread("taker 1", [&] { jobs.take(); });
  run.thread("taker 2", [&] { jobs.take(); });
  run.go();
  jobs.expect_all_taken(2);
}

INTERLEAVE_CASE("stack: one producer's nodes come in order", .preemptions = 3, .random_schedules = 2000) {
  Jobs jobs(run);
  std::array<int, 3> order{};
  run.thread("producer", [&] {
    for (std::size_t i = 0; i < 3; ++i) jobs.push(i);
  });
  run.thread("taker", [&] {
    for (int& index : order) index = jobs.take();
  });
  run.go();
  int last = -1;
  for (const int index : order) {
    if (index < 0) continue;
    expect(index > last, "oldest first");
    last = index;
  }
  jobs.expect_all_taken(3);
}

// A taker holds a node for a moment when another thread asks whether the stack is empty. Only the taker knows which node it
// takes permanently, so the other thread must wait until it knows the taker's progress.
INTERLEAVE_CASE("stack: is not empty while a node is left", .preemptions = 3, .random_schedules = 2000) {
  Jobs jobs(run);
  jobs.push(0);
  jobs.push(1);
  int taken = 0;
  bool empty = false;
  run.thread("taker", [&] { taken += jobs.take() >= 0 ? 1 : 0; });
  run.thread("checker", [&] { empty = jobs.empty(); });
  run.go();
  expect(taken == 1, "nobody else takes");
  expect(!empty, "one node is left at all times");
  jobs.expect_all_taken(2);
}

INTERLEAVE_CASE("stack: its producer sees pushed nodes", .preemptions = 3, .random_schedules = 2000) {
  Jobs jobs(run);
  bool empty = false;
  run.thread("producer and checker", [&] {
    jobs.push(0);
    jobs.push(1);
    empty = jobs.empty();
  });
  run.thread("taker", [&] { jobs.take(); });
  run.go();
  expect(!empty, "two were pushed, and one at most is taken");
  jobs.expect_all_taken(2);
}

INTERLEAVE_CASE("stack: a poster and a taker that parks", .preemptions = 3, .delays = 2, .random_schedules = 1000) {
  Jobs jobs(run);
  post_and_park(run, jobs, 0);
}

INTERLEAVE_CASE("stack: all operations concurrently", .systematic = false, .random_schedules = 5000) {
  Jobs jobs(run);
  run.thread("producer 1", [&] {
    jobs.push(0);
    jobs.push(1);
  });
  run.thread("producer 2", [&] {
    jobs.push(2);
    jobs.push(3);
  });
  for (const char* name : {"taker 1", "taker 2"}) {
    run.thread(name, [&] {
      for (int i = 0; i < 3; ++i) jobs.take();
    });
  }
  run.go();
  jobs.expect_all_taken(4);
}

// --- StackLanes ---

/// Two lanes.
struct Lanes : JobsIn<StackLanes<Node>> {
  explicit Lanes(Run& run) : JobsIn(run, std::size_t{8}) {}
};

INTERLEAVE_CASE("lanes: two producers, two takers", .preemptions = 2, .random_schedules = 2000) {
  Lanes lanes(run);
  run.thread("producer 1", [&] { lanes.push(0); });
  run.thread("producer 2", [&] { lanes.push(1); });
  run.thread("taker 1", [&] { lanes.take(0U); });
  run.thread("taker 2", [&] { lanes.take(1U); });
  run.go();
  lanes.expect_all_taken(2);
}

INTERLEAVE_CASE("lanes: a taker finds the node of any lane", .preemptions = 2, .random_schedules = 100) {
  Lanes lanes(run);
  run.thread("taker", [&] {
    for (const std::size_t pushed : {0, 1}) {
      for (const std::uint32_t from : {0, 1}) {
        lanes.push(pushed + 2 * from);
        expect(lanes.take(from) >= 0, "there is a node");
      }
    }
  });
  run.go();
  lanes.expect_all_taken(4);
}

INTERLEAVE_CASE("lanes: a poster on the second one and a taker that parks", .preemptions = 3, .delays = 2,
                .random_schedules = 1000) {
  Lanes lanes(run);
  post_and_park(run, lanes, 1);
}

// --- Parker ---

INTERLEAVE_CASE("parker: a token ends each park", .preemptions = 4, .delays = 2, .spurious = 1,
                .random_schedules = 1000) {
  Parker parker;
  run.name(parker, "parker");
  Plain<int> message{"message", 0};
  run.thread("sleeper", [&] {
    parker.park();
    expect(message.read() == 1, "what came before the unpark has come");
  });
  run.thread("waker", [&] {
    message.write(1);
    parker.unpark();
  });
  run.go();
}

INTERLEAVE_CASE("parker: two wakers are one token or two", .preemptions = 3, .spurious = 1, .random_schedules = 1000) {
  Parker parker;
  run.name(parker, "parker");
  Plain<int> messages[2] = {Plain<int>("message 1", 0), Plain<int>("message 2", 0)};
  blitz::detail::Atomic<int> sent{0};
  run.thread("sleeper", [&] {
    // Each park takes at least one token. The second token is there at the latest when the second waker has finished.
    parker.park();
    while (sent.load(std::memory_order_relaxed) < 2) parker.park();
  });
  for (int i = 0; i < 2; ++i) {
    run.thread("waker " + std::to_string(i + 1), [&, i] {
      messages[i].write(1);
      sent.fetch_add(1, std::memory_order_relaxed);
      parker.unpark();
    });
  }
  run.go();
}

// A second token that arrives while the first is taken also publishes its sender's writes. The count of tokens orders nothing:
// only the parker does.
INTERLEAVE_CASE("parker: a token taken along publishes", .preemptions = 3, .random_schedules = 1000) {
  Parker parker;
  run.name(parker, "parker");
  Plain<int> messages[2] = {Plain<int>("message 1", 0), Plain<int>("message 2", 0)};
  blitz::detail::Atomic<int> left{0};
  run.thread("sleeper", [&] {
    parker.park();
    while (left.load(std::memory_order_relaxed) < 2) blitz::detail::yield_thread();
    parker.unpark();  // This park must end: with the second token, if it is still there.
    parker.park();
    expect(messages[0].read() + messages[1].read() == 2, "both messages have come");
  });
  for (int i = 0; i < 2; ++i) {
    run.thread("waker " + std::to_string(i + 1), [&, i] {
      messages[i].write(1);
      parker.unpark();
      left.fetch_add(1, std::memory_order_relaxed);
    });
  }
  run.go();
}

INTERLEAVE_CASE("parker: each round takes its token", .preemptions = 3, .spurious = 1, .random_schedules = 1000) {
  Parker first;
  Parker second;
  run.name(first, "first");
  run.name(second, "second");
  Plain<int> turn{"turn", 0};
  run.thread("one", [&] {
    for (int i = 0; i < 2; ++i) {
      first.park();
      expect(turn.read() == 2 * i + 1, "it is this thread's turn");
      turn.write(2 * i + 2);
      second.unpark();
    }
  });
  run.thread("the other", [&] {
    for (int i = 0; i < 2; ++i) {
      turn.write(2 * i + 1);
      first.unpark();
      second.park();
      expect(turn.read() == 2 * i + 2, "it is this thread's turn");
    }
  });
  run.go();
}

INTERLEAVE_CASE("parker: may be destroyed once its token is taken", .preemptions = 4, .random_schedules = 1000) {
  auto parker = std::make_optional<Parker>();
  Parker* const address = &*parker;
  run.thread("sleeper", [&] {
    parker->park();
    parker.reset();
  });
  run.thread("waker", [&] { address->unpark(); });
  run.go();
}

// --- CoreLatch ---

/// Like a worker without another reason to wake: the waker's parker replaces Sleep.
INTERLEAVE_CASE("latch: its setter wakes the worker that must be woken", .preemptions = 4, .delays = 2, .spurious = 1,
                .random_schedules = 1000) {
  auto latch = std::make_optional<CoreLatch>();
  CoreLatch* const address = &*latch;
  Parker parker;
  run.name(parker, "parker");
  Plain<int> result{"result", 0};
  run.thread("waiter", [&] {
    while (!latch->probe()) {
      if (!latch->get_sleepy()) continue;
      if (!latch->fall_asleep()) continue;
      parker.park();
      latch->woke();
    }
    expect(result.read() == 7, "what came before set has come");
    latch.reset();
  });
  run.thread("setter", [&] {
    result.write(7);
    if (address->set()) parker.unpark();
  });
  run.go();
}

INTERLEAVE_CASE("latch: an interrupted sleep can be begun again", .preemptions = 3, .random_schedules = 1000) {
  CoreLatch latch;
  run.name(latch, "latch");
  Parker parker;
  run.thread("waiter", [&] {
    while (!latch.probe()) {
      if (!latch.get_sleepy()) continue;
      if (!latch.fall_asleep()) continue;
      parker.park();
      latch.woke();
    }
  });
  run.thread("disturber", [&] { parker.unpark(); });
  run.thread("setter", [&] {
    if (latch.set()) parker.unpark();
  });
  run.go();
}

}  // namespace
