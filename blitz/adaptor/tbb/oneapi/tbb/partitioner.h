#pragma once

#include "blitz/adaptor/tbb/divide.hpp"
#include "blitz/adaptor/tbb/memory.hpp"
#include "blitz/adaptor/tbb/tasks.hpp"
