/* blitz/c.h from C: calls each function once, on a pool of two threads and on the global one. Exits with 0, or prints the line
   that failed. */
#include <blitz/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(right)                                                                              \
  do {                                                                                            \
    if (!(right)) {                                                                               \
      fprintf(stderr, "c_test.c:%d: %s does not hold: %s\n", __LINE__, #right, blitz_last_error()); \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)

/* The layout that existing programs were compiled with must not change. C99 has no _Static_assert. */
#define PINNED(name, right) typedef char name[(right) ? 1 : -1]
#define PIN_COUNT(member, place) PINNED(count_##member, offsetof(blitz_stats, member) == 8 * (place))
PIN_COUNT(jobs_executed, 0);
PIN_COUNT(jobs_pushed, 1);
PIN_COUNT(jobs_stolen, 2);
PIN_COUNT(steals_tried, 3);
PIN_COUNT(injected_taken, 4);
PIN_COUNT(times_slept, 5);
PIN_COUNT(times_woken, 6);
PINNED(counts, sizeof(blitz_stats) == 8 * 7); /* A later version may append members. */
PINNED(fold, offsetof(blitz_reduction, fold) == 0);
PINNED(combine, offsetof(blitz_reduction, combine) == sizeof(void*));
PINNED(with_value, offsetof(blitz_reduction, with_value) == 2 * sizeof(void*));
PINNED(reduction, sizeof(blitz_reduction) == 3 * sizeof(void*));
PINNED(status, sizeof(blitz_status) == sizeof(int));
PINNED(statuses, BLITZ_OK == 0 && BLITZ_NO_MEMORY == 1 && BLITZ_INVALID == 2 && BLITZ_UNUSABLE == 3);

enum { kItems = 100000 };

static int square(void* items, size_t first, size_t last) {
  double* const v = items;
  for (; first != last; ++first) v[first] *= v[first];
  return 0;
}

static int stop_at_once(void* blocks, size_t first, size_t last) {
  (void)first;
  (void)last;
  ++*(int*)blocks;
  return 1;
}

static int add(void* items, void* value, size_t first, size_t last) {
  double sum = 0;
  for (; first != last; ++first) sum += ((const double*)items)[first];
  *(double*)value += sum;
  return 0;
}
static void plus(void* items, void* left, void* right) {
  (void)items;
  *(double*)left += *(double*)right;
}
static void with_zero(void (*call)(void* argument, void* value), void* argument) {
  double zero = 0;
  call(argument, &zero);
}
static const blitz_reduction kSum = {add, plus, with_zero};

struct fib {
  int n;
  int result;
};
static void fib(void* context, int migrated) {
  struct fib* const self = context;
  if (self->n < 2) {
    self->result = self->n;
  } else {
    struct fib a = {self->n - 1, 0};
    struct fib b = {self->n - 2, 0};
    CHECK(blitz_join(NULL, fib, &a, fib, &b) == BLITZ_OK);
    self->result = a.result + b.result;
  }
  (void)migrated;
}

static void set(void* flag) { *(int*)flag = 1; }

static void use(blitz_pool* pool) {
  double* const v = blitz_allocate(kItems * sizeof *v, 64);
  CHECK(v != NULL && (uintptr_t)v % 64 == 0);
  for (int i = 0; i != kItems; ++i) v[i] = i % 100;
  CHECK(blitz_parallel_for(pool, kItems, 1, square, v) == BLITZ_OK);
  double sum = 5;
  CHECK(blitz_parallel_reduce(pool, kItems, 0, &kSum, v, &sum) == BLITZ_OK);
  CHECK(sum == 328350.0 * (kItems / 100) + 5);
  CHECK(blitz_parallel_reduce(pool, 0, 1, &kSum, v, &sum) == BLITZ_OK);
  blitz_free(v, kItems * sizeof *v, 64);

  int blocks = 0;
  CHECK(blitz_parallel_for(pool, 1000, 1000, stop_at_once, &blocks) == BLITZ_OK && blocks == 1);
  CHECK(blitz_parallel_for(pool, 0, 1, stop_at_once, &blocks) == BLITZ_OK && blocks == 1);

  struct fib a = {15, 0};
  struct fib b = {16, 0};
  CHECK(blitz_join(pool, fib, &a, fib, &b) == BLITZ_OK && a.result == 610 && b.result == 987);

  int installed = 0;
  int isolated = 0;
  CHECK(blitz_install(pool, set, &installed) == BLITZ_OK && installed == 1);
  CHECK(blitz_isolate(pool, set, &isolated) == BLITZ_OK && isolated == 1);

  blitz_task_group* group = NULL;
  int ran[100] = {0};
  CHECK(blitz_task_group_create(pool, &group) == BLITZ_OK);
  for (int i = 0; i != 100; ++i) CHECK(blitz_task_group_run(group, set, &ran[i]) == BLITZ_OK);
  CHECK(blitz_task_group_wait(group) == BLITZ_OK);
  for (int i = 0; i != 100; ++i) CHECK(ran[i] == 1);
  int late = 0;
  blitz_task_group_request_stop(group);
  CHECK(blitz_task_group_stop_requested(group) == 1);
  CHECK(blitz_task_group_run(group, set, &late) == BLITZ_OK);
  CHECK(blitz_task_group_wait(group) == BLITZ_OK && late == 0);
  CHECK(blitz_task_group_stop_requested(group) == 0);
  blitz_task_group_destroy(group);

  size_t threads = 0;
  CHECK(blitz_num_threads(pool, &threads) == BLITZ_OK && threads == 2);
  blitz_stats stats;
  uint64_t executed = 0;
  CHECK(blitz_pool_stats(pool, &stats, sizeof stats) == BLITZ_OK && stats.jobs_pushed >= 100);
  CHECK(blitz_pool_stats(pool, (blitz_stats*)&executed, sizeof executed) == BLITZ_OK);
}

int main(void) {
  CHECK(strcmp(blitz_last_error(), "") == 0);
  CHECK(strlen(blitz_version()) > 0);
  CHECK(blitz_thread_index() == SIZE_MAX);

  const size_t large = (size_t)10 << 20;
  char* const bytes = blitz_allocate(large, 1);
  CHECK(bytes != NULL);
  memset(bytes, 1, large);
  blitz_free(bytes, large, 1);
  CHECK(blitz_allocate(SIZE_MAX / 2, 8) == NULL);
  blitz_free(NULL, 8, 8);

  blitz_pool* pool = NULL;
  CHECK(blitz_pool_create(SIZE_MAX, &pool) == BLITZ_INVALID && pool == NULL);
  CHECK(strlen(blitz_last_error()) > 0);
  CHECK(blitz_pool_create(2, &pool) == BLITZ_OK);
  use(pool);
  blitz_pool_destroy(pool);
  blitz_pool_destroy(NULL);
  blitz_task_group_destroy(NULL);

  CHECK(blitz_init_global_pool(2) == BLITZ_OK);
  CHECK(blitz_init_global_pool(2) == BLITZ_UNUSABLE);
  use(NULL);
  return 0;
}
