/// Random programs made of every call of the library, compared with serial execution.
///
/// BLITZ_STRESS_PROGRAM: runs only this program, repeatedly. A failure prints its number next to the seed.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "program.hpp"
#include "program_algorithms.hpp"
#include "program_loops.hpp"
#include "program_meaning.hpp"
#include "program_pools.hpp"
#include "program_run.hpp"
#include "program_scopes.hpp"
#include "program_trace.hpp"
#include "stress.hpp"

namespace blitz_test::program {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// The number of the n-th program to run.
std::uint64_t number_of(std::uint64_t n) {
  static const std::uint64_t only = number_from_environment("BLITZ_STRESS_PROGRAM", kAll);
  return only == kAll ? n : only;
}

/// The number of jobs that workers have stolen.
std::uint64_t stolen(Pools& pools) {
  std::uint64_t sum = 0;
  pools.for_each([&](auto& pool) { sum += pool.stats().total.jobs_stolen; });
  return sum;
}

/// Runs a program once. Returns the errors found.
std::string run_once(const Program& program, Pools& pools, Bits& bits) {
  Trace trace(program);
  Run(pools, trace)(program);
  pools.for_each([](auto& pool) { pool.set_max_concurrency(pool.num_threads()); });
  return Interpreter(trace, bits).check(program);
}

TEST_CASE("programs: a random program gives the interpreted result on every pool") {
  TestWatchdog dog;
  // Both policies, calling each other, with more threads than processors, and with far more.
  std::vector<std::unique_ptr<Pools>> all;
  for (const bool async : {false, true}) {
    for (const std::size_t size : {1, 2, 3, 8, 64}) {
      const bool mixed = size % 2 == 0;
      all.push_back(std::make_unique<Pools>(Pools::Shape{size, async},
                                            Pools::Shape{size % 3 + 1, mixed ? !async : async},
                                            Pools::Shape{size > 2 ? 2U : 1U, !async}));
      all.back()->for_each([&](auto& pool) { dog.watch(pool); });
    }
  }
  const Deadline deadline;
  std::uint64_t programs = 0;
  std::uint64_t nodes = 0;
  for (; !deadline.passed(); ++programs) {
    const std::uint64_t number = number_of(programs);
    CAPTURE(number);
    const Program program = Generator(number).make();
    nodes += program.nodes;
    Bits bits;
    for (std::size_t i = 0; i < all.size(); ++i) {
      CAPTURE(i);
      const std::string wrong = run_once(program, *all[i], bits);
      CHECK_MESSAGE(wrong.empty(), wrong);
      dog.progress();
    }
  }
  std::uint64_t steals = 0;
  for (const auto& pools : all) steals += stolen(*pools);
  MESSAGE("done: " << programs << " programs, " << nodes << " nodes, " << steals << " jobs stolen; each on "
                   << all.size() << " sets of pools");
}

Pools::Shape random_pool(Random& random) {
  static constexpr std::array<std::size_t, 4> kSizes{1, 2, 3, 8};
  return {random.one_in(16) ? 64 : kSizes[random.below(kSizes.size())], random.one_in(2),
          random.one_in(3) ? random.below(4) : 32};
}

TEST_CASE("programs: concurrent random programs in the same pools give the interpreted results") {
  TestWatchdog dog;
  Random random(61);
  const Deadline deadline;
  std::atomic<std::uint64_t> programs{0};
  std::uint64_t steals = 0;
  while (!deadline.passed()) {
    Pools pools(random_pool(random), random_pool(random), random_pool(random));
    pools.for_each([&](auto& pool) { dog.watch(pool); });
    std::mutex mutex;
    std::string wrong;
    in_threads(random.between(2, 4), [&](std::size_t thread) {
      for (int i = 0; i < 50 && !deadline.passed(); ++i) {
        const std::uint64_t number = number_of(programs++);
        const Program program = Generator(number).make();
        Bits bits;
        const std::string complaints = run_once(program, pools, bits);
        dog.progress();
        if (complaints.empty()) continue;
        const std::lock_guard lock(mutex);
        wrong += "program " + std::to_string(number) + " in thread " + std::to_string(thread) + ":\n" + complaints;
      }
    });
    CHECK_MESSAGE(wrong.empty(), wrong);
    pools.for_each([](auto& pool) { pool.shutdown(); });
    steals += stolen(pools);
    dog.progress();
  }
  MESSAGE("done: " << programs.load() << " programs, " << steals << " jobs stolen");
}

constexpr std::size_t kKindsOfTampering = 8;

/// Changes one thing in the trace of a run. Returns the error that the change imitates, or null if it does not apply.
const char* tamper(const Program& program, Trace& trace, Random& random) {
  // A stopped scope may leave out jobs.
  bool some_stop = false;
  for_each_node(program.root, [&](const Node& node) { some_stop |= node.stoppable; });
  Record& record = trace.records[random.below(trace.records.size())];
  switch (random.below(kKindsOfTampering)) {
    case 0:
      if (some_stop || record.visits == 0) return nullptr;
      record.visits = 0;
      return "a job is lost";
    case 1:
      if (some_stop) return nullptr;
      ++record.visits;
      return "a job is executed when it should not be, or twice";
    case 2:
      if (record.items.empty()) return nullptr;
      record.items[random.below(record.items.size())] = 2;
      return "an item is visited twice";
    case 3:
      trace.arrived.value ^= 1;
      return "another value, or exception, arrives at the caller";
    case 4:
      if (!trace.arrived.threw) return nullptr;
      trace.arrived = {};
      return "an exception does not arrive at the caller";
    case 5:
      if (trace.handled.empty()) return nullptr;
      trace.handled.pop_back();
      return "an exception does not arrive at the handler";
    case 6: {
      const Node* checked = nullptr;
      for_each_node(program.root, [&](const Node& node) {
        const bool has_run = node.call == Call::kAlgorithm && trace.records[node.id].complete;
        if (has_run && (checked == nullptr || random.one_in(2))) checked = &node;
      });
      if (checked == nullptr) return nullptr;
      trace.records[checked->id].complete = false;
      return "an algorithm's result is not that of its serial form";
    }
    default:
      trace.handled.push_back(0);
      return "an exception arrives at the handler once too often";
  }
}

TEST_CASE("programs: the check finds a change in a trace") {
  TestWatchdog dog;
  Random random(62);
  Pools pools({2, false}, {2, true}, {1, false});
  pools.for_each([&](auto& pool) { dog.watch(pool); });
  std::set<std::string> found;
  std::uint64_t number = 0;
  std::uint64_t changes = 0;
  for (; number < 500 || found.size() < kKindsOfTampering; ++number) {
    CAPTURE(number);
    const Program program = Generator(number).make();
    Bits bits;
    Trace trace(program);
    Run(pools, trace)(program);
    REQUIRE(Interpreter(trace, bits).check(program) == "");
    if (const char* const what = tamper(program, trace, random)) {
      CHECK_MESSAGE(Interpreter(trace, bits).check(program) != "", what);
      found.insert(what);
      ++changes;
    }
    dog.progress();
  }
  MESSAGE("done: " << number << " programs, " << changes << " changes found");
}

TEST_CASE("programs: the check finds a lost result or exception") {
  // Changes the value or the exception of each node in turn, as its caller sees it.
  TestWatchdog dog;
  Pools pools({1, false}, {1, false}, {1, false});
  pools.for_each([&](auto& pool) { dog.watch(pool); });
  int lost_values = 0;
  int lost_exceptions = 0;
  std::uint64_t number = 0;
  for (; number < 300; ++number) {
    CAPTURE(number);
    const Program program = Generator(number).make();
    Bits bits;
    Trace trace(program);
    Run(pools, trace)(program);
    REQUIRE(Interpreter(trace, bits).check(program) == "");
    for_each_node(program.root, [&](const Node& node) {
      Record& record = trace.records[node.id];
      if (record.visits == 0 || node.fault == Fault::kBefore) return;
      CAPTURE(node.id);
      CAPTURE(name_of(node.call));
      const Outcome inner = record.inner;
      ++(inner.threw ? lost_exceptions : lost_values);
      record.inner = inner.threw ? Outcome{false, worth_of_node(node)} : Outcome{false, inner.value + 1};
      CHECK(Interpreter(trace, bits).check(program) != "");
      record.inner = inner;
    });
    dog.progress();
  }
  CHECK(lost_values > 0);
  CHECK(lost_exceptions > 0);
  MESSAGE("done: " << number << " programs, " << lost_values << " values missed, " << lost_exceptions
                   << " exceptions missed");
}

}  // namespace
}  // namespace blitz_test::program
