#include "bench/harness/setup.hpp"

#include <algorithm>
#include <thread>

namespace bench {

Bound Setup::bind(const Entry& entry, unsigned threads) {
  auto& work = workloads_[entry.spec->name];
  if (!work) work = entry.make_workload(scale_);
  auto& peer = peers_[{entry.peer_type, threads}];
  if (!peer) peer = entry.make_peer(threads);
  return {&entry, work.get(), peer.get(), threads};
}

std::vector<unsigned> default_thread_counts() {
  const unsigned all = std::max(1u, std::thread::hardware_concurrency());
  return all == 1 ? std::vector{1u} : std::vector{1u, all};
}

}  // namespace bench
