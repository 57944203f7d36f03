/// @file
/// OpenCvBackend: runs OpenCV's parallel loops on a pool.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#if __has_include(<opencv2/core/version.hpp>)
#include <opencv2/core/version.hpp>
#endif
#if !defined(CV_VERSION_MAJOR) || CV_VERSION_MAJOR * 10000 + CV_VERSION_MINOR * 100 + CV_VERSION_REVISION < 40502
#error "blitz: <blitz/adaptor/opencv.hpp> needs OpenCV 4.5.2 or later"
#endif
#include <ranges>
#include <utility>

#include <opencv2/core/parallel/parallel_backend.hpp>

#include "blitz/current_pool.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/worker/confinement.hpp"
#include "blitz/detail/worker/worker.hpp"
#include "blitz/parallel_for.hpp"
#include "blitz/policy.hpp"
#include "blitz/thread_pool.hpp"

namespace blitz {

/// @brief A pool as the backend of OpenCV's `cv::parallel_for_`, which runs its filters, resizes and conversions.
///
/// @code
///   blitz::ThreadPool pool;
///   cv::parallel::setParallelForBackend(std::make_shared<blitz::OpenCvBackend>(pool));
/// @endcode
///
/// OpenCV owns the backend until the program ends or another backend is set. So use the global pool or a static pool. Nested
/// loops run serially: OpenCV does not pass them to a backend. Exceptions of a body propagate to the caller. Each loop is
/// isolated: a thread that waits in it runs only parts of that loop, so a program may call OpenCV under a lock.
///
/// Complexity: a loop costs one blitz::parallel_for_blocks. Thread-safety: any thread may call all members.
class OpenCvBackend final : public cv::parallel::ParallelForAPI {
 public:
  /// A backend that runs the loops in `pool`.
  /// @param pool  Must outlive OpenCV's use of the backend.
  template <PoolPolicy P>
  explicit OpenCvBackend(BasicThreadPool<P>& pool) noexcept
      : pool_(detail::base_of(pool)), num_threads_(static_cast<int>(pool.num_threads())), wanted_(num_threads_) {}

  /// Calls `body(first, last, data)` for parts of [0, tasks).
  void parallel_for(int tasks, FN_parallel_for_body_cb_t body, void* data) override {
    if (getNumThreads() == 1) return body(0, tasks, data);
    detail::on_worker(&pool_, [&](detail::WorkerBase& worker) {
      const detail::Confinement confinement(worker);
      blitz::parallel_for_blocks(std::views::iota(0, tasks), [&](const auto& block) {
        const InLoop in_loop(*detail::worker_of(pool_));
        body(*block.begin(), *block.begin() + static_cast<int>(block.size()), data);
      });
    });
  }
  /// The index of the worker in a parallel loop of the backend, below getNumThreads(). 0 otherwise.
  [[nodiscard]] int getThreadNum() const override { return thread_in_loop_; }
  /// The number of threads of the pool, or 1.
  [[nodiscard]] int getNumThreads() const override { return wanted_.load(std::memory_order_relaxed); }
  /// Selects one thread or all threads for the loops.
  /// @param threads  0 or 1: loops run only on the calling thread. Any other number: loops use all threads of the pool. Limit
  ///                 them by BasicThreadPool::set_max_concurrency().
  /// @return The resulting number of threads. Throws nothing.
  int setNumThreads(int threads) override {
    wanted_.store(threads == 0 || threads == 1 ? 1 : num_threads_, std::memory_order_relaxed);
    return getNumThreads();
  }
  /// The name that OpenCV reports.
  [[nodiscard]] const char* getName() const override { return "blitz"; }

 private:
  /// Sets the thread's number while it runs a block.
  class InLoop {
   public:
    explicit InLoop(const detail::WorkerBase& worker) noexcept
        : outer_(std::exchange(thread_in_loop_, static_cast<int>(worker.index()))) {}
    InLoop(const InLoop&) = delete;
    InLoop& operator=(const InLoop&) = delete;
    ~InLoop() { thread_in_loop_ = outer_; }

   private:
    int outer_;
  };

  static inline thread_local int thread_in_loop_ = 0;

  detail::PoolBase& pool_;
  int num_threads_;
  detail::Atomic<int> wanted_;  // written by setNumThreads, read by each loop; relaxed, publishes nothing
};

}  // namespace blitz
