/// @file
/// AsioContext: a pool under Asio 1.18 or later (standalone); for Boost.Asio see boost_asio.hpp.
#pragma once

#include "blitz/base/compiler.hpp"

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
};

}  // namespace detail

/// @brief A pool as an execution context of Asio; see BasicAsioContext.
/// @code
///   blitz::AsioContext context(pool);
///   asio::co_spawn(context, serve(), asio::detached);
/// @endcode
using AsioContext = BasicAsioContext<detail::StandaloneAsio>;

}  // namespace blitz
