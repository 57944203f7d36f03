/// @file
/// AsioContext: a pool as an execution context of standalone Asio 1.18 or later. For Boost.Asio see boost_asio.hpp.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#if __has_include(<asio/version.hpp>)
#include <asio/version.hpp>
#endif
#if !defined(ASIO_VERSION) || ASIO_VERSION < 101800
#error "blitz: <blitz/adaptor/asio.hpp> needs Asio 1.18 or later"
#endif
#include <asio/execution.hpp>
#include <asio/execution_context.hpp>

#include "blitz/adaptor/asio_context.hpp"

namespace blitz {

namespace detail {

struct StandaloneAsio {
  using ExecutionContext = ::asio::execution_context;
  using Context = ::asio::execution::context_t;
  using Blocking = ::asio::execution::blocking_t;
  using Relationship = ::asio::execution::relationship_t;
  using Work = ::asio::execution::outstanding_work_t;
  template <class A>
  using Allocator = ::asio::execution::allocator_t<A>;
  using Mapping = ::asio::execution::mapping_t;
  using Occupancy = ::asio::execution::occupancy_t;
#if ASIO_VERSION < 102900
  static constexpr auto fixed_value(::asio::execution::bulk_guarantee_t) noexcept {
    return ::asio::execution::bulk_guarantee_t(::asio::execution::bulk_guarantee.parallel);
  }
#elif ASIO_VERSION >= 103700
  static constexpr auto fixed_value(::asio::execution::inline_exception_handling_t) noexcept {
    return ::asio::execution::inline_exception_handling_t(::asio::execution::inline_exception_handling.terminate);
  }
#endif
};

}  // namespace detail

/// @brief A pool as an execution context of Asio; see BasicAsioContext.
/// @code
///   blitz::AsioContext context(pool);
///   asio::co_spawn(context, serve(), asio::detached);
/// @endcode
using AsioContext = BasicAsioContext<detail::StandaloneAsio>;

}  // namespace blitz
