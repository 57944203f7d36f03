#include "bench/peers/blitz.hpp"

#include <functional>

#include <blitz/algorithm.hpp>

#include "bench/scan/workload.hpp"

namespace bench {
namespace {

void run(Scan& work, BlitzPeer& peer) {
  work.run_in_two_passes([&peer](std::size_t count, const auto& f) {
    blitz::parallel_for({.pool = &peer.pool}, std::size_t{0}, count, f);
  });
}

void run_scan(Scan& work, BlitzPeer& peer) {
  blitz::inclusive_scan({.pool = &peer.pool}, work.values, work.sums, std::plus<>(), work.next_start());
}

const Register<run> registered("blitz");
const Register<run_scan> own("blitz_scan");

}  // namespace
}  // namespace bench
