#include "bench/peers/by_hand.hpp"

#include <algorithm>

#include "bench/tree_sum/workload.hpp"

namespace bench {
namespace {

void run(TreeSum& work, ByHandPeer& peer) {
  const unsigned levels = std::min(8u, work.height - 1);
  const std::uint64_t count = std::uint64_t{1} << levels;
  // Piece i is the subtree below node count + i, and of the nodes above them all number i, if there is one.
  work.sum += peer.sum(count, [&work, count, levels](std::uint64_t i) {
    return serial_tree_sum(count + i, work.height - levels) + (i > 0 ? node_value(i) : 0);
  });
}

const Register<run> registered("by_hand");

}  // namespace
}  // namespace bench
