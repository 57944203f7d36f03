// Other workers take parts of a loop: each position runs once. The caller returns after the last position and sees the results.
#include "blitz/detail/loop/loop.hpp"

#include <deque>
#include <stdexcept>
#include <string>

#include "tests/interleave/pool.hpp"

namespace interleave_test {
namespace {

using blitz::detail::Audience;
using blitz::detail::current_worker;
using blitz::detail::Loop;
using blitz::detail::LoopCut;
using blitz::detail::LoopIndex;
using blitz::detail::run_loop_on;

/// A loop that leaves a trace at each position.
class Marks final : public Loop {
 public:
  explicit Marks(LoopIndex count, LoopCut how = LoopCut::kAdaptive) : Loop(&mark, count, how, 1, {}) {
    for (LoopIndex i = 0; i < count; ++i) marks_.emplace_back("what a block wrote", 0);
  }

  void expect_all() const {
    for (const auto& runs : marks_) expect(runs.read() == 1, "each position has run once");
  }

  LoopIndex throws_at = ~LoopIndex{0};

 private:
  static bool mark(const Loop& self, void* /*value*/, LoopIndex first, LoopIndex last) {
    const auto& marks = static_cast<const Marks&>(self);
    for (LoopIndex i = first; i < last; ++i) {
      if (i == marks.throws_at) throw std::runtime_error("of a block");
      marks.marks_[i].write(marks.marks_[i].read() + 1);
    }
    return false;
  }

  mutable std::deque<Plain<int>> marks_;
};

/// Each thief runs one job that it finds, and then the jobs in its own queue.
void add_thieves(Run& run, Pool& pool) {
  for (std::size_t slot = 1; slot < pool.num_threads(); ++slot) {
    run.thread("thief " + std::to_string(slot), [&pool, slot] {
      current_worker = &pool.worker(slot);
      pool.worker(slot).help_once();
    });
  }
}

void add_caller(Run& run, Pool& pool, Marks& loop) {
  run.thread("caller", [&] {
    current_worker = &pool.worker(0);
    run_loop_on(pool.worker(0), loop, nullptr);
    loop.expect_all();
  });
}

INTERLEAVE_CASE("loop: one thief", .preemptions = 3, .delays = 2, .spurious = 1, .random_schedules = 2000,
                .fences = true) {
  Pool pool(run, 2);
  Marks loop(2);
  add_caller(run, pool, loop);
  add_thieves(run, pool);
  run.go();
}

// The first thief offers half of its part, and may leave before that half has run.
INTERLEAVE_CASE("loop: a thief of a thief", .preemptions = 2, .spurious = 1, .random_schedules = 3000) {
  Pool pool(run, 3);
  Marks loop(4);
  for (std::size_t slot = 0; slot < 3; ++slot) pool.worker(slot).wanted = Audience::kSearches;
  add_caller(run, pool, loop);
  add_thieves(run, pool);
  run.go();
}

INTERLEAVE_CASE("loop: a block for each worker", .preemptions = 2, .random_schedules = 2000) {
  Pool pool(run, 3);
  Marks loop(3, LoopCut::kFixed);
  add_caller(run, pool, loop);
  add_thieves(run, pool);
  run.go();
}

// The caller is at its end, or asleep there, when the last worker leaves.
INTERLEAVE_CASE("loop: two loops, one after the other", .preemptions = 2, .random_schedules = 2000) {
  Pool pool(run, 2);
  Marks first(2);
  Marks second(2);
  run.thread("caller", [&] {
    current_worker = &pool.worker(0);
    run_loop_on(pool.worker(0), first, nullptr);
    first.expect_all();
    run_loop_on(pool.worker(0), second, nullptr);
    second.expect_all();
  });
  add_thieves(run, pool);
  run.go();
}

INTERLEAVE_CASE("loop: a block of a thief throws", .preemptions = 2, .random_schedules = 2000) {
  Pool pool(run, 2);
  Marks loop(2);
  loop.throws_at = 1;
  run.thread("caller", [&] {
    current_worker = &pool.worker(0);
    std::string thrown;
    try {
      run_loop_on(pool.worker(0), loop, nullptr);
    } catch (const std::runtime_error& error) {
      thrown = error.what();
    }
    expect(thrown == "of a block", "the caller gets the exception");
  });
  add_thieves(run, pool);
  run.go();
}

}  // namespace
}  // namespace interleave_test
