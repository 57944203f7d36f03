/// A pool under Eigen's tensors: the results equal those without threads, and the workers of the pool compute them.

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <thread>

#define EIGEN_USE_THREADS
#include <blitz/adaptor/eigen.hpp>
#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>
#include <unsupported/Eigen/CXX11/Tensor>

#include "support/child_process.hpp"

// Eigen defines __has_feature for compilers that have none.
#if defined(__SANITIZE_THREAD__) && !defined(BLITZ_THREAD_SANITIZER)
#error "blitz does not see ThreadSanitizer"
#endif

namespace {

using Matrix = Eigen::Tensor<float, 2>;

TEST_CASE_TEMPLATE("eigen: tensors equal those without threads", Pool, blitz::ThreadPool, blitz::AsyncThreadPool) {
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
      CHECK(same);  // small integers, so exactly equal
    }

    Matrix sums(200, 300);
    sums.device(device) = a * 2.0f + a;
    Eigen::Tensor<float, 0> total;
    total.device(device) = sums.sum();
    const Eigen::Tensor<float, 0> expected_total = (a * 3.0f).sum();
    CHECK(total() == doctest::Approx(expected_total()));
  }
}

TEST_CASE("eigen: tasks run on the pool's workers, and the destructor waits for them") {
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

TEST_CASE("eigen: a cancelled task does not begin") {
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

TEST_CASE("eigen: several threads evaluate concurrently, and the pool outlives its EigenThreadPool") {
  blitz::AsyncThreadPool pool({.num_threads = 2});
  std::atomic<int> wrong{0};
  for (int round = 0; round < 3; ++round) {
    blitz::EigenThreadPool eigen_pool(pool);
    Eigen::ThreadPoolDevice device(&eigen_pool, eigen_pool.NumThreads());
    const auto evaluate = [&] {
      Matrix a(300, 300);
      a.setConstant(0.25f);
      Matrix doubled(300, 300);
      doubled.device(device) = a.exp().log() * 2.0f;
      for (Eigen::Index i = 0; i < a.size(); ++i) wrong += std::abs(doubled.data()[i] - 0.5f) > 1e-6f;
    };
    std::thread other(evaluate);
    evaluate();
    other.join();
  }
  CHECK(wrong == 0);
  CHECK(pool.install([] { return 1; }) == 1);
}

#if defined(__unix__)
TEST_CASE("eigen: an exception of a task ends the program") {
  const pid_t child = blitz_test::start_child(
      [] {
        blitz_test::silence();
        blitz::ThreadPool pool({.num_threads = 2});
        blitz::EigenThreadPool eigen_pool(pool);
        Eigen::ThreadPoolDevice device(&eigen_pool, eigen_pool.NumThreads());
        device.enqueue([] { throw std::runtime_error("here"); })->Wait();
        return 0;
      },
      std::chrono::seconds(20));
  CHECK(blitz_test::wait_for(child) == -SIGABRT);
}
#endif

}  // namespace
