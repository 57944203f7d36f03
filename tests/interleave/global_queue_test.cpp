// GlobalQueue: each node is taken once, in order, its length is right at each moment, and the nodes of a batch are always
// visible in the queue or the ring.
#include "blitz/detail/queue/global_queue.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>

#include "blitz/detail/queue/work_steal_queue.hpp"
#include "tests/support/interleave/explore.hpp"

namespace {

using blitz::detail::Atomic;
using blitz::detail::GlobalQueue;
using blitz::detail::WorkStealQueue;
using interleave::expect;
using interleave::Plain;
using interleave::Run;

struct Node {
  Node* next = nullptr;
  int index = 0;
  Plain<int> payload{"payload", 0};
  Plain<int> taken{"taken", 0};
};

using Ring = WorkStealQueue<Node, 4>;

/// A queue, the rings of two workers, and checks of the nodes.
class Jobs {
 public:
  explicit Jobs(Run& run) {
    run.name(queue_, "queue");
    run.name(nodes_, "nodes");
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].index = static_cast<int>(i);
    for (std::size_t worker = 0; worker < rings_.size(); ++worker) {
      run.name(rings_[worker], "ring " + std::to_string(worker));
    }
  }

  void push(std::size_t index) { queue_.push(made(index)); }
  template <std::size_t N>
  void push_batch(const std::array<std::size_t, N>& indices) {
    std::array<Node*, N> batch;
    for (std::size_t i = 0; i < N; ++i) batch[i] = made(indices[i]);
    queue_.push_batch(batch);
  }
  /// Pushes to a worker's ring, which overflows into the queue.
  void push_own(std::size_t worker, std::size_t index) { rings_[worker].push(made(index), queue_); }

  /// The index of the node taken, or -1.
  int take() { return take(queue_.take()); }
  /// Takes a batch: the first node is taken, the others are in the worker's ring.
  int fetch(std::size_t worker, std::size_t workers = 1) {
    Ring& ring = rings_[worker];
    return take(queue_.take_batch(workers, 1 + ring.room(), [&ring](Node* node) {
      ring.push_into_room(node);
      (void)ring.room();  // A point for a switch: a thief may take the node immediately.
    }));
  }
  int pop(std::size_t worker) { return take(rings_[worker].pop()); }
  /// Steals a node from the other worker's ring.
  int steal(std::size_t worker) { return take(rings_[1 - worker].steal_into(rings_[worker], 1).item); }

  [[nodiscard]] const GlobalQueue<Node>& queue() const noexcept { return queue_; }
  [[nodiscard]] const Ring& ring(std::size_t worker) const noexcept { return rings_[worker]; }

  void expect_all_taken() {
    while (take() >= 0) {
    }
    for (std::size_t worker = 0; worker < rings_.size(); ++worker) {
      while (pop(worker) >= 0) {
      }
    }
    for (const Node& node : nodes_) expect(node.payload.read() == 0 || node.taken.read() == 1, "each has been taken");
    expect(queue_.empty() && queue_.size() == 0, "nothing is left");
  }

 private:
  Node* made(std::size_t index) {
    nodes_[index].payload.write(static_cast<int>(index) + 1);
    return &nodes_[index];
  }

  int take(Node* node) {
    if (node == nullptr) return -1;
    expect(node->payload.read() == node->index + 1, "what its producer wrote has come with the node");
    expect(node->taken.read() == 0, "nobody has taken it before");
    node->taken.write(1);
    node->next = node;  // The taker owns it, and may reuse it immediately.
    return node->index;
  }

  GlobalQueue<Node> queue_;
  std::array<Ring, 2> rings_;
  std::array<Node, 6> nodes_;
};

INTERLEAVE_CASE("global: two producers, two takers", .preemptions = 2, .random_schedules = 2000) {
  Jobs jobs(run);
  run.thread("producer 1", [&] { jobs.push(0); });
  run.thread("producer 2", [&] { jobs.push(1); });
  run.thread("taker 1", [&] { jobs.take(); });
  run.thread("taker 2", [&] { jobs.take(); });
  run.go();
  jobs.expect_all_taken();
}

INTERLEAVE_CASE("global: one producer's nodes come in order", .preemptions = 3, .random_schedules = 2000) {
  Jobs jobs(run);
  std::array<int, 3> order{};
  run.thread("producer", [&] {
    jobs.push(0);
    jobs.push_batch<2>({1, 2});
  });
  run.thread("taker", [&] {
    for (int& index : order) index = jobs.take();
  });
  run.go();
  int expected = 0;
  for (const int index : order) expect(index < 0 || index == expected++, "oldest first");
  jobs.expect_all_taken();
}

INTERLEAVE_CASE("global: batches are not mixed", .preemptions = 3, .random_schedules = 1000) {
  Jobs jobs(run);
  run.thread("producer 1", [&] { jobs.push_batch<2>({0, 1}); });
  run.thread("producer 2", [&] { jobs.push_batch<2>({2, 3}); });
  run.go();
  for (int i = 0; i < 2; ++i) {
    const int first = jobs.take();
    expect(first % 2 == 0 && jobs.take() == first + 1, "what was pushed together lies together");
  }
  jobs.expect_all_taken();
}

INTERLEAVE_CASE("global: the length is that of whole batches", .preemptions = 3, .random_schedules = 1000) {
  Jobs jobs(run);
  std::array<std::size_t, 3> seen{};
  run.thread("producer", [&] { jobs.push_batch<3>({0, 1, 2}); });
  run.thread("worker", [&] { jobs.fetch(0); });
  run.thread("checker", [&] {
    for (std::size_t& length : seen) length = jobs.queue().size();
  });
  run.go();
  for (const std::size_t length : seen) expect(length == 0 || length == 3, "all of them are there, or none");
  jobs.expect_all_taken();
}

INTERLEAVE_CASE("global: its producer sees pushed jobs", .preemptions = 3, .random_schedules = 1000) {
  Jobs jobs(run);
  bool empty = false;
  run.thread("producer and checker", [&] {
    jobs.push(0);
    jobs.push(1);
    empty = jobs.queue().empty();
  });
  run.thread("taker", [&] { jobs.take(); });
  run.go();
  expect(!empty, "two were pushed, and one at most is taken");
  jobs.expect_all_taken();
}

// A poster looks for a parked taker, and a taker that parks looks for posted nodes: one of them sees the other.
INTERLEAVE_CASE("global: a poster and a taker that parks", .preemptions = 3, .delays = 2, .random_schedules = 1000) {
  Jobs jobs(run);
  Atomic<bool> parked{false};
  run.name(parked, "parked");
  bool poster_saw = false;
  bool parker_saw = false;
  run.thread("poster", [&] {
    jobs.push(0);
    blitz::detail::seq_cst_fence();
    poster_saw = parked.load(std::memory_order_seq_cst);
  });
  run.thread("parker", [&] {
    parked.exchange(true, std::memory_order_seq_cst);
    parker_saw = !jobs.queue().empty();
  });
  run.go();
  expect(poster_saw || parker_saw, "one of them sees the other");
  jobs.expect_all_taken();
}

INTERLEAVE_CASE("global: two workers fetch", .preemptions = 3, .random_schedules = 2000) {
  Jobs jobs(run);
  run.thread("producer", [&] { jobs.push_batch<3>({0, 1, 2}); });
  for (std::size_t worker = 0; worker < 2; ++worker) {
    run.thread("worker " + std::to_string(worker), [&, worker] {
      jobs.fetch(worker);
      jobs.pop(worker);
    });
  }
  run.go();
  jobs.expect_all_taken();
}

// A thread that sees a length of zero, and then looks into the worker's ring, finds there the nodes that left the queue.
INTERLEAVE_CASE("global: a fetched batch is always visible", .preemptions = 4, .delays = 2, .random_schedules = 1000) {
  Jobs jobs(run);
  jobs.push_batch<3>({0, 1, 2});
  bool out_of_sight = false;
  run.thread("worker", [&] { jobs.fetch(0); });
  run.thread("checker", [&] {
    if (jobs.queue().empty()) out_of_sight = jobs.ring(0).empty();
  });
  run.go();
  expect(!out_of_sight, "two of the three are in the ring by then");
  jobs.expect_all_taken();
}

// A node may be stolen and run as soon as it is in the ring.
INTERLEAVE_CASE("global: stolen while the batch is still on its way", .preemptions = 3, .random_schedules = 1000) {
  Jobs jobs(run);
  jobs.push_batch<3>({0, 1, 2});
  run.thread("worker", [&] {
    jobs.fetch(0);
    jobs.pop(0);
  });
  run.thread("thief", [&] {
    jobs.steal(1);
    jobs.steal(1);
  });
  run.go();
  jobs.expect_all_taken();
}

INTERLEAVE_CASE("global: a ring overflows while others fetch and steal", .preemptions = 3, .random_schedules = 2000) {
  Jobs jobs(run);
  for (std::size_t i = 0; i < 4; ++i) jobs.push_own(0, i);
  run.thread("owner", [&] {
    jobs.push_own(0, 4);
    jobs.pop(0);
  });
  run.thread("worker", [&] {
    jobs.fetch(1);
    jobs.steal(1);
  });
  run.go();
  jobs.expect_all_taken();
}

INTERLEAVE_CASE("global: all operations concurrently", .systematic = false, .random_schedules = 8000) {
  Jobs jobs(run);
  run.thread("producer 1", [&] {
    jobs.push(0);
    jobs.push_batch<2>({1, 2});
  });
  run.thread("producer 2", [&] {
    jobs.push_batch<2>({3, 4});
    jobs.push(5);
  });
  for (std::size_t worker = 0; worker < 2; ++worker) {
    run.thread("worker " + std::to_string(worker), [&, worker] {
      for (int i = 0; i < 2; ++i) {
        jobs.fetch(worker, 2);
        jobs.steal(worker);
        jobs.pop(worker);
      }
    });
  }
  run.thread("taker", [&] {
    jobs.take();
    jobs.take();
  });
  run.go();
  jobs.expect_all_taken();
}

}  // namespace
