/// All parallel algorithms.
#pragma once

#include "blitz/base/compiler.hpp"

#include "blitz/algorithm/options.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/algorithm/sort.hpp"
