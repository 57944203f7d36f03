#include "bench/peers/blitz.hpp"

#include "bench/idle/workloads.hpp"

namespace bench {
namespace {

struct Calls {
  template <class P>
  static void run(Wake& work, P& peer) {
    peer.pool.join([&work] { work.piece(0); }, [&work] { work.piece(1); });
  }
  template <class P>
  static void run(Burst& work, P& peer) {
    blitz::parallel_for({.pool = &peer.pool}, 0, int{Burst::kItems}, [&work](int i) { work.add(i); });
  }
};

struct Loops {
  static void run(Wake& work, BlitzPeer& peer) {
    blitz::parallel_for({.pool = &peer.pool}, 0, int{Wake::kPieces}, [&work](int i) { work.piece(i); });
  }
};

const RegisterStyle<kIdle, Calls, BlitzPeer> calls("blitz");
const RegisterStyle<kIdle, Calls, BlitzAsyncPeer> calls_async("blitz_async");
const RegisterStyle<kIdle, Loops, BlitzPeer> loops("blitz_for");

}  // namespace
}  // namespace bench
