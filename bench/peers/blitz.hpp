// blitz: one pool for each thread count. Trees enter it with `pool.install`; loops and the wake-up test call it from
// the main thread, as a program without a thread of its own in the pool would.
#pragma once

#include <blitz/blitz.hpp>

#include "bench/harness/registry.hpp"

namespace bench {

class BlitzPeer : public Peer {
 public:
  static constexpr bool kThreaded = true;
  explicit BlitzPeer(unsigned threads) : pool({.num_threads = threads}) {}

  blitz::ThreadPool pool;
};

}  // namespace bench
