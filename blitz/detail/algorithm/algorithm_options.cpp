#include "blitz/algorithm/algorithm_options.hpp"

#include "blitz/current_pool.hpp"
#include "blitz/detail/worker/pool_base.hpp"

namespace blitz {

std::size_t detail::threads_of(const AlgorithmOptions& options) {
  const PoolBase* const pool = options.pool.base();
  return pool != nullptr ? pool->num_threads() : current_num_threads();
}

}  // namespace blitz
