#include "blitz/detail/fence/coalesced_fence.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <latch>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/base/atomic.hpp"
#include "support/child_process.hpp"

using blitz::detail::Atomic;
using blitz::detail::CoalescedFence;
using blitz::detail::FencePace;
using blitz::detail::ticks_now;
using blitz::detail::ticks_per_microsecond;

namespace {

struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Records begin and end of requests and fences as ticks of one counter.
class Log {
 public:
  explicit Log(std::size_t requests) : fences_(requests) {}

  void request(CoalescedFence& fence, std::vector<Interval>& requests) {
    Interval request;
    request.begin = tick();
    fence.execute([this] { make(); });
    request.end = tick();
    requests.push_back(request);
  }

  [[nodiscard]] std::size_t made() const { return made_.load(std::memory_order_relaxed); }

  /// The number of requests without a complete fence between their begin and end. Call this when no other thread uses the log.
  [[nodiscard]] int unserved(const std::vector<Interval>& requests) const {
    std::vector<Interval> fences(fences_.begin(), fences_.begin() + static_cast<std::ptrdiff_t>(made()));
    std::sort(fences.begin(), fences.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    // The earliest end of this fence and all later ones.
    std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
    for (auto fence = fences.rbegin(); fence != fences.rend(); ++fence) {
      fence->end = earliest = std::min(earliest, fence->end);
    }
    int unserved = 0;
    for (const Interval& request : requests) {
      const auto first = std::upper_bound(fences.begin(), fences.end(), request.begin,
                                          [](std::uint64_t time, const Interval& fence) { return time < fence.begin; });
      unserved += first == fences.end() || first->end > request.end;
    }
    return unserved;
  }

 private:
  std::uint64_t tick() { return clock_.fetch_add(1, std::memory_order_seq_cst); }

  void make() {
    Interval fence;
    fence.begin = tick();
    // Long enough for other threads to request a fence in the meantime.
    for (int i = 0; i < 50; ++i) blitz::detail::cpu_relax();
    fence.end = tick();
    fences_.at(made_.fetch_add(1, std::memory_order_relaxed)) = fence;
  }

  Atomic<std::uint64_t> clock_{0};
  Atomic<std::size_t> made_{0};
  std::vector<Interval> fences_;  // room for one fence per request
};

/// A thread in a fence that does not end before release().
class Stuck {
 public:
  explicit Stuck(CoalescedFence& fence) : thread_([this, &fence] { fence.execute([this] { hang(); }); }) {
    while (!is_in_.load(std::memory_order_acquire)) blitz::detail::yield_thread();
  }
  ~Stuck() {
    if (thread_.joinable()) release();
  }

  void release() {
    may_go_.store(true, std::memory_order_release);
    thread_.join();
  }

 private:
  void hang() {
    is_in_.store(true, std::memory_order_release);
    while (!may_go_.load(std::memory_order_acquire)) blitz::detail::yield_thread();
  }

  Atomic<bool> is_in_{false}, may_go_{false};
  std::thread thread_;
};

/// The number of fences that this number of requests by one thread takes.
int made_by(CoalescedFence& fence, int requests) {
  int made = 0;
  for (int i = 0; i < requests; ++i) fence.execute([&made] { ++made; });
  return made;
}

}  // namespace

TEST_CASE("coalesced_fence: a caller without others makes each fence itself") {
  CoalescedFence fence;
  CHECK(made_by(fence, 1000) == 1000);
}

// tests/interleave shows that requests share a fence. Here that needs two threads that run at the same time, which a busy
// machine does not guarantee.
TEST_CASE("coalesced_fence: each request contains a complete fence") {
  constexpr int kThreads = 6;
  constexpr int kRequests = 500;
  CoalescedFence fence;
  for (int round = 0; round < 5; ++round) {
    Log log(kThreads * kRequests);
    std::array<std::vector<Interval>, kThreads> requests;
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    for (auto& mine : requests) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        for (int i = 0; i < kRequests; ++i) log.request(fence, mine);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& mine : requests) CHECK(log.unserved(mine) == 0);
    CHECK(log.made() <= kThreads * kRequests);
  }
}

TEST_CASE("coalesced_fence: a request waits for others' fences for at least two known durations") {
  // Another fence is in progress and does not end.
  const auto gives_up_after = [](const FencePace& pace) {
    blitz::detail::Ticks waiting = 0;
    const auto begin = ticks_now();
    while (pace.worth_waiting(waiting)) {
    }
    return ticks_now() - begin;
  };
  FencePace pace;
  CHECK(gives_up_after(pace) >= 2 * 16 * ticks_per_microsecond());
  // Long fences raise the known time, step by step.
  for (const unsigned known : {32U, 64U, 128U, 256U}) {
    for (int i = 0; i < 5; ++i) pace.note(ticks_now() - 1'000'000 * ticks_per_microsecond());
    CHECK(gives_up_after(pace) >= 2 * known * ticks_per_microsecond());
  }
}

TEST_CASE("coalesced_fence: a fence that hangs does not delay other requests") {
  CoalescedFence fence;
  Stuck stuck(fence);
  CHECK(made_by(fence, 100) == 100);
  stuck.release();
  CHECK(made_by(fence, 100) == 100);
}

TEST_CASE("coalesced_fence: several fences may hang and end in any order") {
  CoalescedFence fence;
  std::array<Stuck, 3> stuck{Stuck(fence), Stuck(fence), Stuck(fence)};
  for (const int next : {1, 2, 0}) {
    CHECK(made_by(fence, 10) == 10);
    stuck[static_cast<std::size_t>(next)].release();
  }
  CHECK(made_by(fence, 10) == 10);
}

#if defined(__unix__)
TEST_CASE("coalesced_fence: works in a child that was forked during a fence") {
  static CoalescedFence fence;
  const Stuck stuck(fence);
  const auto use = [] { return made_by(fence, 100) == 100 ? 0 : 1; };
  CHECK(blitz_test::wait_for(blitz_test::start_child(use, std::chrono::seconds(100))) == 0);
}
#endif
