#include "bench/peers/blitz.hpp"

#include <functional>

#include "bench/reduce/workload.hpp"

namespace bench {
namespace {

void run(Reduce& work, BlitzPeer& peer) { work.sum += peer.pool.parallel_reduce(work.values, 0.0, std::plus<>()); }

void run_deterministic(Reduce& work, BlitzPeer& peer) {
  work.sum += peer.pool.parallel_reduce(work.values, 0.0, std::plus<>(), {.deterministic = true});
}

const Register<run> registered("blitz");
const Register<run_deterministic> deterministic("blitz_deterministic");

}  // namespace
}  // namespace bench
