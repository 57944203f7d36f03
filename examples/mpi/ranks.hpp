// Shared by the MPI examples: the beginning and the end of MPI, and the arguments.
#pragma once

#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <mpi.h>

#include "support/options.hpp"

namespace example {

/// The ranks of the program. MPI begins and ends with this object: a pool constructed after it is destroyed before MPI ends.
///
/// The results of MPI's calls are not checked, because by default a failed call ends all ranks with a message.
class Ranks {
 public:
  Ranks(std::string program, int& argc, char**& argv) : program_(std::move(program)) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);  // only the main thread calls MPI
    if (provided < MPI_THREAD_FUNNELED) abort("this MPI allows no other threads than the main thread");
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }
  ~Ranks() { MPI_Finalize(); }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] std::size_t rank() const { return rank_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Options::parse on all ranks, then `check()` on rank 0, which returns a status to exit with, or nothing. All ranks
  /// return the same, and only rank 0 prints.
  template <class Check>
  [[nodiscard]] std::optional<int> parse(const Options& options, int argc, const char* const* argv, Check check) const {
    constexpr int kNone = -1;
    int status = kNone;
    if (rank_ == 0) {
      const auto wrong = options.parse(argc, argv);
      status = wrong ? *wrong : check().value_or(kNone);
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (status != kNone) return status;
    if (rank_ != 0 && options.parse(argc, argv)) throw std::invalid_argument("other arguments than those of rank 0");
    return std::nullopt;
  }

  /// Adds up a number of each rank. Only rank 0 gets the sum.
  [[nodiscard]] std::size_t sum(std::size_t mine) const {
    unsigned long long sum = mine;
    MPI_Reduce(rank_ == 0 ? MPI_IN_PLACE : &sum, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    return static_cast<std::size_t>(sum);
  }

  /// Ends all ranks. A rank that only returned would leave the others waiting for its messages.
  [[noreturn]] void abort(const char* why) const {
    std::fprintf(stderr, "%s: rank %zu: %s\n", program_.c_str(), rank_, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::terminate();  // MPI_Abort does not return
  }

 private:
  std::string program_;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
};

}  // namespace example
