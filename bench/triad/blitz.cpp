#include "bench/peers/blitz.hpp"

#include "bench/triad/workload.hpp"

namespace bench {
namespace {

template <class Index>
void run(Triad& work, BlitzPeer& peer) {
  blitz::parallel_for({.pool = &peer.pool}, Index{0}, static_cast<Index>(work.a.size()),
                      [a = work.a.data(), b = work.b.data(), c = work.c.data(), s = work.next_scalar()](Index i) {
                        a[i] = b[i] + s * c[i];
                      });
}

const Register<run<std::size_t>> registered("blitz");
const Register<run<int>> by_int("blitz_int");

}  // namespace
}  // namespace bench
