/// What the workloads of one library include, compiled once for all of them. It is to save time alone: each includes what it
/// uses.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include BENCH_PEER
#include "bench/harness/workload.hpp"
