#include "bench/peers/blitz.hpp"

#include "bench/tasks/workloads.hpp"

namespace bench {
namespace {

struct Tasks {
  template <class P>
  static void run(Spawn& work, P& peer) {
    peer.pool.scope([&work](blitz::Scope& scope) {
      for (std::uint32_t& counter : work.counters) scope.spawn([&counter] { ++counter; });
    });
  }
  template <class P>
  static void run(FanOut& work, P& peer) {
    blitz::parallel_for({.pool = &peer.pool}, work.counters, [](std::uint32_t& counter) { FanOut::task(counter); });
  }
  template <class P>
  static void run(Inject& work, P& peer) {
    work.submit_all([&pool = peer.pool](const auto& job) { pool.spawn(job); });
  }
  template <class P>
  static void run(PingPong& work, P& peer) {
    work.begin([&pool = peer.pool](const auto& stroke) { pool.spawn(stroke); });
    work.wait();
  }
};

struct Scopes {
  static void run(FanOut& work, BlitzPeer& peer) {
    peer.pool.scope([&work](blitz::Scope& scope) {
      for (std::uint32_t& counter : work.counters) scope.spawn([&counter] { FanOut::task(counter); });
    });
  }
};

const RegisterStyle<kTasks, Tasks, BlitzPeer> tasks("blitz");
const RegisterStyle<kTasks, Tasks, BlitzAsyncPeer> tasks_async("blitz_async");
const RegisterStyle<kTasks, Scopes, BlitzPeer> scopes("blitz_scope");

}  // namespace
}  // namespace bench
