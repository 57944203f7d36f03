#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/parallel_invoke.h>

#include "bench/divide/workloads.hpp"

namespace bench {
namespace {

struct Invoke {
  template <class W>
  static void run(W& work, TbbPeer&) {
    divide(work, [](const auto& a, const auto& b) { tbb::parallel_invoke(a, b); });
  }
};

const RegisterStyle<kDivide, Invoke, TbbPeer> invoke("tbb_invoke");

}  // namespace
}  // namespace bench
