/// All parallel algorithms.
#pragma once

#include "blitz/base/compiler.hpp"

#include "blitz/algorithm/compare.hpp"
#include "blitz/algorithm/copy.hpp"
#include "blitz/algorithm/count.hpp"
#include "blitz/algorithm/fill.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/algorithm/for_each.hpp"
#include "blitz/algorithm/group_by.hpp"
#include "blitz/algorithm/histogram.hpp"
#include "blitz/algorithm/min_max.hpp"
#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/permute.hpp"
#include "blitz/algorithm/reduce_by_key.hpp"
#include "blitz/algorithm/transform.hpp"
#include "blitz/algorithm/uninitialized.hpp"
