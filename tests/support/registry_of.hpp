/// Access to a pool's Registry, for tests of its internals.
#pragma once

#include <blitz/custom_policy.hpp>

#include "blitz/detail/async/async_policy.hpp"
#include "blitz/detail/fork_join/fork_join_policy.hpp"

// Like blitz/current_pool.hpp for the parts that every program uses.
namespace blitz::detail {
extern template class Worker<ForkJoinPolicy>;
extern template class Registry<ForkJoinPolicy>;
extern template class Worker<AsyncPolicy>;
extern template class Registry<AsyncPolicy>;
}  // namespace blitz::detail

namespace blitz_test {

template <class P>
[[nodiscard]] blitz::detail::Registry<P>& registry_of(blitz::BasicThreadPool<P>& pool) {
  return static_cast<blitz::detail::Registry<P>&>(blitz::detail::base_of(pool));
}

}  // namespace blitz_test
