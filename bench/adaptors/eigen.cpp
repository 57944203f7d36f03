// Eigen's tensors on a pool, compared with Eigen's own pool on the same number of threads: milliseconds per expression, the
// minimum of several rounds. The two take turns.
//
//   g++ -std=c++20 -O3 -march=native bench/adaptors/eigen.cpp -isystem /usr/include/eigen3 \
//     $(pkg-config --cflags --libs blitz) -o eigen && ./eigen [threads]
//
// Needs libeigen3-dev.
#define EIGEN_USE_THREADS
#include "blitz/adaptor/eigen.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <unsupported/Eigen/CXX11/Tensor>

#include "blitz/blitz.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Matrix = Eigen::Tensor<float, 2>;

template <class F>
double once(int calls, Eigen::ThreadPoolDevice& device, const F& f) {
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) f(device);
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count() / calls;
}

template <class F>
void compare(const char* name, int calls, Eigen::ThreadPoolDevice& eigens, Eigen::ThreadPoolDevice& blitzs,
             const F& f) {
  double eigen = 1e9;
  double blitz = 1e9;
  for (int round = 0; round < 15; ++round) {
    eigen = std::min(eigen, once(calls, eigens, f));
    blitz = std::min(blitz, once(calls, blitzs, f));
  }
  std::printf("%-28s %9.4f ms %9.4f ms %6.2f\n", name, eigen, blitz, blitz / eigen);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  Eigen::ThreadPool own(threads);
  Eigen::ThreadPoolDevice eigens(&own, threads);
  blitz::ThreadPool pool({.num_threads = static_cast<std::size_t>(threads)});
  blitz::EigenThreadPool adaptor(pool);
  Eigen::ThreadPoolDevice blitzs(&adaptor, threads);

  std::printf("%-28s %12s %12s %6s\n", "", "Eigen's own", "blitz", "ratio");
  const Eigen::array<Eigen::IndexPair<int>, 1> dims{Eigen::IndexPair<int>(1, 0)};
  for (const int n : {64, 256, 1024}) {
    Matrix a(n, n);
    Matrix b(n, n);
    Matrix c(n, n);
    a.setRandom();
    b.setRandom();
    char name[32];
    std::snprintf(name, sizeof name, "contraction of %d x %d", n, n);
    compare(name, n < 1000 ? 100 : 2, eigens, blitzs, [&](auto& device) { c.device(device) = a.contract(b, dims); });
    std::snprintf(name, sizeof name, "exp(a) + b of %d x %d", n, n);
    compare(name, n < 1000 ? 100 : 10, eigens, blitzs, [&](auto& device) { c.device(device) = a.exp() + b; });
  }
}
