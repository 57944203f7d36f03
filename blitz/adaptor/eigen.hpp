/// @file
/// EigenThreadPool: a pool under Eigen's tensors.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#endif
#if !defined(EIGEN_WORLD_VERSION) || EIGEN_WORLD_VERSION * 100 + EIGEN_MAJOR_VERSION < 304
#error "blitz: <blitz/adaptor/eigen.hpp> needs Eigen 3.4 or later"
#endif
#include <functional>
#include <utility>

#include <unsupported/Eigen/CXX11/ThreadPool>

#include "blitz/detail/worker/worker.hpp"
#include "blitz/policy.hpp"
#include "blitz/task_group.hpp"
#include "blitz/thread_pool.hpp"

namespace blitz {

/// @brief A pool as the Eigen::ThreadPoolInterface of an Eigen::ThreadPoolDevice, in the place of Eigen::ThreadPool.
///
/// @code
///   blitz::ThreadPool pool;
///   blitz::EigenThreadPool eigen_pool(pool);
///   Eigen::ThreadPoolDevice device(&eigen_pool, eigen_pool.NumThreads());
///   c.device(device) = a.contract(b, dims);
/// @endcode
///
/// Eigen blocks the thread that evaluates an expression until its tasks have ended. So expressions are for threads
/// outside the pool: a job of the pool would keep its worker from the tasks, and if all workers did so, all would wait
/// for ever. What a task throws ends the program by std::terminate, as in Eigen::ThreadPool: the expression that it
/// belongs to would never be complete.
///
/// Complexity: a task costs what TaskGroup::run costs, and the allocations of its std::function.
/// Thread-safety: any thread may call all members, except the destructor.
class EigenThreadPool final : public Eigen::ThreadPoolInterface {
 public:
  /// @param pool  Must live longer.
  /// @throws Nothing.
  template <PoolPolicy P>
  explicit EigenThreadPool(BasicThreadPool<P>& pool)
      : pool_(detail::base_of(pool)), num_threads_(static_cast<int>(pool.num_threads())), tasks_(pool) {}
  EigenThreadPool(const EigenThreadPool&) = delete;
  EigenThreadPool& operator=(const EigenThreadPool&) = delete;
  /// Waits for the tasks.
  ~EigenThreadPool() override = default;

  /// Has a worker call `task()`. Throws std::bad_alloc, and ThreadPoolError if the pool was shut down.
  void Schedule(std::function<void()> task) override {
    tasks_.run([task = std::move(task)]() noexcept { task(); });
  }
  /// Tasks that have not begun will not, nor will those that are scheduled from now on. Throws nothing.
  void Cancel() override { tasks_.request_stop(); }
  /// The number of threads of the pool. Throws nothing.
  [[nodiscard]] int NumThreads() const override { return num_threads_; }
  /// The index of the worker that the calling thread is in that pool; -1 if it is none. Throws nothing.
  [[nodiscard]] int CurrentThreadId() const override {
    const auto* const worker = detail::worker_of(pool_);
    return worker != nullptr ? static_cast<int>(worker->index()) : -1;
  }

 private:
  detail::PoolBase& pool_;
  int num_threads_;
  TaskGroup tasks_;
};

}  // namespace blitz
