#include "bench/peers/blitz.hpp"

#include <functional>

#include "bench/skewed/workload.hpp"

namespace bench {
namespace {

void run_loop(SkewedLoop& work, BlitzPeer& peer) {
  blitz::parallel_for({.pool = &peer.pool}, std::size_t{0}, work.size(), [&work](std::size_t i) { work.add(i); });
}

void run_reduce(SkewedReduce& work, BlitzPeer& peer) {
  work.sum += blitz::parallel_transform_reduce({.pool = &peer.pool}, std::size_t{0}, work.size(), std::uint64_t{0},
                                               std::plus<>(), [&work](std::size_t i) { return work.item(i); });
}

const Register<run_loop> loop("blitz");
const Register<run_reduce> reduce("blitz");

}  // namespace
}  // namespace bench
