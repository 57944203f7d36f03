// A plug-in that uses blitz, for plugin_test.cpp: it contains the library, or is linked with the shared one.
#include "plugin.hpp"

#include <atomic>
#include <cstddef>

#include <blitz/fork_join.hpp>

namespace {

template <class Run>
long sum_with(Run&& run) {
  std::atomic<long> sum{0};
  run([&](int i) { sum += i; });
  return sum;
}

/// Destroyed when the plug-in is closed.
template <class Pool>
Pool& static_pool() {
  static Pool pool({.num_threads = 3});
  return pool;
}

}  // namespace

extern "C" {

PLUGIN_API long plugin_sum(int count) {
  const long sum = sum_with([&](const auto& add) { blitz::parallel_for(0, count, add); });
  auto [left, right] = blitz::join([&] { return sum; }, [] { return 1L; });
  return left + right - 1;
}

PLUGIN_API long plugin_sum_in_static_pools(int count) {
  const auto sum_in = [&](auto& pool) {
    return sum_with([&](const auto& add) { blitz::parallel_for({.pool = &pool}, 0, count, add); });
  };
  const long sum = sum_in(static_pool<blitz::ThreadPool>());
  return sum_in(static_pool<blitz::AsyncThreadPool>()) == sum ? sum : -1;
}

PLUGIN_API void plugin_spawn(void (*job)(void*), void* context) {
  blitz::spawn([job, context] { job(context); });
}

PLUGIN_API void plugin_shut_down() { blitz::shutdown_global_pool(); }

PLUGIN_API bool plugin_start(int threads) {
  try {
    blitz::init_global_pool({.num_threads = static_cast<std::size_t>(threads)});
    return true;
  } catch (const blitz::ThreadPoolError&) {
    return false;
  }
}

}  // extern "C"
