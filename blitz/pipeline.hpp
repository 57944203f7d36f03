/// @file
/// Pipelines: blitz::par(range).map(f).filter(p).sum().
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include "blitz/pipeline/array.hpp"
#include "blitz/pipeline/from.hpp"
#include "blitz/pipeline/groups.hpp"
#include "blitz/pipeline/par.hpp"
#include "blitz/pipeline/text.hpp"
#include "blitz/pipeline/tree.hpp"
