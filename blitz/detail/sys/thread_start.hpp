/// The start of a thread. Only the sources of systems include it.
#pragma once

#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "blitz/detail/sys/thread.hpp"

namespace blitz::detail {

[[noreturn]] inline void refuse_thread(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), "blitz: cannot start a thread: " + what);
}

/// The arguments of a new thread, which it owns.
struct ThreadStart {
  ThreadEntry entry;
  void* argument;
  std::string name;
};

/// Runs in the new thread.
inline void run_thread(void* raw, void (*set_own_name)(const std::string& name)) {
  const ThreadStart start = std::move(*std::unique_ptr<ThreadStart>(static_cast<ThreadStart*>(raw)));
  if (!start.name.empty()) set_own_name(start.name);
  start.entry(start.argument);
}

}  // namespace blitz::detail
