// The piece of code in docs/eigen.md, as a program. Needs libeigen3-dev.
#define EIGEN_USE_THREADS
#include <cstdio>

#include <blitz/adaptor/eigen.hpp>
#include <blitz/blitz.hpp>
#include <unsupported/Eigen/CXX11/Tensor>

int main() {
  Eigen::Tensor<float, 2> a(300, 200);
  Eigen::Tensor<float, 2> b(200, 100);
  Eigen::Tensor<float, 2> product(300, 100);
  a.setConstant(0.5f);
  b.setConstant(2.0f);
  const Eigen::array<Eigen::IndexPair<int>, 1> dims{Eigen::IndexPair<int>(1, 0)};

  blitz::ThreadPool pool;
  blitz::EigenThreadPool eigen_pool(pool);  // in place of Eigen::ThreadPool
  Eigen::ThreadPoolDevice device(&eigen_pool, eigen_pool.NumThreads());
  product.device(device) = a.contract(b, dims);
  std::printf("%.0f\n", static_cast<double>(product(0, 0)));
}
