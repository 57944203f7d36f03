// Owns the inputs and the peers, so nothing is constructed inside a measurement: one input for each workload, shared by
// its implementations, and one peer for each library and thread count.
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "bench/harness/registry.hpp"

namespace bench {

/// An entry with everything it needs to run.
struct Bound {
  const Entry* entry;
  Workload* work;
  Peer* peer;
  unsigned threads;

  void run() const { entry->run(*work, *peer); }
};

class Setup {
 public:
  explicit Setup(Scale scale) : scale_(scale) {}

  /// Makes the input and the peer of `entry` unless they are there already.
  Bound bind(const Entry& entry, unsigned threads);

 private:
  Scale scale_;
  std::map<std::string_view, std::unique_ptr<Workload>> workloads_;
  std::map<std::pair<std::type_index, unsigned>, std::unique_ptr<Peer>> peers_;
};

/// The default thread counts: one, and the number of processors that this process may use.
std::vector<unsigned> default_thread_counts();

}  // namespace bench
