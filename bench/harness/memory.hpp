// The memory that one run of an entry takes.
#pragma once

#include "bench/harness/registry.hpp"

namespace bench {

/// Whether the system reports peak memory: Linux, if /proc/self/clear_refs can be written.
bool peak_memory_is_known();

/// Runs `entry` for the first time in a forked process. Returns the rise of resident memory above the memory of the input and
/// the threads, in bytes; NaN if the run failed. In a shared process, memory that a library keeps after its first run would
/// count only for that run. Must be called before this process has another thread: fork() copies only the calling one.
double peak_bytes(const Entry& entry, unsigned threads, Scale scale);

}  // namespace bench
