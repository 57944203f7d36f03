/// Child processes, for tests that end a process or change it irreversibly. POSIX only.
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

/// The result of wait_for() without a child: no exit status is that high.
inline constexpr int kNoChild = 1000;
/// The exit status of a child of start_child() with a function that threw.
inline constexpr int kThrew = 99;

/// Calls fork(2) and returns its result. SIGALRM ends a child that hangs after `lifetime`, also after execve(2).
[[nodiscard]] inline pid_t fork_child(std::chrono::seconds lifetime) {
  std::fflush(nullptr);  // Otherwise the child prints it, too.
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(static_cast<unsigned>(lifetime.count()));
    // A pool's threads block the signal, and the child may come from one of them.
    sigset_t alarm;
    ::sigemptyset(&alarm);
    ::sigaddset(&alarm, SIGALRM);
    ::pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
    ::signal(SIGABRT, SIG_DFL);  // Otherwise doctest would report a crash of the parent.
  }
  return child;
}

/// Starts a child that calls `run()` and immediately ends with the exit status that it returns, without destructors or
/// handlers.
template <class Run>
[[nodiscard]] pid_t start_child(Run&& run, std::chrono::seconds lifetime) {
  const pid_t child = fork_child(lifetime);
  if (child != 0) return child;
  int status = kThrew;
  try {
    status = std::forward<Run>(run)();
  } catch (const std::exception& error) {
    // The exception must not reach doctest, which would continue with the parent's tests.
    std::fprintf(stderr, "a child process throws: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "a child process throws\n");
  }
  ::_exit(status);
}

/// Waits until a child has ended. Returns its exit status, or the negative number of the signal that ended it, or kNoChild.
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

/// For a child that will crash: it prints nothing from now on, and leaves no core file.
inline void silence() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDERR_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

}  // namespace blitz_test

#endif
