/// @file
/// FunctionRef: a callable of any type as two words, so that its callers need not be compiled for each type.
#pragma once

#include "blitz/detail/base/owned.hpp"

namespace blitz::detail {

template <class Signature>
class FunctionRef;

/// Refers to a callable that outlives it; a call is one indirect call. Like std::function_ref of C++26.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  explicit(false) FunctionRef(const F& f) noexcept : f_(detail::address_of(f)), call_(&call<F>) {}

  R operator()(Args... args) const { return call_(f_, args...); }

 private:
  template <class F>
  static R call(const void* f, Args... args) {
    return (*static_cast<const F*>(f))(args...);
  }

  const void* f_;
  R (*call_)(const void* f, Args... args);
};

}  // namespace blitz::detail
