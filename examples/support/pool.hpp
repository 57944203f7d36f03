// Shared by all examples: starts the pool with `--threads` threads, and compares its time with the serial one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include <blitz/blitz.hpp>

#include "options.hpp"

namespace example {

inline void add_threads_option(Options& options, std::size_t& threads) {
  options.number("--threads", "threads to use, 0: as many as there are processors for this process", threads, 0, 1024);
}

/// Starts the global pool, so that no timed region includes the creation of threads. Returns its number of threads.
inline std::size_t start_pool(std::size_t threads) {
  blitz::ThreadPoolOptions options;
  options.num_threads = threads;
  blitz::init_global_pool(std::move(options));
  return blitz::current_num_threads();
}

/// Runs `work` once; wall time in milliseconds.
template <class Work>
double time_ms(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  std::forward<Work>(work)();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

inline void print_comparison(const char* serial_name, double serial_ms, std::size_t threads, double parallel_ms) {
  const std::string parallel_name = "blitz, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  std::printf("  %-20s %10.2f ms\n", serial_name, serial_ms);
  std::printf("  %-20s %10.2f ms   %.2f x as fast\n", parallel_name.c_str(), parallel_ms, serial_ms / parallel_ms);
}

}  // namespace example
