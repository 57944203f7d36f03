// A minimal program with MPI and blitz: pi, as a sum that is divided among ranks and their threads.

#include <cstdio>

#include <blitz/blitz.hpp>
#include <mpi.h>

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) MPI_Abort(MPI_COMM_WORLD, 1);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    blitz::ThreadPool pool;  // after MPI_Init_thread
    const double terms = 1'000'000;
    const double part = pool.install([&] {
      return blitz::par(0, 1'000'000 / ranks)
          .map([&](int i) {
            const double x = (i * ranks + rank + 0.5) / terms;
            return 4 / (1 + x * x) / terms;
          })
          .sum();
    });
    double pi = 0;
    MPI_Allreduce(&part, &pi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // outside of all bodies, on the main thread
    std::printf("rank %d of %d, %zu threads: %.4f\n", rank, ranks, pool.num_threads(), pi);
  }  // the pool's threads end before MPI does
  MPI_Finalize();
}
