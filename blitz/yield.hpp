/// yield_now, yield_local: letting waiting jobs have a turn.
#pragma once

#include "blitz/base/compiler.hpp"

#include "blitz/core/worker.hpp"

namespace blitz {

/// What came of a yield.
enum class Yield : bool {
  idle,     ///< no job was found
  executed  ///< one was run
};

/// Runs one job that waits in the pool, if one is found, and returns when it has ended. Outside every pool: idle. O(n)
/// for n workers, when there is none.
BLITZ_API Yield yield_now() noexcept;

/// The same, of the jobs that the calling worker itself has made: the newest.
BLITZ_API Yield yield_local() noexcept;

}  // namespace blitz
