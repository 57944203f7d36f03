/// Threads that cannot be made. For a program that is linked with failing_thread.cpp: its pthread_create takes the place of
/// the C library's, which it calls, for the program and for the shared libraries that it uses.
#pragma once

namespace blitz_test {

/// Lets `successes` threads of the process be made, and no more, until the end of the scope. The others fail with EAGAIN,
/// as where there are too many.
class ThreadLimit {
 public:
  explicit ThreadLimit(int successes) noexcept;
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
};

}  // namespace blitz_test
