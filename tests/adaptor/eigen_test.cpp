/// A pool under Eigen's tensors: the same results as without threads, by the workers of the pool.

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#define EIGEN_USE_THREADS
#include <blitz/adaptor/eigen.hpp>
#include <blitz/blitz.hpp>
#include <doctest/doctest.h>
#include <unsupported/Eigen/CXX11/Tensor>

namespace {

using Matrix = Eigen::Tensor<float, 2>;

TEST_CASE_TEMPLATE("tensors are as without threads", Pool, blitz::ThreadPool, blitz::AsyncThreadPool) {
  for (const std::size_t threads : {1u, 2u, 4u}) {
    CAPTURE(threads);
    Pool pool({.num_threads = threads});
    blitz::EigenThreadPool eigen_pool(pool);
    CHECK(eigen_pool.NumThreads() == static_cast<int>(threads));
    Eigen::ThreadPoolDevice device(&eigen_pool, eigen_pool.NumThreads());

    Matrix a(200, 300);
    Matrix b(300, 170);
    for (Eigen::Index i = 0; i < a.size(); ++i) a.data()[i] = static_cast<float>(i % 17);
    for (Eigen::Index i = 0; i < b.size(); ++i) b.data()[i] = static_cast<float>(i % 13);
    const Eigen::array<Eigen::IndexPair<int>, 1> dims{Eigen::IndexPair<int>(1, 0)};
    const Matrix expected = a.contract(b, dims);
    Matrix product(200, 170);
    for (int i = 0; i < 5; ++i) {
      product.setZero();
      product.device(device) = a.contract(b, dims);
      bool same = true;
      for (Eigen::Index k = 0; k < product.size(); ++k) same = same && product.data()[k] == expected.data()[k];
      CHECK(same);  // of small integers, exactly
    }

    Matrix sums(200, 300);
    sums.device(device) = a * 2.0f + a;
    Eigen::Tensor<float, 0> total;
    total.device(device) = sums.sum();
    const Eigen::Tensor<float, 0> expected_total = (a * 3.0f).sum();
    CHECK(total() == doctest::Approx(expected_total()));
  }
}

TEST_CASE("tasks run on the pool's workers, and the end waits for them") {
  blitz::ThreadPool pool({.num_threads = 3});
  std::atomic<int> ran{0};
  std::atomic<int> elsewhere{0};
  {
    blitz::EigenThreadPool eigen_pool(pool);
    CHECK(eigen_pool.CurrentThreadId() == -1);
    for (int i = 0; i < 100; ++i) {
      eigen_pool.Schedule([&] {
        const int id = eigen_pool.CurrentThreadId();
        if (id < 0 || id >= 3 || blitz::current_thread_index() != static_cast<std::size_t>(id)) ++elsewhere;
        ++ran;
      });
    }
    eigen_pool.ScheduleWithHint([&] { ++ran; }, 0, 1);
  }
  CHECK(ran == 101);
  CHECK(elsewhere == 0);
}

TEST_CASE("what is cancelled does not begin") {
  blitz::ThreadPool pool({.num_threads = 1});
  std::atomic<int> ran{0};
  {
    blitz::EigenThreadPool eigen_pool(pool);
    eigen_pool.Schedule([&] {
      eigen_pool.Cancel();
      eigen_pool.Schedule([&] { ++ran; });
    });
  }
  CHECK(ran == 0);
}

}  // namespace
