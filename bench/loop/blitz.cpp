#include "bench/peers/blitz.hpp"

#include "bench/loop/workload.hpp"

namespace bench {
namespace {

template <std::size_t Items, class P, class Index = std::size_t>
void run(Loop<Items>& work, P& peer) {
  blitz::parallel_for({.pool = &peer.pool}, Index{0}, Index{Items},
                      [visits = work.visits.data()](Index i) { visits[i] += 1; });
}

void run_by_range(Loop<1000>& work, BlitzPeer& peer) {
  blitz::parallel_for({.pool = &peer.pool}, work.visits, [](std::uint32_t& count) { count += 1; });
}

const Register<run<2, BlitzPeer>> two("blitz");
const Register<run<2, BlitzAsyncPeer>> two_async("blitz_async");
const Register<run<1000, BlitzPeer>> thousand("blitz");
const Register<run<1000, BlitzPeer, int>> thousand_by_int("blitz_int");
const Register<run_by_range> thousand_by_range("blitz_range");
const Register<run<1000, BlitzAsyncPeer>> thousand_async("blitz_async");

}  // namespace
}  // namespace bench
