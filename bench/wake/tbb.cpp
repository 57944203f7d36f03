#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/parallel_invoke.h>

#include "bench/wake/workload.hpp"

namespace bench {
namespace {

void run_invoke(Wake& work, TbbPeer&) {
  tbb::parallel_invoke([&work] { work.piece(0); }, [&work] { work.piece(1); });
}

template <class Partitioner>
void run_for(Wake& work, TbbPeer& peer) {
  peer.for_each_index<Partitioner>(Wake::kPieces, 1, [&work](std::size_t i) { work.piece(i); });
}

const Register<run_invoke> invoke("tbb_invoke");
const Register<run_for<tbb::auto_partitioner>> loop_auto("tbb_auto");
const Register<run_for<tbb::static_partitioner>> loop_static("tbb_static");

}  // namespace
}  // namespace bench
