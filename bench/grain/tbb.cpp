#include "bench/peers/tbb.hpp"

#include "bench/grain/workload.hpp"

namespace bench {
namespace {

template <class Partitioner>
struct Tbb {
  template <std::uint64_t Nanoseconds>
  static void run(Grain<Nanoseconds>& work, TbbPeer& peer) {
    peer.for_each_index<Partitioner>(work.kItems, 1, [&work](std::size_t i) { work.add(i); });
  }
};

const RegisterGrains<Tbb<tbb::auto_partitioner>> by_auto("tbb_auto");
const RegisterGrains<Tbb<tbb::static_partitioner>> by_static("tbb_static");

}  // namespace
}  // namespace bench
