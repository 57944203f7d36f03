#include "bench/peers/blitz.hpp"

#include "bench/fib/workload.hpp"

namespace bench {
namespace {

BENCH_NOINLINE std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = blitz::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

void run(Fib& work, BlitzPeer& peer) {
  work.sum += peer.pool.install([&work] { return fib(work.n); });
}

const Register<run> registered("blitz");

}  // namespace
}  // namespace bench
