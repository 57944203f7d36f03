#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>

#include "bench/fib/workload.hpp"

namespace bench {
namespace {

BENCH_NOINLINE std::uint64_t fib_by_invoke(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  tbb::parallel_invoke([&a, n] { a = fib_by_invoke(n - 1); }, [&b, n] { b = fib_by_invoke(n - 2); });
  return a + b;
}

BENCH_NOINLINE std::uint64_t fib_by_group(unsigned n) {
  if (n < 2) return n;
  std::uint64_t b = 0;
  tbb::task_group group;
  group.run([&b, n] { b = fib_by_group(n - 2); });
  const std::uint64_t a = fib_by_group(n - 1);
  group.wait();
  return a + b;
}

void run_invoke(Fib& work, TbbPeer&) { work.sum += fib_by_invoke(work.n); }
void run_group(Fib& work, TbbPeer&) { work.sum += fib_by_group(work.n); }

const Register<run_invoke> invoke("tbb_invoke");
const Register<run_group> group("tbb_group");

}  // namespace
}  // namespace bench
