/// A tree of joins without a cut-off, like the benchmark `fib`: each node works for some nanoseconds and makes two more.
#include "bench/simulation/scenario.hpp"
#include "bench/simulation/session.hpp"
#include "blitz/join.hpp"

namespace simulation {
namespace {

/// The value of fib(n), and the number of nodes of its tree.
struct Tree {
  std::uint64_t value, nodes;
};

Tree serial(unsigned n) {
  Tree last{0, 1}, tree{1, 1};
  if (n == 0) return last;
  for (unsigned i = 1; i < n; ++i) {
    const Tree next{tree.value + last.value, tree.nodes + last.nodes + 1};
    last = tree;
    tree = next;
  }
  return tree;
}

std::uint64_t fib(unsigned n, Time work) {
  simulate_work(work);
  if (n < 2) return n;
  const auto [a, b] = blitz::join([=] { return fib(n - 1, work); }, [=] { return fib(n - 2, work); });
  return a + b;
}

Outcome run(const Setup& setup, unsigned n, Time work) {
  return simulate(setup, [&](auto& session) {
    const auto once = [&] { return session.pool().install([&] { return fib(n, work); }); };
    (void)once();  // Now the workers are awake.
    session.begin();
    const std::uint64_t value = once();
    session.end();
    const Tree expected = serial(n);
    session.outcome().units = expected.nodes / 2;
    session.outcome().work = static_cast<Time>(expected.nodes) * work;
    session.outcome().correct = value == expected.value;
  });
}

}  // namespace

Outcome run_tree(const Setup& setup) { return run(setup, setup.size == Size::kTiny ? 12 : 26, nanoseconds(50)); }

Outcome run_fine_tree(const Setup& setup) { return run(setup, setup.size == Size::kTiny ? 12 : 28, nanoseconds(2)); }

Outcome run_join_alone(const Setup& setup) { return run(setup, setup.size == Size::kTiny ? 10 : 20, nanoseconds(1)); }

}  // namespace simulation
