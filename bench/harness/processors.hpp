// Which processors there are for a thread, and keeping it on one of them. Where the system cannot be asked, there are none.
#pragma once

#include <optional>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace bench {

/// The processors that the calling thread may use, first the one that it is on.
std::vector<int> processors();

/// Keeps the calling thread on `processor`, if that is one, for as long as this object, which is the thread's own, lives.
class Pin {
 public:
  explicit Pin(std::optional<int> processor);
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin();

#if defined(__linux__)
 private:
  cpu_set_t before_;
#endif
};

}  // namespace bench
