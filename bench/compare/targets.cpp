#include "bench/compare/targets.hpp"

#include <limits>

namespace bench {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::string on(unsigned threads) { return threads == 1 ? "on 1 thread" : "on " + std::to_string(threads) + " threads"; }

void add_join(const Results& results, std::vector<Target>& out) {
  const Row* one = results.find("fib", "blitz", 1);
  const Row* two = results.find("fib", "blitz", 2);
  out.push_back({"a join, of the plain recursive call, on 1 thread",
                 times_slower(one, results.find("fib", "serial", 1)), 2.5, false});
  out.push_back(
      {"a join, of oneTBB's best, on 1 thread", times_slower(one, results.best("fib", "tbb", 1)), 0.04, false});
  out.push_back({"joins on 2 threads, times as fast as on 1", times_slower(one, two), 1.9, true});
}

void add_loops(const Results& results, unsigned threads, std::vector<Target>& out) {
  const Row* serial = results.find("loop_1000", "serial", threads);
  const Row* thousand = results.find("loop_1000", "blitz", threads);
  const Row* two = results.find("loop_2", "blitz", threads);
  const auto excess = thousand != nullptr && serial != nullptr ? thousand->median - serial->median : kUnknown;
  const auto tail = [](const Row* row) { return row != nullptr ? row->p99 / row->median : kUnknown; };
  out.push_back({"a loop of 1000, of the serial loop, " + on(threads), times_slower(thousand, serial), 1.4, false});
  out.push_back({"a loop of 1000, over the serial loop, " + on(threads), excess, 100, false, " ns"});
  out.push_back({"a loop of 1000, p99 of p50, " + on(threads), tail(thousand), 2, false});
  out.push_back({"a loop of 2, " + on(threads), two != nullptr ? two->median : kUnknown, 60, false, " ns"});
  out.push_back({"a loop of 2, p99 of p50, " + on(threads), tail(two), 2, false});
}

void add_isolated(const Results& results, unsigned threads, std::vector<Target>& out) {
  out.push_back(
      {"an isolated loop of 32 items of 10 us, of a plain one, " + on(threads),
       times_slower(results.find("grain_1e4", "blitz_isolated", threads), results.find("grain_1e4", "blitz", threads)),
       1.05, false});
}

void add_wake(const Results& results, unsigned threads, std::vector<Target>& out) {
  const Row* best = results.best("wake", "tbb", threads);
  const auto add = [&](const std::string& call, std::string_view peer) {
    out.push_back({"excess of " + call + " after idling, of oneTBB's best, " + on(threads),
                   times_slower(results.find("wake", peer, threads), best), 0.6, false});
  };
  add("a join", "blitz");
  add("a parallel_for", "blitz_for");
}

void add_spawn(const Results& results, unsigned threads, std::vector<Target>& out) {
  const Row* spawn = results.find("spawn", "blitz", threads);
  out.push_back({"a spawn into a scope, " + on(threads), spawn != nullptr ? spawn->median : kUnknown,
                 threads == 1 ? 15.0 : 25.0, false, " ns"});
}

void add_reduce(const Results& results, unsigned threads, std::vector<Target>& out) {
  out.push_back({"a reduction, of OpenMP's vectorised one, " + on(threads),
                 times_slower(results.find("reduce", "blitz", threads), results.best("reduce", "openmp", threads)),
                 1.02, false});
}

}  // namespace

std::vector<Target> targets(const Results& results) {
  std::vector<Target> out;
  add_join(results, out);
  for (const unsigned threads : results.threads) add_loops(results, threads, out);
  for (const unsigned threads : results.threads) add_spawn(results, threads, out);
  for (const unsigned threads : results.threads) add_reduce(results, threads, out);
  for (const unsigned threads : results.threads) add_isolated(results, threads, out);
  for (const unsigned threads : results.threads) {
    if (threads > 1) add_wake(results, threads, out);
  }
  return out;
}

}  // namespace bench
