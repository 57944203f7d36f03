/// The interface of Windows: <windows.h> without the macros min and max.
///
/// Only for sources: a program that includes blitz does not get the names of <windows.h>.
#pragma once

#include "blitz/detail/sys/system.hpp"

#if defined(BLITZ_WINDOWS)

#if !defined(WIN32_LEAN_AND_MEAN)
#define WIN32_LEAN_AND_MEAN
#endif
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <windows.h>

namespace blitz::detail {

/// A function that is missing in some releases of the system, or in their headers; null if it is missing.
template <class Function>
[[nodiscard]] Function* system_function(const wchar_t* library, const char* name) noexcept {
  const HMODULE module = ::GetModuleHandleW(library);
  if (module == nullptr) return nullptr;
  return reinterpret_cast<Function*>(reinterpret_cast<void*>(::GetProcAddress(module, name)));
}

}  // namespace blitz::detail

#endif
