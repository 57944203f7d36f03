/// @file
/// PoolRef: the pool of a call.
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

/// A reference to a pool, in the options of a call. By default it refers to no pool: the call then uses the pool that the
/// calling thread works for; outside every pool, global_pool().
/// @code
///   blitz::parallel_for({.pool = &pool}, items, work_on);
/// @endcode
/// Thread-safety: as for a pointer.
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
