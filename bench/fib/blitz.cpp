#include "bench/peers/blitz.hpp"

#include "bench/fib/workload.hpp"

namespace bench {
namespace {

BENCH_NOINLINE std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = blitz::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

template <class P>
void run(Fib& work, P& peer) {
  work.sum += peer.pool.install([&work] { return fib(work.n); });
}

const Register<run<BlitzPeer>> registered("blitz");
const Register<run<BlitzAsyncPeer>> registered_async("blitz_async");

}  // namespace
}  // namespace bench
