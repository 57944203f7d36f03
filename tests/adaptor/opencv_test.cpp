/// A pool under OpenCV: the images are the same as on one thread, and the workers compute them. Exceptions, nested loops.

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include <blitz/adaptor/opencv.hpp>
#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace {

/// Lives as long as OpenCV has the backend.
blitz::ThreadPool& pool() {
  static blitz::ThreadPool it({.num_threads = 3});
  return it;
}

cv::Mat picture() {
  cv::Mat m(701, 903, CV_8UC3);
  for (int y = 0; y < m.rows; ++y) {
    for (int x = 0; x < m.cols; ++x) {
      m.at<cv::Vec3b>(y, x) = cv::Vec3b(static_cast<unsigned char>(x * y), static_cast<unsigned char>(x ^ y),
                                        static_cast<unsigned char>(x + y));
    }
  }
  return m;
}

struct Filtered {
  explicit Filtered(const cv::Mat& m) {
    cv::resize(m, resized, cv::Size(1300, 411), 0, 0, cv::INTER_CUBIC);
    cv::GaussianBlur(m, blurred, cv::Size(7, 7), 0);
    cv::medianBlur(m, median, 5);
    cv::cvtColor(m, gray, cv::COLOR_BGR2GRAY);
    cv::Canny(gray, edges, 50, 150);
    cv::bilateralFilter(gray, bilateral, 5, 30, 30);
    cv::warpAffine(m, warped, cv::getRotationMatrix2D(cv::Point2f(450, 350), 17, 1.1), m.size());
    cv::Laplacian(gray, laplacian, CV_32F, 3);
    cv::integral(gray, integral);
    cv::createCLAHE(3)->apply(gray, equalized);
    cv::matchTemplate(gray, gray(cv::Rect(100, 100, 64, 64)), matched, cv::TM_CCOEFF_NORMED);
  }
  cv::Mat resized, blurred, median, gray, edges, bilateral, warped, laplacian, integral, equalized, matched;
};

bool same(const cv::Mat& a, const cv::Mat& b) { return a.size() == b.size() && cv::norm(a, b, cv::NORM_INF) == 0; }

TEST_CASE("opencv: filters return the same images as on one thread") {
  const cv::Mat m = picture();
  cv::parallel::setParallelForBackend(std::make_shared<blitz::OpenCvBackend>(pool()), false);
  cv::setNumThreads(1);
  CHECK(cv::getNumThreads() == 1);
  const Filtered serial(m);
  cv::setNumThreads(-1);
  CHECK(cv::getNumThreads() == 3);
  for (int i = 0; i < 3; ++i) {
    const Filtered parallel(m);
    CHECK(same(serial.resized, parallel.resized));
    CHECK(same(serial.blurred, parallel.blurred));
    CHECK(same(serial.median, parallel.median));
    CHECK(same(serial.gray, parallel.gray));
    CHECK(same(serial.edges, parallel.edges));
    CHECK(same(serial.bilateral, parallel.bilateral));
    CHECK(same(serial.warped, parallel.warped));
    CHECK(same(serial.laplacian, parallel.laplacian));
    CHECK(same(serial.integral, parallel.integral));
    CHECK(same(serial.equalized, parallel.equalized));
    CHECK(same(serial.matched, parallel.matched));
  }
}

TEST_CASE("opencv: setNumThreads and getNumThreads behave as OpenCV documents") {
  cv::parallel::setParallelForBackend(std::make_shared<blitz::OpenCvBackend>(pool()), false);
  struct Case {
    int set, get;
    bool serial;
  };
  for (const Case& c : {Case{0, 1, true},
                        {1, 1, true},
                        {2, 3, false},
                        {3, 3, false},
                        {100, 3, false},
                        {-1, 3, false},
                        {0, 1, true},
                        {-5, 3, false}}) {
    CAPTURE(c.set);
    cv::setNumThreads(c.set);
    CHECK(cv::getNumThreads() == c.get);
    CHECK(cv::getThreadNum() == 0);
    std::atomic<int> wrong{0};
    std::atomic<int> elsewhere{0};
    std::atomic<int> calls{0};
    const auto caller = std::this_thread::get_id();
    const auto body = [&](const cv::Range& range) {
      const int here = cv::getThreadNum();
      wrong += here < 0 || here >= cv::getNumThreads();
      elsewhere += std::this_thread::get_id() != caller;
      for (int i = range.start; i < range.end; ++i) {
        cv::parallel_for_(cv::Range(0, 3), [&](const cv::Range& inner) {
          wrong += cv::getThreadNum() != here;
          calls += inner.size();
        });
        std::this_thread::yield();
      }
      wrong += cv::getThreadNum() != here;
    };
    for (int round = 0; round < 10; ++round) cv::parallel_for_(cv::Range(0, 64), body);
    // From every worker of the pool, outside all loops of OpenCV.
    pool().broadcast([&](blitz::BroadcastContext) {
      wrong += cv::getThreadNum() != 0;
      if (c.serial) cv::parallel_for_(cv::Range(0, 3), [&](const cv::Range&) { wrong += cv::getThreadNum() != 0; });
      wrong += cv::getThreadNum() != 0;
    });
    CHECK(wrong == 0);
    CHECK(calls == 10 * 64 * 3);
    if (c.serial) CHECK(elsewhere == 0);
  }
  cv::setNumThreads(-1);
  // The backend called directly: OpenCV passes it no negative number.
  blitz::OpenCvBackend backend(pool());
  CHECK(backend.getNumThreads() == 3);
  CHECK(backend.setNumThreads(0) == 1);
  CHECK(backend.setNumThreads(-1) == 3);
  CHECK(backend.setNumThreads(2) == 3);
  CHECK(backend.setNumThreads(1) == 1);
  CHECK(std::string(backend.getName()) == "blitz");
}

TEST_CASE("opencv: each thread has its own index in a loop") {
  cv::parallel::setParallelForBackend(std::make_shared<blitz::OpenCvBackend>(pool()), false);
  std::array<std::atomic<int>, 3> inside{};
  std::atomic<int> shared{0};
  for (int round = 0; round < 50; ++round) {
    cv::parallel_for_(cv::Range(0, 64), [&](const cv::Range&) {
      std::atomic<int>& mine = inside.at(static_cast<std::size_t>(cv::getThreadNum()));
      shared += ++mine != 1;
      std::this_thread::yield();
      --mine;
    });
  }
  CHECK(shared == 0);
}

TEST_CASE("opencv: the pool's workers run a loop") {
  cv::parallel::setParallelForBackend(std::make_shared<blitz::OpenCvBackend>(pool()), false);
  std::atomic<int> calls{0};
  std::atomic<int> elsewhere{0};
  std::mutex mutex;
  std::set<std::thread::id> threads;
  for (int i = 0; i < 100 && threads.size() < 2; ++i) {
    calls = 0;
    cv::parallel_for_(cv::Range(0, 64), [&](const cv::Range& range) {
      for (int k = range.start; k < range.end; ++k) {
        if (!blitz::current_thread_index()) ++elsewhere;
        {
          const std::lock_guard lock(mutex);
          threads.insert(std::this_thread::get_id());
        }
        cv::parallel_for_(cv::Range(0, 2), [&](const cv::Range& inner) { calls += inner.size(); });
        std::this_thread::yield();
      }
    });
    CHECK(calls == 128);
  }
  CHECK(elsewhere == 0);
  CHECK(threads.size() > 1);
}

TEST_CASE("opencv: an exception of a body reaches the caller") {
  cv::parallel::setParallelForBackend(std::make_shared<blitz::OpenCvBackend>(pool()), false);
  CHECK_THROWS_AS(cv::parallel_for_(cv::Range(0, 100),
                                    [](const cv::Range& range) {
                                      if (range.end > 50) throw std::runtime_error("here");
                                    }),
                  std::exception);
}

TEST_CASE("opencv: a thread in a loop runs no other job of the pool") {
  cv::parallel::setParallelForBackend(std::make_shared<blitz::OpenCvBackend>(pool()), false);
  static thread_local bool in_loop = false;
  std::atomic<int> under_lock{0};
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> ran{0};
    std::atomic<int> spawned{0};
    cv::parallel_for_(cv::Range(0, 3), [&](const cv::Range&) {
      in_loop = true;
      ++spawned;
      // From a separate thread: a job that a job of the loop spawns belongs to the loop.
      std::thread([&] {
        pool().spawn([&] {
          under_lock += in_loop;
          ++ran;
        });
      }).join();
      for (int i = 0; i < 100; ++i) blitz::yield_now();
      in_loop = false;
    });
    while (ran < spawned) std::this_thread::yield();
  }
  CHECK(under_lock == 0);
}

}  // namespace
