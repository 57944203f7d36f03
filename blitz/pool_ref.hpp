/// @file
/// PoolRef: which pool a call is made in.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include "blitz/policy.hpp"

namespace blitz {

template <PoolPolicy P>
class BasicThreadPool;

namespace detail {

class PoolBase;

template <class P>
[[nodiscard]] PoolBase& base_of(BasicThreadPool<P>& pool) noexcept;

}  // namespace detail

/// Refers to a pool, in the options of a call, or by default to none: then the call is made in the pool that the calling
/// thread works for, or else in global_pool().
/// @code
///   blitz::parallel_for({.pool = &pool}, items, work_on);
/// @endcode
/// Thread-safety: that of a pointer.
class PoolRef {
 public:
  constexpr PoolRef() noexcept = default;  ///< Refers to none.
  /// Refers to `*pool`, which must live until the call has returned; to none, if `pool` is null.
  template <class P>
  PoolRef(BasicThreadPool<P>* pool) noexcept : base_(pool != nullptr ? &detail::base_of(*pool) : nullptr) {}

  /// Refers to `pool`, which must live until the call has returned.
  template <class P>
  PoolRef(BasicThreadPool<P>& pool) noexcept : base_(&detail::base_of(pool)) {}

  /// For the library.
  [[nodiscard]] detail::PoolBase* base() const noexcept { return base_; }

 private:
  detail::PoolBase* base_ = nullptr;
};

}  // namespace blitz
