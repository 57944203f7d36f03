// The processors that a thread may use, and pinning it to one. Empty on systems without affinity.
#pragma once

#include <optional>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace bench {

/// The processors that the calling thread may use; the one that it is on comes first.
std::vector<int> processors();

/// Pins the calling thread to `processor`, if it has a value, for the lifetime of this object. The calling thread must
/// destroy it.
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
