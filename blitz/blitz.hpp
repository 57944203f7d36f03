/// @file
/// The whole library: the scheduler, the algorithms, the pipelines.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include "blitz/algorithm.hpp"
#include "blitz/fork_join.hpp"
#include "blitz/pipeline.hpp"

/// The public API. Namespace blitz::detail is private to the library.
namespace blitz {}
