#include "blitz/detail/loop/loop.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/base/ticks.hpp"
#include "unit/fake_worker.hpp"

using blitz::detail::Loop;
using blitz::detail::LoopCut;
using blitz::detail::LoopIndex;
using blitz_test::FakeWorker;
using blitz_test::Thieves;

namespace {

using Block = std::pair<LoopIndex, LoopIndex>;

constexpr LoopIndex kMost = std::numeric_limits<LoopIndex>::max();

/// A body that records its blocks, in order.
struct Blocks {
  void operator()(LoopIndex first, LoopIndex last) { all.emplace_back(first, last); }
  std::vector<Block> all;
};

/// Runs a loop that calls `body(first, last)` for each block. Returns the time per item that the worker remembers. A
/// nonnegative `usual` sets the remembered time before the loop.
template <class Body>
float run(FakeWorker& worker, LoopCut cut, LoopIndex count, Body& body, LoopIndex grain = 1,
          const std::stop_token& stop = {}, float usual = -1) {
  struct BodyLoop final : Loop {
    BodyLoop(Body& its_body, LoopCut how, LoopIndex positions, LoopIndex least_block, const std::stop_token& token)
        : Loop(&call, positions, how, least_block, token), body(its_body) {}
    static bool call(const Loop& self, void*, LoopIndex first, LoopIndex last) {
      Body& body = static_cast<const BodyLoop&>(self).body;
      if constexpr (std::is_void_v<std::invoke_result_t<Body&, LoopIndex, LoopIndex>>) {
        body(first, last);
        return false;
      } else {
        return body(first, last);
      }
    }
    Body& body;
  };
  const BodyLoop loop(body, cut, count, grain, stop);
  float& remembered = worker.history()[loop.name];
  if (usual >= 0) remembered = usual;
  run_loop_on(worker, loop, nullptr);
  return remembered;
}

/// Checks that the blocks are not empty and cover [0, count) once.
void check_cover(std::vector<Block> blocks, LoopIndex count) {
  std::sort(blocks.begin(), blocks.end());
  LoopIndex next = 0;
  for (const auto& [first, last] : blocks) {
    REQUIRE(first == next);
    REQUIRE(last > first);
    next = last;
  }
  CHECK(next == count);
}

}  // namespace

TEST_CASE("loop: a single worker runs one block") {
  for (const LoopIndex count : {1, 2, 3, 9, 1000, 100'000}) {
    CAPTURE(count);
    FakeWorker worker;
    Blocks body;
    run(worker, LoopCut::kAdaptive, count, body);
    CHECK(body.all == std::vector<Block>{{0, count}});
    CHECK(worker.pushes == 0);
  }
}

TEST_CASE("loop: a single worker runs a stoppable loop in order and offers nothing") {
  for (const LoopIndex count : {1, 2, 3, 9, 1000, 100'000}) {
    CAPTURE(count);
    FakeWorker worker;
    Blocks body;
    const std::stop_source source;
    const std::stop_token stop = source.get_token();
    run(worker, LoopCut::kAdaptive, count, body, 1, stop);
    check_cover(body.all, count);
    CHECK(std::is_sorted(body.all.begin(), body.all.end()));
    CHECK(body.all.front() == Block{0, 1});
    CHECK(worker.pushes == 0);
  }
}

TEST_CASE("loop: an offer that is not taken comes back and runs in its place") {
  FakeWorker worker(0, 2);
  worker.idle = true;
  Blocks body;
  run(worker, LoopCut::kAdaptive, 10'000, body);
  check_cover(body.all, 10'000);
  CHECK(std::is_sorted(body.all.begin(), body.all.end()));
  CHECK(worker.pushes > 0);
}

TEST_CASE("loop: a loop with short items has at most one offer in the queue") {
  FakeWorker worker(0, 2);
  worker.idle = true;
  std::size_t most = 0;
  worker.on_push = [&] { most = std::max(most, worker.jobs.size()); };
  Blocks body;
  const float per_item = 0.01F * static_cast<float>(blitz::detail::ticks_per_microsecond());
  run(worker, LoopCut::kAdaptive, 10'000, body, 1, {}, per_item);
  CHECK(most == 1);
}

TEST_CASE("loop: all other items are on offer while an item of unknown or long duration runs") {
  for (const bool idle : {true, false}) {
    for (const LoopIndex count : {4, 5, 8, 100}) {
      CAPTURE(idle);
      CAPTURE(count);
      FakeWorker worker(0, 2);
      worker.idle = idle;
      blitz_test::Job other([](blitz_test::Job*, blitz::detail::WorkerBase&) noexcept {});
      float usual = 0;
      for (const bool others_on_offer : {false, true}) {  // Such as the parts of an outer loop.
        if (others_on_offer) worker.jobs.push_back(&other);
        LoopIndex most = 0;
        LoopIndex done = 0;
        auto body = [&](LoopIndex first, LoopIndex last) {
          CHECK(first == done);
          CHECK(last == first + 1);
          done = last;
          // An offer is half of the remaining items.
          if (first == 0) most = worker.jobs.size() - (others_on_offer ? 1 : 0);
          blitz_test::spend_ten_microseconds();
        };
        usual = run(worker, LoopCut::kAdaptive, count, body, 1, {}, usual);
        CHECK(done == count);
        CHECK(most == static_cast<LoopIndex>(std::bit_width(count) - 1));
        if (others_on_offer) CHECK(worker.take_newest() == &other);
      }
    }
  }
}

TEST_CASE("loop: the only offer of short items comes before the first block though none is idle") {
  using blitz::detail::Ticks;
  using blitz::detail::ticks_now;
  // Items are short only if nothing disturbs the thread, and no emulator runs it.
  const Ticks most = blitz::detail::ticks_per_microsecond() / 2;
  for (int tries = 0; tries < 1000; ++tries) {
    Thieves workers;
    workers.owner.idle = false;
    std::vector<Ticks> blocks;
    blocks.reserve(100);
    std::size_t blocks_before_an_offer = 0;
    workers.owner.on_push = [&] {
      blocks_before_an_offer += blocks.size();
      workers.owner.run_oldest_on(workers.thief);
    };
    workers.thief.on_push = [&] { blocks_before_an_offer += blocks.size(); };
    auto body = [&](LoopIndex, LoopIndex) { blocks.push_back(ticks_now()); };
    const float per_item = 0.01F * static_cast<float>(blitz::detail::ticks_per_microsecond());
    run(workers.owner, LoopCut::kAdaptive, 100, body, 1, {}, per_item);
    const Ticks end = ticks_now();
    Ticks longest = end - blocks.back();
    for (std::size_t i = 1; i < blocks.size(); ++i) longest = std::max(longest, blocks[i] - blocks[i - 1]);
    if (longest > most) continue;
    CHECK(blocks_before_an_offer == 0);
    CHECK(workers.owner.pushes == 1);
    CHECK(workers.thief.pushes == 1);  // from the part that it took
    return;
  }
  MESSAGE("skipped: too slow for short items");
}

TEST_CASE("loop: a loop that was too short to share is not offered to a searching worker") {
  for (const LoopIndex count : {2, 3, 8, 100}) {
    CAPTURE(count);
    FakeWorker worker(0, 2);
    worker.idle = true;
    auto body = [](LoopIndex, LoopIndex) {};
    CHECK(run(worker, LoopCut::kAdaptive, count, body) > 0);
    CHECK(worker.pushes > 0);  // Its time was not known.
    // A block looks long if the system interrupts it.
    int least = 100;
    for (int i = 0; i < 20; ++i) {
      worker.pushes = 0;
      run(worker, LoopCut::kAdaptive, count, body, 1, {}, 1);
      least = std::min(least, worker.pushes);
    }
    CHECK(least == 0);
  }
}

TEST_CASE("loop: a thief learns the known duration of an item from the owner") {
  using blitz::detail::Ticks;
  for (const bool worth_waking : {true, false}) {
    CAPTURE(worth_waking);
    Thieves workers;
    workers.thief.idle = workers.thief.asleep = true;
    workers.thief.worth_waking = worth_waking;
    const auto per_item = static_cast<float>(10 * blitz::detail::ticks_per_microsecond());
    Blocks body;
    run(workers.owner, LoopCut::kAdaptive, 100, body, 1, {}, per_item);
    check_cover(body.all, 100);
    REQUIRE_FALSE(workers.thief.weighed.empty());
    CHECK(workers.thief.weighed.front() >= static_cast<Ticks>(40 * per_item));
    CHECK(workers.thief.weighed.front() <= static_cast<Ticks>(51 * per_item));
    CHECK((workers.thief.pushes > 0) == worth_waking);
  }
}

TEST_CASE("loop: a loop that became long is offered after two blocks and next time before the first") {
  FakeWorker worker(0, 2);
  worker.idle = true;
  int blocks = 0;
  int blocks_before_offer = -1;
  auto body = [&](LoopIndex, LoopIndex) {
    ++blocks;
    blitz_test::spend_ten_microseconds();
  };
  worker.on_push = [&] {
    if (blocks_before_offer < 0) blocks_before_offer = blocks;
  };
  run(worker, LoopCut::kAdaptive, 16, body);  // Its first block would be long because valgrind must translate it.
  // One block is enough if the system interrupts it for a long time.
  float usual = 0;
  int most = 0;
  for (int i = 0; i < 20 && most < 2; ++i) {
    blocks = 0;
    blocks_before_offer = -1;
    usual = run(worker, LoopCut::kAdaptive, 16, body, 1, {}, 1);
    CHECK(blocks_before_offer >= 1);
    most = std::max(most, blocks_before_offer);
  }
  CHECK(most == 2);
  blocks = 0;
  blocks_before_offer = -1;
  run(worker, LoopCut::kAdaptive, 16, body, 1, {}, usual);
  CHECK(blocks_before_offer == 0);
}

TEST_CASE("loop: a loop with more work than 64 bits count in ticks is offered") {
  for (const bool known : {false, true}) {
    CAPTURE(known);
    FakeWorker worker(0, 2);
    worker.idle = true;
    int blocks = 0;
    worker.on_push = [&] { blocks = 10; };
    auto body = [&](LoopIndex, LoopIndex) {
      blitz_test::spend_ten_microseconds();
      return ++blocks >= 10;
    };
    const float usual = 10 * static_cast<float>(blitz::detail::ticks_per_microsecond());
    run(worker, LoopCut::kAdaptive, LoopIndex{1} << 62, body, 1, {}, known ? usual : 1e-6F);
    CHECK(worker.pushes == 1);
  }
}

TEST_CASE("loop: the offered half for a searching worker is smaller by a microsecond of work") {
  Thieves two;
  Blocks body;
  const float per_item = 0.01F * static_cast<float>(blitz::detail::ticks_per_microsecond());
  run(two.owner, LoopCut::kAdaptive, 1000, body, 1, {}, per_item);
  check_cover(body.all, 1000);
  const LoopIndex middle = body.all.front().first;  // The taker begins before the owner does.
  CHECK(middle >= 549);
  CHECK(middle <= 550);
}

TEST_CASE("loop: half of a loop with a known duration is offered for any count and duration") {
  const auto microsecond = static_cast<float>(blitz::detail::ticks_per_microsecond());
  for (const LoopIndex count : {LoopIndex{1} << 20, LoopIndex{1} << 49, LoopIndex{1} << 53, LoopIndex{1} << 60,
                                LoopIndex{1} << 63, kMost - 1, kMost}) {
    for (const float usual : {1e-12F, 1e-6F, 1.0F, microsecond, 1e6F * microsecond, 1e18F, 1e37F}) {
      if (usual * static_cast<float>(count) < 1e3F * microsecond) continue;  // too short to be shared
      for (const LoopIndex grain : {LoopIndex{1}, LoopIndex{1000}, count / 2}) {
        CAPTURE(count);
        CAPTURE(usual);
        CAPTURE(grain);
        Thieves two;
        Blocks blocks;
        auto body = [&](LoopIndex first, LoopIndex last) {
          blocks(first, last);
          return true;
        };
        run(two.owner, LoopCut::kAdaptive, count, body, grain, {}, usual);
        CHECK(two.owner.pushes == 1);
        const LoopIndex middle = blocks.all.front().first;  // The taker begins before the owner does.
        CHECK(middle >= std::max(grain, count / 2 - 64));
        CHECK(middle <= std::min(count - grain, count / 2 + count / 4 + 1));
      }
    }
  }
}

TEST_CASE("loop: any number of positions is shared in each of several calls") {
  for (const LoopIndex count : {LoopIndex{1} << 50, LoopIndex{1} << 60, kMost}) {
    CAPTURE(count);
    FakeWorker worker(0, 2);
    worker.idle = true;
    for (int call = 0; call < 4; ++call) {
      CAPTURE(call);
      worker.pushes = 0;
      int blocks = 0;
      auto body = [&](LoopIndex, LoopIndex) {
        blitz_test::spend_ten_microseconds();
        return ++blocks == 5;
      };
      run(worker, LoopCut::kAdaptive, count, body);
      CHECK(worker.pushes > 0);
    }
  }
}

TEST_CASE("loop: blocks that take no time cover any number of positions") {
  for (const LoopIndex count : {LoopIndex{1} << 60, LoopIndex{1} << 63, kMost}) {
    CAPTURE(count);
    FakeWorker worker(0, 2);
    Blocks body;
    run(worker, LoopCut::kAdaptive, count, body);
    check_cover(body.all, count);
    CHECK(body.all.size() < 100);
  }
}

TEST_CASE("loop: a stolen part runs once on its thief") {
  Thieves workers;
  Blocks body;
  run(workers.owner, LoopCut::kAdaptive, 1000, body);
  check_cover(body.all, 1000);
  CHECK(workers.owner.pushes > 1);
  CHECK(workers.owner.waits == 0);  // the thief was faster
}

TEST_CASE("loop: waits for a thief that has not finished") {
  FakeWorker owner(0, 2);
  FakeWorker thief(1, 2);
  owner.idle = true;
  blitz_test::Job* taken = nullptr;
  owner.on_push = [&] {
    if (taken == nullptr) taken = owner.take_newest();
    owner.idle = false;
  };
  owner.on_wait = [&] { taken->execute(taken, thief); };
  Blocks body;
  run(owner, LoopCut::kAdaptive, 100, body);
  check_cover(body.all, 100);
  CHECK(owner.waits == 1);
  CHECK(body.all.back().second == 100);  // the far half
}

TEST_CASE("loop: no block is smaller than the grain with and without thieves") {
  for (const LoopIndex grain : {0, 1, 5, 64}) {
    for (const LoopIndex count : {64, 65, 100, 127, 128, 1000, 4099}) {
      for (const bool taken : {false, true}) {
        CAPTURE(grain);
        CAPTURE(count);
        CAPTURE(taken);
        Thieves workers;
        if (!taken) workers.owner.on_push = nullptr;
        Blocks body;
        run(workers.owner, LoopCut::kAdaptive, count, body, grain);
        check_cover(body.all, count);
        for (const auto& [first, last] : body.all) CHECK(last - first >= grain);
      }
    }
  }
}

TEST_CASE("loop: a loop shorter than the grain is one block") {
  FakeWorker worker(0, 4);
  worker.idle = true;
  for (const LoopIndex grain : {LoopIndex{100}, LoopIndex{1} << 63, std::numeric_limits<LoopIndex>::max()}) {
    CAPTURE(grain);
    Blocks adaptive;
    run(worker, LoopCut::kAdaptive, 99, adaptive, grain);
    CHECK(adaptive.all == std::vector<Block>{{0, 99}});
    Blocks fixed;
    run(worker, LoopCut::kFixed, 99, fixed, grain);
    CHECK(fixed.all == std::vector<Block>{{0, 99}});
  }
  CHECK(worker.pushes == 0);
}

TEST_CASE("loop: fixed blocks are as many as workers and differ by one item at most") {
  for (const std::size_t workers : {1, 2, 3, 7, 16}) {
    for (const LoopIndex count : {LoopIndex{1}, LoopIndex{2}, LoopIndex{15}, LoopIndex{16}, LoopIndex{17},
                                  LoopIndex{1000}, (LoopIndex{1} << 40) + 3}) {
      CAPTURE(workers);
      CAPTURE(count);
      FakeWorker worker(0, workers);
      Blocks body;
      run(worker, LoopCut::kFixed, count, body);
      check_cover(body.all, count);
      CHECK(body.all.size() == std::min<LoopIndex>(workers, count));
      for (const auto& [first, last] : body.all) {
        CHECK(last - first >= count / body.all.size());
        CHECK(last - first <= count / body.all.size() + 1);
      }
    }
  }
}

TEST_CASE("loop: no fixed block is smaller than the grain") {
  for (const LoopIndex grain : {2, 64, 99}) {
    for (const LoopIndex count : {99, 100, 128, 130, 1000}) {
      CAPTURE(grain);
      CAPTURE(count);
      FakeWorker worker(0, 16);
      Blocks body;
      run(worker, LoopCut::kFixed, count, body, grain);
      check_cover(body.all, count);
      for (const auto& [first, last] : body.all) CHECK(last - first >= grain);
    }
  }
}

TEST_CASE("loop: thieves of fixed blocks begin with their own block") {
  FakeWorker owner(2, 8);
  FakeWorker thief(5, 8);
  owner.on_push = [&] { owner.run_oldest_on(thief); };
  Blocks body;
  run(owner, LoopCut::kFixed, 80, body);
  check_cover(body.all, 80);
  CHECK(body.all.size() == 8);
  CHECK(body.all.front() == Block{50, 60});
  CHECK(body.all[1] == Block{70, 80});
  CHECK(body.all.back() == Block{20, 30});  // the owner's block is the last: all others were taken immediately
}

TEST_CASE("loop: a fixed loop has at most 1024 blocks") {
  FakeWorker worker(5000, 65'535);
  Blocks body;
  run(worker, LoopCut::kFixed, 100'000, body);
  check_cover(body.all, 100'000);
  CHECK(body.all.size() == 1024);
}

TEST_CASE("loop: no block begins after an exception and the first exception is rethrown") {
  for (const LoopCut cut : {LoopCut::kAdaptive, LoopCut::kFixed}) {
    for (const bool taken : {false, true}) {
      CAPTURE(static_cast<int>(cut));
      CAPTURE(taken);
      FakeWorker owner(0, 8);
      FakeWorker thief(1, 8);
      owner.idle = true;
      if (taken) owner.on_push = [&] { owner.run_oldest_on(thief); };
      int blocks = 0;
      auto body = [&](LoopIndex, LoopIndex) {
        ++blocks;
        throw std::runtime_error(std::to_string(blocks));
      };
      CHECK_THROWS_WITH(run(owner, cut, 1000, body), "1");
      CHECK(blocks == 1);
    }
  }
}

TEST_CASE("loop: no block begins after a stop request and nothing is thrown") {
  for (const LoopCut cut : {LoopCut::kAdaptive, LoopCut::kFixed}) {
    CAPTURE(static_cast<int>(cut));
    FakeWorker worker(0, 8);
    worker.idle = true;
    std::stop_source source;
    const std::stop_token token = source.get_token();
    int blocks = 0;
    auto body = [&](LoopIndex, LoopIndex) {
      if (++blocks == 3) source.request_stop();
    };
    run(worker, cut, 1000, body, 1, token);
    CHECK(blocks == 3);
  }
}

TEST_CASE("loop: no block begins after a block that ends the loop and nothing is thrown") {
  for (const LoopCut cut : {LoopCut::kAdaptive, LoopCut::kFixed}) {
    CAPTURE(static_cast<int>(cut));
    FakeWorker worker(0, 8);
    worker.idle = true;
    int blocks = 0;
    auto body = [&](LoopIndex, LoopIndex) { return ++blocks == 3; };
    run(worker, cut, 1000, body);
    CHECK(blocks == 3);
  }
}

TEST_CASE("loop: rethrows an exception though another block ended the loop") {
  for (const bool first_throws : {false, true}) {
    CAPTURE(first_throws);
    FakeWorker owner(0, 2);
    FakeWorker thief(1, 2);
    // The thief's block runs within the owner's.
    auto body = [&](LoopIndex first, LoopIndex) {
      const bool outer = first == 0;
      if (outer) owner.run_oldest_on(thief);
      if (outer != first_throws) throw std::runtime_error("thrown");
      return true;
    };
    CHECK_THROWS_WITH(run(owner, LoopCut::kFixed, 2, body), "thrown");
  }
}

TEST_CASE("loop: throws bad_alloc if the queue cannot grow after all offered parts have finished") {
  for (const LoopCut cut : {LoopCut::kAdaptive, LoopCut::kFixed}) {
    for (const int failing : {1, 2, 3}) {
      CAPTURE(static_cast<int>(cut));
      CAPTURE(failing);
      FakeWorker worker(0, 8);
      worker.idle = true;
      worker.failing_push = failing;
      int after = 0;
      auto body = [&](LoopIndex, LoopIndex) {
        if (worker.pushes >= failing) ++after;
        blitz_test::spend_ten_microseconds();  // So that another offer is made after each block.
      };
      CHECK_THROWS_AS(run(worker, cut, 1000, body), std::bad_alloc);
      CHECK(after == 0);
    }
  }
}
