// No library: the plain loop or recursion that all others are checked against.
#pragma once

#include "bench/harness/registry.hpp"

namespace bench {

class SerialPeer : public Peer {
 public:
  static constexpr bool kThreaded = false;
  explicit SerialPeer(unsigned) {}
};

/// Every workload of a theme has its serial form itself.
struct Serial {
  template <class W>
  static void run(W& work, SerialPeer&) {
    work.run();
  }
};

}  // namespace bench
