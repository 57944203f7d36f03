#include "blitz/core/loop.hpp"

namespace blitz::detail {

void Loop::run_from_outside(PoolBase* pool, void* value) const {
  struct Call {
    const Loop& loop;
    void* value;
  } call{*this, value};
  enter_pool(
      pool,
      [](void* argument, WorkerBase& worker) {
        const auto& [loop, its_value] = *static_cast<const Call*>(argument);
        worker.run_loop(loop, its_value);
      },
      &call);
}

}  // namespace blitz::detail
