/// Threads that cannot be created, in a program that is linked with failing_thread.cpp. Its pthread_create replaces the C
/// library's, which it calls, in the program and in the shared libraries that it uses.
#pragma once

namespace blitz_test {

/// Lets the process create `successes` more threads until the end of the scope. Creating another one fails with EAGAIN, as if
/// there were too many.
class ThreadLimit {
 public:
  explicit ThreadLimit(int successes) noexcept;
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
};

}  // namespace blitz_test
