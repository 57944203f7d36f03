#include "bench/peers/by_hand.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "bench/algorithms/workload.hpp"

namespace bench {
namespace {

/// Calls `f(first, last)` for the pieces of `count` numbers, in parallel. Returns the sum of the results.
template <class F>
Number over_pieces(ByHandPeer& peer, std::size_t count, const F& f) {
  const std::size_t size = std::clamp<std::size_t>(count / 32, 1024, 32768);
  return peer.sum((count + size - 1) / size,
                  [&](std::size_t piece) { return f(piece * size, std::min((piece + 1) * size, count)); });
}

const Register<+[](MemoryRead& row, ByHandPeer& peer) {
  row.result = over_pieces(peer, row.in.size(), [in = row.in.data()](std::size_t first, std::size_t last) {
    return std::accumulate(in + first, in + last, Number{0});
  });
}>
    memory_read("by_hand");

const Register<+[](MemoryCopy& row, ByHandPeer& peer) {
  over_pieces(peer, row.in.size(), [&](std::size_t first, std::size_t last) {
    std::memcpy(row.out.data() + first, row.in.data() + first, (last - first) * sizeof(Number));
    return Number{0};
  });
}>
    memory_copy("by_hand");

}  // namespace
}  // namespace bench
