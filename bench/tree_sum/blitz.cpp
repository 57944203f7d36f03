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

template <class W, class P>
void run(W& work, P& peer) {
  work.sum += peer.pool.install([&work] { return tree_sum(W::kRoot, work.height); });
}

const Register<run<TreeSum, BlitzPeer>> large("blitz");
const Register<run<TreeSum, BlitzAsyncPeer>> large_async("blitz_async");
const Register<run<TreeHuge, BlitzPeer>> huge("blitz");
const Register<run<TreeSmall, BlitzPeer>> small("blitz");
const Register<run<TreeSmall, BlitzAsyncPeer>> small_async("blitz_async");

}  // namespace
}  // namespace bench
