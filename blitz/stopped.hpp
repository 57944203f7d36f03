/// @file
/// Stopped: the exception of a call that was ended by a stop request.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <exception>

#include "blitz/detail/base/export.hpp"

namespace blitz {

/// Thrown by a call that returns a value, if a stop request has ended it before its result was complete. The page of each
/// algorithm states the contents of its output in this case; every element is valid.
/// @code
///   try {
///     blitz::sort({.stop = token}, numbers);
///   } catch (const blitz::Stopped&) {
///     numbers.clear();
///   }
/// @endcode
///
/// Thread-safety: as for std::exception.
class BLITZ_API Stopped final : public std::exception {
 public:
  /// A message.
  [[nodiscard]] const char* what() const noexcept override;
};

namespace detail {

[[noreturn]] BLITZ_COLD BLITZ_API void throw_stopped();

}  // namespace detail
}  // namespace blitz
