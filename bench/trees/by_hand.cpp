#include "bench/peers/by_hand.hpp"

#include <algorithm>
#include <vector>

#include "bench/trees/workloads.hpp"

namespace bench {
namespace {

/// Splits fib(n) at the first `levels` levels of its recursion: appends the arguments of the remaining calls.
void cut(unsigned n, unsigned levels, std::vector<unsigned>& pieces) {
  if (levels == 0 || n < 2) {
    pieces.push_back(n);
  } else {
    cut(n - 1, levels - 1, pieces);
    cut(n - 2, levels - 1, pieces);
  }
}

struct Pieces {
  static void run(Fib& work, ByHandPeer& peer) {
    std::vector<unsigned> pieces;
    cut(work.n, 8, pieces);
    work.add(peer.sum(pieces.size(), [&pieces](std::size_t i) { return serial_fib(pieces[i]); }));
  }
  static void run(TreeSum& work, ByHandPeer& peer) {
    const unsigned levels = std::min(8u, work.height - 1);
    const std::uint64_t count = std::uint64_t{1} << levels;
    // Piece i is the subtree below node count + i, plus node number i of the nodes above, if there is one.
    work.add(peer.sum(count, [&work, count, levels](std::uint64_t i) {
      return serial_tree_sum(count + i, work.height - levels) + (i > 0 ? node_value(i) : 0);
    }));
  }
  static void run(TreeHuge&, ByHandPeer&) = delete;
};

const RegisterStyle<kTrees, Pieces, ByHandPeer> pieces("by_hand");

}  // namespace
}  // namespace bench
