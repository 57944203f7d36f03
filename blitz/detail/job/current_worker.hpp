/// The worker of the calling thread, and the way into a pool, for headers that include no worker and no pool.
#pragma once

#include "blitz/detail/base/export.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

class PoolBase;

/// The worker that the calling thread runs; null outside every pool.
BLITZ_API BLITZ_TLS extern constinit thread_local WorkerBase* current_worker;

/// A call that a worker makes.
using PoolCall = void (*)(void* argument, WorkerBase& worker);

/// The pool of a call that names none: the one that the caller works for, otherwise the global pool.
inline constexpr PoolBase* kHere = nullptr;

/// PoolBase::enter of `pool`. For kHere on a thread of no pool, of the global pool, which it starts.
BLITZ_API void enter_pool(PoolBase* pool, PoolCall call, void* argument);

/// Makes `call` in `pool`, for a thread that is not a worker of it.
using EnterPool = void (*)(PoolBase* pool, PoolCall call, void* argument);

/// Calls `f(worker)` in this way.
template <EnterPool kEnter = enter_pool, class F>
void call_on_worker(PoolBase* pool, const F& f) {
  kEnter(
      pool, [](void* its_f, WorkerBase& worker) { (*static_cast<const F*>(its_f))(worker); },
      const_cast<void*>(static_cast<const void*>(&f)));
}

}  // namespace blitz::detail
