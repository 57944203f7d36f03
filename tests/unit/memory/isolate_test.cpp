#include "blitz/isolate.hpp"

#include <atomic>
#include <cstddef>

#include <blitz/blitz.hpp>
#include <doctest/doctest.h>

#include "support/fail_each.hpp"
#include "support/failing_new.hpp"

using namespace blitz_test;

namespace {

constexpr int kJobs = 300;

}  // namespace

// At its end the inner region hands its jobs to the outer one. Where that has no memory for one, it is run there and then;
// where it is the worker's queue that cannot grow, nothing is to be noticed.
TEST_CASE_TEMPLATE("isolate: jobs that are left at the end of an inner one are run, whatever memory there is", Pool,
                   blitz::ThreadPool, blitz::AsyncThreadPool) {
  if (!allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  int at_once = 0;
  const std::size_t failures = fail_each([&](std::size_t nth) {
    Pool pool({.num_threads = 1});
    std::atomic<int> runs{0};
    int at_end_of_inner = 0;
    bool failed = false;
    pool.install([&] {
      blitz::isolate([&] {
        blitz::isolate([&] {
          for (int i = 0; i < kJobs; ++i) blitz::spawn([&] { ++runs; });
          fail_allocation_after(nth);
        });
        failed = stop_failing();
        at_end_of_inner = runs;
      });
    });
    pool.shutdown();
    CHECK(at_end_of_inner <= (failed ? 1 : 0));
    CHECK(runs == kJobs);
    at_once += at_end_of_inner;
    return failed;
  });
  CHECK(failures > 0);
  CHECK(at_once > 0);
}
