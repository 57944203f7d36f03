#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/parallel_invoke.h>

#include "bench/idle/workloads.hpp"

namespace bench {
namespace {

struct Invoke {
  static void run(Wake& work, TbbPeer&) {
    tbb::parallel_invoke([&work] { work.piece(0); }, [&work] { work.piece(1); });
  }
};

template <class Partitioner>
struct Loops {
  static void run(Wake& work, TbbPeer& peer) {
    peer.for_each_index<Partitioner>(Wake::kPieces, 1, [&work](std::size_t i) { work.piece(i); });
  }
  static void run(Burst& work, TbbPeer& peer) {
    peer.for_each_index<Partitioner>(Burst::kItems, 1, [&work](std::size_t i) { work.add(i); });
  }
};

const RegisterStyle<kIdle, Invoke, TbbPeer> invoke("tbb_invoke");
const RegisterStyle<kIdle, Loops<tbb::auto_partitioner>, TbbPeer> by_auto("tbb_auto");
const RegisterStyle<kIdle, Loops<tbb::static_partitioner>, TbbPeer> by_static("tbb_static");

}  // namespace
}  // namespace bench
