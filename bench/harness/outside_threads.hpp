// Threads outside of all libraries that call one at the same time, like the request threads of a server.
#pragma once

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace bench {

/// A number of threads, the calling one included, which sleep between two calls of run().
class OutsideThreads {
 public:
  explicit OutsideThreads(unsigned count) : begin_(count), end_(count) {
    for (unsigned i = 1; i < count; ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  OutsideThreads(const OutsideThreads&) = delete;
  OutsideThreads& operator=(const OutsideThreads&) = delete;
  ~OutsideThreads() {
    task_ = nullptr;
    begin_.arrive_and_wait();
    for (auto& thread : threads_) thread.join();
  }

  /// Calls `task(i)` on thread `i`, 0 being the calling one, all at the same time; returns when all have returned.
  void run(const std::function<void(unsigned)>& task) {
    task_ = &task;
    begin_.arrive_and_wait();
    task(0);
    end_.arrive_and_wait();
  }

 private:
  void serve(unsigned i) {
    for (;;) {
      begin_.arrive_and_wait();
      if (task_ == nullptr) return;
      (*task_)(i);
      end_.arrive_and_wait();
    }
  }

  std::barrier<> begin_;  // the barriers order the accesses to `task_`
  std::barrier<> end_;
  const std::function<void(unsigned)>* task_ = nullptr;
  std::vector<std::thread> threads_;
};

}  // namespace bench
