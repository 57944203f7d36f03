#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/task_group.h>

#include "bench/spawn/workload.hpp"

namespace bench {
namespace {

void run(Spawn& work, TbbPeer&) {
  tbb::task_group group;
  for (std::uint32_t& counter : work.counters) group.run([&counter] { ++counter; });
  group.wait();
}

const Register<run> registered("tbb_group");

}  // namespace
}  // namespace bench
