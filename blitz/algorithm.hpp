/// All parallel algorithms.
#pragma once

#include "blitz/base/compiler.hpp"

#include "blitz/algorithm/adjacent_difference.hpp"
#include "blitz/algorithm/copy_if.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/partition.hpp"
#include "blitz/algorithm/reduce.hpp"
#include "blitz/algorithm/remove.hpp"
#include "blitz/algorithm/scan.hpp"
#include "blitz/algorithm/unique.hpp"
