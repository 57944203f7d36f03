#include "bench/peers/blitz.hpp"

#include "bench/saxpy/workload.hpp"

namespace bench {
namespace {

template <class Index>
void run(Saxpy& work, BlitzPeer& peer) {
  blitz::parallel_for({.pool = &peer.pool}, Index{0}, static_cast<Index>(work.x.size()),
                      [x = work.x.data(), y = work.y.data()](Index i) { y[i] += Saxpy::kA * x[i]; });
}

const Register<run<std::size_t>> registered("blitz");
const Register<run<int>> by_int("blitz_int");

}  // namespace
}  // namespace bench
