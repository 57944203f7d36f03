#include "bench/peers/blitz.hpp"

#include <functional>

#include "bench/reduce/workload.hpp"

namespace bench {
namespace {

void run(Reduce& work, BlitzPeer& peer) {
  work.sum += blitz::parallel_reduce({.pool = &peer.pool}, work.values, 0.0, std::plus<>());
}

void run_by_int(Reduce& work, BlitzPeer& peer) {
  work.sum +=
      blitz::parallel_transform_reduce({.pool = &peer.pool}, 0, static_cast<int>(work.values.size()), 0.0,
                                       std::plus<>(), [values = work.values.data()](int i) { return values[i]; });
}

void run_deterministic(Reduce& work, BlitzPeer& peer) {
  work.sum += blitz::parallel_reduce({.deterministic = true, .pool = &peer.pool}, work.values, 0.0, std::plus<>());
}

const Register<run> registered("blitz");
const Register<run_by_int> by_int("blitz_int");
const Register<run_deterministic> deterministic("blitz_deterministic");

}  // namespace
}  // namespace bench
