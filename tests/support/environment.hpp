/// Sets environment variables of this process. Only while no other thread reads them.
#pragma once

#include <cstdlib>

namespace blitz_test {

/// Sets the variable; null removes it.
inline void set_environment(const char* name, const char* value) {
#if defined(_WIN32)
  ::_putenv_s(name, value != nullptr ? value : "");  // An empty value removes it.
#else
  if (value != nullptr) {
    ::setenv(name, value, 1);
  } else {
    ::unsetenv(name);
  }
#endif
}

}  // namespace blitz_test
