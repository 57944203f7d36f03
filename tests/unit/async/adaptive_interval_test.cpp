#include "blitz/async/adaptive_interval.hpp"

#include <chrono>

#include <doctest/doctest.h>

using blitz::detail::AdaptiveInterval;
using namespace std::chrono_literals;

TEST_CASE("interval: as many jobs as take a millisecond, between 8 and 255") {
  CHECK(AdaptiveInterval::interval_for(1us) == 255);
  CHECK(AdaptiveInterval::interval_for(10us) == 100);
  CHECK(AdaptiveInterval::interval_for(50us) == 20);
  CHECK(AdaptiveInterval::interval_for(100us) == 10);
  CHECK(AdaptiveInterval::interval_for(1ms) == 8);

  CHECK(AdaptiveInterval::interval_for(0ns) == 255);
  CHECK(AdaptiveInterval::interval_for(3921ns) == 255);
  CHECK(AdaptiveInterval::interval_for(3937ns) == 254);
  CHECK(AdaptiveInterval::interval_for(125us) == 8);
  CHECK(AdaptiveInterval::interval_for(1h) == 8);
}

TEST_CASE("interval: the first guess is 50 microseconds") {
  const AdaptiveInterval interval;
  CHECK(interval.interval() == 20);
  CHECK(interval.job_time() == 50us);
}

TEST_CASE("interval: a batch counts for a tenth") {
  AdaptiveInterval interval;
  interval.batch_ran(128, 128 * 150us);
  CHECK(interval.job_time().count() == doctest::Approx(60'000));
  CHECK(interval.interval() == 16);
  interval.batch_ran(1, 0us);
  CHECK(interval.job_time().count() == doctest::Approx(54'000));
  CHECK(interval.interval() == 18);
}

TEST_CASE("interval: comes to that of the job time, whatever it was before") {
  struct Case {
    std::chrono::nanoseconds time;
    unsigned expected;
  };
  AdaptiveInterval interval;
  for (const Case c :
       {Case{1us, 255}, Case{1ms, 8}, Case{20us, 49}, Case{200us, 8}, Case{5us, 199}, Case{10ms, 8}, Case{10us, 99}}) {
    CAPTURE(c.time.count());
    for (int batch = 0; batch < 200; ++batch) interval.batch_ran(128, 128 * c.time);
    CHECK(interval.job_time().count() == doctest::Approx(static_cast<double>(c.time.count())).epsilon(0.001));
    CHECK(interval.interval() >= c.expected);
    CHECK(interval.interval() <= c.expected + 1);
  }
}

TEST_CASE("interval: one batch of jobs that take a millisecond is enough for the least") {
  AdaptiveInterval interval;
  interval.batch_ran(128, 128ms);
  CHECK(interval.interval() == 8);
}

TEST_CASE("interval: a clock that steps back does no harm") {
  AdaptiveInterval interval;
  interval.batch_ran(128, -1s);
  CHECK(interval.job_time() == 45us);
}
