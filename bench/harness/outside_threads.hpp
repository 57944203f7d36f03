// Threads outside of all libraries that call a library concurrently, like the request threads of a server.
#pragma once

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace bench {

/// Some threads, the calling one included, which sleep between two calls of run().
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

  /// Calls `task(i)` on thread `i` for all threads concurrently; thread 0 is the calling one. Returns when all have returned.
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
