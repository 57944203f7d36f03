/// parallel_for: random sizes, grains, schedules, exceptions and stop requests, compared with the serial loop.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <stop_token>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "stress.hpp"
#include "support/in_pool.hpp"

namespace blitz_test {
namespace {

struct ItemError {
  std::size_t item;
};

/// One random loop and its results.
class RandomLoop {
 public:
  explicit RandomLoop(Random& random)
      : hits_(static_cast<std::size_t>(random.one_in(3) ? random.below(8)
                                                        : random.below(random.one_in(8) ? 60'000 : 600))),
        work_(random.one_in(4) ? random.below(1'000'000 / (hits_.size() + 300)) : random.below(30)),
        skew_(random.one_in(3)),
        thrower_(random.one_in(4) ? random.between(1, 500) : 0),
        salt_(random.next()),
        nested_(random.one_in(16)) {
    options_.min_grain = random.one_in(2) ? 1 : static_cast<std::size_t>(random.below(hits_.size() + 2));
    options_.schedule = random.one_in(3) ? blitz::Schedule::kFixed : blitz::Schedule::kAdaptive;
    if (random.one_in(4)) {
      options_.stop = stop_.get_token();
      stopper_ = random.below(hits_.size() + 1);  // may be one past the end: then no item requests a stop
      stopped_before_ = random.one_in(8);
      if (stopped_before_) stop_.request_stop();
    }
  }

  template <class Pool>
  void run(Pool& pool, std::uint64_t form) {
    try {
      switch (form % 3) {
        case 0:
          blitz::parallel_for(in(pool, options_), std::size_t{0}, hits_.size(), [this](std::size_t i) { item(i); });
          break;
        case 1:
          blitz::parallel_for(in(pool, options_), hits_,
                              [this](std::uint8_t& hit) { item(static_cast<std::size_t>(&hit - hits_.data())); });
          break;
        default:
          blitz::parallel_for_blocks(in(pool, options_), std::views::iota(std::size_t{0}, hits_.size()),
                                     [this](auto block) {
                                       if (block.empty()) ++surprises_;
                                       for (const std::size_t i : block) item(i);
                                     });
      }
    } catch (const ItemError& error) {
      threw_ = true;
      if (!throws(error.item)) ++surprises_;
    }
    if (running_ != 0) ++surprises_;  // A body outlived its loop.
    if (pool.num_threads() == 1 && begun_after_throw_ != 0) ++surprises_;
  }

  /// Whether all results are correct.
  [[nodiscard]] bool right() const {
    const auto once = [](std::uint8_t hit) { return hit == 1; };
    const auto at_most_once = [](std::uint8_t hit) { return hit <= 1; };
    bool some_throw = false;
    for (std::size_t i = 0; i < hits_.size(); ++i) some_throw |= hits_[i] != 0 && throws(i);
    const bool stopped = stop_.stop_requested();
    return surprises_ == 0 && threw_ == some_throw &&
           (threw_ || stopped ? std::ranges::all_of(hits_, at_most_once) : std::ranges::all_of(hits_, once));
  }

  [[nodiscard]] bool threw() const { return threw_; }
  [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }

 private:
  [[nodiscard]] std::uint64_t dice(std::size_t i) const { return blitz::detail::splitmix64(salt_ + i); }
  [[nodiscard]] bool throws(std::size_t i) const { return thrower_ != 0 && dice(i) % thrower_ == 0; }

  void item(std::size_t i) {
    running_.fetch_add(1, std::memory_order_relaxed);
    if (throwing_.load(std::memory_order_relaxed)) begun_after_throw_.fetch_add(1, std::memory_order_relaxed);
    if (stopped_before_) ++surprises_;
    ++hits_[i];  // Not atomic: each item has one visitor.
    std::uint64_t x = i;
    const std::uint64_t rounds = skew_ ? work_ * 8 * i / hits_.size() : work_;
    for (std::uint64_t n = work_ == 0 ? 0 : dice(i) % (rounds + 1); n > 0; --n) x = x * 6364136223846793005U + 1;
    sink_.store(x, std::memory_order_relaxed);
    if (nested_) {
      std::atomic<int> sum{0};
      blitz::parallel_for(0, 5, [&](int k) { sum.fetch_add(k, std::memory_order_relaxed); });
      if (sum != 10) ++surprises_;
    }
    if (options_.stop.stop_possible() && i == stopper_) stop_.request_stop();
    running_.fetch_sub(1, std::memory_order_relaxed);
    if (throws(i)) {
      throwing_.store(true, std::memory_order_relaxed);
      throw ItemError{i};
    }
  }

  std::vector<std::uint8_t> hits_;
  std::uint64_t work_;
  bool skew_;
  std::uint64_t thrower_;  // one item in this many throws; 0: none
  std::uint64_t salt_;
  bool nested_;
  blitz::ForOptions options_;
  std::stop_source stop_;
  std::size_t stopper_ = 0;
  bool stopped_before_ = false;
  bool threw_ = false;
  std::atomic<bool> throwing_{false};
  std::atomic<std::uint64_t> begun_after_throw_{0};
  std::atomic<std::uint64_t> surprises_{0};
  std::atomic<int> running_{0};
  std::atomic<std::uint64_t> sink_{0};
};

TEST_CASE_TEMPLATE("parallel_for: a random loop visits the items of its serial form", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  TestWatchdog dog;
  Random random(20);
  for (const std::size_t size : {1, 2, 3, 64}) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    dog.watch(pool);
    const Deadline deadline(stress_time() / 4);
    std::uint64_t loops = 0;
    std::uint64_t threw = 0;
    std::uint64_t stopped = 0;
    while (!deadline.passed()) {
      RandomLoop loop(random);
      loop.run(pool, random.next());
      CHECK(loop.right());
      ++loops;
      threw += loop.threw() ? 1U : 0U;
      stopped += loop.stopped() ? 1U : 0U;
      if (random.one_in(16)) random_gap(random);
      dog.progress();
    }
    MESSAGE(size << " threads, done: " << loops << " loops, " << threw << " exceptions, " << stopped << " stops");
  }
}

TEST_CASE("parallel_for: no block is smaller than the grain") {
  TestWatchdog dog;
  Random random(21);
  blitz::ThreadPool few({.num_threads = 3});
  blitz::ThreadPool many({.num_threads = 64});
  dog.watch(few);
  dog.watch(many);
  const Deadline deadline(stress_time() / 2);
  std::uint64_t loops = 0;
  std::uint64_t all_blocks = 0;
  for (; !deadline.passed(); ++loops) {
    blitz::ThreadPool& pool = random.one_in(8) ? many : few;
    const std::size_t count = random.below(random.one_in(4) ? 20'000 : 40);
    const std::size_t grain = random.below(count + 2);
    const auto schedule = random.one_in(2) ? blitz::Schedule::kFixed : blitz::Schedule::kAdaptive;
    const std::uint64_t work = random.below(200);
    CAPTURE(count);
    CAPTURE(grain);
    CAPTURE(static_cast<int>(schedule));
    std::atomic<std::size_t> smallest{count};
    std::atomic<std::size_t> blocks{0};
    blitz::parallel_for_blocks({.min_grain = grain, .schedule = schedule, .pool = &pool},
                               std::views::iota(std::size_t{0}, count), [&](auto block) {
                                 ++blocks;
                                 std::size_t least = smallest.load();
                                 while (block.size() < least && !smallest.compare_exchange_weak(least, block.size())) {
                                 }
                                 spin_for(std::chrono::nanoseconds(block.size() * work));
                               });
    CHECK(smallest.load() >= std::min(std::max<std::size_t>(grain, 1), count));
    if (schedule == blitz::Schedule::kFixed) CHECK(blocks.load() <= pool.num_threads());
    all_blocks += blocks;
    dog.progress();
  }
  MESSAGE("done: " << loops << " loops, " << all_blocks << " blocks");
}

TEST_CASE_TEMPLATE("parallel_for: concurrent random loops of several threads visit the right items", Pool,
                   blitz::ThreadPool, blitz::AsyncThreadPool) {
  TestWatchdog dog;
  Random random(22);
  for (const std::size_t size : {2, 64}) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    dog.watch(pool);
    std::atomic<std::uint64_t> wrong{0};
    std::atomic<std::uint64_t> loops{0};
    const std::uint64_t stream = random.next();
    const Deadline deadline(stress_time() / 2);
    in_threads(5, [&](std::size_t thread) {
      Random mine(stream + thread);
      for (; !deadline.passed(); ++loops) {
        RandomLoop loop(mine);
        loop.run(pool, mine.next());
        if (!loop.right()) ++wrong;
        dog.progress();
      }
    });
    CHECK(wrong.load() == 0);
    MESSAGE(size << " threads, done: " << loops.load() << " loops");
  }
}

}  // namespace
}  // namespace blitz_test
