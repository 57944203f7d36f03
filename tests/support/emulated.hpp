/// Whether qemu emulates the processor: its user mode cannot fork a process that has threads, and has no sizes that it refuses to
/// map. Meson tells the tests what wraps them.
#pragma once

#include <cstdlib>
#include <string_view>

namespace blitz_test {

[[nodiscard]] inline bool emulated() {
  const char* const wrapper = std::getenv("MESON_EXE_WRAPPER");
  return wrapper != nullptr && std::string_view(wrapper).starts_with("qemu");
}

}  // namespace blitz_test
