#include "blitz/c.h"

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "blitz/current_pool.hpp"
#include "blitz/detail/loop/loop.hpp"
#include "blitz/detail/sys/kept_memory.hpp"
#include "blitz/detail/worker/confinement.hpp"
#include "blitz/join.hpp"
#include "blitz/task_group.hpp"
#include "blitz/thread_pool.hpp"
#include "blitz/version.hpp"

struct blitz_pool {
  blitz::ThreadPool pool;
};

struct blitz_task_group {
  template <class Pool>
  explicit blitz_task_group(Pool& pool) : group(pool) {}
  blitz_task_group() = default;

  blitz::TaskGroup group;
};

namespace blitz::detail {
namespace {

/// An array, because a std::string has a destructor. A forked child, or a thread that ends, could run it at a bad moment.
thread_local char c_last_error[256] = "";

blitz_status c_failed(blitz_status status, const char* message) noexcept {
  std::strncpy(c_last_error, message, sizeof c_last_error - 1);
  return status;
}

/// Calls `f` and converts the exceptions that blitz itself throws to a status. Exceptions of callbacks pass through.
template <class F>
blitz_status c_guarded(F&& f) {
  try {
    f();
    return BLITZ_OK;
  } catch (const std::bad_alloc&) {
    return c_failed(BLITZ_NO_MEMORY, "blitz: out of memory");
  } catch (const ThreadPoolError& error) {
    return c_failed(BLITZ_UNUSABLE, error.what());
  }
}

/// For calls without callbacks.
template <class F>
blitz_status c_guarded_fully(F&& f) {
  try {
    return c_guarded(f);
  } catch (const std::invalid_argument& error) {
    return c_failed(BLITZ_INVALID, error.what());
  }
}

PoolBase* c_base_of(blitz_pool* pool) noexcept { return pool != nullptr ? &detail::base_of(pool->pool) : kHere; }

/// A loop or a reduction, named after the function that does the work.
struct CLoop final : Loop {
  CLoop(size_t positions, size_t least_block, blitz_block its_block, void* its_context)
      : Loop(&run_block_of, positions, LoopCut::kAdaptive, least_block, {}), block(its_block), context(its_context) {
    name = reinterpret_cast<std::uintptr_t>(block);
  }
  static bool run_block_of(const Loop& self, void* /*value*/, LoopIndex first, LoopIndex last) {
    const auto& loop = static_cast<const CLoop&>(self);
    return loop.block(loop.context, first, last) != 0;
  }

  blitz_block block;
  void* context;
};

struct CReduction final : Loop {
  CReduction(size_t positions, size_t least_block, const blitz_reduction& its_reduction, void* its_context)
      : Loop(&run_block_of, positions, LoopCut::kAdaptive, least_block, {}),
        reduction(its_reduction),
        context(its_context) {
    name = reinterpret_cast<std::uintptr_t>(reduction.fold);
    combine = &combine_values;
    with_value = reduction.with_value;
  }
  static bool run_block_of(const Loop& self, void* value, LoopIndex first, LoopIndex last) {
    const auto& loop = static_cast<const CReduction&>(self);
    return loop.reduction.fold(loop.context, value, first, last) != 0;
  }
  static void combine_values(const Loop& self, void* left, void* right) {
    const auto& loop = static_cast<const CReduction&>(self);
    loop.reduction.combine(loop.context, left, right);
  }

  const blitz_reduction& reduction;
  void* context;
};

}  // namespace

// The functions of c.h. A function with C linkage is the same in every namespace, but each declaration states its visibility.
extern "C" {

BLITZ_C_API const char* blitz_last_error() noexcept { return c_last_error; }
BLITZ_C_API const char* blitz_version() noexcept { return BLITZ_VERSION_STRING; }

BLITZ_C_API blitz_status blitz_pool_create(size_t num_threads, blitz_pool** pool) {
  return c_guarded_fully([&] { *pool = new blitz_pool{ThreadPool({.num_threads = num_threads})}; });
}

BLITZ_C_API void blitz_pool_destroy(blitz_pool* pool) { delete pool; }

BLITZ_C_API blitz_status blitz_init_global_pool(size_t num_threads) {
  return c_guarded_fully([&] { init_global_pool({.num_threads = num_threads}); });
}

BLITZ_C_API blitz_status blitz_num_threads(blitz_pool* pool, size_t* count) {
  return c_guarded([&] { *count = pool != nullptr ? pool->pool.num_threads() : current_num_threads(); });
}

BLITZ_C_API size_t blitz_thread_index() noexcept { return current_thread_index().value_or(SIZE_MAX); }

BLITZ_C_API blitz_status blitz_pool_stats(blitz_pool* pool, blitz_stats* stats, size_t size) {
  return c_guarded([&] {
    const WorkerStats total = (pool != nullptr ? pool->pool : global_pool()).stats().total;
    const blitz_stats all{total.jobs_executed,  total.jobs_pushed, total.jobs_stolen, total.steals_tried,
                          total.injected_taken, total.times_slept, total.times_woken};
    std::memcpy(stats, &all, size < sizeof all ? size : sizeof all);
  });
}

BLITZ_C_API void* blitz_allocate(size_t size, size_t alignment) noexcept { return allocate_kept(size, alignment); }

BLITZ_C_API void blitz_free(void* memory, size_t size, size_t alignment) noexcept {
  free_kept(memory, size, alignment);
}

BLITZ_C_API blitz_status blitz_install(blitz_pool* pool, blitz_function f, void* context) {
  return c_guarded([&] { on_worker(c_base_of(pool), [&](WorkerBase&) { f(context); }); });
}

BLITZ_C_API blitz_status blitz_isolate(blitz_pool* pool, blitz_function f, void* context) {
  return c_guarded([&] {
    on_worker(c_base_of(pool), [&](WorkerBase& worker) {
      const Confinement confinement(worker);
      f(context);
    });
  });
}

BLITZ_C_API blitz_status blitz_join(blitz_pool* pool, blitz_branch a, void* a_context, blitz_branch b,
                                    void* b_context) {
  return c_guarded([&] {
    on_worker(c_base_of(pool), [&](WorkerBase&) {
      blitz::join_context([=](blitz::JoinContext) { a(a_context, 0); },
                          [=](blitz::JoinContext join) { b(b_context, join.migrated() ? 1 : 0); });
    });
  });
}

BLITZ_C_API blitz_status blitz_parallel_for(blitz_pool* pool, size_t count, size_t min_grain, blitz_block block,
                                            void* context) {
  if (count == 0) return BLITZ_OK;
  return c_guarded([&] { CLoop(count, min_grain, block, context).run(c_base_of(pool)); });
}

BLITZ_C_API blitz_status blitz_parallel_reduce(blitz_pool* pool, size_t count, size_t min_grain,
                                               const blitz_reduction* reduction, void* context, void* value) {
  if (count == 0) return BLITZ_OK;
  return c_guarded([&] { CReduction(count, min_grain, *reduction, context).run(c_base_of(pool), value); });
}

BLITZ_C_API blitz_status blitz_task_group_create(blitz_pool* pool, blitz_task_group** group) {
  return c_guarded([&] { *group = pool != nullptr ? new blitz_task_group(pool->pool) : new blitz_task_group; });
}

BLITZ_C_API void blitz_task_group_destroy(blitz_task_group* group) { delete group; }

BLITZ_C_API blitz_status blitz_task_group_run(blitz_task_group* group, blitz_function f, void* context) {
  return c_guarded([&] { group->group.run([=] { f(context); }); });
}

BLITZ_C_API blitz_status blitz_task_group_wait(blitz_task_group* group) {
  return c_guarded([&] { group->group.wait(); });
}

BLITZ_C_API void blitz_task_group_request_stop(blitz_task_group* group) noexcept { group->group.request_stop(); }

BLITZ_C_API int blitz_task_group_stop_requested(const blitz_task_group* group) noexcept {
  return group->group.stop_requested() ? 1 : 0;
}

}  // extern "C"

}  // namespace blitz::detail
