#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace blitz_test {

/// The greatest number of threads that have been inside concurrently.
class Crowd {
 public:
  class Visit {
   public:
    explicit Visit(Crowd& crowd) : crowd_(crowd), outermost_(depth()++ == 0) {
      if (!outermost_) return;
      const int now = ++crowd_.inside_;
      int most = crowd_.most_.load();
      while (most < now && !crowd_.most_.compare_exchange_weak(most, now)) {
      }
    }
    ~Visit() {
      --depth();
      if (outermost_) --crowd_.inside_;
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    /// A job that waits runs other jobs on the same thread.
    static int& depth() {
      thread_local int value = 0;
      return value;
    }
    Crowd& crowd_;
    bool outermost_;
  };

  /// A visit that lasts for `time`.
  void stay(std::chrono::nanoseconds time) {
    const Visit visit(*this);
    std::this_thread::sleep_for(time);
  }
  int most() const { return most_; }
  void forget() { most_ = 0; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> most_{0};
};

}  // namespace blitz_test
