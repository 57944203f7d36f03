/// The functions of the plug-in plugin.cpp.
#pragma once

#define PLUGIN_API __attribute__((visibility("default")))

extern "C" {

/// Starts its global pool; false if it was started or shut down before.
PLUGIN_API bool plugin_start(int threads);
/// The sum of the numbers below `count`, by a loop and a join of its global pool.
PLUGIN_API long plugin_sum(int count);
/// A sum by a loop in two static pools, one of each policy.
PLUGIN_API long plugin_sum_in_static_pools(int count);
/// Spawns job(context) in its global pool.
PLUGIN_API void plugin_spawn(void (*job)(void*), void* context);
PLUGIN_API void plugin_shut_down();

}  // extern "C"
