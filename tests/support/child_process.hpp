/// Child processes, for what ends a process, or cannot be taken back within one. POSIX.
#pragma once

#if defined(__unix__)

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace blitz_test {

/// What wait_for() says where there is no child to wait for: no exit status is that high.
inline constexpr int kNoChild = 1000;
/// The exit status of a child of start_child() whose function has thrown.
inline constexpr int kThrew = 99;

/// fork(2), and the same result. A child that hangs is ended by SIGALRM after `lifetime`, also after execve(2).
[[nodiscard]] inline pid_t fork_child(std::chrono::seconds lifetime) {
  std::fflush(nullptr);  // Or the child prints it as well.
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(static_cast<unsigned>(lifetime.count()));
    // Blocked on a pool's threads, from which the child may come.
    sigset_t alarm;
    ::sigemptyset(&alarm);
    ::sigaddset(&alarm, SIGALRM);
    ::pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
    ::signal(SIGABRT, SIG_DFL);  // The test's framework would take it for the parent's crash.
  }
  return child;
}

/// Starts a child that ends at once, without destructors or handlers, when `run()` has returned its exit status.
template <class Run>
[[nodiscard]] pid_t start_child(Run&& run, std::chrono::seconds lifetime) {
  const pid_t child = fork_child(lifetime);
  if (child != 0) return child;
  int status = kThrew;
  try {
    status = std::forward<Run>(run)();
  } catch (const std::exception& error) {
    // It must not get to the test's framework, which would go on with the tests of the parent.
    std::fprintf(stderr, "a child process throws: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "a child process throws\n");
  }
  ::_exit(status);
}

/// Waits until a child has ended. Its exit status; or, negative, the signal that ended it; or kNoChild.
[[nodiscard]] inline int wait_for(pid_t child) {
  if (child < 0) return kNoChild;
  int status = 0;
  pid_t ended;
  do {
    ended = ::waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended != child) return kNoChild;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/// For a child that is to die: from now on it prints nothing, and leaves no core file.
inline void silence() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDERR_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

}  // namespace blitz_test

#endif
