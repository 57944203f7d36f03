// How much memory one run of an entry takes.
#pragma once

#include "bench/harness/registry.hpp"

namespace bench {

/// Whether this system tells: on Linux, where /proc/self/clear_refs may be written.
bool peak_memory_is_known();

/// How far the resident memory of a process rises above what its input and its threads take, while it runs `entry` for
/// the first time, in bytes; NaN where the run failed. A process of its own, forked here: in a shared one, memory that
/// a library keeps after its first run would be seen once and never again. To be called before this process has any
/// other thread, as only the calling one lives on in a fork.
double peak_bytes(const Entry& entry, unsigned threads, Scale scale);

}  // namespace bench
