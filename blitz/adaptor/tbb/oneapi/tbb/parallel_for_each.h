#pragma once

#include "blitz/adaptor/tbb/algorithms.hpp"
#include "blitz/adaptor/tbb/memory.hpp"
#include "blitz/adaptor/tbb/tasks.hpp"
