#include "bench/peers/blitz.hpp"

#include <functional>

#include <blitz/algorithm.hpp>

#include "bench/memory/workloads.hpp"

namespace bench {
namespace {

template <class Index>
struct Loops {
  static void run(Saxpy& work, BlitzPeer& peer) {
    blitz::parallel_for({.pool = &peer.pool}, Index{0}, static_cast<Index>(work.x.size()),
                        [x = work.x.data(), y = work.y.data()](Index i) { y[i] += Saxpy::kA * x[i]; });
  }
  static void run(Triad& work, BlitzPeer& peer) {
    blitz::parallel_for({.pool = &peer.pool}, Index{0}, static_cast<Index>(work.a.size()),
                        [a = work.a.data(), b = work.b.data(), c = work.c.data(), s = work.next_scalar()](Index i) {
                          a[i] = b[i] + s * c[i];
                        });
  }
};

struct BySize : Loops<std::size_t> {
  using Loops<std::size_t>::run;
  static void run(Reduce& work, BlitzPeer& peer) {
    work.sum += blitz::parallel_reduce({.pool = &peer.pool}, work.values, 0.0, std::plus<>());
  }
  static void run(Scan& work, BlitzPeer& peer) {
    work.run_in_two_passes([&peer](std::size_t count, const auto& f) {
      blitz::parallel_for({.pool = &peer.pool}, std::size_t{0}, count, f);
    });
  }
};

struct ByInt : Loops<int> {
  using Loops<int>::run;
  static void run(Reduce& work, BlitzPeer& peer) {
    work.sum +=
        blitz::parallel_transform_reduce({.pool = &peer.pool}, 0, static_cast<int>(work.values.size()), 0.0,
                                         std::plus<>(), [values = work.values.data()](int i) { return values[i]; });
  }
};

struct Deterministic {
  static void run(Reduce& work, BlitzPeer& peer) {
    work.sum += blitz::parallel_reduce({.deterministic = true, .pool = &peer.pool}, work.values, 0.0, std::plus<>());
  }
};

struct InclusiveScan {
  static void run(Scan& work, BlitzPeer& peer) {
    blitz::inclusive_scan({.pool = &peer.pool}, work.values, work.sums, std::plus<>(), work.next_start());
  }
};

const RegisterStyle<kMemory, BySize, BlitzPeer> by_size("blitz");
const RegisterStyle<kMemory, ByInt, BlitzPeer> by_int("blitz_int");
const RegisterStyle<kMemory, Deterministic, BlitzPeer> deterministic("blitz_deterministic");
const RegisterStyle<kMemory, InclusiveScan, BlitzPeer> inclusive_scan("blitz_scan");

}  // namespace
}  // namespace bench
