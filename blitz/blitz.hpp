/// @file
/// All calls: the scheduler's, the algorithms, the pipelines.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include "blitz/algorithm.hpp"
#include "blitz/fork_join.hpp"
#include "blitz/pipeline.hpp"

/// All that programs use. What is in blitz::detail is for the library.
namespace blitz {}
