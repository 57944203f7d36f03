/// @file
/// EigenThreadPool: runs Eigen's tensor expressions on a pool.
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

/// @brief A pool as the Eigen::ThreadPoolInterface of an Eigen::ThreadPoolDevice. Replaces Eigen::ThreadPool.
///
/// @code
///   blitz::ThreadPool pool;
///   blitz::EigenThreadPool eigen_pool(pool);
///   Eigen::ThreadPoolDevice device(&eigen_pool, eigen_pool.NumThreads());
///   c.device(device) = a.contract(b, dims);
/// @endcode
///
/// Eigen blocks the thread that evaluates an expression until its tasks have finished. So evaluate expressions only on threads
/// outside the pool: an expression in a job blocks its worker, and if all workers are blocked, the program deadlocks. An
/// exception of a task calls std::terminate, as in Eigen::ThreadPool, because its expression would never complete.
///
/// Complexity: a task costs one TaskGroup::run and the allocations of its `std::function`.
/// Thread-safety: any thread may call all members, except the destructor.
class EigenThreadPool final : public Eigen::ThreadPoolInterface {
 public:
  /// An interface of Eigen to `pool`.
  /// @param pool  Must outlive this object.
  /// @throws Nothing.
  template <PoolPolicy P>
  explicit EigenThreadPool(BasicThreadPool<P>& pool)
      : pool_(detail::base_of(pool)), num_threads_(static_cast<int>(pool.num_threads())), tasks_(pool) {}
  EigenThreadPool(const EigenThreadPool&) = delete;
  EigenThreadPool& operator=(const EigenThreadPool&) = delete;
  /// Waits for the tasks.
  ~EigenThreadPool() override = default;

  /// Spawns `task`. Throws std::bad_alloc, and ThreadPoolError if the pool was shut down.
  void Schedule(std::function<void()> task) override {
    tasks_.run([task = std::move(task)]() noexcept { task(); });
  }
  /// No new tasks start: those that have not started, and those that are scheduled from now on, are dropped. Throws nothing.
  void Cancel() override { tasks_.request_stop(); }
  /// The number of threads of the pool. Throws nothing.
  [[nodiscard]] int NumThreads() const override { return num_threads_; }
  /// The index of the calling worker in the pool; -1 for other threads. Throws nothing.
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
