/// The worker of the calling thread, and the way into a pool, for headers that include no worker and no pool.
#pragma once

#include <type_traits>

#include "blitz/detail/base/export.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

class PoolBase;

/// The worker that the calling thread runs; null outside every pool.
BLITZ_API BLITZ_TLS extern constinit thread_local WorkerBase* current_worker;

/// A call that a worker executes.
using PoolCall = void (*)(void* argument, WorkerBase& worker);

/// The pool of a call that names none: the pool that the calling thread works for, otherwise the global pool.
inline constexpr PoolBase* kHere = nullptr;

/// Calls PoolBase::enter of `pool`. kHere on a thread that works for no pool means the global pool, which is started.
BLITZ_API void enter_pool(PoolBase* pool, PoolCall call, void* argument);

/// Executes `call` in `pool`, for a thread that is not a worker of it.
using EnterPool = void (*)(PoolBase* pool, PoolCall call, void* argument);

/// A PoolCall. A lambda in call_on_worker would have the type of `f` three times in its symbol.
template <class F>
void call_with_worker(void* f, WorkerBase& worker) {
  static_cast<F&&>(*static_cast<std::remove_reference_t<F>*>(f))(worker);
}

/// Calls `f(worker)` through `kEnter`.
template <EnterPool kEnter = enter_pool, class F>
void call_on_worker(PoolBase* pool, F&& f) {
  kEnter(pool, &call_with_worker<F>, const_cast<void*>(static_cast<const void*>(&f)));
}

}  // namespace blitz::detail
