/// All parallel algorithms.
#pragma once

#include "blitz/base/compiler.hpp"

#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/algorithm/merge.hpp"
#include "blitz/algorithm/set_operations.hpp"
#include "blitz/algorithm/sort.hpp"
#include "blitz/algorithm/stable_sort.hpp"
