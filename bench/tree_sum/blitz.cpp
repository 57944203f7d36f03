#include "bench/peers/blitz.hpp"

#include "bench/tree_sum/workload.hpp"

namespace bench {
namespace {

BENCH_NOINLINE std::uint64_t tree_sum(std::uint64_t node, unsigned height) {
  if (height == 1) return node_value(node);
  const auto [a, b] =
      blitz::join([=] { return tree_sum(2 * node, height - 1); }, [=] { return tree_sum(2 * node + 1, height - 1); });
  return node_value(node) + a + b;
}

template <class P>
void run(TreeSum& work, P& peer) {
  work.sum += peer.pool.install([&work] { return tree_sum(TreeSum::kRoot, work.height); });
}

const Register<run<BlitzPeer>> registered("blitz");
const Register<run<BlitzAsyncPeer>> registered_async("blitz_async");

}  // namespace
}  // namespace bench
