/// All parallel algorithms.
#pragma once

#include "blitz/base/compiler.hpp"

#include "blitz/algorithm/compare.hpp"
#include "blitz/algorithm/count.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/algorithm/min_max.hpp"
#include "blitz/algorithm/options.hpp"
