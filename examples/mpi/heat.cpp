// The spread of heat over a plate: the rows are divided among the ranks of MPI, and each rank's rows among its threads.
//
// In each step a cell becomes the mean of its four neighbours. A rank needs one row of each neighbour for that. These rows
// travel while the rank computes all rows that do not need them. Rank 0 then computes the same plate serially, and compares.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include <blitz/blitz.hpp>
#include <mpi.h>

#include "ranks.hpp"
#include "support/options.hpp"
#include "support/pool.hpp"

namespace {

// The cells of the plate, without the row or column at each edge: their temperature does not change.
struct Plate {
  std::size_t rows = 1200;
  std::size_t columns = 2000;
};

// No two neighbouring cells begin with the same temperature, so that a missing row is soon noticed.
double temperature_at_first(std::size_t y, std::size_t x) { return static_cast<double>((y * 31 + x * 17) % 101); }

// Some rows of the plate, from 1 on, between one row above and one row below them.
class Block {
 public:
  Block(std::size_t first, std::size_t rows, std::size_t columns)
      : rows_(rows), width_(columns + 2), now_((rows + 2) * width_) {
    for (std::size_t y = 0; y < rows + 2; ++y) {
      for (std::size_t x = 0; x < width_; ++x) now_[y * width_ + x] = temperature_at_first(first + y, x);
    }
    next_ = now_;
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] double* row(std::size_t y) { return &now_[y * width_]; }

  // Several threads may compute different rows.
  void compute(std::size_t y) {
    const double* const row = &now_[y * width_];
    double* const result = &next_[y * width_];
    for (std::size_t x = 1; x + 1 < width_; ++x) {
      result[x] = 0.25 * (row[x - width_] + row[x + width_] + row[x - 1] + row[x + 1]);
    }
  }
  void end_step() { std::swap(now_, next_); }

 private:
  std::size_t rows_;
  std::size_t width_;
  std::vector<double> now_;
  std::vector<double> next_;
};

// At an edge of the plate there is no neighbour: MPI sends and receives nothing there, and the row keeps its temperature.
struct Neighbours {
  explicit Neighbours(const example::Ranks& ranks)
      : above(ranks.rank() > 0 ? static_cast<int>(ranks.rank() - 1) : MPI_PROC_NULL),
        below(ranks.rank() + 1 < ranks.size() ? static_cast<int>(ranks.rank() + 1) : MPI_PROC_NULL) {}

  int above;
  int below;
};

// Returns the time in seconds that the main thread waited for the rows of the neighbours.
double step(Block& block, const Neighbours& to, blitz::ThreadPool& pool, bool in_scope) {
  constexpr int kUp = 0;
  constexpr int kDown = 1;
  const int width = static_cast<int>(block.width());
  const std::size_t last = block.rows();

  std::array<MPI_Request, 4> requests{};
  MPI_Irecv(block.row(0), width, MPI_DOUBLE, to.above, kDown, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(block.row(last + 1), width, MPI_DOUBLE, to.below, kUp, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(block.row(1), width, MPI_DOUBLE, to.above, kUp, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(block.row(last), width, MPI_DOUBLE, to.below, kDown, MPI_COMM_WORLD, &requests[3]);

  const auto compute_inner_rows = [&] {
    blitz::parallel_for({.pool = &pool}, 2, std::max<std::size_t>(last, 2), [&](std::size_t y) { block.compute(y); });
  };
  double waited = 0;
  const auto wait_for_rows = [&] {
    const double began = MPI_Wtime();
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    waited = MPI_Wtime() - began;
  };
  if (in_scope) {
    pool.in_place_scope([&](blitz::Scope& scope) {
      scope.spawn(compute_inner_rows);
      wait_for_rows();  // on the main thread, while the pool's threads compute
    });
  } else {
    compute_inner_rows();  // with the help of the main thread
    wait_for_rows();
  }

  block.compute(1);
  if (last > 1) block.compute(last);
  block.end_step();
  return waited;
}

// All rows without those at the edges, on rank 0.
std::vector<double> gather(Block& block, std::size_t first_row, const example::Ranks& ranks, const Plate& plate) {
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(block.width()), MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  const int mine = static_cast<int>(block.rows());
  const int first = static_cast<int>(first_row);
  std::vector<int> rows(ranks.size());
  std::vector<int> firsts(ranks.size());
  MPI_Gather(&mine, 1, MPI_INT, rows.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Gather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<double> all(ranks.rank() == 0 ? plate.rows * block.width() : 0);
  MPI_Gatherv(block.row(1), mine, row, all.data(), rows.data(), firsts.data(), row, 0, MPI_COMM_WORLD);
  MPI_Type_free(&row);
  return all;
}

int run(const example::Ranks& ranks, const Plate& plate, std::size_t steps, bool in_scope, std::size_t threads) {
  blitz::ThreadPool pool({.num_threads = threads});
  const std::size_t first = plate.rows * ranks.rank() / ranks.size();
  const std::size_t end = plate.rows * (ranks.rank() + 1) / ranks.size();
  Block block(first, end - first, plate.columns);
  const Neighbours neighbours(ranks);

  MPI_Barrier(MPI_COMM_WORLD);  // so that no rank's time includes the start of another one
  double waited = 0;
  const double parallel_ms = example::time_ms([&] {
    for (std::size_t i = 0; i < steps; ++i) waited += step(block, neighbours, pool, in_scope);
    MPI_Barrier(MPI_COMM_WORLD);
  });

  const std::vector<double> parallel = gather(block, first, ranks, plate);
  const std::size_t all_threads = ranks.sum(pool.num_threads());
  double longest = 0;
  MPI_Reduce(&waited, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (ranks.rank() != 0) return 0;  // to MPI_Finalize, which waits without using the processor

  Block whole(0, plate.rows, plate.columns);
  const double serial_ms = example::time_ms([&] {
    for (std::size_t i = 0; i < steps; ++i) {
      for (std::size_t y = 1; y <= plate.rows; ++y) whole.compute(y);
      whole.end_step();
    }
  });

  std::printf("%zu rows of %zu cells, %zu steps, ranks: %zu\n", plate.rows, plate.columns, steps, ranks.size());
  std::printf("temperature in the middle: %.17g\n", whole.row((plate.rows + 1) / 2)[(plate.columns + 1) / 2]);
  example::print_comparison("serial", serial_ms, all_threads, parallel_ms);
  std::printf("  %-20s %10.2f ms\n", "waited for rows", 1000 * longest);
  if (!std::equal(parallel.begin(), parallel.end(), whole.row(1))) {
    std::fprintf(stderr, "mpi_heat: the serial and the parallel temperatures differ\n");
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const example::Ranks ranks("mpi_heat", argc, argv);
  try {
    Plate plate;
    std::size_t steps = 200;
    bool in_scope = false;
    std::size_t threads = 0;
    example::Options options("mpi_heat",
                             "Computes how heat spreads over a plate; started by: mpirun -n RANKS mpi_heat");
    options.number("--rows", "rows of the plate, at least one for each rank", plate.rows, 1, 1'000'000);
    options.number("--columns", "cells in a row", plate.columns, 1, 1'000'000);
    options.number("--steps", "how many steps to compute", steps, 0, 1'000'000'000);
    options.flag("--in-scope", "the main thread waits for the rows while the other threads compute", in_scope);
    example::add_threads_option(options, threads);
    const auto check = [&]() -> std::optional<int> {
      if (plate.rows >= ranks.size()) return std::nullopt;
      std::fprintf(stderr, "mpi_heat: --rows: %zu rows are too few for %zu ranks\n", plate.rows, ranks.size());
      return 2;
    };
    if (const auto status = ranks.parse(options, argc, argv, check)) return *status;
    return run(ranks, plate, steps, in_scope, threads);
  } catch (const std::exception& error) {
    ranks.abort(error.what());
  }
}
