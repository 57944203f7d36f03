#include "bench/peers/by_hand.hpp"

#include <vector>

#include "bench/fib/workload.hpp"

namespace bench {
namespace {

/// What is left of fib(n) after the first `levels` of its recursion.
void cut(unsigned n, unsigned levels, std::vector<unsigned>& pieces) {
  if (levels == 0 || n < 2) {
    pieces.push_back(n);
  } else {
    cut(n - 1, levels - 1, pieces);
    cut(n - 2, levels - 1, pieces);
  }
}

void run(Fib& work, ByHandPeer& peer) {
  std::vector<unsigned> pieces;
  cut(work.n, 8, pieces);
  work.sum += peer.sum(pieces.size(), [&pieces](std::size_t i) { return serial_fib(pieces[i]); });
}

const Register<run> registered("by_hand");

}  // namespace
}  // namespace bench
