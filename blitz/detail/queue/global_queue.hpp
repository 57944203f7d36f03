/// The injector of the async backend: a list under a mutex, oldest first. Its length is in an atomic, so that no thread takes
/// the mutex to find the list empty. It knows no pool.
///
/// Intrusive: a node has a member `Node* next`, which belongs to the queue from push until take. Any thread may call any
/// member; none throws or allocates.
///
/// A worker takes a batch at a time: its fair share of the nodes. The nodes of a batch are in the worker's own queue before the
/// length decreases. So a thread that reads a length of 0, and then looks at the workers' queues, finds every node that was
/// taken from this queue.
///
/// Source: the injection queue of Tokio's multi-threaded scheduler.
///
/// Pairs:
///   [hand]  take_batch: nodes are in the worker's queue, length_.store(release)  ->  empty: length_ load (acquire)
///   [seen]  push: length_ store, then the poster's look at the parked slots  <->  a worker parks its slot, then empty
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <mutex>
#include <span>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"

namespace blitz::detail {

template <class Node>
class GlobalQueue {
 public:
  static constexpr std::size_t kLeastBatch = 4;
  static constexpr std::size_t kMostBatch = 64;
  /// The default batch: it fits into a worker's batch buffer.
  static constexpr std::size_t kDefaultBatch = 32;

  ~GlobalQueue() { assert(empty()); }

  void push(Node* node) noexcept { push_batch(std::span<Node* const>(&node, 1)); }

  /// Adds all `nodes`, in their order, under one lock.
  void push_batch(std::span<Node* const> nodes) noexcept {
    if (nodes.empty()) return;
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) nodes[i]->next = nodes[i + 1];
    nodes.back()->next = nullptr;
    const std::lock_guard lock(mutex_);
    (newest_ != nullptr ? newest_->next : oldest_) = nodes.front();
    newest_ = nodes.back();
    // [seen] Written only under the mutex.
    length_.store(length_.load(std::memory_order_relaxed) + nodes.size(), std::memory_order_seq_cst);
  }

  [[nodiscard]] Node* take() noexcept {
    return take_batch(1, 1, [](Node*) {});
  }

  /// Takes one worker's share, at most `most` nodes. Returns the oldest, and passes the others to `keep`, one by one in their
  /// order, under the mutex. Returns null if there is none.
  template <class Keep>
  [[nodiscard]] Node* take_batch(std::size_t workers, std::size_t most, Keep&& keep) noexcept {
    if (empty()) return nullptr;
    const std::lock_guard lock(mutex_);
    Node* const first = oldest_;
    if (first == nullptr) return nullptr;
    const std::size_t length = length_.load(std::memory_order_relaxed);  // Written only under the mutex.
    const std::size_t taken = std::min(share(length, workers), most);
    assert(taken > 0 && taken <= length);
    Node* node = first->next;
    for (std::size_t i = 1; i < taken; ++i) {
      Node* const next = node->next;  // keep() may hand the node to another thread, which runs it.
      keep(node);
      node = next;
    }
    oldest_ = node;
    if (node == nullptr) newest_ = nullptr;
    length_.store(length - taken, std::memory_order_release);  // [hand]
    return first;
  }

  [[nodiscard]] static constexpr std::size_t share(std::size_t length, std::size_t workers) noexcept {
    return std::min(length, std::clamp(length / workers, kLeastBatch, kMostBatch));
  }

  [[nodiscard]] std::size_t size() const noexcept { return length_.load(std::memory_order_seq_cst); }  // [hand] [seen]
  /// True only if every node that was pushed before this call has been taken.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  Mutex mutex_;  // guards the list, and writes of length_
  Node* oldest_ = nullptr;
  Node* newest_ = nullptr;
  alignas(kCacheLine) Atomic<std::size_t> length_{0};  // read by all
};

}  // namespace blitz::detail
