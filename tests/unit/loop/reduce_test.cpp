#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/loop/reduction.hpp"
#include "unit/fake_worker.hpp"

using blitz::detail::LoopCut;
using blitz::detail::LoopIndex;
using blitz::detail::Reduction;
using blitz_test::FakeWorker;
using blitz_test::Thieves;

namespace {

constexpr LoopCut kCuts[] = {LoopCut::kAdaptive, LoopCut::kFixed, LoopCut::kTree};

/// The range of items that a value represents, and a hash of the combinations. Move-only.
struct Interval {
  Interval(LoopIndex from, LoopIndex to) : first(from), last(to), tree(from * 31 + to) {}
  Interval(Interval&&) = default;
  Interval& operator=(Interval&&) = default;

  LoopIndex first;
  LoopIndex last;
  std::uint64_t tree;  // a hash of all combinations so far
  int depth = 0;
};

/// A fold that accepts only combinations of neighbours, the left one first.
struct Neighbours {
  using Value = std::optional<Interval>;

  Value identity() const {
    ++identities;
    return std::nullopt;
  }
  void fold(Value& value, LoopIndex first, LoopIndex last) const {
    REQUIRE(first < last);
    blocks.emplace_back(first, last);
    if (on_block) on_block();
    combine(value, Interval(first, last));
  }
  void combine(Value& left, Value&& right) const {
    if (!right) return;
    if (!left) {
      left = std::move(right);
      return;
    }
    CHECK(left->last == right->first);
    left->last = right->last;
    left->tree = (left->tree * 0x9E3779B97F4A7C15 ^ right->tree) * 0xD1B54A32D192ED03 + 1;
    left->depth = std::max(left->depth, right->depth) + 1;
  }

  mutable int identities = 0;
  mutable std::vector<std::pair<LoopIndex, LoopIndex>> blocks;
  std::function<void()> on_block;
};

auto reduce(FakeWorker& worker, const Neighbours& fold, LoopCut cut, LoopIndex count, LoopIndex grain = 1,
            const std::stop_token& stop = {}) {
  struct Runner {
    explicit Runner(FakeWorker& its_worker) { blitz::detail::current_worker = &its_worker; }
    ~Runner() { blitz::detail::current_worker = nullptr; }
  } const runner(worker);
  return Reduction(fold, count, cut, grain, stop).run(blitz::detail::kHere);
}

constexpr Thieves::Speed kSpeeds[] = {Thieves::Speed::kAbsent, Thieves::Speed::kFast, Thieves::Speed::kSlow};

}  // namespace

TEST_CASE("reduce: includes every item once and combines only neighbours") {
  for (const LoopCut cut : kCuts) {
    for (const Thieves::Speed speed : kSpeeds) {
      for (const LoopIndex count : {1, 2, 3, 9, 511, 512, 513, 1025, 100'000}) {
        CAPTURE(static_cast<int>(cut));
        CAPTURE(static_cast<int>(speed));
        CAPTURE(count);
        Thieves workers(8, speed);
        Neighbours fold;
        const auto value = reduce(workers.owner, fold, cut, count);
        REQUIRE(value);
        CHECK(value->first == 0);
        CHECK(value->last == count);
        LoopIndex items = 0;
        for (const auto& [first, last] : fold.blocks) items += last - first;
        CHECK(items == count);
        if (speed == Thieves::Speed::kSlow && count > 1) CHECK(workers.owner.waits > 0);
      }
    }
  }
}

TEST_CASE("reduce: a single worker runs one block") {
  for (const LoopIndex count : {1, 2, 1000}) {
    CAPTURE(count);
    FakeWorker worker;
    const Neighbours fold;
    const auto value = reduce(worker, fold, LoopCut::kAdaptive, count);
    REQUIRE(value);
    CHECK(value->first == 0);
    CHECK(value->last == count);
    CHECK(fold.blocks.size() == 1);
    CHECK(fold.identities == 1);
    CHECK(worker.pushes == 0);
  }
}

TEST_CASE("reduce: a single worker runs a stoppable reduction in order from one identity") {
  FakeWorker worker;
  Neighbours fold;
  const std::stop_source source;
  (void)reduce(worker, fold, LoopCut::kAdaptive, 100'000, 1, source.get_token());
  CHECK(fold.blocks.front() == std::pair<LoopIndex, LoopIndex>(0, 1));
  CHECK(std::is_sorted(fold.blocks.begin(), fold.blocks.end()));
  CHECK(fold.identities == 1);
  CHECK(worker.pushes == 0);

  Neighbours leaves;
  (void)reduce(worker, leaves, LoopCut::kTree, 100'000);
  CHECK(std::is_sorted(leaves.blocks.begin(), leaves.blocks.end()));
  CHECK(worker.pushes == 0);
}

TEST_CASE("reduce: an offer that comes back continues with the same value") {
  for (const LoopCut cut : {LoopCut::kAdaptive, LoopCut::kFixed}) {
    Thieves workers(8, Thieves::Speed::kAbsent);
    Neighbours fold;
    (void)reduce(workers.owner, fold, cut, 10'000);
    CHECK(workers.owner.pushes > 0);
    CHECK(fold.identities == 1);
  }
}

TEST_CASE("reduce: makes one identity for each stolen part") {
  for (const LoopCut cut : {LoopCut::kAdaptive, LoopCut::kFixed}) {
    Thieves workers(8, Thieves::Speed::kFast);
    Neighbours fold;
    (void)reduce(workers.owner, fold, cut, 80);
    CHECK(workers.owner.pushes > 1);
    CHECK(fold.identities == 1 + workers.owner.pushes);  // No worker takes the thief's offers.
  }
}

TEST_CASE("reduce: all other items are offered before items that may be long though none is idle") {
  Thieves workers(8, Thieves::Speed::kFast);
  workers.owner.idle = false;
  Neighbours fold;
  fold.on_block = blitz_test::spend_ten_microseconds;
  (void)reduce(workers.owner, fold, LoopCut::kAdaptive, 100);
  CHECK(workers.owner.pushes == 6);                    // 100, 50, 25, 12, 6, 3
  CHECK(fold.identities == 1 + workers.owner.pushes);  // No worker takes the thief's offers.
}

TEST_CASE("reduce: the tree depends only on the count and the grain") {
  for (const LoopIndex count : {1, 2, 3, 7, 512, 1000, 5000, 2'000'001}) {
    for (const LoopIndex grain : {0, 1, 3, 64, 5000}) {
      CAPTURE(count);
      CAPTURE(grain);
      FakeWorker alone;
      Neighbours fold;
      const auto expected = reduce(alone, fold, LoopCut::kTree, count, grain);
      std::sort(fold.blocks.begin(), fold.blocks.end());
      for (const Thieves::Speed speed : kSpeeds) {
        for (const std::size_t count_of_workers : {2, 3, 100}) {
          Thieves workers(count_of_workers, speed);
          Neighbours again;
          CHECK(reduce(workers.owner, again, LoopCut::kTree, count, grain)->tree == expected->tree);
          std::sort(again.blocks.begin(), again.blocks.end());
          CHECK(again.blocks == fold.blocks);
        }
      }
    }
  }
}

TEST_CASE("reduce: the tree is balanced and its leaves differ by one item at most") {
  for (const LoopIndex count : {2, 7, 100, 1000, 5000, 2'000'001}) {
    FakeWorker worker;
    Neighbours fold;
    const auto value = reduce(worker, fold, LoopCut::kTree, count);
    const LoopIndex leaves = fold.blocks.size();
    CHECK(leaves >= std::min<LoopIndex>(count, 512));
    for (const auto& [first, last] : fold.blocks) {
      CHECK(last - first >= count / leaves);
      CHECK(last - first <= count / leaves + 1);
    }
    CHECK((LoopIndex{1} << value->depth) < 2 * leaves);
  }
}

TEST_CASE("reduce: no block is smaller than the grain unless the whole is") {
  for (const LoopCut cut : kCuts) {
    for (const Thieves::Speed speed : kSpeeds) {
      for (const LoopIndex grain : {1, 5, 64}) {
        for (const LoopIndex count : {64, 65, 100, 127, 128, 1000, 4099}) {
          CAPTURE(static_cast<int>(cut));
          CAPTURE(grain);
          CAPTURE(count);
          Thieves workers(16, speed);
          Neighbours fold;
          (void)reduce(workers.owner, fold, cut, count, grain);
          for (const auto& [first, last] : fold.blocks) CHECK(last - first >= grain);
        }
      }
    }
    for (const LoopIndex grain : {LoopIndex{100}, LoopIndex{1} << 63, std::numeric_limits<LoopIndex>::max()}) {
      Thieves workers(4, Thieves::Speed::kFast);
      Neighbours fold;
      (void)reduce(workers.owner, fold, cut, 99, grain);
      CHECK(fold.blocks.size() == 1);
      CHECK(workers.owner.pushes == 0);
    }
  }
}

TEST_CASE("reduce: no block begins after an exception and the first exception is rethrown") {
  for (const LoopCut cut : kCuts) {
    for (const Thieves::Speed speed : kSpeeds) {
      for (const int failing : {1, 2, 5}) {
        CAPTURE(static_cast<int>(cut));
        CAPTURE(static_cast<int>(speed));
        Thieves workers(8, speed);
        Neighbours fold;
        int blocks = 0;
        fold.on_block = [&] {
          blitz_test::spend_ten_microseconds();  // Cheap items would make few blocks.
          if (++blocks >= failing) throw std::runtime_error(std::to_string(blocks));
        };
        CHECK_THROWS_WITH(reduce(workers.owner, fold, cut, 1000), std::to_string(failing).c_str());
        CHECK(blocks == failing);
      }
    }
  }
}

TEST_CASE("reduce: no block begins after a stop request and the result covers the blocks that ran") {
  for (const LoopCut cut : kCuts) {
    CAPTURE(static_cast<int>(cut));
    Thieves workers(8, Thieves::Speed::kAbsent);
    std::stop_source source;
    Neighbours fold;
    fold.on_block = [&] {
      if (fold.blocks.size() == 3) source.request_stop();
    };
    const auto value = reduce(workers.owner, fold, cut, 1000, 1, source.get_token());
    REQUIRE(fold.blocks.size() == 3);
    REQUIRE(value);
    CHECK(value->first == 0);
    CHECK(value->last == fold.blocks.back().second);

    Neighbours nothing;
    CHECK_FALSE(reduce(workers.owner, nothing, cut, 1000, 1, source.get_token()));
    CHECK(nothing.blocks.empty());
    CHECK(nothing.identities == 1);
  }
}

TEST_CASE("reduce: the result includes blocks that thieves ran before a stop request") {
  for (const LoopCut cut : kCuts) {
    CAPTURE(static_cast<int>(cut));
    Thieves workers(8, Thieves::Speed::kFast);  // The far part comes first.
    std::stop_source source;
    Neighbours fold;
    fold.on_block = [&] { source.request_stop(); };
    const auto value = reduce(workers.owner, fold, cut, 1000, 1, source.get_token());
    REQUIRE(fold.blocks.size() == 1);
    REQUIRE(value);
    CHECK(value->first == fold.blocks.front().first);
    CHECK(value->last == fold.blocks.front().second);
    CHECK(value->first > 0);
  }
}

TEST_CASE("reduce: throws bad_alloc if the queue cannot grow after all offered parts have finished") {
  for (const LoopCut cut : kCuts) {
    for (const int failing : {1, 2, 3}) {
      CAPTURE(static_cast<int>(cut));
      CAPTURE(failing);
      FakeWorker worker(0, 8);
      worker.idle = true;
      worker.failing_push = failing;
      int after = 0;
      Neighbours fold;
      fold.on_block = [&] {
        if (worker.pushes >= failing) ++after;
        blitz_test::spend_ten_microseconds();  // So that another offer is made after each block.
      };
      CHECK_THROWS_AS(reduce(worker, fold, cut, 1000), std::bad_alloc);
      CHECK(after == 0);
    }
  }
}
