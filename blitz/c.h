/// @file
/// blitz for C, and for every language that can call C: loops, reductions, joins, task groups, isolation and pools, as
/// functions that take a context pointer. It is also the library's C++17 interface: the adaptors for programs older than C++20
/// are built on it.
///
/// Conventions of all functions:
/// - A null `blitz_pool*` means the pool that the calling thread works for; if there is none, the global pool, which starts by
///   itself.
/// - A function that can fail returns a blitz_status, 0 for success; blitz_last_error() has the message. A function that fails
///   has no other effect, unless its description says so.
/// - Any thread may call any function at any time. A function that takes callbacks calls them before it returns, from several
///   threads concurrently, with the given context.
/// - A callback must return to its caller: no longjmp. A callback written in C++ may throw. As in blitz.hpp, the first of
///   several exceptions reaches the C++ caller, except that std::bad_alloc arrives as BLITZ_NO_MEMORY and
///   blitz::ThreadPoolError as BLITZ_UNUSABLE.
/// - A caller must not hold a lock that a callback takes on another thread, such as Python's GIL: see docs/c.md.
///
/// The ABI is stable from version 1.0 on: names are added, and none is changed or removed.
///
/// @code
///   static int square(void* items, size_t first, size_t last) {
///     for (double* v = items; first != last; ++first) v[first] *= v[first];
///     return 0;
///   }
///   ...
///   if (blitz_parallel_for(NULL, count, 1, square, items) != BLITZ_OK) puts(blitz_last_error());
/// @endcode
#pragma once

#include <stddef.h>
#include <stdint.h>

/// @cond
#if defined(__GNUC__)
#define BLITZ_C_API __attribute__((visibility("default")))
#else
#define BLITZ_C_API
#endif

#if defined(__cplusplus)
#define BLITZ_C_NOEXCEPT noexcept
extern "C" {
#else
#define BLITZ_C_NOEXCEPT
#endif
/// @endcond

/// The result of a call.
typedef enum blitz_status {
  BLITZ_OK = 0,         ///< Success.
  BLITZ_NO_MEMORY = 1,  ///< Memory is exhausted.
  BLITZ_INVALID = 2,    ///< An impossible argument, such as a negative number of threads.
  BLITZ_UNUSABLE = 3    ///< The threads cannot be created, or the pool was shut down or is used in a forked child.
} blitz_status;

/// The message of the last call on this thread that did not return BLITZ_OK; "" if there was none. Valid until the next such
/// call on this thread. Complexity: O(1).
BLITZ_C_API const char* blitz_last_error(void) BLITZ_C_NOEXCEPT;

/// The version of the library, such as "0.2.0". Complexity: O(1).
BLITZ_C_API const char* blitz_version(void) BLITZ_C_NOEXCEPT;

/// A callable without arguments, with its context.
typedef void (*blitz_function)(void* context);

// --- pools ---

/// A blitz::ThreadPool.
typedef struct blitz_pool blitz_pool;

/// Starts a pool. Complexity: O(n) for n threads, some tens of microseconds each.
/// @param num_threads  The number of threads, including the calling thread. 0: the environment variable BLITZ_NUM_THREADS; if
///                     it is not set, the number of processors that this process may use.
/// @param pool         Receives the pool.
/// @return BLITZ_OK, BLITZ_INVALID for an impossible number, such as a negative one, BLITZ_UNUSABLE if a pool cannot have so
///         many threads or they cannot be created, or BLITZ_NO_MEMORY.
BLITZ_C_API blitz_status blitz_pool_create(size_t num_threads, blitz_pool** pool);

/// Runs all remaining jobs of the pool, joins its threads, and frees it. If called on one of the pool's own workers, it ends
/// the program with a message. Complexity: O(n) for n threads, in addition to the jobs.
/// @param pool  The pool, which no other thread may still use. If null, the call does nothing.
BLITZ_C_API void blitz_pool_destroy(blitz_pool* pool);

/// Starts the global pool, which otherwise starts at its first use. Complexity: O(n) for n threads, some tens of microseconds
/// each.
/// @param num_threads  As in blitz_pool_create().
/// @return BLITZ_OK, BLITZ_UNUSABLE if it was already started, or a failure as in blitz_pool_create().
BLITZ_C_API blitz_status blitz_init_global_pool(size_t num_threads);

/// Reads the number of threads of a pool. Complexity: O(1).
/// @param pool   The pool, or null.
/// @param count  Receives the number, including a caller from outside; at least 1.
/// @return BLITZ_OK, or the reason why the global pool could not be started.
BLITZ_C_API blitz_status blitz_num_threads(blitz_pool* pool, size_t* count);

/// The index of the calling thread in the pool that it works for, below the number of threads; SIZE_MAX if it works for none.
/// Complexity: O(1).
BLITZ_C_API size_t blitz_thread_index(void) BLITZ_C_NOEXCEPT;

/// The counters of all workers, summed since the pool was created. Filled by blitz_pool_stats(); see blitz::WorkerStats.
typedef struct blitz_stats {
  uint64_t jobs_executed;   ///< Jobs taken from any queue and run.
  uint64_t jobs_pushed;     ///< Jobs that workers offered to the pool.
  uint64_t jobs_stolen;     ///< Jobs that workers stole.
  uint64_t steals_tried;    ///< Attempts to steal.
  uint64_t injected_taken;  ///< Jobs from outside that workers took.
  uint64_t times_slept;     ///< How often workers blocked for lack of work.
  uint64_t times_woken;     ///< How often another thread woke one.
} blitz_stats;

/// Reads the counters of a pool, which may change during the call. Complexity: O(n) for n threads.
/// @param pool   The pool. Here, null means the global pool.
/// @param stats  Receives the first `size` bytes of the counters.
/// @param size   sizeof(blitz_stats). A later version may have more counters at the end.
/// @return BLITZ_OK, or the reason why the global pool could not be started.
BLITZ_C_API blitz_status blitz_pool_stats(blitz_pool* pool, blitz_stats* stats, size_t size);

// --- memory ---

/// Allocates memory for a temporary array. Large arrays use large pages if the system has them; their first access is several
/// times faster. The process caches the four arrays that were freed last, each up to 256 MiB, for later calls. Complexity: as
/// malloc().
/// @param size       Bytes.
/// @param alignment  The alignment of the address, a power of two.
/// @return The memory; null if the allocation fails.
BLITZ_C_API void* blitz_allocate(size_t size, size_t alignment) BLITZ_C_NOEXCEPT;

/// Frees memory from blitz_allocate(). Complexity: as free().
/// @param memory     The address from blitz_allocate(). If null, the call does nothing.
/// @param size       As passed to blitz_allocate().
/// @param alignment  As passed to blitz_allocate().
BLITZ_C_API void blitz_free(void* memory, size_t size, size_t alignment) BLITZ_C_NOEXCEPT;

// --- calls ---

/// Calls f(context) in the pool, on the calling thread; only if memory is exhausted, on another worker. In `f`, a null pool
/// means this one. See blitz::BasicThreadPool::install. Complexity: O(1) in addition to `f`.
/// @param pool     The pool, or null.
/// @param f        Called once.
/// @param context  Passed to `f`.
/// @return BLITZ_OK, or why `f` was not called.
BLITZ_C_API blitz_status blitz_install(blitz_pool* pool, blitz_function f, void* context);

/// Like blitz_install(), but a worker that waits inside `f` runs only jobs that `f` has created. For code that holds a lock.
/// See blitz::isolate. Complexity: O(1) in addition to `f`.
/// @param pool     The pool, or null.
/// @param f        Called once.
/// @param context  Passed to `f`.
/// @return BLITZ_OK, or why `f` was not called.
BLITZ_C_API blitz_status blitz_isolate(blitz_pool* pool, blitz_function f, void* context);

/// One of the two branches of a join. `migrated` is not 0 if a worker found it like any other job: see blitz::JoinContext.
typedef void (*blitz_branch)(void* context, int migrated);

/// Calls a(a_context, 0) and b(b_context, migrated), possibly in parallel, and returns when both have ended. See blitz::join.
/// Complexity: O(1) in addition to the two calls, some ten nanoseconds.
/// @param pool       The pool, or null.
/// @param a          The first callback, called on the calling worker.
/// @param a_context  Passed to `a`.
/// @param b          The second one.
/// @param b_context  Passed to `b`.
/// @return BLITZ_OK, or the reason why neither was called. If a C++ callback has thrown std::bad_alloc or ThreadPoolError, its
///         status.
BLITZ_C_API blitz_status blitz_join(blitz_pool* pool, blitz_branch a, void* a_context, blitz_branch b, void* b_context);

/// Processes the positions [first, last), at least one. A result other than 0 ends the loop: no new blocks start.
typedef int (*blitz_block)(void* context, size_t first, size_t last);

/// Calls `block` for contiguous blocks that cover the positions [0, count), each once, possibly in parallel. Splits on demand:
/// see blitz::parallel_for. Complexity: at most about count / min_grain calls, usually a few per thread.
/// @param pool       The pool, or null.
/// @param count      The number of positions.
/// @param min_grain  The minimum number of positions in a block, unless the loop has fewer. 0 counts as 1.
/// @param block      Called with positions.
/// @param context    Passed to `block`.
/// @return BLITZ_OK, also if `block` has ended the loop. After a failure some blocks may have run.
BLITZ_C_API blitz_status blitz_parallel_for(blitz_pool* pool, size_t count, size_t min_grain, blitz_block block,
                                            void* context);

/// The operations of blitz_parallel_reduce(). The type of a value is up to the three functions.
typedef struct blitz_reduction {
  /// Folds the positions [first, last), at least one, into the value. A result other than 0 ends the reduction.
  int (*fold)(void* context, void* value, size_t first, size_t last);
  /// Combines two values into `left`. The positions of `right` directly follow the positions of `left`.
  void (*combine)(void* context, void* left, void* right);
  /// Creates a value with no positions yet, such as a local variable, and calls call(argument, &value) once.
  void (*with_value)(void (*call)(void* argument, void* value) BLITZ_C_NOEXCEPT, void* argument);
} blitz_reduction;

/// Folds the positions [0, count) into `*value`. Only parts that other workers have taken are combined, in the order of their
/// positions. See blitz::parallel_reduce. Complexity: at most about count / min_grain calls of `fold` and of `combine`, usually
/// a few per thread.
///
/// @code
///   static int add(void* items, void* value, size_t first, size_t last) {
///     double sum = 0;
///     for (; first != last; ++first) sum += ((const double*)items)[first];
///     *(double*)value += sum;
///     return 0;
///   }
///   static void plus(void* items, void* left, void* right) { *(double*)left += *(double*)right; }
///   static void with_zero(void (*call)(void*, void*), void* argument) {
///     double zero = 0;
///     call(argument, &zero);
///   }
///   ...
///   static const blitz_reduction kSum = {add, plus, with_zero};
///   double sum = 0;
///   blitz_parallel_reduce(NULL, count, 1, &kSum, items, &sum);
/// @endcode
///
/// @param pool       The pool, or null.
/// @param count      The number of positions.
/// @param min_grain  As in blitz_parallel_for().
/// @param reduction  The operations of the reduction.
/// @param context    Passed to its functions, except `with_value`.
/// @param value      The result, initialised by the caller; the positions are folded into it.
/// @return BLITZ_OK. After a failure `*value` contains some of the positions.
BLITZ_C_API blitz_status blitz_parallel_reduce(blitz_pool* pool, size_t count, size_t min_grain,
                                               const blitz_reduction* reduction, void* context, void* value);

// --- task groups ---

/// A blitz::TaskGroup.
typedef struct blitz_task_group blitz_task_group;

/// Creates a group of jobs of a pool. Complexity: O(1); one allocation.
/// @param pool   The pool, or null.
/// @param group  Receives the group.
/// @return BLITZ_OK, BLITZ_NO_MEMORY, or the reason why the global pool could not be started.
BLITZ_C_API blitz_status blitz_task_group_create(blitz_pool* pool, blitz_task_group** group);

/// Waits as blitz_task_group_wait() does, then frees the group. Complexity: O(1) in addition to the jobs.
/// @param group  The group. If null, the call does nothing.
BLITZ_C_API void blitz_task_group_destroy(blitz_task_group* group);

/// Spawns a job of the group: a worker calls f(context). Jobs of the group may call this function too. Complexity: O(1).
/// @param group    The group.
/// @param f        Called once.
/// @param context  Passed to `f`.
/// @return BLITZ_OK, or why `f` will not be called.
BLITZ_C_API blitz_status blitz_task_group_run(blitz_task_group* group, blitz_function f, void* context);

/// Waits until all jobs of the group have finished; runs jobs while it waits. Afterwards the group may be used again.
/// Complexity: O(1) in addition to the jobs.
/// @param group  The group.
/// @return BLITZ_OK, or BLITZ_UNUSABLE in a forked child.
BLITZ_C_API blitz_status blitz_task_group_wait(blitz_task_group* group);

/// Requests a stop: until the next wait has returned, jobs that have not begun are skipped. Complexity: O(1).
/// @param group  The group.
BLITZ_C_API void blitz_task_group_request_stop(blitz_task_group* group) BLITZ_C_NOEXCEPT;

/// Whether a stop was requested: 1 or 0. Complexity: O(1).
/// @param group  The group.
BLITZ_C_API int blitz_task_group_stop_requested(const blitz_task_group* group) BLITZ_C_NOEXCEPT;

#if defined(__cplusplus)
}  // extern "C"
#endif
