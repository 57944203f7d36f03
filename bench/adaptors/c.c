/* blitz/c.h beside OpenMP, from C: microseconds for each call, the least of several rounds. The threads of each would disturb the
 * other, so each side is a run.
 *
 *   gcc -O3 -fopenmp bench/adaptors/c.c $(pkg-config --cflags --libs blitz-c) -o c && ./c openmp && ./c blitz
 */
#include "blitz/c.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double items[1000000];

static void square(double* v, size_t first, size_t last) {
  for (; first != last; ++first) v[first] *= v[first];
}
static int block(void* v, size_t first, size_t last) {
  square(v, first, last);
  return 0;
}

static void loop_by_blitz(size_t n) { blitz_parallel_for(NULL, n, 1, block, items); }
static void loop_by_openmp(size_t n) {
#pragma omp parallel for
  for (size_t i = 0; i < n; ++i) items[i] *= items[i];
}

typedef struct {
  size_t n;
  size_t result;
} fib_call;

static void fib(void* context, int migrated) {
  fib_call* const call = context;
  (void)migrated;
  if (call->n < 2) {
    call->result = call->n;
    return;
  }
  fib_call a = {call->n - 1, 0}, b = {call->n - 2, 0};
  blitz_join(NULL, fib, &a, fib, &b);
  call->result = a.result + b.result;
}
static void fib_by_blitz(size_t n) {
  fib_call call = {n, 0};
  fib(&call, 0);
}

static size_t fib_task(size_t n) {
  size_t a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib_task(n - 1);
  b = fib_task(n - 2);
#pragma omp taskwait
  return a + b;
}
static void fib_by_openmp(size_t n) {
#pragma omp parallel
#pragma omp single
  fib_task(n);
}

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void measure(const char* name, void (*call)(size_t), size_t n, int calls) {
  double least = 1e300;
  for (int round = 0; round < 30; ++round) {
    const double start = now();
    for (int i = 0; i < calls; ++i) call(n);
    const double time = (now() - start) / calls;
    if (time < least) least = time;
  }
  printf("%-20s %9.2f us\n", name, least);
}

int main(int argc, char** argv) {
  const int openmp = argc > 1 && strcmp(argv[1], "openmp") == 0;
  measure("loop of 1000", openmp ? loop_by_openmp : loop_by_blitz, 1000, 1000);
  measure("loop of 1,000,000", openmp ? loop_by_openmp : loop_by_blitz, 1000000, 20);
  measure("fib(25)", openmp ? fib_by_openmp : fib_by_blitz, 25, 1);
  return 0;
}
