// blitz: one pool for each thread count. Trees enter it with `pool.install`; loops and the wake-up test call it from
// the main thread, which is not a worker.
#pragma once

#include <blitz/fork_join.hpp>

#include "bench/harness/registry.hpp"

namespace bench {

template <class Pool>
class PoolPeer : public Peer {
 public:
  static constexpr bool kThreaded = true;
  explicit PoolPeer(unsigned threads) : pool({.num_threads = threads}) {}

  Pool pool;
};

using BlitzPeer = PoolPeer<blitz::ThreadPool>;
using BlitzAsyncPeer = PoolPeer<blitz::AsyncThreadPool>;

}  // namespace bench
