#include "blitz/detail/worker/pool_config.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "blitz/detail/sys/cpu_count.hpp"
#include "support/environment.hpp"
#include "unit/without_affinity.hpp"

#if defined(__linux__)
#include <errno.h>
#endif

using blitz::Affinity;
using blitz::ThreadPoolError;
using blitz::ThreadPoolOptions;
using blitz::detail::checked_num_threads;
using blitz::detail::first_seed;
using blitz::detail::Processors;
using blitz::detail::processors_for;

namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

/// Sets BLITZ_NUM_THREADS, or removes it, until the end of the scope.
class Environment {
 public:
  explicit Environment(const char* value) {
    if (const char* const before = std::getenv(kName)) before_ = before;
    set(value);
  }
  ~Environment() { set(before_ ? before_->c_str() : nullptr); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static constexpr const char* kName = "BLITZ_NUM_THREADS";

  static void set(const char* value) { blitz_test::set_environment(kName, value); }

  std::optional<std::string> before_;
};

std::string error_of(const ThreadPoolOptions& options, std::size_t limit = kNoLimit) {
  try {
    (void)checked_num_threads(options, limit);
  } catch (const ThreadPoolError& error) {
    return error.what();
  }
  FAIL("accepted");
  return {};
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("config: a given number of threads is used unchanged") {
  const Environment environment("7");
  CHECK(checked_num_threads({.num_threads = 1}, kNoLimit) == 1);
  CHECK(checked_num_threads({.num_threads = 300}, kNoLimit) == 300);
}

TEST_CASE("config: without a number the environment variable decides") {
  const Environment environment("7");
  CHECK(checked_num_threads({}, kNoLimit) == 7);
}

TEST_CASE("config: without a number and a variable there are as many threads as processors") {
  for (const char* nothing : {static_cast<const char*>(nullptr), "", "0"}) {
    const Environment environment(nothing);
    CHECK(checked_num_threads({}, kNoLimit) == blitz::detail::available_cpus());
  }
}

TEST_CASE("config: a malformed environment variable throws an error that names it") {
  for (const char* text : {"four", "4x", " 4", "4 ", "-1", "+4", "4.5", "0x4", "99999999999999999999999", "4194305",
                           "18446744073709551615"}) {
    CAPTURE(text);
    const Environment environment(text);
    const std::string error = error_of({});
    CHECK(mentions(error, "BLITZ_NUM_THREADS"));
    CHECK(mentions(error, text));
    CHECK(checked_num_threads({.num_threads = 2}, kNoLimit) == 2);  // the variable was not read
  }
}

TEST_CASE("config: accepts the limit of the policy and rejects one thread more") {
  CHECK(checked_num_threads({.num_threads = 10}, 10) == 10);
  const std::string error = error_of({.num_threads = 11}, 10);
  CHECK(mentions(error, "11"));
  CHECK(mentions(error, "10"));

  const Environment environment("11");
  CHECK(mentions(error_of({}, 10), "11"));
}

TEST_CASE("config: impossible numbers throw invalid_argument") {
  const auto negative = static_cast<std::size_t>(-1);
  CHECK_THROWS_AS((void)checked_num_threads({.num_threads = negative}, kNoLimit), std::invalid_argument);
  CHECK_THROWS_AS((void)checked_num_threads({.num_threads = 1, .stack_size = negative}, kNoLimit),
                  std::invalid_argument);
}

TEST_CASE("config: Affinity::kNone chooses no processors") { CHECK(processors_for(Affinity::kNone).count == 0); }

TEST_CASE("config: Affinity::kOnePerWorker lists the allowed processors or throws") {
#if (defined(__linux__) || defined(_WIN32)) && !defined(BLITZ_PORTABLE)
  const Processors processors = processors_for(Affinity::kOnePerWorker);
  CHECK(processors.count > 0);
  CHECK(std::ranges::equal(processors, blitz::detail::allowed_processors()));
  for (const Affinity affinity : {Affinity::kCompact, Affinity::kSpread}) {
    const Processors arranged = processors_for(affinity);
    CHECK(std::ranges::is_permutation(arranged, processors));
  }
#else
  CHECK_THROWS_AS((void)processors_for(Affinity::kOnePerWorker), ThreadPoolError);
#endif
}

#if defined(__linux__) && !defined(BLITZ_PORTABLE)
TEST_CASE("config: unknown processors throw an error with the advice to use kNone") {
  std::string error;
  Processors none{nullptr, 7};
  const bool called = blitz_test::call_without_affinity(EPERM, [&] {
    none = processors_for(Affinity::kNone);
    try {
      (void)processors_for(Affinity::kOnePerWorker);
    } catch (const ThreadPoolError& refusal) {
      error = refusal.what();
    }
  });
  if (!called) {
    MESSAGE("skipped: the system does not take a filter");
    return;
  }
  CHECK(none.count == 0);
  CHECK(mentions(error, "leave affinity at kNone"));
}
#endif

TEST_CASE("config: error messages contain the cause") {
  CHECK(mentions(blitz::detail::thread_failure(3, 8, "the cause"), "the cause"));
  CHECK(mentions(blitz::detail::thread_failure(3, 8, "the cause"), "3 of 8"));
  const auto known = std::make_exception_ptr(std::runtime_error("the cause"));
  CHECK(mentions(blitz::detail::start_hook_failure(5, known), "the cause"));
  CHECK(mentions(blitz::detail::start_hook_failure(5, known), "worker 5"));
  CHECK(mentions(blitz::detail::start_hook_failure(5, std::make_exception_ptr(1)), "no std::exception"));
}

TEST_CASE("pool config: the seed is new each time unless the options set one") {
  std::set<std::uint64_t> seeds;
  const ThreadPoolOptions none;
  for (int i = 0; i < 1000; ++i) seeds.insert(first_seed(none));
  CHECK(seeds.size() == 1000);
  CHECK(first_seed({.seed = 7}) == first_seed({.seed = 7}));
  CHECK(first_seed({.seed = 7}) != first_seed({.seed = 8}));
  CHECK(first_seed({.seed = 0}) == first_seed({.seed = 0}));  // 0 is a seed like any other
}
