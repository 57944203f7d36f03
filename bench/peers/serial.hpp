// No library: the plain loop or recursion, the reference for the results of all others.
#pragma once

#include "bench/harness/registry.hpp"

namespace bench {

class SerialPeer : public Peer {
 public:
  static constexpr bool kThreaded = false;
  explicit SerialPeer(unsigned) {}
};

/// Every workload contains its serial form.
struct Serial {
  template <class W>
  static void run(W& work, SerialPeer&) {
    work.run();
  }
};

}  // namespace bench
