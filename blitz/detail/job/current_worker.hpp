/// The worker that the calling thread is, and how a call gets to one: what a header needs that knows neither workers nor
/// pools.
#pragma once

#include "blitz/detail/base/export.hpp"
#include "blitz/policy.hpp"

namespace blitz::detail {

class PoolBase;

/// The worker that the calling thread runs; null outside every pool.
BLITZ_API BLITZ_TLS extern constinit thread_local WorkerBase* current_worker;

/// What is called in a pool.
using PoolCall = void (*)(void* argument, WorkerBase& worker);

/// Where a call is made that names no pool: in the one that the caller works for, or else in the global pool.
inline constexpr PoolBase* kHere = nullptr;

/// PoolBase::enter of `pool`; for kHere, where the calling thread belongs to no pool, of the global pool, which it
/// starts.
BLITZ_API void enter_pool(PoolBase* pool, PoolCall call, void* argument);

/// How a thread that is not a worker of `pool` has `call` made in it.
using EnterPool = void (*)(PoolBase* pool, PoolCall call, void* argument);

/// Has `f(worker)` called so.
template <EnterPool kEnter = enter_pool, class F>
void call_on_worker(PoolBase* pool, const F& f) {
  kEnter(
      pool, [](void* its_f, WorkerBase& worker) { (*static_cast<const F*>(its_f))(worker); },
      const_cast<void*>(static_cast<const void*>(&f)));
}

}  // namespace blitz::detail
