// No library: the plain loop or recursion that all others are checked against.
#pragma once

#include "bench/harness/registry.hpp"

namespace bench {

class SerialPeer : public Peer {
 public:
  static constexpr bool kThreaded = false;
  explicit SerialPeer(unsigned) {}
};

}  // namespace bench
