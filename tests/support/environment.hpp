/// Environment variables of this process, for what reads them. While no other thread does.
#pragma once

#include <cstdlib>

namespace blitz_test {

/// Null removes the variable.
inline void set_environment(const char* name, const char* value) {
#if defined(_WIN32)
  ::_putenv_s(name, value != nullptr ? value : "");  // An empty one is a removed one.
#else
  if (value != nullptr) {
    ::setenv(name, value, 1);
  } else {
    ::unsetenv(name);
  }
#endif
}

}  // namespace blitz_test
