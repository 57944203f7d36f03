#include "bench/peers/blitz.hpp"

#include "bench/cadence/workload.hpp"

namespace bench {
namespace {

template <class P>
void run_loop(CadenceLoop& work, P& peer) {
  blitz::parallel_for({.pool = &peer.pool}, std::size_t{0}, work.items(), [&work](std::size_t i) { work.add(i); });
}

template <class P>
void run_join(CadenceJoin& work, P& peer) {
  peer.pool.join([&work] { work.first_half(); }, [&work] { work.second_half(); });
}

template <class P>
void run_tree(CadenceTree& work, P& peer) {
  peer.pool.install([&work] { work.add_all([](auto&& a, auto&& b) { blitz::join(a, b); }); });
}

const Register<run_loop<BlitzPeer>> loop("blitz");
const Register<run_loop<BlitzAsyncPeer>> loop_async("blitz_async");
const Register<run_join<BlitzPeer>> join("blitz");
const Register<run_join<BlitzAsyncPeer>> join_async("blitz_async");
const Register<run_tree<BlitzPeer>> tree("blitz");
const Register<run_tree<BlitzAsyncPeer>> tree_async("blitz_async");

}  // namespace
}  // namespace bench
