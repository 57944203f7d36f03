/// The options of a call in a given pool.
#pragma once

#include <concepts>

#include <blitz/pool_ref.hpp>

namespace blitz_test {

/// `options` with this pool; unchanged if `pool` is an object that represents the free functions.
template <class Pool, class Options>
[[nodiscard]] Options in(Pool& pool, Options options) {
  if constexpr (std::convertible_to<Pool&, blitz::PoolRef>) options.pool = pool;
  return options;
}

}  // namespace blitz_test
