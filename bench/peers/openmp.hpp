// OpenMP with the compiler's runtime and its default waiting: libgomp's threads spin for a while after a region, which shows in
// the CPU time.
#pragma once

#include <omp.h>

#include "bench/harness/registry.hpp"

namespace bench {

class OpenMpPeer : public Peer {
 public:
  static constexpr bool kThreaded = true;
  explicit OpenMpPeer(unsigned threads) : threads_(static_cast<int>(threads)) {}

  void session(const std::function<void()>& measurement) override {
    omp_set_dynamic(0);
    omp_set_num_threads(threads_);
    measurement();
  }

  /// One thread of a team calls `f()`. Returns when the tasks that it makes are done.
  template <class F>
  static void single(const F& f) {
#pragma omp parallel
#pragma omp single
    f();
  }

 private:
  int threads_;
};

}  // namespace bench
