#include "bench/peers/tbb.hpp"

#include "bench/burst/workload.hpp"

namespace bench {
namespace {

template <class Partitioner>
struct Tbb {
  template <unsigned Milliseconds>
  static void run(Burst<Milliseconds>& work, TbbPeer& peer) {
    peer.for_each_index<Partitioner>(work.kItems, 1, [&work](std::size_t i) { work.add(i); });
  }
};

const RegisterBursts<Tbb<tbb::auto_partitioner>> by_auto("tbb_auto");
const RegisterBursts<Tbb<tbb::static_partitioner>> by_static("tbb_static");

}  // namespace
}  // namespace bench
