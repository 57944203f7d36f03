#include "bench/peers/blitz.hpp"

#include <array>
#include <numeric>

#include "bench/skynet/workload.hpp"

namespace bench {
namespace {

std::uint64_t by_join(std::uint64_t first, std::uint64_t leaves);

/// `count` subtrees of `each` leaves, halved until one is left.
BENCH_NOINLINE std::uint64_t subtrees(std::uint64_t first, std::uint64_t each, std::uint64_t count) {
  if (count == 1) return by_join(first, each);
  const std::uint64_t half = count / 2;
  const auto [a, b] = blitz::join([=] { return subtrees(first, each, half); },
                                  [=] { return subtrees(first + half * each, each, count - half); });
  return a + b;
}

std::uint64_t by_join(std::uint64_t first, std::uint64_t leaves) {
  return leaves == 1 ? first : subtrees(first, leaves / kSkynetChildren, kSkynetChildren);
}

// The caller does the last child itself.
BENCH_NOINLINE std::uint64_t by_scope(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t each = leaves / kSkynetChildren;
  std::array<std::uint64_t, kSkynetChildren> sums{};
  blitz::scope([&sums, first, each](blitz::Scope& scope) {
    constexpr std::uint64_t kLast = kSkynetChildren - 1;
    for (std::uint64_t child = 0; child < kLast; ++child) {
      scope.spawn([&sum = sums[child], start = first + child * each, each] { sum = by_scope(start, each); });
    }
    sums[kLast] = by_scope(first + kLast * each, each);
  });
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

template <bool Huge>
void run_join(Skynet<Huge>& work, BlitzPeer& peer) {
  work.sum += peer.pool.install([&work] { return by_join(0, work.leaves); });
}

void run_scope(Skynet<false>& work, BlitzPeer& peer) {
  work.sum += peer.pool.install([&work] { return by_scope(0, work.leaves); });
}

const Register<run_join<false>> million("blitz");
const Register<run_join<true>> huge("blitz");
const Register<run_scope> scope("blitz_scope");

}  // namespace
}  // namespace bench
