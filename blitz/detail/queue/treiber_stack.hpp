/// The injector: jobs from outside the pool, pushed by any thread, taken oldest first by any worker.
///
/// Producers push on a Treiber stack with one compare-exchange. A consumer does not pop single nodes, so there is no ABA
/// problem: it takes the whole stack with an exchange and reverses it. The rest stays in `front_`, oldest first; the next
/// consumer takes it from there. Consumers exclude one another by `taking_`. A consumer that finds it set returns null, and
/// must not conclude that the stack is empty: use empty() for that.
///
/// Intrusive: a node has a member `Node* next`, which belongs to the stack from push until take. push is lock-free. take has a
/// bounded number of steps, plus the reversal of the nodes pushed since the last reversal.
///
/// Source: R. K. Treiber, "Systems programming: coping with parallelism", IBM RJ 5118, 1986.
///
/// Pairs:
///   [node]    push: head_ exchange (release)   ->  take: head_.exchange(acquire)
///   [taking]  take: taking_.store(release)     ->  take, empty: taking_ (acquire)
///   [hand]    take: head_.exchange(release)    ->  empty: head_ load (acquire), so that it sees taking_ set
///   [seen]    push: head_ exchange, then the poster's look at the sleepers  <->  the sleeper's registration, then empty
#pragma once

#include <cassert>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

template <class Node>
class TreiberStack {
 public:
  ~TreiberStack() { assert(empty()); }

  void push(Node* node) noexcept {
    Node* head = head_.load(std::memory_order_relaxed);
    do {
      node->next = head;
      // [node] [seen]
    } while (!head_.compare_exchange_weak(head, node, std::memory_order_seq_cst, std::memory_order_relaxed));
  }

  /// Takes the oldest node. Null if there is none, and also while another thread takes one.
  [[nodiscard]] Node* take() noexcept {
    if (head_.load(std::memory_order_relaxed) == nullptr && front_.load(std::memory_order_relaxed) == nullptr) {
      return nullptr;
    }
    if (taking_.exchange(true, std::memory_order_acquire)) return nullptr;                     // [taking]
    Node* node = front_.load(std::memory_order_relaxed);                                       // Guarded by taking_.
    if (node == nullptr) node = reversed(head_.exchange(nullptr, std::memory_order_acq_rel));  // [node] [hand]
    if (node != nullptr) front_.store(node->next, std::memory_order_relaxed);                  // Guarded by taking_.
    taking_.store(false, std::memory_order_release);                                           // [taking]
    return node;
  }

  /// True only if every node that was pushed before this call has been taken: head_, taking_ and front_ are read in the order
  /// of a node's path. See detail/fork_join/README.md.
  [[nodiscard]] BLITZ_ALWAYS_INLINE bool empty() const noexcept {
    return head_.load(std::memory_order_seq_cst) == nullptr &&  // [seen] [hand]
           !taking_.load(std::memory_order_acquire) &&          // [taking]
           front_.load(std::memory_order_acquire) == nullptr;
  }

 private:
  [[nodiscard]] static Node* reversed(Node* newest) noexcept {
    Node* oldest = nullptr;
    while (newest != nullptr) {
      Node* const next = newest->next;
      newest->next = oldest;
      oldest = newest;
      newest = next;
    }
    return oldest;
  }

  alignas(kCacheLine) Atomic<Node*> head_{nullptr};   // written by producers and consumers
  alignas(kCacheLine) Atomic<Node*> front_{nullptr};  // written by the consumer that holds taking_; read by all
  Atomic<bool> taking_{false};                        // written by consumers
};

}  // namespace blitz::detail
