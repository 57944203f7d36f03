// No library: the serial form in pieces, which spinning threads take from one counter. It shows the speed-up that the machine
// allows: two processors that share a core are less than twice as fast as one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "bench/harness/processors.hpp"
#include "bench/harness/registry.hpp"

namespace bench {

class ByHandPeer : public Peer {
 public:
  static constexpr bool kThreaded = true;
  explicit ByHandPeer(unsigned threads) : others_(threads - 1) {}

  /// The other threads spin. Each is pinned to its own processor, other than the caller's, if there are enough. If they were
  /// not pinned, two could share a processor until the system moves them.
  void session(const std::function<void()>& measurement) override {
    const unsigned round = round_.load(std::memory_order_relaxed);
    const std::vector<int> cpus = processors();
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i <= others_; ++i) {
      threads.emplace_back(
          [this, round, cpu = i < cpus.size() ? std::optional(cpus[i]) : std::nullopt](const std::stop_token& over) {
            const Pin pin(cpu);
            follow(over, round);
          });
    }
    measurement();
  }

  /// Returns the sum of piece(i) over [0, count). Must be called within a session.
  std::uint64_t sum(std::size_t count, const std::function<std::uint64_t(std::size_t)>& piece) {
    piece_ = &piece;
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    sum_.store(0, std::memory_order_relaxed);
    working_.store(others_, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    take_pieces();
    while (working_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
    return sum_.load(std::memory_order_relaxed);
  }

 private:
  /// Takes part in all rounds after `round`.
  void follow(const std::stop_token& over, unsigned round) {
    while (!over.stop_requested()) {
      if (round_.load(std::memory_order_acquire) == round) {
        std::this_thread::yield();
        continue;
      }
      ++round;
      take_pieces();
      working_.fetch_sub(1, std::memory_order_release);
    }
  }

  void take_pieces() {
    std::uint64_t sum = 0;
    for (std::size_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) sum += (*piece_)(i);
    sum_.fetch_add(sum, std::memory_order_relaxed);
  }

  const unsigned others_;
  const std::function<std::uint64_t(std::size_t)>* piece_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint64_t> sum_{0};
  std::atomic<unsigned> working_{0};
  std::atomic<unsigned> round_{0};
};

}  // namespace bench
