/// All parallel algorithms.
#pragma once

#include "blitz/base/compiler.hpp"

#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/algorithm/group_by.hpp"
#include "blitz/algorithm/histogram.hpp"
#include "blitz/algorithm/reduce_by_key.hpp"
