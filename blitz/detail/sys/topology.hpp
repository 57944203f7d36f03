/// The orders in which the workers of a pool are bound to processors.
#pragma once

#include <filesystem>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/sys/cpu_count.hpp"

namespace blitz::detail {

/// `processors`, which are in ascending order, in orders for the workers of a pool. The cache is the last one, which several cores
/// share. The positions come from `root`/sys/devices/system, as in Linux; `root` replaces "/". Processors without a known
/// position are all in one node and one cache, each a core. Both read about ten files per processor, and throw std::bad_alloc.

/// By memory node, then by cache; in each cache one hardware thread of each core first.
[[nodiscard]] BLITZ_API Processors compact(const Processors& processors, const std::filesystem::path& root);

/// One hardware thread of each core of the machine first; the nodes take turns, and the caches of each node.
[[nodiscard]] BLITZ_API Processors spread(const Processors& processors, const std::filesystem::path& root);

}  // namespace blitz::detail
