#include "blitz/isolate.hpp"

#include <atomic>
#include <cstddef>

#include <blitz/blitz.hpp>
#include <doctest/doctest.h>

#include "fail_each.hpp"

using namespace blitz_test;

namespace {

constexpr int kJobs = 300;

}  // namespace

// At its end the inner region hands its jobs to the outer one, which may need memory for them.
TEST_CASE_TEMPLATE("isolate: a job for which the outer region has no memory is run at once", Pool, blitz::ThreadPool,
                   blitz::AsyncThreadPool) {
  fail_each([](std::size_t nth) {
    CAPTURE(nth);
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
    CHECK(at_end_of_inner == (failed ? 1 : 0));
    CHECK(runs == kJobs);
    return failed;
  });
}
