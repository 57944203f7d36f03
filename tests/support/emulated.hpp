/// True if qemu emulates the processor. Its user mode cannot fork a process with several threads, and maps memory of any size.
/// Meson passes the name of the wrapper to the tests.
#pragma once

#include <cstdlib>
#include <string_view>

namespace blitz_test {

[[nodiscard]] inline bool emulated() {
  const char* const wrapper = std::getenv("MESON_EXE_WRAPPER");
  return wrapper != nullptr && std::string_view(wrapper).starts_with("qemu");
}

}  // namespace blitz_test
