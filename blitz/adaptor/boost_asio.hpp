/// @file
/// BoostAsioContext: a pool as an execution context of Boost.Asio, Boost 1.74 or later. For the standalone library see
/// asio.hpp.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#if __has_include(<boost/asio/version.hpp>)
#include <boost/asio/version.hpp>
#endif
#if !defined(BOOST_ASIO_VERSION) || BOOST_ASIO_VERSION < 101800
#error "blitz: <blitz/adaptor/boost_asio.hpp> needs Boost 1.74 or later"
#endif
#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>

#include "blitz/adaptor/asio_context.hpp"

namespace blitz {

namespace detail {

struct BoostAsio {
  using ExecutionContext = ::boost::asio::execution_context;
  using Context = ::boost::asio::execution::context_t;
  using Blocking = ::boost::asio::execution::blocking_t;
  using Relationship = ::boost::asio::execution::relationship_t;
  using Work = ::boost::asio::execution::outstanding_work_t;
  template <class A>
  using Allocator = ::boost::asio::execution::allocator_t<A>;
  using Mapping = ::boost::asio::execution::mapping_t;
  using Occupancy = ::boost::asio::execution::occupancy_t;
#if BOOST_ASIO_VERSION < 102900
  static constexpr auto fixed_value(::boost::asio::execution::bulk_guarantee_t) noexcept {
    return ::boost::asio::execution::bulk_guarantee_t(::boost::asio::execution::bulk_guarantee.parallel);
  }
#elif BOOST_ASIO_VERSION >= 103700
  static constexpr auto fixed_value(::boost::asio::execution::inline_exception_handling_t) noexcept {
    return ::boost::asio::execution::inline_exception_handling_t(
        ::boost::asio::execution::inline_exception_handling.terminate);
  }
#endif
};

}  // namespace detail

/// @brief A pool as an execution context of Boost.Asio; see BasicAsioContext.
/// @code
///   blitz::BoostAsioContext context(pool);
///   boost::asio::co_spawn(context, serve(), boost::asio::detached);
/// @endcode
using BoostAsioContext = BasicAsioContext<detail::BoostAsio>;

}  // namespace blitz
