/// @file
/// blitz for C, and for every language that can call C: loops, reductions, joins, task groups, isolation and pools, as functions
/// that take a context pointer. It is the C++17 face of the library as well: the adaptors for programs that are not C++20
/// stand on it.
///
/// Conventions of all functions:
/// - A null `blitz_pool*` means the pool that the calling thread works for, or else the global pool, which starts by itself.
/// - A function that can fail returns a blitz_status, 0 for success; blitz_last_error() has the message. It then has no
///   other effect, unless it says so.
/// - Any thread may call any function at any time. A function that takes callbacks calls them before it returns, by several
///   threads at once, with the context that was given.
/// - A callback must return to its caller: no longjmp. One that is written in C++ may throw: of several exceptions the
///   first reaches the C++ caller, as from the same call of blitz.hpp, but std::bad_alloc arrives as BLITZ_NO_MEMORY and
///   blitz::ThreadPoolError as BLITZ_UNUSABLE.
/// - A caller must hold no lock that a callback takes on another thread, such as Python's GIL: see docs/c.md.
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

/// What a call returns.
typedef enum blitz_status {
  BLITZ_OK = 0,         ///< Success.
  BLITZ_NO_MEMORY = 1,  ///< Memory is out.
  BLITZ_INVALID = 2,    ///< An argument that no machine could honour.
  BLITZ_UNUSABLE = 3    ///< No threads can be had, or the pool was shut down, or is the parent's in a forked child.
} blitz_status;

/// The message of the last call on this thread that returned another status than BLITZ_OK; "" if none did. Valid until the
/// next such call on this thread. Complexity: O(1).
BLITZ_C_API const char* blitz_last_error(void) BLITZ_C_NOEXCEPT;

/// The version of the library, such as "0.2.0". Complexity: O(1).
BLITZ_C_API const char* blitz_version(void) BLITZ_C_NOEXCEPT;

/// A callable without arguments, with its context.
typedef void (*blitz_function)(void* context);

// --- pools ---

/// A blitz::ThreadPool.
typedef struct blitz_pool blitz_pool;

/// Starts a pool. Costs some tens of microseconds for each thread.
/// @param num_threads  The number of threads, the calling one included; 0: as many as processors may be used, or the environment
///                     variable BLITZ_NUM_THREADS.
/// @param pool         Gets the pool.
/// @return BLITZ_OK, BLITZ_INVALID for a number that no machine can run, BLITZ_UNUSABLE if the threads cannot be had, or
///         BLITZ_NO_MEMORY.
BLITZ_C_API blitz_status blitz_pool_create(size_t num_threads, blitz_pool** pool);

/// Runs everything that was given to the pool, joins its threads, and frees it. On one of the pool's own workers it ends the
/// program with a message. Complexity: O(n) for n threads, beside the jobs.
/// @param pool  The pool, which no other thread uses any more; null does nothing.
BLITZ_C_API void blitz_pool_destroy(blitz_pool* pool);

/// Starts the global pool, which otherwise starts at its first use. Costs some tens of microseconds for each thread.
/// @param num_threads  As of blitz_pool_create().
/// @return BLITZ_OK, BLITZ_UNUSABLE if it has started already, or what blitz_pool_create() returns.
BLITZ_C_API blitz_status blitz_init_global_pool(size_t num_threads);

/// Asks how many threads a pool has. Complexity: O(1).
/// @param pool   The pool, or null.
/// @param count  Gets the number, the caller from outside included; at least 1.
/// @return BLITZ_OK, or the failure to start the global pool.
BLITZ_C_API blitz_status blitz_num_threads(blitz_pool* pool, size_t* count);

/// The index of the calling thread in the pool that it works for, below the number of threads; SIZE_MAX if it works for none.
/// Complexity: O(1).
BLITZ_C_API size_t blitz_thread_index(void) BLITZ_C_NOEXCEPT;

/// The sums of the counters of all workers since the pool was made, from blitz_pool_stats(): see blitz::WorkerStats.
typedef struct blitz_stats {
  uint64_t jobs_executed;   ///< Jobs taken from any queue and run.
  uint64_t jobs_pushed;     ///< Jobs that workers offered to the pool.
  uint64_t jobs_stolen;     ///< Jobs that workers stole.
  uint64_t steals_tried;    ///< Attempts to steal.
  uint64_t injected_taken;  ///< Jobs from outside that workers took.
  uint64_t times_slept;     ///< How often workers blocked for lack of work.
  uint64_t times_woken;     ///< How often another thread woke one.
} blitz_stats;

/// Reads the counts of a pool, which go on meanwhile. Complexity: O(n) for n threads.
/// @param pool   The pool; null is here the global pool.
/// @param stats  Gets the first `size` bytes of the counts.
/// @param size   sizeof(blitz_stats). A later version may have more counts at the end.
/// @return BLITZ_OK, or the failure to start the global pool.
BLITZ_C_API blitz_status blitz_pool_stats(blitz_pool* pool, blitz_stats* stats, size_t size);

// --- memory ---

/// Memory for a temporary array. Much of it comes in large pages where the system has them, which are several times as fast to
/// touch first; up to 256 MiB, the process keeps the four arrays that were freed last for the next ones. Costs what malloc() does.
/// @param size       Bytes.
/// @param alignment  A power of two, of which the address is a multiple.
/// @return The memory; null if it is out.
BLITZ_C_API void* blitz_allocate(size_t size, size_t alignment) BLITZ_C_NOEXCEPT;

/// Frees what blitz_allocate() has returned. Costs what free() does.
/// @param memory     What it returned; null does nothing.
/// @param size       The same as there.
/// @param alignment  The same as there.
BLITZ_C_API void blitz_free(void* memory, size_t size, size_t alignment) BLITZ_C_NOEXCEPT;

// --- calls ---

/// Calls f(context) on a worker of the pool: the calling thread, if it is one or a place is free. In `f`, a null pool means this
/// one. See blitz::BasicThreadPool::install. Complexity: O(1) beside `f`.
/// @param pool     The pool, or null.
/// @param f        Called once.
/// @param context  Passed to `f`.
/// @return BLITZ_OK, or why `f` was not called.
BLITZ_C_API blitz_status blitz_install(blitz_pool* pool, blitz_function f, void* context);

/// As blitz_install(), and the worker, while it waits inside `f`, runs no jobs but those that `f` has made: for code under a
/// lock. See blitz::isolate. Complexity: O(1) beside `f`.
/// @param pool     The pool, or null.
/// @param f        Called once.
/// @param context  Passed to `f`.
/// @return BLITZ_OK, or why `f` was not called.
BLITZ_C_API blitz_status blitz_isolate(blitz_pool* pool, blitz_function f, void* context);

/// One of two calls of a join. `migrated` is not 0 if a worker has found it like any other job: see blitz::JoinContext.
typedef void (*blitz_branch)(void* context, int migrated);

/// Calls a(a_context, 0) and b(b_context, migrated), perhaps at once, and returns when both have ended. See blitz::join.
/// Complexity: O(1) beside the two, some ten nanoseconds.
/// @param pool       The pool, or null.
/// @param a          The first callback, called by the worker that makes the call.
/// @param a_context  Passed to `a`.
/// @param b          The second one.
/// @param b_context  Passed to `b`.
/// @return BLITZ_OK, or why none was called; if one that is C++ has thrown std::bad_alloc or ThreadPoolError, its status.
BLITZ_C_API blitz_status blitz_join(blitz_pool* pool, blitz_branch a, void* a_context, blitz_branch b, void* b_context);

/// Runs the positions [first, last), at least one. A result other than 0 ends the loop: no block that has not begun will begin.
typedef int (*blitz_block)(void* context, size_t first, size_t last);

/// Calls `block` for contiguous blocks that cover the positions [0, count), each once, perhaps at once. Splits on demand: see
/// blitz::parallel_for. Complexity: at most about count / min_grain calls, as a rule a few for each thread.
/// @param pool       The pool, or null.
/// @param count      The number of positions.
/// @param min_grain  No block has fewer positions, unless the loop has; 0 is taken for 1.
/// @param block      Called with positions.
/// @param context    Passed to `block`.
/// @return BLITZ_OK also if `block` has ended the loop; otherwise some blocks may have been run.
BLITZ_C_API blitz_status blitz_parallel_for(blitz_pool* pool, size_t count, size_t min_grain, blitz_block block,
                                            void* context);

/// What blitz_parallel_reduce() consists of. A value is whatever the three functions agree on.
typedef struct blitz_reduction {
  /// Takes the positions [first, last), at least one, into the value. A result other than 0 ends the reduction.
  int (*fold)(void* context, void* value, size_t first, size_t last);
  /// Takes `right`, the value of the positions just behind those of `left`, into `left`.
  void (*combine)(void* context, void* left, void* right);
  /// Makes a value that has no positions yet, such as a local variable, and calls call(argument, &value) once.
  void (*with_value)(void (*call)(void* argument, void* value) BLITZ_C_NOEXCEPT, void* argument);
} blitz_reduction;

/// Folds the positions [0, count) into `*value`: neighbours are combined in their order, and only the parts that several workers
/// have taken. See blitz::parallel_reduce. Complexity: at most about count / min_grain calls of `fold` and of `combine`, as a
/// rule a few for each thread.
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
/// @param min_grain  As of blitz_parallel_for().
/// @param reduction  What the reduction consists of.
/// @param context    Passed to its functions, except `with_value`.
/// @param value      What the positions are folded into, made by the caller.
/// @return BLITZ_OK; otherwise `*value` has some of the positions.
BLITZ_C_API blitz_status blitz_parallel_reduce(blitz_pool* pool, size_t count, size_t min_grain,
                                               const blitz_reduction* reduction, void* context, void* value);

// --- task groups ---

/// A blitz::TaskGroup.
typedef struct blitz_task_group blitz_task_group;

/// Makes a group of jobs of a pool. Complexity: O(1); one allocation.
/// @param pool   The pool, or null.
/// @param group  Gets the group.
/// @return BLITZ_OK, BLITZ_NO_MEMORY, or the failure to start the global pool.
BLITZ_C_API blitz_status blitz_task_group_create(blitz_pool* pool, blitz_task_group** group);

/// Waits as blitz_task_group_wait() does, and frees the group. Complexity: O(1) beside the jobs.
/// @param group  The group; null does nothing.
BLITZ_C_API void blitz_task_group_destroy(blitz_task_group* group);

/// Spawns a job of the group: a worker calls f(context). The jobs of the group may call it too. Complexity: O(1).
/// @param group    The group.
/// @param f        Called once.
/// @param context  Passed to `f`.
/// @return BLITZ_OK, or why `f` will not be called.
BLITZ_C_API blitz_status blitz_task_group_run(blitz_task_group* group, blitz_function f, void* context);

/// Waits until no job of the group is unfinished; runs jobs meanwhile. Then the group may be used again. Complexity: O(1) beside
/// the jobs.
/// @param group  The group.
/// @return BLITZ_OK, or BLITZ_UNUSABLE in a forked child.
BLITZ_C_API blitz_status blitz_task_group_wait(blitz_task_group* group);

/// Jobs that have not begun will not, until the next wait has returned. Complexity: O(1).
/// @param group  The group.
BLITZ_C_API void blitz_task_group_request_stop(blitz_task_group* group) BLITZ_C_NOEXCEPT;

/// Whether that was requested: 1 or 0. Complexity: O(1).
/// @param group  The group.
BLITZ_C_API int blitz_task_group_stop_requested(const blitz_task_group* group) BLITZ_C_NOEXCEPT;

#if defined(__cplusplus)
}  // extern "C"
#endif
