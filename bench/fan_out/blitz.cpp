#include "bench/peers/blitz.hpp"

#include "bench/fan_out/workload.hpp"

namespace bench {
namespace {

template <bool Cold, class P>
void run_for(FanOut<Cold>& work, P& peer) {
  blitz::parallel_for({.pool = &peer.pool}, work.visits, [](std::uint32_t& count) { FanOut<Cold>::body(count); });
}

template <bool Cold, class P>
void run_scope(FanOut<Cold>& work, P& peer) {
  peer.pool.scope([&work](blitz::Scope& scope) {
    for (std::uint32_t& count : work.visits) scope.spawn([&count] { FanOut<Cold>::body(count); });
  });
}

const Register<run_for<false, BlitzPeer>> hot("blitz");
const Register<run_for<false, BlitzAsyncPeer>> hot_async("blitz_async");
const Register<run_scope<false, BlitzPeer>> hot_scope("blitz_scope");
const Register<run_for<true, BlitzPeer>> cold("blitz");
const Register<run_for<true, BlitzAsyncPeer>> cold_async("blitz_async");
const Register<run_scope<true, BlitzPeer>> cold_scope("blitz_scope");

}  // namespace
}  // namespace bench
